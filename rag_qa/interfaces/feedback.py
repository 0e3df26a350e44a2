"""What people say of answers: one JSON object a line, appended to a file in the data folder, which never leaves the machine.

A later line about the same answer (`key`) takes the place of an earlier one: a thumb is taken back, a reason is added.
"""

from __future__ import annotations

import json
import os
import secrets
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from hashlib import sha256
from pathlib import Path

from rag_qa.answering.answer import Answer
from rag_qa.errors import RagQAError
from rag_qa.interfaces.render import JsonObject, to_json
from rag_qa.retrieval import filters
from rag_qa.settings import Settings

NAME = "feedback.jsonl"
"""The file in the data folder."""
LONGEST_COMMENT = 2000
"""Characters of a comment that are kept."""
VERSION = 1


class Verdict(StrEnum):
    """What a person thinks of an answer."""

    GOOD = "good"
    BAD = "bad"
    TAKEN_BACK = "taken back"


class Reason(StrEnum):
    """What is wrong with an answer, or with a refusal."""

    PAPER = "paper"
    """It cites the wrong paper."""
    FACT = "fact"
    """A fact in it is wrong, or one is missing."""
    REFUSE = "refuse"
    """It should have been refused."""
    ANSWER = "answer"
    """It should have been answered, and not refused."""
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class Vote:
    """What a person says of an answer. `key`: of the answer (see `new_key`)."""

    key: str
    verdict: Verdict
    reason: Reason | None = None
    comment: str = ""


def new_key() -> str:
    """A name for an answer that no other answer has."""
    return secrets.token_hex(8)


def is_kept(settings: Settings) -> bool:
    """Is what people say of answers to be kept?"""
    return settings.feedback == "on"


def file_of(settings: Settings) -> Path:
    """Where it is kept."""
    return settings.data_dir.expanduser().absolute() / NAME


def record(vote: Vote, answer: Answer, history: Sequence[str], settings: Settings, now: datetime) -> JsonObject:
    """What is kept of a vote: all that tells what was asked, of what, and what was answered. No abstract is copied, but for what was quoted."""
    paper_of = {source.n: source.paper for source in answer.sources}
    return {
        "version": VERSION,
        "date": now.isoformat(timespec="seconds"),
        "key": vote.key,
        "verdict": vote.verdict.value,
        "reason": vote.reason.value if vote.reason else None,
        "comment": vote.comment.strip()[:LONGEST_COMMENT],
        "question": answer.question,
        "understood_as": answer.understood_as,
        "history": list(history),
        "narrowed_to": filters.words(answer.narrowing.filters),
        "answer": answer.text,
        "is_refusal": answer.abstained is not None,
        "sources": [{"n": source.n, "paper_id": source.paper.id, "label": source.paper.label} for source in answer.sources],
        "quotes": [
            {"paper_id": paper_of[one.source].id, "start": one.start, "end": one.end, "quote": one.quote}
            for sentence in answer.sentences
            for one in sentence.verdict.evidence
            if one.source in paper_of
        ],
        "confidence": float(answer.confidence),
        "model": answer.model,
        "settings": fingerprint(settings),
    }


_OF_THE_PLACE = {"data_dir", "host", "port", "feedback", "openai_api_key", "embedding_api_key", "chroma_token", "chroma_url"}


def fingerprint(settings: Settings) -> str:
    """A name for the settings that answers depend on; no secret and no path is in it."""
    made_of = json.dumps(settings.model_dump(mode="json", exclude=_OF_THE_PLACE), sort_keys=True)
    return sha256(made_of.encode("utf-8", "surrogatepass")).hexdigest()[:16]


_ONE_AT_A_TIME = threading.Lock()
"""Who looks whether the last line is whole must not see one that is just being written."""


def keep(vote: Vote, answer: Answer, history: Sequence[str], settings: Settings) -> Path:
    """Append a vote to the file, in one piece and for its owner's eyes alone. Raises RagQAError."""
    path = file_of(settings)
    line = to_json(record(vote, answer, history, settings, datetime.now(UTC))) + "\n"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT, 0o600)
        with os.fdopen(handle, "r+b", buffering=0) as file, _ONE_AT_A_TIME:
            # a line that was cut short by a full disk must not spoil this one
            file.write((b"" if _ends_a_line(file.fileno()) else b"\n") + line.encode())
    except OSError as error:
        raise RagQAError(
            f"your feedback could not be kept in {path} ({error.strerror}): free its disk, or choose another folder with RAG_QA_DATA_DIR"
        ) from None
    return path


def _ends_a_line(handle: int) -> bool:
    size = os.fstat(handle).st_size
    if size == 0:
        return True
    os.lseek(handle, size - 1, os.SEEK_SET)
    return os.read(handle, 1) == b"\n"
