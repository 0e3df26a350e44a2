"""One library, exported in every format, is the same library; and it does not matter in which order its files and records are read."""

from __future__ import annotations

import io
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eval.formats import FORMATS
from rag_qa import dedup, exports, text
from rag_qa.engine import Engine
from rag_qa.papers import Notice, Origin, Paper
from rag_qa.settings import load
from rag_qa.sources import files
from rag_qa.sources.reader import Problem
from tests.index.making import BagEmbedder

NAMES = [name for name in FORMATS if name != "plain text"]  # which holds abstracts alone

WORDS = "We ask how {} change with the seasons, measure them in twelve places over three years, and find that most of them follow the light."
STRUCTURED = (
    "BACKGROUND: Little is known about {} in the north.\nMETHODS: We counted them in 12 places (n = 340; p < 0.05).\n"
    "RESULTS: There were 3.5 times as many as in 1990 & before.\nCONCLUSIONS: They need more care."
)


def about(subject: str) -> str:
    return WORDS.format(subject)


ENTRIES: Sequence[tuple[str | None, str, dict[str, Any]]] = (
    # letters
    ("Étude des marées de l’Île-de-Bréhat", about("crêtes, naïve façades and œuvres"), {"authors": ("Lefèvre, Zoë", "Núñez, Iñigo")}),
    ("Größe, Straße und Übermaß: a reading", about("Größen"), {"authors": ("Weiß, Jürgen",)}),
    ("Łódź, Kraków and Gdańsk under water", about("żółwie"), {"authors": ("Wałęsa, Łukasz", "Bąk, Świętosława")}),
    ("Smørrebrød, Ærø and Ångström", about("fjords of Østfold"), {"authors": ("Sørensen, Åse",)}),
    ("Dvořák, Šimić and Čapek", about("ďábelské tóny"), {"authors": ("Dvořák, Tomáš",)}),
    ("Işık ve ığdır: a Turkish reading", about("ışık"), {"authors": ("Yılmaz, Çiğdem",)}),
    ("Effects of β-blockers and TGF-β1 on α-synuclein", about("β-cells and γ rays"), {}),
    (
        "Москва и приливы",
        "Мы спрашиваем, как меняются приливы в течение года, и измеряем их в двенадцати местах северного побережья.",
        {"language": "ru"},
    ),
    ("潮汐与苔藓的关系研究", "我们研究潮汐如何随季节变化，并在十二个地点进行了三年的测量。结果表明，大多数潮汐随光照变化。", {"language": "zh"}),
    ("The ﬁrst “quoted” word – and an em—dash", about("‘single’ quotes, …ellipses and 3′ ends"), {}),
    # formulas and signs
    ("CO₂ and H₂O at 10⁻³ mol", about("CO₂ fluxes of 10⁻³ mol m⁻² s⁻¹ at 37 °C ± 2.5 µg"), {}),
    ("Learning with $O(n \\log n)$ samples", about("bounds of $O(n^2)$ and $\\alpha_{3} \\leq 0.7$"), {}),
    ("Is 5 < 7 & 7 > 5? On signs", about("values with a < b, b > c and R&D"), {}),
    ("50% of C# code costs $5 in file_name.txt", about("50% of {all} things, #1, C_2, 10^3, ~7 and back\\slashes"), {}),
    ("E. coli in vivo and in vitro", about("E. coli"), {}),
    ("CRISPR/Cas9, SARS-CoV-2, IL-6 and p53", about("COVID-19 and mRNA-1273"), {}),
    # titles
    ("Tides: a review of reviews", about("tides"), {"type": "review"}),
    ("Do mosses sleep?", about("mosses"), {}),
    ("A survey of bogs in the U.S.", about("bogs"), {}),
    ("TOXICITY OF LEAD IN SHEEP", about("sheep"), {}),
    ("part i", about("parts"), {}),
    ("1984", about("numbers"), {}),
    (
        "On the very long title of a paper that says everything there is to be said about tides, mosses, wolves, storms, rivers and forests "
        "of the northern hemisphere between the ages of ice and of steam, with an appendix on the measurement of small things",
        about("long titles"),
        {},
    ),
    (None, about("papers without any title"), {"doi": None, "authors": ()}),
    # abstracts
    ("Wolves of the north", STRUCTURED.format("wolves"), {}),
    ("Storms of the north", "OBJECTIVE: To see whether storms hurt.\nRESULTS: They do, in 90% (95% CI 85–94) of all cases that we saw.", {}),
    ("Rivers without abstract", "", {}),
    ("Another editorial", "", {"type": "editorial", "authors": ()}),
    ("A short one", "It rains. It pours. The old man is snoring, and we say so in very few words here.", {}),
    ("A long one", " ".join(about(f"things of kind {n}") for n in range(40)), {}),
    ("One with addresses", about("data at https://example.org/a_b?c=d&e=f#g, by me@example.org"), {}),
    ("One with 1. numbers 2. in lists", "(1) We count. (2) We count again: 1, 2, 3; (3) we stop. " + about("lists"), {}),
    (
        "Zwei Sprachen",
        about("two languages"),
        {"language": "en", "other_abstracts": ("Wir fragen, wie sich die Sprachen mit den Jahreszeiten ändern, und messen sie.",)},
    ),
    # who, when, and what for
    ("Guidelines of a body", about("guidelines"), {"authors": ("World Health Organization",)}),
    ("Of a body and people", about("trials"), {"authors": ("Marx, Karl", "The ALPHA and OMEGA Study Group", "van der Berg, Anna")}),
    ("Of a hundred", about("crowds"), {"authors": tuple(f"Berg, {chr(65 + n % 26)}{chr(97 + n // 26)}na" for n in range(100))}),
    ("Without a year", about("dates"), {"year": None}),
    ("From long ago", about("history"), {"year": 1843}),
    ("With an old DOI", about("identifiers"), {"doi": "10.1002/(SICI)1097-0258(19980815)17:15<1661::AID-SIM968>3.0.CO;2-2"}),
    ("Without a DOI", about("chains"), {"doi": None}),
    ("A result that was withdrawn", about("results"), {"notices": (Notice.RETRACTED,), "pmid": "31234567"}),
    ("Erratum to: Wolves of the north", "", {"notices": (Notice.IS_CORRECTION,)}),
    ("A corrected result", about("corrected results"), {"notices": (Notice.CORRECTED,)}),
    # a preprint, and the article that came of it
    (
        "Tides rise with the moon, and nobody knows why",
        about("moons"),
        {"type": "preprint", "venue": "arXiv", "doi": "10.48550/arXiv.1801.00001", "arxiv": "1801.00001", "year": 2018, "extra": {}},
    ),
    ("Tides rise with the moon, and nobody knows why", about("moons, as the referees wished,"), {}),
)


def paper(number: int, title: str | None, abstract: str, *, year: int | None = 2019, **more: Any) -> Paper:
    pages = {"volume": "12", "pages": f"{20 * number + 3}-{20 * number + 9}"}
    usual = {"authors": ("Marx, Karl", "Müller-Lüdenscheidt, Jörg"), "venue": "Journal of Tides", "type": "article", "extra": pages}
    return Paper(f"s{number}", abstract, title=title, year=year, **{"doi": f"10.1000/lib.{number}", **usual, **more})


LIBRARY = [paper(number, title, abstract, **more) for number, (title, abstract, more) in enumerate(ENTRIES)]


def letters(value: str | None) -> str:
    r"""What carries meaning: without case, white space, quotes and hyphens; Greek letters and formulas by their names.

    >>> letters("On “α-tides”: CO₂") == letters("on $\\alpha$ tides CO2")
    True
    """
    return "".join(character for character in text.fold(value or "").text if character.isalnum())


def told(one: Paper) -> tuple[str, int | None, str, str]:
    """What has to be the same: title, year, DOI, abstract."""
    return letters(one.title), one.year, (one.doi or "").lower(), letters(one.abstract)


# ------------------------------------------------------------------------------------------------------------- formats


@cache
def reading(name: str) -> Sequence[Paper | Problem]:
    """The library, written in a format and read."""
    return list(files.read_stream(io.BytesIO(FORMATS[name].content(LIBRARY))))


def papers(name: str) -> list[Paper]:
    return [one for one in reading(name) if isinstance(one, Paper)]


@pytest.mark.parametrize("name", NAMES)
def test_every_format_gives_the_same_papers(name: str) -> None:
    assert [one for one in reading(name) if isinstance(one, Problem)] == []
    assert [told(one) for one in papers(name)] == [told(one) for one in LIBRARY]


def test_read_from_all_formats_it_is_one_library() -> None:
    names = [name for name in NAMES if name != "arXiv Atom"]  # where every paper has an arXiv id of its own
    found = [(at, one) for name in names for at, one in enumerate(papers(name))]

    groups = dedup.group([dedup.keys(one) for _, one in found])

    # the last two are a preprint and its article
    wanted = [{at} for at in range(len(LIBRARY) - 2)] + [{len(LIBRARY) - 2, len(LIBRARY) - 1}]
    assert sorted(({found[member][0] for member in group.members} for group in groups), key=min) == wanted


def test_a_real_library_in_two_formats(shared_data: Path) -> None:
    """A Zotero library of 1000 records, exported as BibTeX and as RIS."""
    bibtex, ris = (
        [one for one in files.read(shared_data / "exports" / f"asysd_zotero_export{suffix}") if isinstance(one, Paper)] for suffix in (".bib", ".ris")
    )

    assert len(bibtex) == len(ris) == 1000
    assert [told(one) for one in bibtex] == [told(one) for one in ris]
    different = [
        (one.abstract, other.abstract)
        for one, other in zip(bibtex, ris, strict=True)
        if (one.title, one.year, one.doi, one.abstract) != (other.title, other.year, other.doi, other.abstract)
    ]
    # Two have "--" in the abstract, which Zotero writes as it is into both files: in LaTeX it is a dash.
    assert len(different) == 2
    assert all(one == other.replace("--", "–") for one, other in different)


# --------------------------------------------------------------------------------------------------------------- order

TIDES, MOSSES = "On the tides of the northern bays", "Mosses of old forests in the southern bogs"
RECORDS = st.builds(
    Paper,
    st.just("p1"),
    st.sampled_from(["", about("tides"), about("tides") + " It is new.", about("mosses")]),
    title=st.sampled_from([TIDES, TIDES.upper(), f"{TIDES}: part II", MOSSES, "Editorial"]),
    authors=st.sampled_from([(), ("Marx, Karl", "Berg, Anna"), ("Marx, K.",), ("Okafor, Ngozi",)]),
    year=st.sampled_from([None, 2019, 2020]),
    venue=st.sampled_from([None, "Journal of Tides", "arXiv"]),
    doi=st.sampled_from([None, "10.1000/tides", "10.1000/mosses", "10.48550/arxiv.1801.00001"]),
    pmid=st.sampled_from([None, "31234567"]),
    type=st.sampled_from([None, "article", "preprint"]),
    keywords=st.sampled_from([(), ("tides",), ("Tides", "sea")]),
    extra=st.sampled_from([{}, {"pages": "3-9"}, {"pages": "3"}]),
)
SHELVES = st.lists(st.lists(RECORDS, min_size=1, max_size=4), min_size=1, max_size=3)
"""What the files of a library hold."""

Label = tuple[int, int]  # of a record: its file and its place in it, before anything is shuffled


def labelled(shelves: Sequence[Sequence[Paper]]) -> list[Paper]:
    return [
        replace(record, origins=(Origin(f"{number}.ris", at),)) for number, shelf in enumerate(shelves) for at, record in enumerate(shelf, start=1)
    ]


@given(shelves=SHELVES, data=st.data())
def test_works_do_not_depend_on_the_order_of_the_records(shelves: list[list[Paper]], data: st.DataObject) -> None:
    records = labelled(shelves)
    shuffled = data.draw(st.permutations(records))

    def by_id(found: list[Paper]) -> list[Paper]:
        return sorted(found, key=lambda one: one.id)

    assert by_id(dedup.identify(shuffled)) == by_id(dedup.identify(records))


@dataclass(frozen=True, slots=True)
class Shelved:
    """Files of JSON lines in a folder, and which record stands on which line of them."""

    folder: Path
    labels: Mapping[Origin, Label]

    @classmethod
    def of(cls, folder: Path, shelves: Sequence[Sequence[tuple[Label, Paper]]], names: Sequence[str]) -> Shelved:
        labels: dict[Origin, Label] = {}
        for name, shelf in zip(names, shelves, strict=True):
            path = folder / name
            path.write_text(exports.json_lines([record for _, record in shelf]), encoding="utf-8")
            labels |= {Origin(str(path), line): label for line, (label, _) in enumerate(shelf, start=1)}
        return cls(folder, labels)

    def works(self) -> tuple[set[frozenset[Label]], set[Label]]:
        """The records of each work, as an index would have them, and the records of works without an abstract."""
        report = Engine(load(data_dir=self.folder / "data"), embedder=BagEmbedder()).index([self.folder], dry_run=True)
        together: dict[str, set[Label]] = defaultdict(set)
        for fate in report.records:
            together[fate.paper_id].add(self.labels[Origin(fate.path, fate.line)])
        return {frozenset(labels) for labels in together.values()}, {self.labels[Origin(one.path, one.line or 0)] for one in report.skipped}


@settings(max_examples=60)
@given(shelves=SHELVES, data=st.data())
def test_works_do_not_depend_on_the_order_of_files_and_lines(shelves: list[list[Paper]], data: st.DataObject) -> None:
    numbered = [[((number, at), record) for at, record in enumerate(shelf)] for number, shelf in enumerate(shelves)]
    names = [f"{number}.jsonl" for number in range(len(numbered))]
    shuffled = [data.draw(st.permutations(shelf)) for shelf in numbered]

    with TemporaryDirectory() as one, TemporaryDirectory() as other:
        before = Shelved.of(Path(one).resolve(), numbered, names).works()
        after = Shelved.of(Path(other).resolve(), shuffled, data.draw(st.permutations(names))).works()

    assert after == before


def test_files_read_one_by_one_in_any_order_give_what_they_give_together(tmp_path: Path) -> None:
    paths = [tmp_path / f"{number}{FORMATS[name].suffix}" for number, name in enumerate(("RIS", "MEDLINE", "BibTeX in ASCII"))]
    for path, name in zip(paths, ("RIS", "MEDLINE", "BibTeX in ASCII"), strict=True):
        path.write_bytes(FORMATS[name].content(LIBRARY))

    def indexed(*readings: Sequence[Path]) -> list[Paper]:
        engine = Engine(load(data_dir=tmp_path / f"data-{len(readings)}"), embedder=BagEmbedder())
        for some in readings:
            engine.index(some)
        return engine.papers()

    together = indexed(paths)
    assert len(together) == sum(bool(one.abstract) for one in LIBRARY) - 1
    assert indexed(*([path] for path in reversed(paths))) == together
