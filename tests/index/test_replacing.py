"""A work that could be found can be found at every moment of an update: as it was, or as it is now, and never as both."""

from __future__ import annotations

import itertools
import shutil
import subprocess
import sys
from collections import ChainMap, Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from rag_qa import text
from rag_qa.errors import ProviderError
from rag_qa.index.store import Store
from rag_qa.papers import Origin, Paper, paper_id
from rag_qa.retrieval.retriever import Retriever
from tests.index.making import BagEmbedder, Counted, built, seen, update
from tests.index.test_crash import interrupted, passing, places_in

Files = Mapping[str, Sequence[Paper]]
Look = tuple[str, ...]
BATCH = 32


def record(number: int, place: str, *, doi: bool = False, says: str = "", sentences: int = 3) -> Paper:
    """A record of one of many works. Without DOI it is known by its words, and with one by that."""
    subjects = ("tides", "mosses", "wolves", "storms", "rivers")
    title = f"On {subjects[number % 5]} of region {number} and of valley {number * 7}"
    whole = " ".join(f"We study {subjects[(number + i) % 5]} in region {number} by method {number * i}{says}." for i in range(sentences))
    path, line = place.split(":")
    id_ = paper_id(whole, doi=f"10.1000/{number}" if doi else None, title=title)
    authors = (f"Marx, Karl {number}", "Berg, Anna")
    return Paper(id_, whole, title=title, authors=authors, year=2020, doi=f"10.1000/{number}" if doi else None, origins=(Origin(path, int(line)),))


def untitled(number: int, place: str, *, says: str = "") -> Paper:
    """An abstract alone."""
    one = record(number, place, says=says)
    return replace(one, id=paper_id(one.abstract), title=None, authors=(), year=None)


def work(paper: Paper) -> str:
    """By which a work is known again here, whatever its id: the number of its region."""
    return paper.abstract.split(" region ")[1].split()[0]


def look(store: Store) -> Look:
    """Works that a search finds, each as often as it does, and all of them whole."""
    embedder = BagEmbedder()
    hits = Retriever(store, embedder).search("We study a region by a method", k=1000)
    papers = [paper for hit in hits for paper in (hit.paper, *hit.copies)]
    passages, sentences = store.passages({one.id: one for one in papers}), store.sentence_vectors([one.id for one in papers])
    for one in papers:
        assert " ".join(passage.text for passage in passages[one.id]) == one.abstract
        assert len(sentences[one.id]) == len(text.sentences(one.abstract))
    assert Counter(map(work, papers)) == Counter(map(work, store.papers()))
    return tuple(sorted(map(work, papers)))


class Watched:
    """An index that is looked at whenever something is about to be embedded: by someone who has had it open, and by someone who opens it then."""

    def __init__(self, folder: Path, before: Files) -> None:
        self.folder = folder
        built(folder, before)
        self.reader = Store(folder, BagEmbedder())
        self.before = look(self.reader)

    def during(self, files: Files, *, fails_at: int = -1) -> list[Look]:
        """What is found before each batch of an update, and afterwards. `fails_at`: of this batch the embedder can't embed anything."""
        looks: list[Look] = []

        def note() -> None:
            looks.append(look(self.reader))
            assert look(Store(self.folder, BagEmbedder())) == looks[-1]
            if len(looks) == fails_at + 1:
                raise ProviderError("the server is down")

        try:
            update(Store(self.folder, BagEmbedder(before_embedding=note)), files)
        except ProviderError:
            assert len(looks) == fails_at + 1
        return [*looks, look(self.reader)]


def held(folder: Path) -> Mapping[str, object]:
    """All that can be seen of an index, but for the order of passages that are equally near."""
    return {name: value for name, value in seen(Store(folder, BagEmbedder()), BagEmbedder()).items() if name != "found"}


def clean(root: Path, *files: Files) -> Mapping[str, object]:
    """What a clean index holds of files, which were changed by later ones."""
    built(root / "clean", {path: papers for path, papers in ChainMap(*map(dict, reversed(files))).items() if papers})
    return held(root / "clean")


def numbers(*some: int) -> Look:
    return tuple(sorted(map(str, some)))


# The kinds of replacement: what is in the index, and then files that change it. Each makes other papers of the same works.
MANY = range(1, 2 * BATCH + 10)
KINDS: Mapping[str, tuple[Files, Files]] = {
    "merged with a record of another file": (
        {"seeds.txt": [record(number, f"seeds.txt:{number}") for number in MANY]},
        {"more.ris": [record(number, f"more.ris:{number}", doi=True) for number in MANY]},
    ),
    "the same file exported with identifiers": (
        {"a.ris": [record(number, f"a.ris:{number}") for number in MANY]},
        {"a.ris": [record(number, f"a.ris:{number}", doi=True) for number in MANY]},
    ),
    "edited": (
        {"a.ris": [record(number, f"a.ris:{number}", doi=True, sentences=4) for number in MANY]},
        {"a.ris": [record(number, f"a.ris:{number}", doi=True, says=", as was said", sentences=2) for number in MANY]},
    ),
    "edited, and known by nothing but its words": (
        {"a.txt": [untitled(number, f"a.txt:{number}") for number in MANY]},
        {"a.txt": [untitled(number, f"a.txt:{number}", says=" and another") for number in MANY]},
    ),
    "told apart again": (
        {"a.ris": [record(n, f"a.ris:{n}") for n in MANY], "b.ris": [record(n, f"b.ris:{n}", doi=True, says=" again") for n in MANY]},
        {"b.ris": []},
    ),
}


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_replaced_is_found_before_each_batch_and_when_one_fails(kind: str, tmp_path: Path) -> None:
    before, files = KINDS[kind]
    watched = Watched(tmp_path / "index", before)
    old = {paper.id: paper.content_hash for paper in watched.reader.papers()}

    first, then = watched.during(files, fails_at=1), watched.during({})

    assert (len(first), len(then)) == (3, 3)  # there were three batches, and the second one was done again
    assert {*first, *then} == {watched.before} == {numbers(*MANY)}
    assert not old.items() & {paper.id: paper.content_hash for paper in watched.reader.papers()}.items()  # and all of them were replaced
    assert held(watched.folder) == clean(tmp_path, before, files)


def test_what_nothing_replaces_leaves_at_once(tmp_path: Path) -> None:
    watched = Watched(tmp_path / "index", {"a.ris": [record(n, f"a.ris:{n}", doi=True) for n in (1, 2, 3)]})
    without = replace(record(2, "a.ris:1", doi=True), abstract="")

    looks = watched.during({"a.ris": [without, record(3, "a.ris:2", doi=True)], "b.ris": [record(4, "b.ris:1", doi=True)]})

    assert looks == [numbers(3), numbers(3, 4)]  # 2 has lost its abstract


def test_an_edit_that_is_taken_back_before_it_was_finished(tmp_path: Path) -> None:
    before, files = KINDS["edited"]
    watched = Watched(tmp_path / "index", before)

    looks = [*watched.during(files, fails_at=1), *watched.during(before, fails_at=0), *watched.during({})]

    assert set(looks) == {watched.before}
    assert held(watched.folder) == clean(tmp_path, before)


def test_a_replacement_that_is_replaced_before_it_was_finished(tmp_path: Path) -> None:
    before, files = KINDS["merged with a record of another file"]
    watched = Watched(tmp_path / "index", before)
    later = {"more.ris": [record(number, f"more.ris:{number}", doi=True, says=" again") for number in MANY]}

    looks = [*watched.during(files, fails_at=1), *watched.during(later, fails_at=1), *watched.during({"more.ris": []})]

    assert set(looks) == {watched.before}
    assert held(watched.folder) == clean(tmp_path, before)


def test_a_search_during_which_all_is_replaced_finds_all(tmp_path: Path) -> None:
    before, files = KINDS["merged with a record of another file"]
    watched = Watched(tmp_path / "index", before)
    updates = iter([files])

    def once() -> None:
        for some in updates:
            update(Store(watched.folder, BagEmbedder()), some)

    embedder = BagEmbedder(before_embedding=once)
    hits = Retriever(Store(watched.folder, embedder), embedder).search("We study a region by a method", k=1000)

    assert numbers(*MANY) == tuple(sorted(work(paper) for hit in hits for paper in (hit.paper, *hit.copies)))


def test_what_was_left_is_counted_as_updated_when_it_is_finished(tmp_path: Path) -> None:
    before, files = KINDS["edited"]
    watched = Watched(tmp_path / "index", before)
    watched.during(files, fails_at=1)

    changes = update(Store(watched.folder, BagEmbedder()), files)

    assert changes == Counted(updated=len(MANY) - BATCH, unchanged=BATCH, embedded=len(MANY) - BATCH)


KILLED = """
import sys
from pathlib import Path
from rag_qa.index.store import Store
from tests.index.making import BagEmbedder, update
from tests.index.test_replacing import KINDS

def wait():
    print("waiting", flush=True)
    sys.stdin.readline()

update(Store(Path(sys.argv[1]), BagEmbedder(before_embedding=wait)), KINDS[sys.argv[2]][1])
"""


def test_what_is_replaced_is_found_after_the_process_was_killed(tmp_path: Path) -> None:
    kind = "merged with a record of another file"
    before, files = KINDS[kind]
    watched = Watched(tmp_path / "index", before)

    with subprocess.Popen(
        [sys.executable, "-c", KILLED, str(watched.folder), kind], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stdout.readline() == "waiting\n"
        process.stdin.write("\n")
        process.stdin.flush()
        assert process.stdout.readline() == "waiting\n"  # a batch is done, and another one is not
        assert look(watched.reader) == watched.before
        process.kill()

    assert len({paper.id for papers in before.values() for paper in papers} & {paper.id for paper in watched.reader.papers()}) == len(MANY) - BATCH
    assert [look(watched.reader), *watched.during({})] == [watched.before] * 4
    assert held(watched.folder) == clean(tmp_path, before, files)


# --------------------------------------------------------------------------------------------------- stopped at any line

SOME: Files = {
    "seeds.txt": [record(1, "seeds.txt:1"), record(2, "seeds.txt:2")],
    "a.ris": [record(3, "a.ris:1"), record(4, "a.ris:2", doi=True, sentences=4), record(5, "a.ris:3", doi=True), record(6, "a.ris:4", doi=True)],
    "c.txt": [untitled(7, "c.txt:1"), untitled(8, "c.txt:2")],
}
# 1 is merged, 3 gets an identifier, 4 is edited, 5 is removed, 7 is edited, 9 is new
CHANGED: Files = {
    "more.ris": [record(1, "more.ris:1", doi=True), record(9, "more.ris:2", doi=True)],
    "a.ris": [record(3, "a.ris:1", doi=True), record(4, "a.ris:2", doi=True, says=" again", sentences=2), record(6, "a.ris:3", doi=True)],
    "c.txt": [untitled(7, "c.txt:1", says=" and another"), untitled(8, "c.txt:2")],
}
STAY = {*map(str, (1, 2, 3, 4, 6, 7, 8))}


def test_every_work_is_found_wherever_an_update_stops(tmp_path: Path) -> None:
    made = tmp_path / "made"
    built(made, SOME)
    whole = clean(tmp_path, SOME, CHANGED)
    copies = (Path(shutil.copytree(made, tmp_path / f"copy {number}")) for number in itertools.count())
    places = [place for place in places_in(lambda: update(Store(next(copies), BagEmbedder()), CHANGED)) if place[0] == "store.py"]
    assert len(places) > 15

    for place in places:
        folder = next(copies)
        with interrupted(place), pytest.raises(KeyboardInterrupt):
            update(Store(folder, BagEmbedder()), CHANGED)

        found = Counter(look(Store(folder, BagEmbedder())))
        assert found.keys() - {"5", "9"} == STAY, f"interrupted at {place}"
        assert set(found.values()) == {1}, f"interrupted at {place}"
        update(Store(folder, BagEmbedder()), CHANGED)
        assert held(folder) == whole, f"interrupted at {place}"


def test_every_work_is_found_between_any_two_lines_that_write(tmp_path: Path) -> None:
    """By someone who opens the index just then."""
    folder, looks = tmp_path / "index", list[Look]()
    built(folder, SOME)

    def note(place: tuple[str, int]) -> None:
        if place[0] == "store.py":
            looks.append(look(Store(folder, BagEmbedder())))

    with passing(note):
        update(Store(folder, BagEmbedder()), CHANGED)

    assert len(looks) > 15
    assert all(set(found) >= STAY and len(set(found)) == len(found) for found in looks)
