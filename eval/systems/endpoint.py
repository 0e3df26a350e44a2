"""A plain chat endpoint as a system: the first papers of the product's search in one prompt, no check, no repair: `run --system endpoint`.

What the product has to be better than. The endpoint is that of the settings (OPENAI_BASE_URL, OPENAI_API_KEY, RAG_QA_LLM_MODEL).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from eval.datasets.loader import Question
from eval.systems.chat import Written
from eval.systems.given import Given
from rag_qa.papers import Paper

CONTEXT = 5
MOST_TOKENS = 400
"""Three sentences are shorter; the settings may say less."""

Write = Callable[[str, str], Written]
"""(instructions, prompt) -> what the model writes."""

_INSTRUCTIONS = (
    "Answer the question from the numbered abstracts alone, in at most three sentences. Cite the abstract behind each sentence by its number in "
    "square brackets, like [2]. If the abstracts do not answer the question, write only: The abstracts do not answer this."
)
_REFUSAL = re.compile(
    r"\b(?:abstracts?|papers?) (?:do|does) not (?:answer|contain|say|mention|provide)|\bcannot answer\b|\bcan't answer\b", re.IGNORECASE
)


class Endpoint:
    """Asks a model with the papers that a search found."""

    def __init__(self, write: Write, search: Callable[[str], Sequence[Paper]], model: str, price: tuple[float, float] | None = None) -> None:
        """`price`: dollars for a million tokens read, and for a million written; None where it is not known."""
        self._write = write
        self._search = search
        self._model = model
        self._price = price

    def give(self, question: Question) -> Given:
        """One request. Whatever it raises counts as an error of the item."""
        papers = list(self._search(question.text))
        numbered = "\n\n".join(f"[{n}] {paper.abstract}" for n, paper in enumerate(papers[:CONTEXT], start=1))
        earlier = "".join(f"Earlier question: {one}\n" for one in question.history)
        written = self._write(_INSTRUCTIONS, f"{numbered}\n\n{earlier}Question: {question.text}")
        text = written.text.strip()
        return Given(
            text,
            {n: paper.id for n, paper in enumerate(papers[:CONTEXT], start=1)},
            tuple(paper.id for paper in papers),
            abstained=not text or bool(_REFUSAL.search(text)),
            model=self._model,
            prompt_tokens=written.prompt_tokens,
            completion_tokens=written.completion_tokens,
            cost_usd=self._cost(written),
        )

    def _cost(self, written: Written) -> float | None:
        if self._price is None or written.prompt_tokens is None or written.completion_tokens is None:
            return None
        return (written.prompt_tokens * self._price[0] + written.completion_tokens * self._price[1]) / 1_000_000
