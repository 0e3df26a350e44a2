"""Questions to choose a ranking on, as folders in the layout of BEIR: no test split and no held-out question is among them.

- SciFact: the claims of the training judgments;
- PubMedQA: the questions that its own split calls "dev";
- own: the answerable questions of `iclr_dev.jsonl` that stand alone, over the abstracts that they are about, without titles;
- own-among-others: the same, among some thousand other abstracts of the field;
- titles: the titles of these others, whose abstracts have to be found without them.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

from eval import beir, corpus
from eval.beir import Beir
from eval.datasets import loader

DATA = corpus.ROOT.parent / "shared" / "data"
QUESTIONS = Path(__file__).parent / "datasets" / "iclr_dev.jsonl"

_SPLIT = "dev"
_OTHERS = 3000
_FEWEST_WORDS = 60  # less is no abstract

Document = Mapping[str, str]


def sets(into: Path, data: Path = DATA) -> list[Beir]:
    """The development sets; those that have to be made are written into a folder. Raises corpus.DataAbsent without the data, SourceError."""
    needed = [data / "scifact" / "beir", data / "pubmedqa" / "beir", data / "iclr2025" / "papers.jsonl", data / "ml_papers" / "corpus.jsonl"]
    if absent := [path for path in needed if not path.exists()]:
        raise corpus.DataAbsent(f"{absent[0]} is not there, so there is nothing to choose a ranking on")
    scifact, pubmedqa, iclr, field = needed
    own, asked = _own(iclr)
    others = _others(field, own)
    untitled = [{**document, "title": ""} for document in others]
    titles = [(document["title"], [document["_id"]]) for document in others]
    return [
        beir.load(scifact, "train"),
        _written(into / "pubmedqa-dev", _lines(pubmedqa / "corpus.jsonl"), _pubmedqa(pubmedqa)),
        _written(into / "own", own, asked),
        _written(into / "own-among-others", [*own, *untitled], asked),
        _written(into / "titles", [*own, *untitled], titles),
    ]


def _pubmedqa(folder: Path) -> list[tuple[str, Sequence[str]]]:
    chosen = {record["id"] for record in _lines(folder / "qa.jsonl") if record["split"] == "dev"}
    return [(record["text"], [str(record["_id"])]) for record in _lines(folder / "queries.jsonl") if str(record["_id"]) in chosen]


def _own(iclr: Path) -> tuple[list[Document], list[tuple[str, Sequence[str]]]]:
    wanted = QUESTIONS.with_name(f"{QUESTIONS.stem}_papers.txt").read_text(encoding="utf-8").split()
    abstracts = {str(record["id"]): " ".join(record["abstract"].split()) for record in _lines(iclr)}
    asked = [question for question in loader.load(QUESTIONS) if question.answerable and not question.history]
    documents: list[Document] = [{"_id": id_, "title": "", "text": abstracts[id_]} for id_ in wanted]
    return documents, [(question.text, question.papers) for question in asked]


def _others(path: Path, own: Sequence[Document]) -> list[Document]:
    """Some of the abstracts of the field, chosen by a hash of their ids, and none that is among the own ones."""
    known = {plain(document["text"]) for document in own}
    every = sorted(_lines(path), key=lambda record: sha256(str(record["_id"]).encode()).digest())
    fit = [record for record in every if len(record["text"].split()) >= _FEWEST_WORDS and plain(record["text"]) not in known]
    return [{"_id": str(record["_id"]), "title": record["title"], "text": " ".join(record["text"].split())} for record in fit[:_OTHERS]]


def plain(text: str) -> str:
    """What two readings of one abstract have in common: its first letters and digits."""
    return "".join(char for char in text.casefold() if char.isalnum())[:200]


def _written(folder: Path, documents: Iterable[Document], asked: Sequence[tuple[str, Sequence[str]]]) -> Beir:
    (folder / "qrels").mkdir(parents=True, exist_ok=True)
    judgments = [f"q{number}\t{document}\t1" for number, (_, relevant) in enumerate(asked) for document in relevant]
    _write(folder / beir.CORPUS, map(json.dumps, documents))
    _write(folder / beir.QUERIES, (json.dumps({"_id": f"q{number}", "text": question}) for number, (question, _) in enumerate(asked)))
    _write(folder / "qrels" / f"{_SPLIT}.tsv", ["query-id\tcorpus-id\tscore", *judgments])
    return beir.load(folder, _SPLIT)


def _write(path: Path, lines: Iterable[str]) -> None:
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def _lines(path: Path) -> list[Any]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").split("\n") if line.strip()]
