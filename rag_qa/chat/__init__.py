"""A follow-up -> a question that stands alone, by rules. `stand_alone`, `small_talk` and `Turn` are what others need."""

from rag_qa.chat.follow_ups import is_settled_by_rules, stand_alone
from rag_qa.chat.lists import asks_for_others, last_list
from rag_qa.chat.narrowing import without_filters
from rag_qa.chat.small_talk import small_talk
from rag_qa.chat.turns import Turn

__all__ = ["Turn", "asks_for_others", "is_settled_by_rules", "last_list", "small_talk", "stand_alone", "without_filters"]
