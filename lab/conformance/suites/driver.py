"""Run p4c's STF tests with p4c's own driver, which starts simple_switch or psa_switch --use-files, and their CLI."""

from __future__ import annotations

import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from lab.conformance.harness.commands import TIMED_OUT, first_error
from lab.conformance.harness.scorecard import Outcome
from lab.conformance.suites.launcher import launch, shims

DRIVER = Path("backends/bmv2/run-bmv2-test.py")
CONFIG = "#define HAVE_SIMPLE_SWITCH 1\n"
"""The line that the driver looks for in the configuration of p4c's build."""
SECONDS = 120.0
PASSED = "the driver passed the test"
"""Printed after the driver ends with status 0."""
INCLUDE = re.compile(r'^\s*#include\s*[<"](?:\S*/)?(v1model|psa)\.p4[>"]', re.MULTILINE)
OPTIONS = {"v1model": "", "psa": "--use_psa"}
"""The driver's options for the architectures."""


def programs(checkout: Path, ending: str = "stf") -> Iterator[tuple[Path, str]]:
    """Yield the programs that have a file of this ending, by default an STF test, with their architecture. All programs
    in P4_14 are for v1model."""
    for path in sorted((checkout / "testdata").glob(f"p4_1[46]_samples/**/*.{ending}")):
        program = path.with_suffix(".p4")
        if not program.exists():
            continue
        if path.is_relative_to(checkout / "testdata/p4_14_samples"):
            yield program, "v1model"
        elif included := INCLUDE.search(program.read_text(errors="replace")):
            yield program, included[1]


def run(checkout: Path, binaries: Path, build: Path, *, only: str, jobs: int, embedded: bool) -> Iterator[Outcome]:
    """Yield one outcome for each program, in order. binaries: the folder of a python3 with ptf, scapy and ply."""
    first = shims(build / "bin", embedded=embedded)
    (first / "config.h").write_text(CONFIG)

    def outcome(test: tuple[Path, str]) -> Outcome:
        program, architecture = test
        name = str(program.relative_to(checkout / "testdata").with_suffix(""))
        folder = build / name.replace("/", "-")
        folder.mkdir(exist_ok=True)
        arguments = f"--testdir {folder} --buildir {first} --observation-log {folder}/packets"
        arguments += f" {OPTIONS[architecture]}"
        command = f"python3 {DRIVER} . {program} {arguments} && echo {PASSED}"
        log = folder.with_suffix(".log")
        output = launch(command, log, folder=checkout, path=(first, binaries), seconds=SECONDS)
        return Outcome(name, *judge(output))

    with ThreadPoolExecutor(jobs) as pool:
        yield from pool.map(outcome, [each for each in programs(checkout) if only in each[0].stem])


def judge(output: str) -> tuple[str, str]:
    """Return the result in the driver's output, and its first error."""
    if output.splitlines()[-1:] == [PASSED]:
        return "pass", ""
    if TIMED_OUT in output:
        return "hang", first_error(output)
    return "no-compile" if "Error compiling" in output else "fail", first_error(output)
