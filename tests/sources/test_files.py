"""Which files are read, and what is said of those that can't be."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from rag_qa.errors import SourceError
from rag_qa.sources import files
from rag_qa.sources.reader import Ignored, Problem

TIDE = "We study the tides of the northern sea in winter.\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "papers"
    (made / "deep" / "er").mkdir(parents=True)
    for name in ("b.txt", "a.TXT", "deep/c.txt", "deep/er/d.txt"):
        (made / name).write_text(TIDE)
    return made


def found(*paths: str | Path) -> list[Path]:
    return [one for one in files.find(list(paths)) if isinstance(one, Path)]


def problems(*paths: str | Path) -> list[Problem]:
    return [one for one in files.find(list(paths)) if isinstance(one, Problem)]


def refused(path: Path, content: bytes) -> str:
    path.write_bytes(content)
    with pytest.raises(SourceError) as error:
        files.read(path)
    assert "\n" not in str(error.value)
    return str(error.value).removeprefix(f"{path}")


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


def test_other_files_of_a_folder_are_ignored_aloud(folder: Path) -> None:
    (folder / "image.png").write_bytes(b"\x89PNG")
    (folder / "deep" / "README").write_text("x")

    reason = "not a known format in a folder (.txt); name the file itself to read it as plain text"
    assert problems(folder) == [Ignored(str(folder / "image.png"), None, reason), Ignored(str(folder / "deep/README"), None, reason)]
    assert all(isinstance(one, Ignored) for one in problems(folder))


def test_a_file_that_is_named_is_read_whatever_its_suffix(folder: Path) -> None:
    path = folder / "abstracts.dat"
    path.write_text(TIDE)

    assert found(path) == [path]
    assert len(files.read(path).papers) == 1


def test_hidden_files_are_left_alone(folder: Path) -> None:
    (folder / ".hidden.txt").write_text(TIDE)
    (folder / ".git").mkdir()
    (folder / ".git" / "e.txt").write_text(TIDE)

    assert len(found(folder)) == 4
    assert problems(folder) == []
    assert found(folder / ".hidden.txt") == [folder / ".hidden.txt"]


def test_a_missing_path_is_shown_as_it_was_typed(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)

    assert problems("gone.txt", "gone.txt", "b.txt/c") == [Problem(path, None, "no such file or folder") for path in ("gone.txt", "b.txt/c")]
    assert not isinstance(problems("gone.txt")[0], Ignored)


def test_an_empty_folder_is_a_problem(tmp_path: Path) -> None:
    (tmp_path / "empty" / "deeper").mkdir(parents=True)
    (tmp_path / "empty" / ".hidden.txt").write_text(TIDE)

    assert problems(tmp_path / "empty") == [
        Problem(str(tmp_path / "empty"), None, "the folder holds no file; put files with abstracts into it (.txt)")
    ]


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

    assert [one.reason for one in problems(tmp_path, "/dev/null")] == [
        "not a file (a pipe or a device): save what it gives into a file and name that"
    ] * 2


def test_a_name_that_is_not_utf_8(tmp_path: Path) -> None:
    (Path(os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9.txt"))).write_text(TIDE)

    assert problems(tmp_path) == [Problem(f"{tmp_path}/caf?.txt", None, "the name of the file is not UTF-8: rename it")]


def test_what_may_not_be_read(folder: Path) -> None:
    (folder / "b.txt").chmod(0)
    (folder / "deep").chmod(0)
    if os.access(folder / "deep", os.R_OK):
        pytest.skip("this user may read everything")
    try:
        assert problems(folder) == [Problem(str(folder / "deep"), None, "can't be opened: Permission denied")]
        with pytest.raises(SourceError, match=r"b\.txt: found a file that can't be opened \(Permission denied\), expected a readable text file$"):
            files.read(folder / "b.txt")
    finally:
        (folder / "deep").chmod(0o700)


# ----------------------------------------------------------------------------------------------------------------- reading


@pytest.mark.parametrize("content", [b"", b" \n\t\r\n", b"\xef\xbb\xbf", b"\xef\xbb\xbf\n"])
def test_an_empty_file(content: bytes, tmp_path: Path) -> None:
    assert refused(tmp_path / "a.txt", content) == ": found an empty file, expected abstracts, one a paragraph"


@pytest.mark.parametrize(("before", "line"), [(b"", 1), (b"a\n\nb", 3), (b"a\r\n\r\nb", 3), (b"a\r\rb", 3)])
def test_a_binary_file_and_where_one_sees_it(before: bytes, line: int, tmp_path: Path) -> None:
    assert refused(tmp_path / "a.txt", before + b"\x00\x01") == f":{line}: found a zero byte, so a binary file, expected UTF-8 text"


@pytest.mark.parametrize(("before", "line"), [(b"", 1), (b"a\n\nb ", 3), (b"a\r\n\r\nb", 3), (b"a\r\rb", 3), (b"\xef\xbb\xbfa\n", 2)])
def test_a_byte_that_is_not_utf_8_and_its_line(before: bytes, line: int, tmp_path: Path) -> None:
    message = refused(tmp_path / "a.txt", before + b"caf\xe9 " + TIDE.encode())

    assert message.startswith(f":{line}: found byte 0xe9, which is not UTF-8, expected UTF-8 text. ")
    assert message.endswith("Convert it, for example: iconv -f LATIN1 -t UTF-8 a.txt > converted-a.txt")


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be"])
def test_utf_16_is_named(encoding: str, tmp_path: Path) -> None:
    content = ("" if encoding == "utf-16" else "\ufeff") + TIDE

    assert refused(tmp_path / "a.txt", content.encode(encoding)).startswith(
        ":1: found UTF-16 text, expected UTF-8 text. Convert it, for example: iconv -f UTF-16"
    )


def test_a_byte_order_mark_is_not_part_of_the_text(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(b"\xef\xbb\xbf" + TIDE.encode())

    (paper,) = files.read(tmp_path / "a.txt").papers

    assert paper.abstract == TIDE.strip()


def test_a_file_that_has_gone(tmp_path: Path) -> None:
    with pytest.raises(
        SourceError, match=r"gone\.txt: found a file that can't be opened \(No such file or directory\), expected a readable text file$"
    ):
        files.read(tmp_path / "gone.txt")
    with pytest.raises(SourceError, match=r"can't be opened \(Is a directory\)"):
        files.read(tmp_path)
