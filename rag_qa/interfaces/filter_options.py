"""The options by which commands narrow what is searched: the same for each of them."""

from __future__ import annotations

import functools
import inspect
import re
from collections.abc import Callable
from enum import StrEnum
from typing import Annotated, Any

import typer

from rag_qa import text
from rag_qa.engine import Scope
from rag_qa.papers import TYPES
from rag_qa.retrieval.filters import LANGUAGES, Filters

Type = StrEnum("Type", {name: name for name in sorted(TYPES)})  # type: ignore[misc]


def _options(
    year_from: Annotated[
        int | None, typer.Option("--year-from", metavar="YEAR", min=1000, max=2999, help="Only papers of this year or later.", show_default=False)
    ] = None,
    year_to: Annotated[
        int | None, typer.Option("--year-to", metavar="YEAR", min=1000, max=2999, help="Only papers of this year or earlier.", show_default=False)
    ] = None,
    venue: Annotated[
        str | None,
        typer.Option("--venue", metavar="VENUE", help="Only papers of this venue, by its name or initials, such as ICLR.", show_default=False),
    ] = None,
    collection: Annotated[
        str | None,
        typer.Option("--collection", metavar="NAME", help='Only papers of this collection, such as "ICLR 2025 Papers".', show_default=False),
    ] = None,
    author: Annotated[
        str | None, typer.Option("--author", metavar="NAME", help="Only papers by this author; the family name will do.", show_default=False)
    ] = None,
    type_: Annotated[
        Type | None,
        typer.Option("--type", metavar="TYPE", case_sensitive=False, help="Only papers of this type, such as review.", show_default=False),
    ] = None,
    exclude_type: Annotated[
        list[Type] | None,
        typer.Option(
            "--exclude-type", metavar="TYPE", case_sensitive=False, help="No papers of this type; repeat it for several.", show_default=False
        ),
    ] = None,
    language: Annotated[
        str | None,
        typer.Option("--language", metavar="CODE", help="Only papers in this language: two letters, or its English name.", show_default=False),
    ] = None,
    keyword: Annotated[
        str | None, typer.Option("--keyword", metavar="WORDS", help="Only papers with this among their keywords.", show_default=False)
    ] = None,
    not_retracted: Annotated[bool, typer.Option("--not-retracted", help="No retracted papers.")] = False,
    no_filters: Annotated[
        bool, typer.Option("--no-filters", help='Search all papers, whatever the question says of them ("since 2023", "by Smith").')
    ] = False,
) -> Scope:
    if year_from is not None and year_to is not None and year_from > year_to:
        raise typer.BadParameter(f"no year is both {year_from} or later and {year_to} or earlier", param_hint="--year-from")
    for option, value in (("--venue", venue), ("--collection", collection), ("--author", author), ("--keyword", keyword)):
        if value is not None and not text.words(text.fold(value).text):
            raise typer.BadParameter(f"there is no word in {value!r}", param_hint=option)
    language = _code(language) if language is not None else None
    excluded = tuple(one.value for one in exclude_type or ())
    chosen = type_.value if type_ else None
    filters = Filters(year_from, year_to, venue, collection, author, chosen, excluded, language, keyword, not_retracted)
    return Scope(filters, reads_filters=not no_filters)


def _code(language: str) -> str:
    """The two letters of a language."""
    folded = text.fold(language).text.strip()
    code = next((code for code, name in LANGUAGES.items() if name.lower() == folded), folded)
    if not re.fullmatch("[a-z]{2}", code):
        raise typer.BadParameter(
            f"{language!r} is no language: give two letters, such as en, or one of {', '.join(LANGUAGES.values())}", param_hint="--language"
        )
    return code


def narrowed(command: Callable[..., None]) -> Callable[..., None]:
    """A command with these options besides its own; what they say is its argument `scope`."""
    options = inspect.signature(_options, eval_str=True)
    own = inspect.signature(command, eval_str=True)

    @functools.wraps(command)
    def with_options(**given: Any) -> None:
        scope = _options(**{name: given.pop(name) for name in options.parameters})
        command(**given, scope=scope)

    kept = [parameter for name, parameter in own.parameters.items() if name != "scope"]
    parameters = [*kept, *options.parameters.values()]
    with_options.__signature__ = own.replace(parameters=parameters)  # type: ignore[attr-defined]
    with_options.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return with_options
