"""Files as readers see them: compressed ones, archives, limits."""

from __future__ import annotations

import codecs
import gzip
import io
import stat
import struct
import tarfile
import tracemalloc
import xml.etree.ElementTree as ET
import zipfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_qa.errors import SourceError
from rag_qa.sources import documents
from rag_qa.sources.documents import File, Limits
from rag_qa.sources.reader import Problem, Trouble

RIS = "TY  - JOUR\nTI  - Größe der Gezeiten\nER  - \n"
SMALL = Limits(file=10_000, archive=25_000, text=5_000, line=200, members=5, spared=2_000, ratio=20)


def saved(folder: Path, name: str, content: bytes) -> Path:
    (folder / name).write_bytes(content)
    return folder / name


def zipped(members: dict[str, str | bytes], compression: int = zipfile.ZIP_DEFLATED) -> bytes:
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", compression) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return held.getvalue()


def read(path: Path, limits: Limits = documents.LIMITS) -> list[tuple[str, str]]:
    """(name, text or reason) of all that a file holds."""
    return [
        (one.path.removeprefix(str(path)), one.reason if isinstance(one, Problem) else one.text()) for one in documents.opened(path, limits=limits)
    ]


def problems(path: Path, limits: Limits = documents.LIMITS) -> list[Problem]:
    return [one for one in documents.opened(path, limits=limits) if isinstance(one, Problem)]


def refusal(path: Path, limits: Limits = documents.LIMITS) -> str:
    with pytest.raises(SourceError) as error:
        read(path, limits)
    assert "\n" not in str(error.value)
    return str(error.value).removeprefix(str(path))


# ------------------------------------------------------------------------------------------------------------- single files


def test_a_plain_file(tmp_path: Path) -> None:
    (document,) = documents.opened(saved(tmp_path, "My.RIS", RIS.encode()), {"title": "TI"})

    assert isinstance(document, File)
    assert (document.path, document.suffix, document.mapping) == (str(tmp_path / "My.RIS"), ".ris", {"title": "TI"})
    assert document.text() == document.head() == RIS
    assert list(document.lines())[1] == (2, "TI  - Größe der Gezeiten")
    assert document.raw() == RIS.encode()
    assert list(document.problems()) == []


def test_gzip_is_known_by_its_bytes(tmp_path: Path) -> None:
    for name, suffix in (("a.ris.gz", ".ris"), ("a.ris", ".ris"), ("a.gz", ""), ("a.RIS.GZ", ".ris")):
        (document,) = documents.opened(saved(tmp_path, name, gzip.compress(RIS.encode())))
        assert isinstance(document, File)
        assert (document.suffix, document.text()) == (suffix, RIS)


def test_gzip_of_several_parts(tmp_path: Path) -> None:
    assert read(saved(tmp_path, "a.gz", gzip.compress(b"TY  - JOUR\n") + gzip.compress(b"ER  - \n"))) == [("", "TY  - JOUR\nER  - \n")]


@pytest.mark.parametrize("damage", [lambda whole: whole[:-4], lambda whole: whole[:20], lambda whole: whole[:-6] + b"\0\0" + whole[-4:]])
def test_a_damaged_gzip_is_refused_as_a_whole(damage: Callable[[bytes], bytes], tmp_path: Path) -> None:
    message = refusal(saved(tmp_path, "a.ris.gz", damage(gzip.compress(RIS.encode() * 100))))

    assert message.startswith(": found a gzip file that is damaged or cut off (")
    assert message.endswith("), expected a whole one. Copy or download it again.")


def test_a_tar_is_refused_with_advice(tmp_path: Path) -> None:
    held = io.BytesIO()
    with tarfile.open(fileobj=held, mode="w") as tar:
        tar.addfile(tarfile.TarInfo("a.ris"), io.BytesIO())

    advice = "expected references or abstracts as text. Unpack it and name the folder (tar -xf)."
    assert refusal(saved(tmp_path, "a.tar", held.getvalue())) == f": found a tar archive, {advice}"
    assert refusal(saved(tmp_path, "a.tar.gz", gzip.compress(held.getvalue()))) == f": found a tar archive, compressed by gzip, {advice}"


def test_archives_in_gzip_are_refused(tmp_path: Path) -> None:
    assert "found a zip archive, compressed by gzip" in refusal(saved(tmp_path, "a.gz", gzip.compress(zipped({"a.ris": RIS}))))
    assert "found a gzip file, compressed by gzip" in refusal(saved(tmp_path, "a.gz", gzip.compress(gzip.compress(RIS.encode()))))


def test_a_pdf_is_refused_with_advice(tmp_path: Path) -> None:
    assert refusal(saved(tmp_path, "a.bib", b"%PDF-1.4\n")) == (
        ": found a PDF, expected references or abstracts as text. "
        "Export the references from your reference manager as RIS or BibTeX, or save the abstracts as text."
    )


@pytest.mark.parametrize("content", [b"", b" \n\t\r\n", codecs.BOM_UTF8, codecs.BOM_UTF8 + b"\n", "\n".encode("utf-16")])
def test_an_empty_file(content: bytes) -> None:
    document = File("a.ris", content)

    for part in (document.text, document.raw, lambda: list(document.lines())):
        with pytest.raises(SourceError, match=r"^a\.ris: found an empty file, expected references or abstracts$"):
            part()


def test_a_file_that_has_gone(tmp_path: Path) -> None:
    assert refusal(tmp_path / "gone.txt") == ": found a file that can't be opened (No such file or directory), expected a readable text file"
    assert refusal(tmp_path) == ": found a file that can't be opened (Is a directory), expected a readable text file"


def test_standard_input() -> None:
    (document,) = documents.received(io.BytesIO(gzip.compress(RIS.encode())), {"title": "TI"})

    assert isinstance(document, File)
    assert (document.path, document.suffix, document.mapping, document.text()) == ("<stdin>", "", {"title": "TI"}, RIS)
    assert [one.path for one in documents.received(io.BytesIO(zipped({"a.ris": RIS})))] == ["<stdin>!a.ris"]
    with pytest.raises(SourceError, match=r"^<stdin>: found more than 10,000 bytes, expected at most 10,000 bytes\. "):
        list(documents.received(io.BytesIO(b"a" * 10_001), limits=SMALL))


def test_what_was_put_right_is_told() -> None:
    assert [(one.line, one.kind) for one in File("a.ris", RIS.encode("latin-1")).problems()] == [(None, Trouble.REPAIRED)]


def test_the_head_ends_with_a_whole_character() -> None:
    head = File("a.txt", "€".encode() * 50_000).head()

    assert head == "€" * 21_845


@pytest.mark.parametrize("encoding", ["gb18030", "utf-16"])
def test_the_head_in_other_encodings(encoding: str) -> None:
    text = "测试期刊研究方法" * 20_000

    assert text.startswith(File("a.txt", text.encode(encoding)).head())


# --------------------------------------------------------------------------------------------------------------------- XML

XML = '<?xml version="1.0" encoding="{}"?>\n<a>Größe</a>'


@pytest.mark.parametrize(
    ("declared", "encoding"),
    [
        ("UTF-8", "utf-8"),
        ("ISO-8859-1", "latin-1"),
        ("UTF-16", "utf-16"),
        ("utf-16", "utf-8"),  # as .NET writes it
        ("UTF-8", "cp1252"),
        ("gb2312", "gb2312"),  # the parser knows no encoding of several bytes
        ("klingon", "utf-8"),
    ],
)
def test_a_parser_can_believe_what_xml_says_of_its_encoding(declared: str, encoding: str) -> None:
    text = XML.format(declared).replace("Größe", "测试" if encoding == "gb2312" else "Größe")

    root = ET.fromstring(File("a.xml", text.encode(encoding)).raw())

    assert root.text == ("测试" if encoding == "gb2312" else "Größe")


def test_xml_that_needs_no_change_is_not_copied() -> None:
    content = XML.format("UTF-8").encode()

    assert File("a.xml", content).raw() is content


# -------------------------------------------------------------------------------------------------------------------- zip


def test_each_member_of_a_zip_is_a_document(tmp_path: Path) -> None:
    path = saved(
        tmp_path, "papers.zip", zipped({"a.ris": RIS, "folder/b.bib": "@article{a,}", "README": "text", "c.ris.gz": gzip.compress(b"TY  - ")})
    )

    found = [one for one in documents.opened(path, {"title": "TI"}) if isinstance(one, File)]

    assert [one.path for one in found] == [f"{path}!{name}" for name in ("a.ris", "folder/b.bib", "README", "c.ris.gz")]
    assert [one.suffix for one in found] == [".ris", ".bib", "", ".ris"]
    assert [one.text() for one in found] == [RIS, "@article{a,}", "text", "TY  - "]
    assert [line for line, _ in found[0].lines()] == [1, 2, 3]
    assert found[0].mapping == {"title": "TI"}


def test_what_is_left_aside_in_a_zip(tmp_path: Path) -> None:
    link = zipfile.ZipInfo("link.ris")
    link.external_attr = (stat.S_IFLNK | 0o777) << 16
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w") as archive:
        archive.mkdir("folder")
        archive.writestr("__MACOSX/._a.ris", RIS)
        archive.writestr("folder/.hidden.ris", RIS)
        archive.writestr(link, "/etc/passwd")
        archive.writestr("paper.pdf", b"%PDF-1.4\n")
        archive.writestr("inner.zip", zipped({"a.ris": RIS}))
        archive.writestr("../../out.ris", RIS)

    assert read(saved(tmp_path, "a.zip", held.getvalue())) == [
        ("!folder/", "a folder"),
        ("!__MACOSX/._a.ris", "a hidden file"),
        ("!folder/.hidden.ris", "a hidden file"),
        ("!link.ris", "a link"),
        ("!paper.pdf", "a PDF: export the references from your reference manager as RIS or BibTeX, or save the abstracts as text"),
        ("!inner.zip", "a zip archive: unpack it and name the folder"),
        ("!../../out.ris", RIS),
    ]
    assert {one.kind for one in problems(tmp_path / "a.zip")} == {Trouble.IGNORED}
    assert [one.name for one in tmp_path.iterdir()] == ["a.zip"]


def test_the_last_of_two_members_of_one_name_counts(tmp_path: Path) -> None:
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w") as archive:
        archive.writestr("a.ris", "old")
        with pytest.warns(UserWarning, match="Duplicate name"):
            archive.writestr("a.ris", "new")

    assert read(saved(tmp_path, "a.zip", held.getvalue())) == [("!a.ris", "an older one of two files with this name"), ("!a.ris", "new")]


def test_names_of_members(tmp_path: Path) -> None:
    content = zipped({"größe.ris": RIS, "bell\a\n.ris": RIS, "folder\\b.ris": RIS})
    unmarked = content.replace(b"\x00\x08", b"\x00\x00")  # programs forget to say that a name is UTF-8

    assert [name for name, _ in read(saved(tmp_path, "a.zip", unmarked))] == ["!größe.ris", "!bell\ufffd\ufffd.ris", "!folder/b.ris"]


def test_an_encrypted_member_does_not_cost_the_others(tmp_path: Path) -> None:
    content = bytearray(zipped({"a.ris": RIS, "b.ris": RIS}))
    content[6] |= 1  # the flags in front of the first member, and in the list at the end
    content[content.index(b"PK\x01\x02") + 8] |= 1

    assert read(saved(tmp_path, "a.zip", bytes(content))) == [
        ("!a.ris", "it is encrypted: unpack the archive and name the folder"),
        ("!b.ris", RIS),
    ]
    assert problems(tmp_path / "a.zip")[0].kind is Trouble.FAILED


def test_a_damaged_member_does_not_cost_the_others(tmp_path: Path) -> None:
    content = bytearray(zipped({"a.ris": RIS, "b.ris": RIS}, zipfile.ZIP_STORED))
    content[content.index(b"JOUR")] ^= 1

    (first, reason), second = read(saved(tmp_path, "a.zip", bytes(content)))

    assert first == "!a.ris"
    assert reason == "it is damaged (Bad CRC-32 for file 'a.ris'): copy or download the archive again"
    assert second == ("!b.ris", RIS)
    assert problems(tmp_path / "a.zip")[0].kind is Trouble.FAILED


def test_a_compression_that_cannot_be_stopped_is_not_read(tmp_path: Path) -> None:
    path = saved(tmp_path, "a.zip", zipped({"a.ris": RIS}, zipfile.ZIP_BZIP2))

    assert read(path) == [("!a.ris", "compressed in an unusual way (method 12): unpack the archive and name the folder")]


def test_a_zip_that_is_cut_off(tmp_path: Path) -> None:
    message = refusal(saved(tmp_path, "a.zip", zipped({"a.ris": RIS})[:-30]))

    assert message.startswith(": found a zip archive that is damaged or cut off (")


def test_an_office_document_is_no_archive(tmp_path: Path) -> None:
    path = saved(tmp_path, "a.xlsx", zipped({"[Content_Types].xml": "", "xl/workbook.xml": ""}))

    assert refusal(path) == ": found an Excel sheet, expected references or abstracts as text. Save it as CSV."


CHANGED = zipped({"a.ris": RIS, "b.ris.gz": gzip.compress(RIS.encode())})


@given(st.lists(st.tuples(st.integers(0, len(CHANGED) - 1), st.integers(0, 255)), min_size=1, max_size=4))
def test_any_change_of_a_zip_gives_texts_or_reasons(changes: list[tuple[int, int]]) -> None:
    content = bytearray(CHANGED)
    for at, byte in changes:
        content[at] = byte

    with suppress(SourceError):
        for one in documents.received(io.BytesIO(bytes(content))):
            assert one.reason if isinstance(one, Problem) else one.head() is not None


# ----------------------------------------------------------------------------------------------------------------- limits


def test_a_large_file_is_refused(tmp_path: Path) -> None:
    assert refusal(saved(tmp_path, "a.ris", b"a\n" * 5_001), SMALL) == (
        ": found more than 10,000 bytes, expected at most 10,000 bytes. Split it, or export fewer records at a time."
    )


def test_a_large_text_is_refused_where_it_is_needed_as_a_whole() -> None:
    document = File("a.json", b"a\n" * 3_000, limits=SMALL)

    assert len(list(document.lines())) == 3_000
    for part in (document.text, document.raw):
        with pytest.raises(
            SourceError, match=r"found a file of 6,000 bytes, which has to be read as a whole, expected at most 5,000 bytes\. Split it"
        ):
            part()


def test_a_long_line_is_refused_and_named() -> None:
    lines = File("a.ris", b"a\n" + b"b" * 201 + b"\nc", limits=SMALL).lines()

    assert next(lines) == (1, "a")
    with pytest.raises(SourceError, match=r"^a\.ris:2: found a line of more than 200 bytes, expected one record or field on it$"):
        next(lines)


def test_a_gzip_bomb_is_stopped(tmp_path: Path) -> None:
    bomb = gzip.compress(bytes(9_000))  # some 40 bytes

    assert refusal(saved(tmp_path, "a.gz", bomb), SMALL).startswith(": found more than 2,000 bytes, expected at most 2,000 bytes")


def test_a_zip_bomb_is_stopped_and_the_others_are_read(tmp_path: Path) -> None:
    path = saved(tmp_path, "a.zip", zipped({"bomb.txt": b"a" * 9_000, "b.ris": RIS}))

    first, second = read(path, SMALL)

    assert first[1].startswith("found more than 2,000 bytes")
    assert second == ("!b.ris", RIS)


def test_a_member_that_lies_about_its_size_is_stopped(tmp_path: Path) -> None:
    content = bytearray(zipped({"bomb.txt": b"a" * 9_000}))
    for at in (22, content.index(b"PK\x01\x02") + 24):
        content[at : at + 4] = struct.pack("<I", 100)
    path = saved(tmp_path, "a.zip", bytes(content))

    (problem,) = problems(path, SMALL)

    assert problem.kind is Trouble.FAILED


def test_all_members_together_are_limited(tmp_path: Path) -> None:
    noise = bytes(range(48, 123)) * 120  # 9,000 bytes, stored
    path = saved(tmp_path, "a.zip", zipped({f"{number}.txt": noise for number in range(4)}, zipfile.ZIP_STORED))

    assert [len(text) if text == noise.decode() else text[:25] for _, text in read(path, Limits(archive=25_000))] == [
        9_000,
        9_000,
        "found more than 7,000 byt",
        "found more than 7,000 byt",
    ]


def test_the_number_of_members_is_limited(tmp_path: Path) -> None:
    path = saved(tmp_path, "a.zip", zipped({f"{number}.ris": RIS for number in range(6)}))

    assert refusal(path, SMALL) == ": found an archive of more than 5 files, expected fewer. Unpack the archive and name the folder."


def test_a_long_list_of_members_is_refused_before_it_is_read(tmp_path: Path) -> None:
    path = saved(tmp_path, "a.zip", zipped({f"{number}{'x' * 2_000}.ris": "" for number in range(3)}))

    assert "found an archive of more than 5 files" in refusal(path, SMALL)


def test_decompression_never_holds_more_than_the_limit(tmp_path: Path) -> None:
    path = saved(tmp_path, "a.gz", gzip.compress(bytes(200_000_000), 9))
    tracemalloc.start()
    try:
        with pytest.raises(SourceError):
            list(documents.opened(path, limits=Limits(spared=4_000_000, ratio=10)))
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()

    assert peak < 12_000_000


@pytest.mark.parametrize("megabytes", [20, pytest.param(200, marks=pytest.mark.benchmark)])
def test_lines_take_the_memory_of_the_file_and_little_more(megabytes: int, tmp_path: Path) -> None:
    record = "TY  - JOUR\r\nTI  - Größe\r\nAB  - {}\r\nER  - \r\n\r\n".format("We study the tides of the northern sea. " * 25).encode()
    copies = megabytes * 1_000_000 // len(record)
    path = saved(tmp_path, "a.ris", record * copies)

    tracemalloc.start()
    try:
        (document,) = documents.opened(path)
        assert isinstance(document, File)
        assert document.head()
        assert list(document.problems()) == []
        assert sum(1 for _ in document.lines()) == 5 * copies
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()

    # reading the file makes its buffer grow by an eighth at most
    assert peak < 1.2 * path.stat().st_size + 5_000_000
