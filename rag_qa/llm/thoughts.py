"""Reasoning that a model writes into its reply, in front of the answer, and that is not the answer."""

from __future__ import annotations

_MARKS = {
    "<think>": "</think>",
    "<thinking>": "</thinking>",
    "<thought>": "</thought>",
    "<reasoning>": "</reasoning>",
    "<seed:think>": "</seed:think>",
    "[think]": "[/think]",
    "◁think▷": "◁/think▷",
    "<|channel|>analysis<|message|>": "<|channel|>final<|message|>",
}
"""What reasoning begins with in the formats of common models, and what it ends with; in small letters."""


class ThoughtFilter:
    """Takes the reasoning away that some models write in front of their answer, between <think> and </think> or their kin.

    >>> thoughts = ThoughtFilter()
    >>> [thoughts.feed(piece) for piece in ("<thi", "nk>hm, </th", "ink>\\n\\nIt", " is.")]
    ['', '', 'It', ' is.']
    """

    def __init__(self) -> None:
        self._held = ""
        self._closing = ""
        self._passes = False
        self.has_thought = False
        """Has a thought begun?"""

    def feed(self, piece: str) -> str:
        """What of the text so far can be handed out and has not been. White space in front of the answer is not part of it."""
        if self._passes:
            return piece
        self._held += piece
        while self._closing or self._begins():
            at = self._held.lower().find(self._closing)
            if at < 0:
                self._held = self._held[-len(self._closing) :]
                return ""
            self._held, self._closing = self._held[at + len(self._closing) :], ""
        start = self._held.lstrip()
        if any(mark.startswith(start.lower()) for mark in _MARKS):
            return ""
        self._passes = True
        return start

    def close(self) -> str:
        """What was held back, at the end of the reply: nothing if it is an unfinished thought."""
        return "" if self._passes or self._closing else self._held

    def _begins(self) -> bool:
        """Does what is held begin with a mark? Then that is taken off."""
        start = self._held.lstrip()
        for mark, closing in _MARKS.items():
            if start.lower().startswith(mark):
                self._closing, self._held, self.has_thought = closing, start[len(mark) :], True
                return True
        return False
