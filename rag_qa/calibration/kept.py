"""The calibrated threshold in the data folder, with all that says what it is worth and whether it still holds."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from hashlib import sha256
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from rag_qa.errors import RagQAError, SettingsError

NAME = "calibration.json"
MOST_CHANGED = 0.2
"""Of the papers then and now together, this share may be in only one of both before the promise is no longer said to hold."""

_SKETCH = 256
_FORGET = "Forget it with: rag-qa calibrate --reset"

Scorer = Mapping[str, str]
"""What the confidence depends on (embedder, weights, ...) -> which it is. With another one, a threshold means something else."""


@dataclass(frozen=True, slots=True)
class Kept:
    """A certified threshold. Of `cases` questions it answers `answered`, `wrong` of them wrongly; of the `answerable` ones it refuses
    `over_refused`.

    Promised: with probability 1 - `delta`, at most a share `risk` of its answers is wrong. `source`: where the questions come from. `made`: the
    day, as 2026-11-30. `sketch`: the smallest of the papers' ids, by which two libraries can be compared.
    """

    threshold: float
    risk: float
    delta: float
    cases: int
    answered: int
    wrong: int
    answerable: int
    over_refused: int
    source: str
    made: str
    scorer: Scorer
    papers: int
    sketch: tuple[str, ...]

    def other_scorer(self, now: Scorer) -> list[str]:
        """In what the confidence is made otherwise now, in words; nothing if the threshold can be used."""
        names = sorted({*self.scorer, *now})
        return [f"another {name}" for name in names if self.scorer.get(name) != now.get(name)]

    def changed_share(self, ids: Iterable[str]) -> float:
        """About which share of the papers, then and now together, is in only one of both libraries."""
        return 1.0 - _overlap(self.sketch, sketched(ids))


_AS_READ = TypeAdapter(Kept)


def sketched(ids: Iterable[str]) -> tuple[str, ...]:
    """What of a library is kept to compare it with another: its smallest ids. They are made of hashes, so they are drawn by lot.

    >>> sketched(["p3", "p1"])
    ('p1', 'p3')
    """
    return tuple(sorted(set(ids))[:_SKETCH])


def _overlap(one: Sequence[str], other: Sequence[str]) -> float:
    """Papers in both libraries / papers in any, estimated from the smallest ids of both together.

    >>> _overlap(("a", "b", "c"), ("b", "c", "d"))
    0.5
    """
    both = set(one) & set(other)
    any_of = sorted({*one, *other})[:_SKETCH]
    return sum(id_ in both for id_ in any_of) / len(any_of) if any_of else 1.0


def fingerprint(contents: Iterable[bytes]) -> str:
    """A name for some files by what is in them.

    >>> fingerprint([b"weights"])
    '59f3d85be3f9f90b'
    """
    return sha256(b"".join(sha256(content).digest() for content in contents)).hexdigest()[:16]


# ---------------------------------------------------------------------------------------------------------------- the file


def write(folder: Path, kept: Kept) -> None:
    """Write it so that a reader sees the old one or the new one, never a part. Raises RagQAError."""
    path, temporary = folder / NAME, folder / f"{NAME}.{os.getpid()}.new"
    try:
        temporary.write_text(json.dumps(asdict(kept), indent=2) + "\n", encoding="utf-8")
        temporary.replace(path)
    except OSError as error:
        temporary.unlink(missing_ok=True)
        raise RagQAError(f"{path} can't be written ({error.strerror}): choose another folder with RAG_QA_DATA_DIR or --data-dir") from None


def read(folder: Path) -> Kept | None:
    """What is kept, or None. Raises SettingsError when it can't be understood: another threshold than the calibrated one is not used unseen."""
    path = folder / NAME
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (ValueError, OSError, RecursionError) as error:
        raise SettingsError(f"{path} can't be read ({' '.join(str(error).split())}). {_FORGET}") from None
    return _understood(path, found)


def _understood(path: Path, found: object) -> Kept:
    """Every value as it was written; what a later version adds is left aside."""
    try:
        kept = _AS_READ.validate_python(found)
    except ValidationError:
        kept = None
    if kept is None or not 0 <= kept.threshold <= 1:
        raise SettingsError(f"{path} does not say how the threshold was calibrated: found {json.dumps(found)[:60]}. {_FORGET}")
    return kept


def forget(folder: Path) -> bool:
    """Remove what is kept; was there anything? Raises RagQAError."""
    path = folder / NAME
    try:
        path.unlink()
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError as error:
        raise RagQAError(f"{path} can't be removed ({error.strerror}): remove it yourself") from None
    return True
