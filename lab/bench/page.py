"""`python -m lab.bench.page`: what a run's page costs the run, and how soon a browser shows it."""

from __future__ import annotations

import json
import shutil
import statistics
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, NamedTuple

import typer

from dropzero.console import table_of, wide_console
from dropzero.page.server import serving
from dropzero.topologies.orchestration.plan import new_folder
from lab.bench.report import amount, measuring, save

SEEN = """[
  performance.getEntriesByName("first-contentful-paint")[0].startTime,
  [...performance.getEntriesByType("navigation"), ...performance.getEntriesByType("resource")]
    .filter((each) => !each.name.includes("/samples"))
    .reduce((total, each) => total + each.decodedBodySize, 0),
]"""
"""In the browser: milliseconds to the first paint, and bytes of assets."""


class Pair(NamedTuple):
    """Seconds of the same training without a page and with one, and by how much the page makes it longer."""

    without: float
    with_page: float
    cost: float


class Load(NamedTuple):
    """A browser's first visit. paint: milliseconds to the first contentful paint. assets: bytes. heap: bytes of
    JavaScript's objects when all is shown."""

    paint: float
    assets: int
    heap: int


def train(out: Path, steps: int, *, page: bool) -> float:
    """Run a training of four workers. Returns its seconds."""
    command = [sys.executable, "-m", "dropzero", "run", "--switch", "softswitch", "--no-plot", "--json"]
    command += ["--steps", str(steps), "--out", str(out), *([] if page else ["--no-page"])]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True)
    (summary,) = json.loads(done.stdout)
    return float(summary["seconds"])


def pairs(out: Path, count: int, steps: int) -> Iterator[Pair]:
    """Train with and without a page, in turn; the other one comes first each time."""
    for turn in range(count):
        ways = (bool(turn % 2), not turn % 2)
        found = {page: train(out / f"{turn}-{'with' if page else 'without'}", steps, page=page) for page in ways}
        yield Pair(found[False], found[True], found[True] / found[False] - 1)


def loads(run: Path, count: int) -> Iterator[Load]:
    """Open a past run's page, each time in a browser's context that has nothing in its cache.

    Raises:
        ImportError: no Playwright.
        FileNotFoundError: no Chromium.
    """
    from playwright.sync_api import sync_playwright

    path = shutil.which("chromium")
    if path is None:
        raise FileNotFoundError("no chromium on PATH")
    with serving(run) as url, sync_playwright() as started:
        browser = started.chromium.launch(executable_path=path, args=["--no-sandbox"])
        for _ in range(count):
            with browser.new_context() as context:
                page = context.new_page()
                page.goto(url)
                page.locator(".node").first.wait_for()
                paint, assets = page.evaluate(SEEN)
                session = context.new_cdp_session(page)
                session.send("HeapProfiler.collectGarbage")
                yield Load(paint, assets, session.send("Runtime.getHeapUsage")["usedSize"])
        browser.close()


def main(
    repetitions: Annotated[int, typer.Option(min=1, help="Pairs of runs, and visits.")] = 6,
    steps: Annotated[int, typer.Option(min=1, help="Steps of each training.")] = 2000,
    out: Annotated[Path | None, typer.Option(help="Folder for the runs and page.json.")] = None,
) -> None:
    """Compare trainings with and without a page; then open the page in Debian's Chromium. Needs root."""
    console = wide_console()
    out = out or new_folder()
    with measuring():
        measured = list(pairs(out, repetitions, steps))
    named = {str(run): each for run, each in enumerate(measured, 1)}
    named["median"] = Pair(*map(statistics.median, zip(*measured, strict=True)))
    rows = [(name, f"{each.without:.2f}", f"{each.with_page:.2f}", f"{each.cost:+.1%}") for name, each in named.items()]
    headings = "", "without a page", "with it", "cost"
    console.print(table_of(headings, rows, f"Training of 4 workers, {steps} steps: seconds"))
    visits = []
    try:
        visits = list(loads(out / "0-with", repetitions))
    except (ImportError, FileNotFoundError) as error:
        console.print(f"no browser: {error}", highlight=False)
    else:
        paint, assets, heap = map(statistics.median, zip(*visits, strict=True))
        latest = max(each.paint for each in visits)
        console.print(f"first paint after {paint:.0f} ms, at most {latest:.0f} ms", highlight=False)
        console.print(f"assets: {amount(assets)}; JavaScript's objects: {amount(heap)}", highlight=False)
    found = {"pairs": [each._asdict() for each in measured], "visits": [each._asdict() for each in visits]}
    save(found, out / "page.json")
    console.print(f"files in {out}", highlight=False)


if __name__ == "__main__":
    typer.run(main)
