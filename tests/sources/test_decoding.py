"""Bytes -> text: encodings, broken bytes, line ends."""

from __future__ import annotations

import codecs

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_qa.sources import decoding
from rag_qa.sources.decoding import LineTooLong, codec_of, declared, found

ENTRY = "@article{a,\n  title = {Größe der Gezeiten},\n  author = {Müller, Anna}\n}\n"
LONGEST = 10_000


def text(content: bytes) -> str:
    return decoding.text(content, found(content))


def lines(content: bytes) -> list[tuple[int, str]]:
    return list(decoding.lines(content, found(content), LONGEST))


def repairs(content: bytes) -> list[tuple[int | None, str]]:
    return list(decoding.repairs(content, found(content)))


# ------------------------------------------------------------------------------------------------------------- whole files


@pytest.mark.parametrize("content", [ENTRY.encode(), codecs.BOM_UTF8 + ENTRY.encode(), b"plain ASCII\n", b""])
def test_utf_8_needs_no_word(content: bytes) -> None:
    assert text(content) == content.removeprefix(codecs.BOM_UTF8).decode()
    assert repairs(content) == []


@pytest.mark.parametrize(
    ("content", "how"),
    [
        (ENTRY.encode("utf-16"), "UTF-16 (little endian), by its byte order mark"),
        (codecs.BOM_UTF16_BE + ENTRY.encode("utf-16-be"), "UTF-16 (big endian), by its byte order mark"),
        (ENTRY.encode("utf-16-le"), "UTF-16 (little endian), by its zero bytes"),
        (ENTRY.encode("utf-16-be"), "UTF-16 (big endian), by its zero bytes"),
        (ENTRY.encode("utf-32"), "UTF-32 (little endian), by its byte order mark"),
        (codecs.BOM_UTF32_BE + ENTRY.encode("utf-32-be"), "UTF-32 (big endian), by its byte order mark"),
    ],
)
def test_wide_characters(content: bytes, how: str) -> None:
    assert text(content) == ENTRY
    assert [line for _, line in lines(content)] == ENTRY.splitlines()
    assert repairs(content) == [(None, f"not UTF-8; read as {how}")]


def test_an_old_encoding_is_judged_by_its_words() -> None:
    content = ENTRY.encode("latin-1")

    assert text(content) == ENTRY
    assert repairs(content) == [
        (
            None,
            "not UTF-8; read as Windows-1252 (Western European), by its letters: look at a word with an accent to see whether that is right",
        )
    ]


@pytest.mark.parametrize(
    ("first_line", "codec", "shown"),
    [
        ("% Encoding: ISO8859_15", "iso8859-15", "ISO-8859-15 (Western European)"),
        ("% -*- coding: latin-9-unix -*-", "iso8859-15", "ISO-8859-15 (Western European)"),
        ("%% Saved with string encoding Western (Mac OS Roman)", "mac-roman", "Mac Roman (Western European)"),
        ("% !TeX encoding = windows-1250", "cp1250", "Windows-1250 (Central European)"),
        ('<?xml version="1.0" encoding="ISO-8859-2"?>', "iso8859-2", "ISO-8859-2 (Central European)"),
        ("% vim: set fileencoding=cp850 :", "cp850", "cp850"),
    ],
)
def test_what_a_file_says_of_itself(first_line: str, codec: str, shown: str) -> None:
    content = f"{first_line}\nä Šž\n" if codec not in ("mac-roman", "cp850") else f"{first_line}\nä é\n"

    assert text(content.encode(codec)) == content
    assert repairs(content.encode(codec)) == [(None, f"not UTF-8; read as {shown}, as it says of itself")]


def test_what_a_file_says_wrongly_of_itself() -> None:
    assert text("% Encoding: UTF-8\ncafé".encode("cp1252")) == "% Encoding: UTF-8\ncafé"
    assert text("% Encoding: Cp1252\ncafé Größe".encode()) == "% Encoding: Cp1252\ncafé Größe"
    # 0x93 and 0x94 are control characters in Latin-1 and quotes in Windows-1252
    assert text("% Encoding: ISO8859_1\n“Größe”".encode("cp1252")) == "% Encoding: ISO8859_1\n“Größe”"
    assert text("% Encoding: ASCII\nGröße".encode("cp1252")) == "% Encoding: ASCII\nGröße"


@pytest.mark.parametrize(
    ("head", "codec"),
    [
        (b"% Encoding: UTF-8", "utf-8"),
        (b"% This file was created with JabRef 2.10.\n% Encoding: Cp1252\n", "cp1252"),
        (b"\xef\xbb\xbf<?xml version='1.0' encoding='gbk'?>", "gbk"),
        (b"\n; -*- coding: utf-8 -*-", "utf-8"),
        (b"% Encoding: klingon", None),
        (b"% Encoding: unicode_escape", None),
        (b"% Encoding: rot13", None),
        (b"AB  - the coding: ascii of genes", None),
        (b"", None),
    ],
)
def test_declarations(head: bytes, codec: str | None) -> None:
    assert declared(head) == codec


def test_names_of_encodings() -> None:
    assert [codec_of(name) for name in ("latin-2", "X-MacRoman", "MS932", "GB2312", "utf8-dos", "\0", "")] == [
        "iso8859-2",
        "mac-roman",
        "cp932",
        "gb2312",
        "utf-8",
        None,
        None,
    ]


def test_chinese_in_a_small_file() -> None:
    content = "@ARTICLE{凯撒2013,\n  journal = {测试期刊}\n}\n"

    assert text(content.encode("gbk")) == content


def test_japanese_mail() -> None:
    content = "TY  - JOUR\nTI  - 北海の潮汐\nER  - \n"

    assert text(content.encode("iso2022_jp")) == content
    assert [line for _, line in lines(content.encode("iso2022_jp"))] == content.splitlines()


# -------------------------------------------------------------------------------------------------------------- broken bytes


def test_a_broken_byte_in_utf_8_costs_nothing_else() -> None:
    content = "Größe\n".encode() + b"caf\xe9 and \xc3\xa9t\xc3\xa9\n" + "Müller\n".encode()

    assert text(content) == "Größe\ncafé and été\nMüller\n"
    assert lines(content)[1] == (2, "café and été")
    assert repairs(content) == [(2, "0xe9 is not UTF-8, read as Windows-1252 in 'café'")]


def test_a_character_that_was_cut_off() -> None:
    content = "Größe “so”\nund “so".encode() + b"\xe2\x80\nMehr\n"

    assert text(content) == "Größe “so”\nund “so\ufffd\nMehr\n"
    assert repairs(content) == [(2, "0xe2 0x80 is not UTF-8, which can't be read in '“so\ufffd'")]


def test_many_broken_lines_are_told_together() -> None:
    content = "Größe\n".encode() * 100 + b"caf\xe9\n" * 50

    told = repairs(content)

    assert len(told) == 21
    assert told[0] == (101, "0xe9 is not UTF-8, read as Windows-1252 in 'café'")
    assert told[-1] == (121, "so have 30 lines from here on, the last one is 150")


def test_joined_files_of_two_encodings() -> None:
    few, many = "Größe der Gezeiten\n", "Größe der Gezeiten in Süddeutschland\n"

    assert text(few.encode() * 3 + many.encode("cp1252") * 30) == few * 3 + many * 30
    assert text(few.encode("cp1252") * 3 + many.encode() * 30) == few * 3 + many * 30


def test_byte_order_marks_in_the_middle_are_dropped() -> None:
    content = codecs.BOM_UTF8 + b"TY  - JOUR\nER  - \n" + codecs.BOM_UTF8 + b"TY  - BOOK\n"

    assert text(content) == "TY  - JOUR\nER  - \nTY  - BOOK\n"
    assert lines(content) == [(1, "TY  - JOUR"), (2, "ER  - "), (3, "TY  - BOOK")]


def test_chinese_that_was_cut_off_in_a_character() -> None:
    content = "摘要：北方海域冬季潮汐的分析\n".encode("gbk") * 5 + "研究方法".encode("gbk")[:-1] + b"\n" + "结论\n".encode("gbk")

    assert text(content).splitlines()[5:] == ["研究方\ufffd", "结论"]
    assert [line for line, _ in repairs(content)] == [None, 6]


def test_stray_zero_bytes_are_left_out() -> None:
    content = b"TY  - JOUR\nTI  - Ti\0des\nAB  - " + b"We study the tides. " * 30 + b"\0\n"

    assert "\0" not in text(content)
    assert lines(content)[1] == (2, "TI  - Tides")
    assert repairs(content) == [(2, "2 zero bytes were left out")]


# --------------------------------------------------------------------------------------------------------------- line ends


@pytest.mark.parametrize(("encoding", "word"), [("utf-8", "é"), ("cp1252", "é"), ("gb18030", "测试期刊"), ("utf-16", "é"), ("utf-32", "é")])
def test_all_line_ends_in_one_file(encoding: str, word: str) -> None:
    content = f"{word}\r\nb\n\rc\r\r\nd".encode(encoding)

    assert lines(content) == [(1, word), (2, "b"), (3, ""), (4, "c"), (5, ""), (6, "d")]


@pytest.mark.parametrize("odd", ["\f", "\v", "\x1c", "\x85", "\u2028", "\u2029"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_what_no_editor_takes_for_a_line_end(odd: str, encoding: str) -> None:
    assert lines(f"a{odd}b é\nc".encode(encoding)) == [(1, f"a{odd}b é"), (2, "c")]


def test_the_last_line_end_begins_no_line() -> None:
    assert lines(b"a\n") == [(1, "a")]
    assert lines(b"a\n\n") == [(1, "a"), (2, "")]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_a_line_that_is_too_long(encoding: str) -> None:
    content = ("a\n" + "b" * 12 + "\nc").encode(encoding)
    reader = decoding.lines(content, found(content), 11)

    assert next(reader) == (1, "a")
    with pytest.raises(LineTooLong) as error:
        next(reader)
    assert error.value.number == 2


@given(st.text(st.characters(exclude_characters="\ufeff\0", exclude_categories=["Cs"])), st.sampled_from(["utf-8", "utf-16", "utf-32"]))
def test_unicode_comes_back(content: str, encoding: str) -> None:
    assert text(content.encode(encoding)) == content


@given(st.binary(max_size=300))
def test_lines_and_text_agree_on_any_bytes(content: bytes) -> None:
    whole = text(content).replace("\r\n", "\n").replace("\r", "\n")

    assert "\n".join(line for _, line in lines(content)) == whole.removesuffix("\n")
    assert [number for number, _ in lines(content)] == list(range(1, len(lines(content)) + 1))
    assert all(line is None or 1 <= line <= len(lines(content)) + 1 for line, _ in repairs(content))
