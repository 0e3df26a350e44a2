"""What is not text, and text that no reader takes."""

from __future__ import annotations

import gzip
import io
import sqlite3
import zipfile
from pathlib import Path

import pytest

from rag_qa.sources import kinds


def named(head: bytes, suffix: str = "") -> str | None:
    kind = kinds.of_bytes(head, suffix)
    return kind.name if kind else None


def zipped(*names: str) -> bytes:
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w") as archive:
        for name in names:
            archive.writestr(name, "application/epub+zip" if name == "mimetype" else "x")
    return held.getvalue()


@pytest.mark.parametrize(
    ("head", "name"),
    [
        (b"%PDF-1.7\n%\xe2\xe3", "a PDF"),
        (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "a PNG image"),
        (b"\xff\xd8\xff\xe0\0\x10JFIF", "a JPEG image"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(100), "an old Office file (Word or Excel)"),
        (b"BZh91AY&SY\x01\x02", "a bzip2 file"),
        (b"Rar!\x1a\x07\x01\0", "a RAR archive"),
        (b"a.ris" + bytes(252) + b"ustar\0", "a tar archive"),
        (b"00714cam a2200205 a 4500001001300000\x1e", "a MARC file"),
        (gzip.compress(b"TY  - JOUR", mtime=0), "a gzip file"),
        (zipped("a.ris"), "a zip archive"),
        (zipped("[Content_Types].xml", "_rels/.rels", "word/document.xml"), "a Word document"),
        (zipped("docProps/app.xml", "xl/workbook.xml"), "an Excel sheet"),
        (zipped("mimetype", "content.opf"), "an e-book"),
        (b"\0\1\2\3" * 50, "a binary file"),
    ],
)
def test_what_is_not_text(head: bytes, name: str) -> None:
    assert named(head) == name


def test_a_database(tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / "zotero.sqlite") as database:
        database.execute("CREATE TABLE items (id)")

    assert named((tmp_path / "zotero.sqlite").read_bytes()) == "a database (SQLite, as Zotero, EndNote and Citavi keep theirs in)"


def test_a_suffix_tells_what_binary_it_is() -> None:
    assert named(bytes(200), ".enl") == "an EndNote library"
    assert named(b"%A Smith, J.\n%T Tides\n", ".enl") is None


@pytest.mark.parametrize(
    "head",
    [
        b"",
        b"TY  - JOUR\r\n",
        "Größe".encode("latin-1"),
        "测试期刊".encode("gbk"),
        "Größe".encode("utf-16"),
        "@article{a,".encode("utf-16-le"),
        "@article{a,".encode("utf-16-be"),
        "Größe".encode("utf-32"),
        b"an export of DOS ends so\x1a",
        b"a stray \0 zero byte in a line of an export " + b"that is text " * 20,
        b"PAR1 is a receptor of thrombin.",
    ],
)
def test_what_is_text(head: bytes) -> None:
    assert named(head) is None


@pytest.mark.parametrize(
    ("head", "name"),
    [
        ("<!DOCTYPE html>\n<html lang=en>", "an HTML page"),
        ('<?xml version="1.0"?>\n<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Strict//EN">', "an HTML page"),
        ("  <!-- saved --><html><head>", "an HTML page"),
        (r"{\rtf1\ansi", "an RTF document"),
        ("%!PS-Adobe-3.0", "a PostScript file"),
        ("version https://git-lfs.github.com/spec/v1\noid sha256:0", "a pointer of Git LFS, not the file itself"),
        ("\\documentclass{article}", "a LaTeX document"),
        ("<PubmedArticleSet>", None),
        ("We study <html> tags.", None),
        ("% a comment\n@article{a,", None),
    ],
)
def test_text_that_no_reader_takes(head: str, name: str | None) -> None:
    kind = kinds.of_text(head)

    assert (kind.name if kind else None) == name


CHINESE = "%0 Journal Article\n%A 余敏\n%T 一个参考文献管理工具研究\n%J 现代情报\n%X 研究了参考文献管理工具的应用现状，并分析了一些问题。\n"
PROSE = "我们研究了冬季北方海域的潮汐变化规律，并分析了其影响因素。" * 9 + "\n"


@pytest.mark.parametrize("text", [CHINESE, PROSE, "Мы изучаем приливы.\n", "私たちは海の潮を研究する。\n" * 3, "@article", "TY  - JOUR\r\n"])
@pytest.mark.parametrize(("codec", "side"), [("utf-16-le", 1), ("utf-16-be", 0)])
def test_utf_16_without_a_mark(text: str, codec: str, side: int) -> None:
    assert kinds.zeros_side(text.encode(codec)) == side
    assert kinds.of_bytes(text.encode(codec)) is None


@pytest.mark.parametrize(
    "content",
    [
        b"We study\0 the tides of the sea.\n" * 20,  # a stray zero in text
        "Ebbe und Größe\0 der Flut.\n".encode("latin-1") * 20,
        "我们研究了潮汐\0变化规律。\n".encode("gb18030") * 20,
        b"YWJj\0ZGVm" * 50,
        bytes(range(256)) * 8,
        b"".join(number.to_bytes(2, "little") for number in range(0, 4000, 3)),
        b"\x01\0\x02\0" * 200,
        b"\0\0",
        b"",
        b"\0",
    ],
)
def test_what_is_not_utf_16(content: bytes) -> None:
    assert kinds.zeros_side(content) is None
