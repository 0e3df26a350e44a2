"""A sentence with each of its numbers under a mask, so that a pattern need not know how numbers are written ("$1.67 \\times$", "thirty percent")."""

from __future__ import annotations

import re
from dataclasses import dataclass

from rag_qa import text
from rag_qa.quantities import Quantity, quantities

MASK = r"⟦(\d+)⟧"
"""A number, and which one."""
_YEAR = re.compile(r"(?:19|20)\d\d")


@dataclass(frozen=True, slots=True)
class Masked:
    """`text`: the sentence with masks; `numbers`: what is under each, and `written`: how it stands in the sentence."""

    text: str
    numbers: tuple[Quantity, ...]
    written: tuple[str, ...]

    def open(self, part: str) -> str:
        """A part of the masked sentence as it stands in the sentence.

        >>> masked("It needs 32 GPUs.").open("⟦0⟧ GPUs")
        '32 GPUs'
        """
        return re.sub(MASK, lambda mask: self.written[int(mask.group(1))], part)


def masked(sentence: str) -> Masked:
    """Put the numbers of a sentence under masks; years stay.

    >>> masked("It is up to $1.67 \\\\times$ faster in 2024 with five models.").text
    'It is up to ⟦0⟧ faster in 2024 with ⟦1⟧ models.'
    """
    folded = text.fold(sentence)
    out: list[str] = []
    written: list[str] = []
    numbers: list[Quantity] = []
    done = 0
    for number in quantities(folded.text):
        if _YEAR.fullmatch(number.value) and not number.unit:
            continue
        start, end = _with_marks(sentence, *folded.span(number.start, number.end))
        if start < done:
            continue
        out += [sentence[done:start], f"⟦{len(numbers)}⟧"]
        written.append(sentence[start:end])
        numbers.append(number)
        done = end
    return Masked("".join([*out, sentence[done:]]), tuple(numbers), tuple(written))


def _with_marks(sentence: str, start: int, end: int) -> tuple[int, int]:
    """The span with the $ on both its sides."""
    before = sentence[:start]
    if before.endswith("$") and (after := re.match(r"\s?\$", sentence[end:])):
        return start - 1, end + after.end()
    return start, end
