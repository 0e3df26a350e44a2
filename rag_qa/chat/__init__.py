"""A follow-up -> a question that stands alone, by rules, and what is said besides questions. The names below are what others need."""

from rag_qa.chat.again import Again, asked_again
from rag_qa.chat.asides import about_library, about_program, counts_library, is_aside
from rag_qa.chat.follow_ups import asked_on, is_settled_by_rules, stand_alone
from rag_qa.chat.instead import asked_instead
from rag_qa.chat.lists import asks_for_others, last_list
from rag_qa.chat.narrowing import without_filters
from rag_qa.chat.small_talk import small_talk
from rag_qa.chat.turns import Turn, called, is_for_papers
from rag_qa.chat.unclear import cleared, unclear

__all__ = [
    "Again",
    "Turn",
    "about_library",
    "about_program",
    "asked_again",
    "asked_instead",
    "asked_on",
    "asks_for_others",
    "called",
    "cleared",
    "counts_library",
    "is_aside",
    "is_for_papers",
    "is_settled_by_rules",
    "last_list",
    "small_talk",
    "stand_alone",
    "unclear",
    "without_filters",
]
