"""Load p4c's sample programs for v1model and PSA."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from dropzero.softswitch.engine.switch import Switch
from dropzero.softswitch.program.bmv2_json import load_program
from dropzero.softswitch.program.model import UnsupportedProgram
from lab.conformance.harness import commands, isolation
from lab.conformance.harness.compiler import compile_program
from lab.conformance.harness.scorecard import Outcome
from lab.conformance.harness.switches import free_port
from lab.conformance.suites.driver import programs

SECONDS = 300.0
BMV2 = {"v1model": "simple_switch", "psa": "psa_switch"}
BMV2_SECONDS = 5.0
"""A program that BMv2 runs for so long is not refused."""


def run(checkout: Path, build: Path, *, only: str, jobs: int) -> Iterator[Outcome]:
    """Yield one outcome for each program, in order: "pass", "no-compile", "refused" if BMv2 refuses it, too, and "fail"
    if only the embedded switch does."""

    def outcome(sample: tuple[Path, str]) -> Outcome:
        source, architecture = sample
        name = source.relative_to(checkout / "testdata").with_suffix("")
        json = build / f"{str(name).replace('/', '-')}.json"
        language = "p4-14" if name.parts[0] == "p4_14_samples" else "p4-16"
        if complaint := compile_program(source, json, architecture, language):
            return Outcome(str(name), "no-compile", complaint)
        result, reason = isolation.call(load, (json,), SECONDS)
        if result == "refused" and not accepted(json, BMV2[architecture]):
            return Outcome(str(name), "refused", reason)
        return Outcome(str(name), "fail" if result == "refused" else result, reason)

    build.mkdir(parents=True, exist_ok=True)
    with ThreadPoolExecutor(jobs) as pool:
        yield from pool.map(outcome, [each for each in programs(checkout, "p4") if only in each[0].stem])


def load(json: Path) -> tuple[str, str]:
    """Compile a program to native code. Returns ("pass", "") or ("refused", the reason)."""
    # Programs that run once must not push others out of the cache.
    with tempfile.TemporaryDirectory() as cache:
        os.environ["XDG_CACHE_HOME"] = cache
        try:
            Switch().compile(load_program(json))
        except UnsupportedProgram as refusal:
            return "refused", str(refusal)
    return "pass", ""


def accepted(json: Path, switch: str) -> bool:
    """Whether one of BMv2's switches, on PATH, runs a program."""
    status, _ = commands.output([switch, str(json), "--thrift-port", str(free_port())], BMV2_SECONDS)
    return status is None
