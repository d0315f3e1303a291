"""What a mutant is: changes of the code, in this process, for a while."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import Any, NamedTuple
from unittest.mock import patch

Change = tuple[Any, str, Any]
"""(class or module, attribute, replacement)."""


class Mutant(NamedTuple):
    """name: what is wrong."""

    name: str
    changes: Sequence[Change]

    @contextmanager
    def applied(self) -> Iterator[None]:
        with ExitStack() as stack:
            for change in self.changes:
                stack.enter_context(patch.object(*change))
            yield


def wrapped(owner: Any, attribute: str, wrap: Callable[..., Any]) -> Change:
    """wrap: called with the original function and its arguments."""
    original = getattr(owner, attribute)
    return owner, attribute, lambda *arguments, **named: wrap(original, *arguments, **named)
