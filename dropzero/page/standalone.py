"""page.html, in a run's folder: the page of a run that has ended, in one file that needs no server."""

from __future__ import annotations

import errno
import json
from collections.abc import Iterable
from itertools import zip_longest
from pathlib import Path
from typing import Any

from dropzero.page import samples
from dropzero.page.server import BROWSER

NAME = "page.html"
MOST_BYTES = 2_000_000
"""The most bytes of samples in the file. If there are more, neighbours are merged, pair by pair, until they fit."""
POLICY = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:"

Line = dict[str, Any]


def write(folder: Path, most: int = MOST_BYTES) -> None:
    """Writes page.html from samples.jsonl, both in `folder`. most: bytes of samples. Raises OSError."""
    try:
        heading, *lines = map(json.loads, (folder / samples.NAME).read_text().splitlines())
    except ValueError as error:
        # After a full disk.
        raise OSError(errno.ENODATA, f"{samples.NAME} is not complete") from error
    merged = 1
    while len(text := _text(heading | {"merged": merged}, *lines)) > most and len(lines) > 2:
        *moments, end = lines
        lines = [*_halved(moments), end]
        merged *= 2
    (folder / NAME).write_text(_page(text), encoding="utf-8")


def _text(*lines: Line) -> str:
    return "\n".join(json.dumps(line, separators=(",", ":")) for line in lines)


def _halved(moments: list[Line]) -> Iterable[Line]:
    for first, second in zip_longest(moments[::2], moments[1::2]):
        yield first if second is None else _merged(first, second)


def _merged(first: Line, second: Line) -> Line:
    """The second of two samples, with what happened since the one before the first."""
    jobs = zip(first["jobs"], second["jobs"], strict=True)
    return second | {
        "jobs": [_thinned(one + other) for one, other in jobs],
        "switches": first["switches"] | second["switches"],
        "events": first["events"] + second["events"],
    }


def _thinned(standings: list[Any]) -> list[Any]:
    """At most POINTS of them, evenly, with the last one."""
    count = min(len(standings), samples.POINTS)
    return [standings[len(standings) * part // count - 1] for part in range(1, count + 1)]


def _page(recorded: str) -> str:
    page, style, script = ((BROWSER / name).read_text("utf-8") for name in ("index.html", "page.css", "page.js"))
    # In a script, only `<` could end it.
    data = recorded.replace("<", "\\u003c")
    data = f'<script type="application/jsonl" id="recorded">\n{data}\n</script>'
    policy = f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">'
    for linked, inline in (
        ("<title>", f"{policy}\n<title>"),
        ('<link rel="stylesheet" href="page.css">', f"<style>\n{style}</style>"),
        ('<script type="module" src="page.js"></script>', f'{data}\n<script type="module">\n{script}</script>'),
    ):
        before, _, after = page.partition(linked)
        page = before + inline + after
    return page
