"""Options that several commands take, declared once: as the fields of a dataclass, which also checks their values."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import MISSING, fields, is_dataclass
from functools import wraps
from inspect import Parameter, signature
from typing import Annotated, Any, get_origin, get_type_hints

import typer


@contextmanager
def one_line() -> Iterator[None]:
    """Reports a ValueError or an OSError as a user's error."""
    try:
        yield
    except (ValueError, OSError) as error:
        raise typer.TyperException(str(error)) from error


def grouped(
    errors: Callable[[], AbstractContextManager[None]] = one_line,
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Returns a decorator of commands. Each parameter that is a dataclass is replaced by the options that its fields
    declare as Annotated[..., typer.Option(...)]; the command gets the dataclass. A field may be such a dataclass, too.
    Other fields are not options.

    errors: the context in which the dataclasses are created, which reports what they refuse.
    """

    def decorate(command: Callable[..., None]) -> Callable[..., None]:
        own = signature(command, eval_str=True).parameters
        groups = {name: each.annotation for name, each in own.items() if is_dataclass(each.annotation)}
        taken: list[Parameter] = []
        for name, each in own.items():
            taken += _declared(groups[name]) if name in groups else [each.replace(kind=Parameter.KEYWORD_ONLY)]

        @wraps(command)
        def with_options(**given: Any) -> None:
            with errors():
                made = {name: _made(group, given) for name, group in groups.items()}
            command(**made, **given)

        # typer reads both.
        with_options.__signature__ = signature(command).replace(parameters=taken)  # type: ignore[attr-defined]
        with_options.__annotations__ = {each.name: each.annotation for each in taken}
        return with_options

    return decorate


def _options(group: Any) -> Iterator[tuple[Any, Any]]:
    """The fields of a dataclass that are options or dataclasses, with their types."""
    hints = get_type_hints(group, include_extras=True)
    for field in fields(group):
        if get_origin(hints[field.name]) is Annotated or is_dataclass(hints[field.name]):
            yield field, hints[field.name]


def _declared(group: Any) -> Iterator[Parameter]:
    for field, hint in _options(group):
        if is_dataclass(hint):
            yield from _declared(hint)
        else:
            default = Parameter.empty if field.default is MISSING else field.default
            if field.default_factory is not MISSING:
                # typer calls functions each time, and shows an empty list as no default.
                default = [] if field.default_factory is list else field.default_factory
            yield Parameter(field.name, Parameter.KEYWORD_ONLY, default=default, annotation=hint)


def _made(group: Any, given: dict[str, Any]) -> Any:
    """Creates a dataclass from its options, which it takes out of the given ones."""
    return group(
        **{
            field.name: _made(hint, given) if is_dataclass(hint) else given.pop(field.name)
            for field, hint in _options(group)
        }
    )
