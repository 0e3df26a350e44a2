"""Every error that rag_qa raises on purpose.

    RagQAError
      SettingsError        which variable, what it was, what is allowed
      SourceError          path, line, what was found, what was expected
      QuestionError        a question that cannot be asked (empty, nothing but symbols)
      IndexingError
        EmptyIndexError    there is no index, or nothing in it: what to run
        StaleIndexError    built with X, opened with Y, how to rebuild
        IndexBusyError     another process is writing
      ProviderError        a model server did not give an answer (retryable or not)
        AuthError          the key is missing or wrong
        RateLimitError     too many requests (carries Retry-After)
        ProviderTimeout    no answer within the deadline
        ConnectionRefused  nobody answers at that address
        ContextTooLong     the prompt does not fit into the model's window
        BadReply           a reply that makes no sense or stops half-way
          NoAnswer         a whole reply without an answer: empty, a refusal, a tool call, nothing but reasoning
      MissingExtraError    an optional library is not installed: what to install

An abstention or a failed citation is a value that the person sees, never an exception.
Interfaces catch RagQAError once and print its one line; anything else is a bug and keeps its traceback.
"""

from __future__ import annotations

from pathlib import Path


class RagQAError(Exception):
    """Base of the errors that a person can act on; `str(error)` is one line that says what to do."""


class SettingsError(RagQAError):
    """A setting is unusable."""


class QuestionError(RagQAError):
    """The question is empty or holds no word, or it names a paper that is not there."""


class SourceError(RagQAError):
    """A file cannot be read as abstracts.

    >>> str(SourceError("a.txt", 3, found="bytes that are not UTF-8", expected="UTF-8 text"))
    'a.txt:3: found bytes that are not UTF-8, expected UTF-8 text'
    """

    def __init__(self, path: str | Path, line: int | None, *, found: str, expected: str, hint: str = "") -> None:
        self.path = str(path)
        self.line = line
        self.found = found
        self.expected = expected
        self.hint = hint
        self.what = f"found {found}, expected {expected}" + (f". {hint}" if hint else "")
        where = f"{self.path}:{line}" if line else self.path
        super().__init__(f"{where}: {self.what}")


class IndexingError(RagQAError):
    """The index cannot be built or read."""


class EmptyIndexError(IndexingError):
    """There is no index at this place, or it holds no paper."""


class StaleIndexError(IndexingError):
    """The index was built by another model or another version."""


class IndexBusyError(IndexingError):
    """Another process is writing to the index."""


class ProviderError(RagQAError):
    """A model server failed. `retryable`: the same request may succeed later."""

    retryable = False


class AuthError(ProviderError):
    """The key is missing, wrong or not allowed to use this model."""


class RateLimitError(ProviderError):
    """The server asks to slow down. `retry_after`: seconds it named, if it did."""

    retryable = True

    def __init__(self, message: str, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class ProviderTimeout(ProviderError):
    """The server did not answer in time."""

    retryable = True


class ConnectionRefused(ProviderError):
    """Nobody listens at the address, or the connection broke."""

    retryable = True


class ContextTooLong(ProviderError):
    """The prompt is longer than the model's window."""


class BadReply(ProviderError):
    """The server answered with something that is not an answer."""


class NoAnswer(BadReply):
    """The server works, and what the model replied is no answer to show: there may be another way to answer."""


class MissingExtraError(RagQAError):
    """An optional library is needed for what was asked."""
