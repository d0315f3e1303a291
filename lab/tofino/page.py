"""The parts of docs/hardware.md that commands write, between comments that name them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path

PAGE = Path(__file__).parents[2] / "docs/hardware.md"


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """Returns the lines of a Markdown table."""
    first, *others = ("| " + " | ".join(cells) + " |" for cells in (head, *rows))
    return [first, "|---" * len(head) + "|", *others]


def _between(name: str) -> re.Pattern[str]:
    return re.compile(rf"(?<=<!-- {name} -->\n).*?(?=<!-- end of {name} -->)", re.DOTALL)


def read(name: str) -> str:
    """The text of a part. Raises ValueError if the page has no such part."""
    found = _between(name).search(PAGE.read_text())
    if found is None:
        raise ValueError(f"{PAGE.name} has no part {name!r}")
    return found[0]


def write(name: str, text: str) -> None:
    """Replaces a part, with `text`, which ends with a newline. Raises ValueError if the page has no such part."""
    read(name)
    PAGE.write_text(_between(name).sub(lambda _: text, PAGE.read_text()))
