"""The check of a sentence against the papers that it cites. `GroundingCheck` is all that others need."""

from rag_qa.grounding.check import GroundingCheck

__all__ = ["GroundingCheck"]
