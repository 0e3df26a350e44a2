"""However a topic is spelled, it is the same topic: over a few papers that can be read here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_qa import text
from rag_qa.index.store import Store
from rag_qa.retrieval.retriever import Retriever
from rag_qa.retrieval.set_questions import SetQuestion
from rag_qa.retrieval.sets import Sets
from rag_qa.retrieval.spellings import Form, Wording, wording
from tests.index.making import update
from tests.retrieval.test_retriever import TopicEmbedder, paper

TEXTS = (
    "We study a mixture of experts (MoE) on boats. Each expert rows alone.",
    "This paper makes MoEs row faster. A MoE of eight boats wins.",
    "Mixture-of-Experts boats are rowed. We propose a gate for each mixture-of-experts.",
    "We stir a mixture of paint. The experts of the harbour like it.",
    "We cluster shells by k-means. The k-means of shells are round.",
    "We propose kmeans for fish. It is quick.",
    "This paper studies k means of whales. It needs many means, and k of them.",
    "The means of a harbour are small. We count k gulls.",
    "We study fine-tuning of bells. Fine-tuning takes a day.",
    "We propose finetuning of gongs. It is loud.",
    "State space models (SSMs) tell the tide. We propose a new state space model.",
    "We present SSMs of rivers, and each SSM is long.",
    "This paper studies state-space models of lakes.",
    "The space of a pier is in a bad state. We model it in clay.",
    "Multimodal large language models (MLLMs) see moss. Large language models (LLMs) do not.",
    "We propose multimodal LLMs of the sea.",
    "We study large language models that sing, and LLMs that hum.",
    "The large bay has a language of flags. We model its ships.",
    "RAIN counts drops: regular automatic interval numbers (RAIN) of a cloud.",
    "Rain falls on the bay. We measure rain by a bucket.",
    "Rain is wet. We study rain and the drops of rain.",
    "Objects that are out of distribution (OOD) are odd. We find OOD shells.",
    "We detect out-of-distribution pebbles. The distribution of sand is known.",
    "The distribution of gulls over the bay is even.",
)
PAPERS = [paper(f"p{number:02}", abstract) for number, abstract in enumerate(TEXTS)]
SPELLINGS = [
    ({0, 1, 2}, ("MoE", "moe", "MoEs", "mixture of experts", "mixture-of-experts", "Mixture of Experts")),
    ({4, 5, 6}, ("k-means", "kmeans", "k means", "K-Means")),
    ({8, 9}, ("fine-tuning", "finetuning", "fine tuning")),
    ({10, 11, 12}, ("SSM", "SSMs", "state space models", "state-space models")),
    ({14, 15, 16}, ("LLMs", "LLM", "large language models", "large-language models")),
    ({14, 15}, ("MLLMs", "multimodal LLMs", "multimodal large language models")),
    ({21, 22}, ("OOD", "out of distribution", "out-of-distribution")),
    ({18, 19, 20}, ("rain", "Rain")),
]


@cache
def _terms(one: str) -> frozenset[str]:
    return frozenset(text.terms(one))


@cache
def _acronyms(one: str) -> Mapping[str, Sequence[str]]:
    return text.acronyms(one)


@dataclass(frozen=True)
class Library:
    """What these papers say of words, without an index."""

    texts: Sequence[str] = TEXTS

    def document_frequency(self, term: str) -> int:
        return len(self.texts_with(term, 1000))

    def explained(self, form: str) -> Mapping[str, int]:
        found: dict[str, int] = {}
        for one in self.texts:
            for short, words in _acronyms(one).items():
                pair = (text.stem(short), " ".join(text.stem(word) for word in words if word not in text.STOPWORDS))
                if form in pair:
                    other = pair[1 - pair.index(form)]
                    found[other] = found.get(other, 0) + 1
        return found

    def texts_with(self, term: str, most: int) -> Sequence[str]:
        return [one for one in self.texts if term in _terms(one)][:most]


@pytest.fixture(scope="module")
def finder(tmp_path_factory: pytest.TempPathFactory) -> Sets:
    store = Store(tmp_path_factory.mktemp("spellings") / "index", TopicEmbedder())
    update(store, {"sea.txt": PAPERS})
    return Sets(store, Retriever(store, TopicEmbedder()))


def members(finder: Sets, topic: str) -> set[int]:
    return {TEXTS.index(one.hit.paper.abstract) for one in finder.members(SetQuestion(topic)).members}


@pytest.mark.parametrize(("expected", "spelling"), [(expected, spelling) for expected, every in SPELLINGS for spelling in every])
def test_every_spelling_gives_the_same_papers(finder: Sets, expected: set[int], spelling: str) -> None:
    assert members(finder, spelling) == expected


@pytest.mark.parametrize("every", [every for _, every in SPELLINGS])
def test_every_spelling_is_searched_by_the_same_words(every: Sequence[str]) -> None:
    for one, other in pairwise(every):
        assert wording(one, Library()) == wording(other, Library())


@given(st.lists(st.tuples(st.sampled_from([every for _, every in SPELLINGS]), st.integers(0, 5), st.integers(0, 5)), min_size=1, max_size=3))
def test_topics_of_several_things_are_one_topic_in_all_spellings(chosen: list[tuple[Sequence[str], int, int]]) -> None:
    one, other = (" or ".join(parts) for parts in zip(*((every[i % len(every)], every[j % len(every)]) for every, i, j in chosen), strict=True))
    assert wording(one, Library()) == wording(other, Library())


def test_what_is_one_thing_is_one_word_and_known_by_all_its_forms() -> None:
    assert wording("fast MoEs, or gulls", Library()) == Wording(
        "fast mixture-of-experts, or gulls", "fast mixture-of-experts, or gulls", {"mixture-of-experts": Form("moe", ("mixture-experts",))}
    )
    forms = wording("multimodal LLMs", Library()).forms
    assert forms == {"multimodal-large-language-models": Form("mllm", ("multimodal-large-language-models", "multimodal-llm"))}


def test_a_name_that_is_hardly_ever_spelled_out_is_searched_by() -> None:
    many = [f"We use BERT on text {number}." for number in range(12)]
    library = Library(["Bidirectional encoder reading tests (BERT) are read.", *many])
    assert wording("bidirectional encoder reading tests", library) == wording("BERT", library)
    assert wording("BERT", library).text == "bert"


def test_words_that_the_library_writes_apart_are_left_apart() -> None:
    library = Library(["Deep learning is deep.", *(f"Deep learning of shell {number}." for number in range(30)), "A deep-learning chip."])
    assert wording("deep-learning chips", library) == wording("deep learning chips", library) == Wording("deep learning chips", "deep learning chips")


@pytest.mark.parametrize("topic", ["", "?", "of the", "volcano", "a - b", "--", "tide/gauge, or moss"])
def test_whatever_else_is_asked_stays_as_it_is(topic: str) -> None:
    assert wording(topic, Library(())).text.split() == [word for word in text.folded(topic).split() if text.words(word)] or not text.words(topic)


@given(st.text(max_size=80))
def test_any_topic(topic: str) -> None:
    found = wording(topic, Library(TEXTS[:6]))
    assert bool(found.text) == bool(text.words(text.fold(topic).text))
    assert wording(found.text, Library(TEXTS[:6])).text == found.text
