"""Run PTF suites with their own launchers."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from lab.conformance.harness.commands import last_line
from lab.conformance.harness.scorecard import Outcome
from lab.conformance.suites.launcher import launch, shims


@dataclass(frozen=True)
class Suite:
    """A suite: whose it is, the variable that names its checkout, the folders of its tests, the command that runs them,
    and the number of interface pairs it needs."""

    whose: str
    variable: str
    folders: tuple[str, ...]
    command: str
    pairs: int


DEMOS = ("demo1", "demo1-bitselect-key", "demo2", "demo7", "lpmtester", "lpmtester/lpmwidth20bits")
FEATURES = ("duplicatekeys", "idletimeout", "matchkinds", "packetinout", "registeraccess")
GUIDE = (*DEMOS, *(f"ptf-tests/{each}" for each in FEATURES))
BASIC = ("exercises/basic", "exercises/basic_tunnel")
SUITES = {
    "p4-guide": Suite("p4-guide's", "P4_GUIDE", GUIDE, "./runptf.sh", pairs=8),
    "tutorials-ptf": Suite("the tutorials'", "P4_TUTORIALS", BASIC, "make test", pairs=0),
}
SECONDS = 900.0
RESULTS = {"ok": "pass", "FAIL": "fail", "ERROR": "fail"}


def run(suite: Suite, checkout: Path, binaries: Path, build: Path, *, only: str, embedded: bool) -> Iterator[Outcome]:
    """Yield one outcome for each test in folders whose name contains `only`. binaries: the folder of ptf and a python3
    with p4runtime-shell."""
    first = shims(build / "bin", embedded=embedded)
    for name in suite.folders:
        if only not in name:
            continue
        folder, log = checkout / name, build / f"{name.replace('/', '-')}.log"
        output = launch(suite.command, log, folder=folder, path=(first, binaries), pairs=suite.pairs, seconds=SECONDS)
        found = outcomes(name, output)
        yield from found or [Outcome(name, "fail", f"no test ran: {last_line(output)}")]


def outcomes(suite: str, output: str) -> list[Outcome]:
    """Parse ptf's output: "module.Test ... ", the test's log, then ok, FAIL or ERROR, on the same line or its own. A
    test without a result did not end."""
    found = []
    for block in re.split(r"(?m)^(?=\w+\.\w+ \.\.\. )", output)[1:]:
        name = block.partition(" ")[0]
        result = re.search(r"(?m)(?:^|\.\.\. )(ok|FAIL|ERROR)$", block)
        found.append(Outcome(f"{suite}/{name}", RESULTS[result[1]] if result else "hang", _reason(output, name)))
    return found


def _reason(output: str, test: str) -> str:
    """Return the last line of the test's traceback, if there is one."""
    traceback = re.search(rf"(?ms)^(?:FAIL|ERROR): {re.escape(test)}$(.*?)(?:^=====|^Ran )", output)
    if traceback is None:
        return ""
    lines = [line for line in traceback[1].splitlines() if line and not line.startswith((" ", "-"))]
    return lines[-1] if lines else ""
