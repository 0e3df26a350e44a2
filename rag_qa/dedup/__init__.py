"""One work, once: which records are one work, why, and the one paper that they make together.

Two records are one work if they share an identifier and nothing contradicts it, or if title, year, authors, place in a journal and abstract say so
together; in doubt they stay apart. A record never brings together two others that contradict each other.
"""

from rag_qa.dedup.compared import Keys, keys
from rag_qa.dedup.grouping import Group, group
from rag_qa.dedup.merging import distinct, identify, merge

__all__ = ["Group", "Keys", "distinct", "group", "identify", "keys", "merge"]
