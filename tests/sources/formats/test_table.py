"""Tables of all databases by their headers, and what can be wrong with a table."""

from __future__ import annotations

import contextlib
import csv
import io
import time
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_qa.errors import SourceError
from rag_qa.sources.documents import File
from rag_qa.sources.formats import table
from rag_qa.sources.reader import Problem, Raw, Trouble


def document(content: str | bytes, mapping: Mapping[str, str] | None = None) -> File:
    return File("a.csv", content if isinstance(content, bytes) else content.encode("utf-8", "surrogatepass"), mapping or {})


def read(content: str | bytes, mapping: Mapping[str, str] | None = None) -> list[Raw | Problem]:
    return list(table.read(document(content, mapping)))


def raws(content: str, mapping: Mapping[str, str] | None = None) -> list[Raw]:
    found = read(content, mapping)
    assert not [one for one in found if isinstance(one, Problem)]
    return [one for one in found if isinstance(one, Raw)]


def fields(content: str, mapping: Mapping[str, str] | None = None) -> dict[str, list[str]]:
    """Those of the only record."""
    (raw,) = raws(content, mapping)
    return {name: list(found) for name, found in raw.fields.items()}


def refusal(content: str, mapping: Mapping[str, str] | None = None) -> str:
    with pytest.raises(SourceError) as caught:
        read(content, mapping)
    return str(caught.value)


def claims(content: str) -> bool:
    return table.FORMAT.claims(content)


# ------------------------------------------------------------------------------------------------------------------------------ databases


def test_scopus() -> None:
    found = fields(
        '\n"Authors","Author full names","Author(s) ID","Title","Year","Source title","Volume","Page start","Page end","DOI","Link","Abstract",'
        '"Author Keywords","Index Keywords","PubMed ID","Language of Original Document","Document Type","Source","EID"\n'
        '"Marx K.; Lindgren A.","Marx, Karl (57190000001); Lindgren, Astrid (7004000002)","57190000001; 7004000002","On tides",2020,'
        '"Journal of Tides","3","1","9","10.1/t","https://www.scopus.com/x","We study tides.","tides; moon","sea","123","English","Article",'
        '"Scopus","2-s2.0-85000"\n'
    )

    assert found["author"] == ["Marx, Karl", "Lindgren, Astrid"]
    assert found["venue"] == ["Journal of Tides"]
    assert found["keyword"] == ["tides", "moon", "sea"]
    assert (found["title"], found["year"], found["abstract"], found["pmid"]) == (["On tides"], ["2020"], ["We study tides."], ["123"])
    assert (found["language"], found["type"], found["volume"], found["pages"]) == (["English"], ["Article"], ["3"], ["1-9"])


def test_scopus_writes_more_funding_texts_than_its_header_names() -> None:
    found = raws(
        "Title,Abstract,Funding Text 1,References,EID\n"
        "T1,A1,thanks,refs,2-s2.0-1\n"
        'T2,A2,thanks,"more, thanks",and more,refs,2-s2.0-2\n'
    )  # fmt: skip

    assert [(raw.line, raw.key, raw.fields["title"], raw.fields["references"]) for raw in found] == [
        (2, "2-s2.0-1", ["T1"], ["refs"]),
        (3, "2-s2.0-2", ["T2"], ["refs"]),
    ]


def test_web_of_science_with_tabs() -> None:
    found = fields(
        "PT\tAU\tAF\tTI\tSO\tLA\tDT\tDE\tID\tAB\tSN\tPY\tVL\tBP\tEP\tDI\tUT\tPM\t\n"
        'J\tMarx, K; Lindgren, A\tMarx, Karl; Lindgren, Astrid\t"Smart" tides\tJ TIDES\tEnglish\tArticle; Retracted Publication\ttides; moon\tSEA\t'
        "We study tides.\t1234-5678\t2020\t3\t1\t9\t10.1/t\tWOS:0001\t123\t\n"
    )

    assert found == {
        "type": ["Article", "Retracted Publication"],
        "author": ["Marx, Karl", "Lindgren, Astrid"],
        "title": ['"Smart" tides'],
        "venue": ["J TIDES"],
        "language": ["English"],
        "keyword": ["tides", "moon", "SEA"],
        "abstract": ["We study tides."],
        "issn": ["1234-5678"],
        "year": ["2020"],
        "volume": ["3"],
        "start page": ["1"],
        "end page": ["9"],
        "pages": ["1-9"],
        "doi": ["10.1/t"],
        "ut": ["WOS:0001"],
        "pmid": ["123"],
    }


def test_zotero() -> None:
    found = fields(
        "\ufeff"
        '"Key","Item Type","Publication Year","Author","Title","Publication Title","DOI","Url","Abstract Note","Date","Place","Type","Extra",'
        '"Manual Tags","Automatic Tags"\n'
        '"ABCD2345","journalArticle","2020","Marx, Karl; Lindgren, Astrid","On tides","Journal of Tides","","","We study\ntides.","2020-05","Bonn",'
        '"","PMID: 123","tides; moon","sea"\n'
    )

    assert found["abstract"] == ["We study\ntides."]
    assert found["author"] == ["Marx, Karl", "Lindgren, Astrid"]
    assert (found["type"], found["year"], found["keyword"]) == (["journalArticle"], ["2020"], ["tides", "moon", "sea"])
    assert (found["address"], found["extra"]) == (["Bonn"], ["PMID: 123"])


def test_embase_has_journal_and_year_in_one_column() -> None:
    found = fields(
        "Title,Original Title,Author Names,Source,Abstract,Original Abstract\n"
        '"On tides","Über Gezeiten","Liu R., Adler D.G.","Tides (2014) 3:3 (152-160). Date of Publication: 2014","In English.","Auf Deutsch."\n'
    )

    assert (found["venue"], found["year"]) == (["Tides"], ["2014"])
    assert found["abstract"] == ["In English.", "Auf Deutsch."]
    assert found["translated_title"] == ["Über Gezeiten"]
    assert found["author"] == ["Liu R.", "Adler D.G."]


def test_dimensions_has_a_remark_above_its_header() -> None:
    found = raws(
        '"About the data: Exported on Nov 10, 2021. Criteria: ""tides"" in title, abstract."\n'
        '"Rank","Publication ID","DOI","PMID","Title","Abstract","Source title","PubYear","Authors","Dimensions URL"\n'
        '"500","pub.1","10.1/t","","On tides","We study tides.","Tides","2020","Marx, Karl; Lindgren, Astrid","https://app.dimensions.ai/1"\n'
    )

    assert [(raw.line, raw.key) for raw in found] == [(3, "pub.1")]
    assert found[0].fields["author"] == ["Marx, Karl", "Lindgren, Astrid"]
    assert found[0].fields["url"] == ["https://app.dimensions.ai/1"]


def test_springer_glues_its_authors() -> None:
    found = fields(
        "Item Title,Publication Title,Book Series Title,Journal Volume,Journal Issue,Item DOI,Authors,Publication Year,URL,Content Type\n"
        '"On tides","Tides","","17","3","10.1007/1","Karl MarxAstrid Lindgren","2020","http://link.springer.com/1","Article"\n'
    )

    assert found["author"] == ["Karl Marx", "Astrid Lindgren"]
    assert (found["venue"], found["volume"], found["issue"], found["type"]) == (["Tides"], ["17"], ["3"], ["Article"])


def test_pubmed_open_alex_covidence_and_lens() -> None:
    pubmed = fields(
        'PMID,Title,Authors,Citation,First Author,Journal/Book,Publication Year,DOI\n1,T,"Smith A, Walter B",C,Smith A,Nature,2021,10.1/x\n'
    )
    openalex = fields(
        '"id","abstract","authorships.author.display_name","display_name","is_retracted"\n"https://openalex.org/W1","A","K M|A L","T","True"\n'
    )
    covidence = fields('Title,Authors,Abstract,Published Year,Journal,DOI,Covidence #\nT,"Marx, K.; Lindgren, A.",A,2020,J,10.1/x,#7\n')
    lens = fields('"Lens ID","Title","Date Published","Publication Year","Author/s","Abstract"\n"000-1","T","2020-11-22",2020,"K M; A L","A"\n')

    assert (pubmed["author"], pubmed["venue"], pubmed["year"]) == (["Smith A", "Walter B"], ["Nature"], ["2021"])
    assert (openalex["title"], openalex["author"], openalex["notice"]) == (["T"], ["K M", "A L"], ["retracted"])
    assert openalex["url"] == ["https://openalex.org/W1"]
    assert (covidence["author"], covidence["year"]) == (["Marx, K.", "Lindgren, A."], ["2020"])
    assert (lens["author"], lens["year"]) == (["K M", "A L"], ["2020"])


def test_asreview_writes_lists_of_python_and_labels() -> None:
    found = fields(
        "abstract ,first_authors,keywords,title,publication_year,included\n"
        """A,"['Marx, Karl', 'Lindgren, Astrid']","['Pippi', 'Nordwind']",T,2014//,1\n"""
    )

    assert found == {
        "abstract": ["A"],
        "author": ["Marx, Karl", "Lindgren, Astrid"],
        "keyword": ["Pippi", "Nordwind"],
        "title": ["T"],
        "year": ["2014//"],
        "included": ["1"],
    }


def test_a_column_called_source_is_the_journal_unless_it_names_databases() -> None:
    assert fields("Title,Source\nT,MIS Quarterly\n")["venue"] == ["MIS Quarterly"]
    assert "venue" not in fields("Title,Source\nT,Scopus\n")
    assert fields("Title,Journal,Source\nT,Nature,In_database\n")["venue"] == ["Nature"]


# ----------------------------------------------------------------------------------------------------------------------------- the form


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_delimiters_and_line_ends(delimiter: str, end: str) -> None:
    rows = [["Title", "Abstract"], ["T1", '"two', 'lines"'], ["T2", "A2"]]
    content = end.join([delimiter.join(rows[0]), f"T1{delimiter}{rows[1][1]}", rows[1][2], "", delimiter.join(rows[2])])

    assert [(raw.line, raw.fields["abstract"]) for raw in raws(content)] == [(2, ["two\nlines"]), (5, ["A2"])]


def test_excel_says_its_delimiter_and_quotes_its_bom() -> None:
    assert fields("\ufeffsep=;\nTitel;Zusammenfassung;Autoren;Jahr\nT, eins;A;Marx, Karl;2020\n") == {
        "title": ["T, eins"],
        "abstract": ["A"],
        "author": ["Marx, Karl"],
        "year": ["2020"],
    }


def test_what_means_nothing_is_left_out_and_floats_are_whole_numbers() -> None:
    assert fields("title,abstract,year,pmid,volume\nT,NA,2019.0,123.0,nan\n") == {"title": ["T"], "year": ["2019"], "pmid": ["123"]}


def test_a_table_with_names_of_rows_as_r_writes_them() -> None:
    found = raws('"title","abstract"\n"1","T1","A1"\n"2","T2","A2"\n')

    assert [(raw.fields["title"], raw.fields["abstract"]) for raw in found] == [(["T1"], ["A1"]), (["T2"], ["A2"])]


def test_the_table_of_a_markdown_page() -> None:
    found = raws("| Title | Abstract |\n|-------|:--------:|\n| T1 | A1 |\n")

    assert [(raw.line, [value.strip() for value in raw.fields["abstract"]]) for raw in found] == [(3, ["A1"])]


def test_empty_lines_rows_of_separators_and_a_second_header_are_no_records() -> None:
    assert [raw.line for raw in raws("title,abstract,doi\n\n,,\nT,A,\ntitle,abstract,doi\n  ,  ,10.1/x\n")] == [4, 6]


def test_a_header_with_quotation_marks_ends_where_the_first_row_begins() -> None:
    assert [raw.line for raw in raws('title,"abstract"\nTides,They are long.\nMosses,They store.\n')] == [2, 3]
    assert [raw.line for raw in raws('title,"abstract,\nof the paper"\n\nTides,"They are\nlong."\nMosses,They store.\n')] == [4, 6]
    assert [raw.line for raw in raws('"title","abstract"\n"Tides","They are long."\n')] == [2]


def test_columns_of_the_same_name() -> None:
    assert fields("title,author,author,note,note\nT,Marx,Lindgren,a,b\n") == {"title": ["T"], "author": ["Marx", "Lindgren"], "note": ["a", "b"]}
    assert fields("title,Author 1,Author 2\nT,Marx,Lindgren\n")["author"] == ["Marx", "Lindgren"]


def test_one_column_is_a_table_too() -> None:
    assert [raw.fields["abstract"] for raw in raws('abstract\nWe study tides, and moss.\n"And ""bogs""."\n')] == [
        ["We study tides, and moss."],
        ['And "bogs".'],
    ]


def test_two_names_with_a_comma_are_two_people_in_a_column_of_commas() -> None:
    found = raws('title,authors\nT1,"Karl Marx, Astrid Lindgren"\nT2,"Eva Green, Li Wei, Jean Marat"\n')

    assert [raw.fields["author"] for raw in found] == [["Karl Marx", "Astrid Lindgren"], ["Eva Green", "Li Wei", "Jean Marat"]]


# ----------------------------------------------------------------------------------------------------------------------------- by hand


def test_columns_are_named_by_hand() -> None:
    content = "remark\nName der Arbeit,Inhalt,Titel\nT,A,Dr.\n"

    assert fields(content, {"title": "Name der Arbeit", "abstract": "inhalt"}) == {"title": ["T"], "abstract": ["A"], "titel": ["Dr."]}


def test_a_column_that_is_named_and_not_there() -> None:
    assert refusal("Title,Abstract\nT,A\n", {"title": "Titel"}) == (
        "a.csv:1: found no column 'Titel' among Title, Abstract, expected the columns that --map names. "
        "Name a column as it stands in this file: --map title=NAME"
    )


def test_a_table_without_title_and_abstract_lists_its_columns() -> None:
    assert refusal("code,order,field\n1,2,3\n") == (
        "a.csv:1: found no column for a title or an abstract among code, order, field, expected a first line that names the columns, "
        "one of them title or abstract. Say which they are: --map title=NAME --map abstract=NAME"
    )


def test_a_table_without_a_header_is_refused() -> None:
    assert "no column for a title or an abstract among On tides, We study tides." in refusal("On tides,We study tides.\nMoss,We study moss.\n")


def test_a_header_alone_is_no_table() -> None:
    assert "no row below them" in refusal("title,abstract\n\n")


# --------------------------------------------------------------------------------------------------------------------------- malformed


def test_a_broken_row_is_one_problem_and_costs_no_neighbour() -> None:
    found = read('title,abstract\n"T1","A1"\n"T2","A2\n"T3","A3"\nT4,A4,A5\n"T6","A6"\n')

    assert [one.line for one in found] == [2, 3, 4, 5, 6]
    assert [(one.line, one.kind) for one in found if isinstance(one, Problem)] == [(3, Trouble.MALFORMED), (5, Trouble.MALFORMED)]
    assert [one.reason for one in found if isinstance(one, Problem)][1] == (
        "malformed row: 3 cells, where the header has 2: a separator inside a cell that is not in quotation marks?"
    )


# ------------------------------------------------------------------------------------------------------------------------------- claims


@pytest.mark.parametrize(
    "content",
    [
        "title,abstract\nT,A\n",
        "Rank;Title;Year\n1;T;2020\n",
        "PT\tAU\tTI\tSO\tPY\nJ\tMarx, K\tT\tJ\t2020\n",
        '\n"Exported from Embase, 3 records"\nTitle,Abstract,Source\nT,A,S\n',
        "title,abstract\n",
        "标题,摘要\nT,A\n",
    ],
)
def test_a_table_is_recognised(content: str) -> None:
    assert claims(content)


@pytest.mark.parametrize(
    "content",
    [
        "",
        "We study tides.\n\nTitle, abstract and keywords were searched.\n",
        "Title; abstract\n\nWe study tides of the northern sea.\n",
        "TY  - JOUR\nTI  - Tides, title, abstract\nER  - \n",
        "PT J\nAU Marx, K\nTI Title, abstract\nER\n",
        "@article{a, title = {Tides}, abstract = {We study tides.}}\n",
        '{"title": "Tides", "abstract": "We study tides."}\n',
        "<title>Tides</title>,<abstract>We</abstract>\n",
        "%0 Journal Article\n%T Title, Abstract\n",
        "PMID- 1\nTI  - title, abstract\n",
        "Papers, abstracts, 2024\n\nWe study tides, moss, and bogs.\n",
        "code,order\n1,2\n",
        "new Columns(NORMAL, title, 470),  // title, width\nnew Columns(NORMAL, year, 60),  // year, width\n",
        "let names = {\n  a: 1;\n};\ntitle, abstract, author, year\ntides, moss, bogs, seas\n",
        "We study the tides of the sea.\n" * 30 + "title, abstract\ntides, moss\n",
        "AB\t\tPi\n00\t01\tXx\n",
        "# Tides\n\n| title | what |\n\nTides, titles, and more of the sea, for all.\n",
        'keywords = ["tides", "title"]\nauthors = [{ name = "noor" }]\nlicense = "MIT"\n',
        'def read(path, title, abstract):\n    """Title, abstract."""\n    return Paper(title=title, abstract=abstract, year=None)\n',
        "title: Tides, abstract\nauthors: noor, lund\nversion: 1.0, 2.0\n",
        "query-id\tcorpus-id\tscore\n1\t2\t1\n",
    ],
)
def test_other_formats_are_not_claimed(content: str) -> None:
    assert not claims(content)


# ---------------------------------------------------------------------------------------------------------------------------- properties

_TEXT = st.text(st.characters(exclude_characters="\r\x00", exclude_categories=["Cs", "Cc"]), min_size=1, max_size=30).filter(
    lambda text: (
        text.strip().casefold() not in ("", "na", "n/a", "nan", "null", "none", "<na>", "#n/a", "nat", "[]", "{}") and not set(text) <= set(" :-")
    )
)


@given(papers=st.lists(st.tuples(_TEXT, _TEXT), min_size=1, max_size=5), delimiter=st.sampled_from(",;\t|"))
def test_what_was_written_is_read(papers: list[tuple[str, str]], delimiter: str) -> None:
    buffer = io.StringIO()
    csv.writer(buffer, delimiter=delimiter, lineterminator="\n", quoting=csv.QUOTE_ALL).writerows([("title", "abstract"), *papers])

    assert [(raw.fields["title"], raw.fields["abstract"]) for raw in raws(buffer.getvalue())] == [([title], [abstract]) for title, abstract in papers]


_SAMPLE = (
    '"Key","Title","Author","Abstract Note","Date"\n"A1","On tides","Marx, Karl; Lindgren, A.","We study ""tides"".\nAnd moss.","2020"\n'
    '"A2","Moss","Green E., Wei L.","","2021-03"\n'
)


@given(st.lists(st.tuples(st.integers(0, len(_SAMPLE) - 1), st.sampled_from('",\n;\t\\ x\u00e9')), max_size=6))
def test_a_damaged_table_gives_records_problems_or_a_refusal(damages: list[tuple[int, str]]) -> None:
    content = list(_SAMPLE)
    for place, character in damages:
        content[place] = character
    try:
        found = read("".join(content))
    except SourceError:
        return
    lines = [one.line or 0 for one in found]
    assert lines == sorted(set(lines))


@pytest.mark.parametrize(
    "content",
    [
        "title,abstract\n" + '"' * 1_000_000,
        "title,abstract\n" + '"a\n' * 300_000,
        "title,abstract\n" + "," * 1_000_000,
        'title,authors\nT,"' + "['a', " * 200_000 + '"',
        'title,authors\nT,"' + "Aa " * 300_000 + '"',
        "Item Title,Item DOI,Content Type,Authors\nT,D,C," + "aA" * 500_000,
    ],
    ids=["marks", "open marks", "separators", "a list", "names", "glued names"],
)
def test_hostile_tables_take_no_long(content: str) -> None:
    begun = time.process_time()

    with contextlib.suppress(SourceError):
        sum(1 for _ in table.read(document(content)))

    assert time.process_time() - begun < 20


# -------------------------------------------------------------------------------------------------------------------------- real files


@pytest.fixture(scope="session")
def exports(shared_data: Path) -> Path:
    return shared_data / "exports"


def real(path: Path) -> Iterator[Raw | Problem]:
    return table.read(File(str(path), path.read_bytes()))


def test_real_tables(exports: Path) -> None:
    """Counted by the csv module, and read by eye."""
    zotero = [one for one in real(exports / "asysd_zotero_export.csv") if isinstance(one, Raw)]
    labelled = [one for one in real(exports / "asysd_labelled_duplicates_latin1.csv") if isinstance(one, Raw)]
    embase = [one for one in real(exports / "asreview_embase_newpage.csv") if isinstance(one, Raw)]

    assert (len(zotero), sum("abstract" in raw.fields for raw in zotero), sum(len(raw.fields.get("author", ())) for raw in zotero)) == (
        1233,
        1128,
        7667,
    )
    assert (len(labelled), sum("abstract" in raw.fields for raw in labelled)) == (1845, 1812)
    assert labelled[0].fields["author"] == ["Adeli K.", "Lewis G. F."]
    assert [raw.line for raw in labelled[:3]] == [2, 4, 5]
    assert [raw.fields["author"][0] for raw in embase] == [
        "Liu R.",
        "Eloubeidi M.A.",
        "Nakashima S.",
        "Quintanilla-Dieck L.",
        "Khoury T.",
        "Faraj K.",
    ]


def test_tables_alone_are_claimed(exports: Path) -> None:
    claimed = {path.name for path in exports.iterdir() if claims(File(str(path), path.read_bytes()).head())}

    assert claimed == {path.name for path in exports.iterdir() if path.suffix in (".csv", ".tsv")} - {"MANIFEST.tsv"}
