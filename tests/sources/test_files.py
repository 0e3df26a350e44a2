"""Which files are read, as what, and what is said of those that can't be."""

from __future__ import annotations

import gzip
import hashlib
import io
import os
import re
import zipfile
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import pytest

from rag_qa.errors import SourceError
from rag_qa.papers import Origin, Paper
from rag_qa.sources import files
from rag_qa.sources.reader import FORMATS, Format, Problem, Trouble

TIDE = "We study the tides of the northern sea in winter.\n"
MOSS = "Mosses store carbon, and so do bogs that grow slowly.\n"
RIS = f"TY  - JOUR\nTI  - Tides\nAB  - {TIDE}ER  - \n\n"
UNKNOWN = f"ID: 1\nAU: Noor\nTI: Tides\nAB: {TIDE}"
BIB = f"@article{{a,\n  title = {{Mosses}},\n  abstract = {{{MOSS.strip()}}}\n}}\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "papers"
    (made / "deep" / "er").mkdir(parents=True)
    for name in ("b.txt", "a.TXT", "deep/c.txt", "deep/er/d.txt"):
        (made / name).write_text(TIDE)
    return made


def saved(folder: Path, name: str, content: str | bytes) -> Path:
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def zipped(members: dict[str, str | bytes]) -> bytes:
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return held.getvalue()


def found(*paths: str | Path) -> list[Path]:
    return [one for one in files.find(paths) if isinstance(one, Path)]


def problems(*paths: str | Path) -> list[Problem]:
    return [one for one in files.find(paths) if isinstance(one, Problem)]


def reasons(folder: Path) -> dict[str, str]:
    return {str(Path(one.path).relative_to(folder)): one.reason for one in problems(folder)}


def titles(results: Iterable[Paper | Problem]) -> list[str | None]:
    return [one.title for one in results if isinstance(one, Paper)]


def refused(path: Path) -> str:
    with pytest.raises(SourceError) as error:
        list(files.read(path))
    assert "\n" not in str(error.value)
    return str(error.value).removeprefix(str(path))


# ----------------------------------------------------------------------------------------------------------------- finding


def test_a_folder_means_all_files_in_it_in_order(folder: Path) -> None:
    assert found(folder) == [folder / name for name in ("a.TXT", "b.txt", "deep/c.txt", "deep/er/d.txt")]
    assert problems(folder) == []


def test_each_file_comes_once(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "link.txt").symlink_to(folder / "b.txt")
    monkeypatch.chdir(folder)

    assert found("b.txt", folder, "deep/../b.txt", folder / "b.txt") == [
        folder / "b.txt",
        folder / "a.TXT",
        folder / "deep/c.txt",
        folder / "deep/er/d.txt",
    ]


def test_files_of_a_folder_are_known_by_name_or_by_content(tmp_path: Path) -> None:
    wanted = [
        saved(tmp_path, "a.ris", "not RIS, and still said to be"),
        saved(tmp_path, "archive.zip", zipped({"a.ris": RIS})),
        saved(tmp_path, "b.ris.gz", gzip.compress(RIS.encode())),
        saved(tmp_path, "c.dat", RIS),
        saved(tmp_path, "export", BIB),
        saved(tmp_path, "packed", gzip.compress(BIB.encode())),
        saved(tmp_path, "zipped", zipped({"a.ris": RIS})),
    ]

    assert found(tmp_path) == wanted
    assert problems(tmp_path) == []


def test_other_files_of_a_folder_are_ignored_and_said_what_they_are(tmp_path: Path) -> None:
    saved(tmp_path, "image.png", b"\x89PNG\r\n\x1a\n")
    saved(tmp_path, "paper.pdf", b"%PDF-1.4\n")
    saved(tmp_path, "sheet.xlsx", zipped({"[Content_Types].xml": "", "xl/workbook.xml": ""}))
    saved(tmp_path, "page.htm", "<!doctype html><p>Sign in")
    saved(tmp_path, "nothing", "")
    saved(tmp_path, "notes", "x = 1\n")
    saved(tmp_path, "README.md", TIDE)
    saved(tmp_path, "LICENSE", TIDE)
    saved(tmp_path, "security.ris", RIS)

    told = reasons(tmp_path)

    assert [path.name for path in found(tmp_path)] == ["security.ris"]
    assert {name: reason.partition(":")[0] for name, reason in told.items() if name != "notes"} == {
        "image.png": "a PNG image",
        "paper.pdf": "a PDF",
        "sheet.xlsx": "an Excel sheet",
        "page.htm": "an HTML page",
        "nothing": "an empty file",
        "README.md": "by its name not a list of papers; name the file itself to read it",
        "LICENSE": "by its name not a list of papers; name the file itself to read it",
    }
    assert told["notes"].startswith("text of no known format: known are ")
    assert {one.kind for one in problems(tmp_path)} == {Trouble.IGNORED}


def test_a_file_that_is_named_is_read_whatever_its_suffix(folder: Path) -> None:
    for name in ("abstracts.dat", "README.md"):
        path = saved(folder, name, TIDE)
        assert found(path) == [path]
        assert len(list(files.read(path))) == 1


def test_hidden_files_are_left_alone(folder: Path) -> None:
    (folder / ".hidden.txt").write_text(TIDE)
    (folder / ".git").mkdir()
    (folder / ".git" / "e.txt").write_text(TIDE)

    assert len(found(folder)) == 4
    assert problems(folder) == []
    assert found(folder / ".hidden.txt") == [folder / ".hidden.txt"]


def test_standard_input_is_a_dash(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    saved(folder, "-", TIDE)

    assert found("-", "b.txt", "-") == [files.STDIN, folder / "b.txt"]
    assert found("./-") == [folder / "-"]


def test_a_missing_path_is_shown_as_it_was_typed(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)

    assert problems("gone.txt", "gone.txt", "b.txt/c") == [
        Problem(path, None, "no such file or folder", Trouble.FAILED) for path in ("gone.txt", "b.txt/c")
    ]


def test_an_empty_folder_is_a_problem(tmp_path: Path) -> None:
    (tmp_path / "empty" / "deeper").mkdir(parents=True)
    (tmp_path / "empty" / ".hidden.txt").write_text(TIDE)

    (problem,) = problems(tmp_path / "empty")

    assert (problem.path, problem.line, problem.kind) == (str(tmp_path / "empty"), None, Trouble.FAILED)
    assert problem.reason.startswith("the folder holds no file; put files with references or abstracts into it (.")


def test_links(folder: Path, tmp_path: Path) -> None:
    (folder / "nowhere.txt").symlink_to("gone.txt")
    (folder / "around.txt").symlink_to("around.txt")
    (folder / "up").symlink_to(tmp_path)

    assert len(found(folder)) == 4
    assert {Path(one.path).name: one.reason for one in problems(folder)} == {
        "nowhere.txt": "a link that leads nowhere",
        "around.txt": "a link that leads nowhere",
        "up": "a link to another folder; name that folder itself to read it",
    }
    assert [one.reason for one in problems(folder / "nowhere.txt", folder / "around.txt")] == ["a link that leads nowhere"] * 2
    assert found(folder / "up" / "papers") == found(folder)


def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.txt")
    os.mkfifo(tmp_path / "pipe")

    assert [one.reason for one in problems(tmp_path, "/dev/null")] == [
        "not a file (a pipe or a device): save what it gives into a file and name that"
    ] * 3


def test_a_name_that_is_not_utf_8(tmp_path: Path) -> None:
    (Path(os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9.txt"))).write_text(TIDE)

    assert problems(tmp_path) == [Problem(f"{tmp_path}/caf?.txt", None, "the name of the file is not UTF-8: rename it", Trouble.FAILED)]


def test_what_may_not_be_read(folder: Path) -> None:
    (folder / "b.txt").chmod(0)
    saved(folder, "export", RIS).chmod(0)
    (folder / "deep").chmod(0)
    if os.access(folder / "deep", os.R_OK):
        pytest.skip("this user may read everything")
    try:
        assert problems(folder) == [Problem(str(folder / "deep"), None, "can't be opened: Permission denied", Trouble.FAILED)]
        assert folder / "export" in found(folder)
        assert refused(folder / "b.txt") == ": found a file that can't be opened (Permission denied), expected a readable text file"
    finally:
        (folder / "deep").chmod(0o700)


# ------------------------------------------------------------------------------------------------------- recognising, reading


@pytest.mark.parametrize(
    ("name", "content", "title"),
    [
        ("a.txt", RIS, "Tides"),
        ("a.bib", RIS, "Tides"),
        ("a", RIS, "Tides"),
        ("a.ris", BIB, "Mosses"),
        ("a.txt", BIB, "Mosses"),
        ("a.md", f"# Sea\n\n{TIDE}", "Sea"),
        ("a.csv", f"title,abstract\nTides,{TIDE}", "Tides"),
        ("a.txt", TIDE, None),
        ("a.dat", TIDE, None),
    ],
)
def test_the_content_tells_and_then_the_name(name: str, content: str, title: str | None, tmp_path: Path) -> None:
    assert titles(files.read(saved(tmp_path, name, content))) == [title]


def test_among_formats_that_claim_a_content_the_name_decides() -> None:
    def always(_head: str) -> bool:
        return True

    first, second = (Format(name, (f".{name}",), always, lambda document: iter(())) for name in ("first", "second"))
    FORMATS.update({"first": first, "second": second})
    try:
        assert files._format("x", ".second") is second
        assert files._format("x", ".other") is first
    finally:
        del FORMATS["first"], FORMATS["second"]


def test_all_formats_are_registered(project: Path) -> None:
    modules = (project / "rag_qa" / "sources" / "formats").glob("*.py")
    offered = [module.stem for module in modules if re.search(r"^FORMAT\b.*= Format\(", module.read_text(encoding="utf-8"), re.MULTILINE)]

    assert len(FORMATS) >= 13
    assert len(FORMATS) == len(offered) + 1  # Markdown is another one of plain.py


def test_the_formats_are_listed_for_people() -> None:
    listed = dict(files.listed())

    assert list(listed) == sorted(listed, key=str.lower)
    assert (listed["RIS"], listed["Markdown"]) == (".ris", ".md .markdown")


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.dat", "x = 1\ny = 2\n", "found text of no known format, expected references or abstracts as text. Known are "),
        ("a.txt", b"%PDF-1.4\n", "found a PDF, expected references or abstracts as text. Export the references from your reference manager"),
        ("a.bib", "<!DOCTYPE html>\n<html><body>Sign in", "found an HTML page, expected references or abstracts as text. On the web site, use its"),
        (
            "a.txt",
            UNKNOWN,
            "found records of no known format, whose lines begin with 'ID', 'AU', 'TI', 'AB', expected references or abstracts as text. Known",
        ),
        ("a.dat", UNKNOWN, "found records of no known format, whose lines begin with 'ID', "),
        (
            "a.txt",
            f"<?xml version='1.0'?>\n<tides><p>{TIDE}</p></tides>\n",
            "found XML that begins with <tides>, expected references or abstracts as text. ",
        ),
        ("a.txt", f"<tides>\n<p>{TIDE}</p>\n</tides>\n", "found XML that begins with <tides>, "),
        ("a.txt", f"From noor Wed Nov 2 03:26:25 2005\nFrom: noor\nDate: today\nSubject: Tides\n\n{TIDE}", "found an e-mail, expected references or"),
        ("a.txt", f"Dear all,\n\nNEP: New Economics Papers\nGame Theory\n\n{TIDE}", "found a report of New Economics Papers (RePEc), expected"),
        ("a.dat", b"\0\1\2\3" * 9, "found a binary file, expected references or abstracts as text. Only text can be read"),
        ("a.dat", "", "found an empty file, expected references or abstracts as text. "),
        ("a.ris", " \n", "found an empty file, expected references or abstracts as text. "),
    ],
)
def test_what_is_refused(name: str, content: str | bytes, message: str, tmp_path: Path) -> None:
    assert refused(saved(tmp_path, name, content)).startswith(f": {message}")


def test_markup_in_the_first_paragraph_makes_no_xml_of_a_text(tmp_path: Path) -> None:
    (paper,) = files.read(saved(tmp_path, "a.txt", f"<i>E. coli</i> is small.\n{TIDE}{MOSS}"))

    assert isinstance(paper, Paper)
    assert paper.abstract.startswith("<i>E. coli</i> is small. We study")


def test_a_name_counts_for_more_than_labels_that_are_not_known(tmp_path: Path) -> None:
    assert refused(saved(tmp_path, "a.ris", UNKNOWN)).startswith(": found no RIS record, ")


def test_a_file_without_a_record_is_refused(tmp_path: Path) -> None:
    FORMATS["empty"] = Format("empty", (".empty",), lambda head: False, lambda document: iter(()))
    try:
        assert refused(saved(tmp_path, "a.empty", "nothing")).startswith(
            ": found no record in it, expected at least one, in a format that is known ("
        )
    finally:
        del FORMATS["empty"]


def test_what_was_put_right_comes_first(tmp_path: Path) -> None:
    path = saved(tmp_path, "a.ris", RIS.replace("Tides", "Ebbe, Größe").encode("latin-1"))

    problem, paper = files.read(path)

    assert isinstance(problem, Problem)
    assert (problem.path, problem.line, problem.kind) == (str(path), None, Trouble.REPAIRED)
    assert isinstance(paper, Paper)
    assert (paper.title, paper.origins) == ("Ebbe, Größe", (Origin(str(path), 1),))


def test_standard_input_is_read_as_a_file_is() -> None:
    (paper,) = files.read_stream(io.BytesIO(gzip.compress(RIS.encode())))

    assert isinstance(paper, Paper)
    assert (paper.title, paper.origins) == ("Tides", (Origin("<stdin>", 1),))
    with pytest.raises(SourceError, match=r"^<stdin>: found an empty file"):
        list(files.read_stream(io.BytesIO()))


# --------------------------------------------------------------------------------------------------------------- archives


def test_an_archive_is_read_as_a_folder_is(tmp_path: Path) -> None:
    path = saved(
        tmp_path,
        "papers.zip",
        zipped(
            {
                "a.ris": RIS + RIS,
                "deep/b": BIB,
                "README.txt": TIDE,
                "notes": TIDE,
                "page.html": "<html>",
                "empty.ris": "",
                "bad.cff": "a: [",
                "c.txt": TIDE,
            }
        ),
    )

    results = list(files.read(path))

    assert [one.origins[0] for one in results if isinstance(one, Paper)] == [
        Origin(f"{path}!a.ris", 1),
        Origin(f"{path}!a.ris", 6),
        Origin(f"{path}!deep/b", 1),
        Origin(f"{path}!c.txt", 1),
    ]
    assert {one.path.partition("!")[2]: one.kind for one in results if isinstance(one, Problem)} == {
        "README.txt": Trouble.IGNORED,
        "notes": Trouble.IGNORED,
        "page.html": Trouble.IGNORED,
        "empty.ris": Trouble.IGNORED,
        "bad.cff": Trouble.FAILED,
    }


def test_nothing_counts_of_a_member_that_fails_in_its_middle(tmp_path: Path) -> None:
    path = saved(tmp_path, "papers.zip", zipped({"a.txt": TIDE + "\n" + "x" * 20_000_001, "b.ris": RIS}))

    problem, paper = files.read(path)

    assert problem == Problem(f"{path}!a.txt", 3, "found a line of more than 20 MB, expected one record or field on it", Trouble.FAILED)
    assert isinstance(paper, Paper)
    assert paper.origins == (Origin(f"{path}!b.ris", 1),)


def test_an_archive_without_references_is_refused(tmp_path: Path) -> None:
    message = refused(saved(tmp_path, "a.zip", zipped({"a.png": b"\x89PNG\r\n\x1a\n", "notes": "x"})))

    assert message.startswith(": found no record in it, expected at least one")


# ----------------------------------------------------------------------------------------------------------- whole folders


def test_a_fingerprint_is_that_of_the_bytes(tmp_path: Path) -> None:
    path = saved(tmp_path, "a.ris", RIS)

    assert files.fingerprint(path) == hashlib.sha256(RIS.encode()).hexdigest()
    with pytest.raises(SourceError, match=r"gone\.ris: found a file that can't be opened \(No such file or directory\), expected a readable file$"):
        files.fingerprint(tmp_path / "gone.ris")


def test_what_has_gone(tmp_path: Path) -> None:
    path = saved(tmp_path, "a.ris", RIS)

    assert not files.has_gone(str(path))
    assert files.has_gone(str(path) + "/b")
    assert files.has_gone(str(tmp_path / "gone"))


def test_the_seeds_read_as_ever(seeds: Path) -> None:
    papers = [paper for path in found(seeds) for paper in files.read(path) if isinstance(paper, Paper)]

    lines = [
        (str(path), number)
        for path in sorted(seeds.glob("*.txt"))
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1)
        if line.strip() and line != "ICLR 2025 Papers"
    ]
    assert [(paper.origins[0].path, paper.origins[0].line) for paper in papers] == lines
    assert {(paper.collection, paper.venue, paper.year, paper.title) for paper in papers} == {("ICLR 2025 Papers", "ICLR", 2025, None)}


FORMAT_OF_SUFFIX = {
    ".bib": {"BibTeX"},
    ".csv": {"table"},
    ".tsv": {"table"},
    ".nbib": {"MEDLINE"},
    ".medline": {"MEDLINE"},
    ".isi": {"Web of Science"},
    ".ciw": {"Web of Science"},
    ".cff": {"CITATION.cff"},
    ".ref": {"Refer"},
    ".xml": {"PubMed XML", "EndNote XML", "arXiv Atom"},
}


def test_real_exports_are_recognised(shared_data: Path) -> None:
    wrong = Counter[tuple[str, str]]()
    for path in sorted((shared_data / "exports").iterdir()):
        head = path.read_bytes()[: 1 << 16].decode("utf-8", "replace").removeprefix("\ufeff")
        if path.suffix in FORMAT_OF_SUFFIX and path.name != "MANIFEST.tsv" and not head.startswith("\ufffd"):
            recognised = files._format(head, "")  # without its name
            if recognised.name not in FORMAT_OF_SUFFIX[path.suffix]:
                wrong[path.name, recognised.name] += 1
    assert not wrong


def test_real_exports_in_old_encodings(shared_data: Path) -> None:
    def read(name: str) -> list[Paper | Problem]:
        return list(files.read(shared_data / "exports" / name))

    gbk = read("bibtexparser_gbk.bib")
    latin_9 = read("biber_latin1.bib")
    utf_16 = read("jabref_utf16le.bib")
    cp1252 = read("asysd_labelled_duplicates_latin1.csv")

    assert isinstance(gbk[1], Paper)
    assert (gbk[1].authors, gbk[1].venue) == (("凯撒",), "测试期刊")
    assert titles(latin_9) == ["Šome title"]
    assert titles(utf_16) == ["Investigation of the best suture pattern to close a stuffed Christmas turkey"]
    assert len(titles(cp1252)) == 1845
    assert not any("\ufffd" in paper.abstract for paper in cp1252 if isinstance(paper, Paper))
    assert [[one.kind for one in results if isinstance(one, Problem) and one.line is None] for results in (gbk, latin_9, utf_16, cp1252)] == [
        [Trouble.REPAIRED]
    ] * 4
