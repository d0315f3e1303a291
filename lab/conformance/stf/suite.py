"""Run p4c's STF tests: programs, their input packets and expected packets."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from lab.conformance.harness.scorecard import Outcome
from lab.conformance.stf import isolation
from lab.conformance.stf.language import Add, Command, Expect, Packet, SetDefault, Statement, parse
from lab.conformance.stf.targets import EngineTarget, Target, Unsupported, by_port, running_switch

SECONDS = 120.0


@dataclass(frozen=True)
class Compiler:
    """p4c's compiler for an architecture, and the name of the file that all its programs include."""

    executable: str
    include: str
    options: tuple[str, ...] = ()

    def tests(self, samples: Path) -> list[Path]:
        """Return the .stf files whose program, next to them, is for the architecture."""
        includes = re.compile(rf'^\s*#include\s*[<"](?:\S*/)?{re.escape(self.include)}[>"]', re.MULTILINE)
        return [
            path
            for path in sorted(samples.rglob("*.stf"))
            if (program := path.with_suffix(".p4")).exists() and includes.search(program.read_text(errors="replace"))
        ]


V1MODEL = Compiler("p4c-bm2-ss", "v1model.p4")
PSA = Compiler("p4c-bm2-psa", "psa.p4", ("--arch", "psa"))


def run(
    compiler: Compiler, samples: Path, build: Path, *, switch: str | None, only: str, jobs: int
) -> Iterator[Outcome]:
    """Yield one outcome for each test, in order. switch: an executable; None for the embedded one, in process."""
    if shutil.which(compiler.executable) is None:
        raise FileNotFoundError(f"there is no {compiler.executable} on PATH")
    build.mkdir(parents=True, exist_ok=True)
    chosen = [path for path in compiler.tests(samples) if only in path.stem]
    with ThreadPoolExecutor(jobs) as pool:
        yield from pool.map(lambda path: _outcome(compiler, path, build / f"{path.stem}.json", switch), chosen)


def _outcome(compiler: Compiler, path: Path, json: Path, switch: str | None) -> Outcome:
    complaint = compiled(compiler, path.with_suffix(".p4"), json)
    if complaint:
        return Outcome(path.stem, "no-compile", complaint)
    result, detail = isolation.call(verdict, (path, json, switch), SECONDS)
    return Outcome(path.stem, result, detail)


def compiled(compiler: Compiler, source: Path, json: Path) -> str:
    """Compile a program unless its JSON is newer. Returns the compiler's error, or an empty string."""
    if json.exists() and json.stat().st_mtime > source.stat().st_mtime:
        return ""
    info = json.with_suffix(".p4info.txt")
    # Programs for BMv2 find its psa.p4 in a folder of its own.
    includes = source.parents[2] / "p4include" / "bmv2"
    command = [compiler.executable, *compiler.options, "--std", "p4-16", "-I", str(includes), "-o", str(json)]
    command += ["--p4runtime-files", str(info), str(source)]
    # The tests' includes are relative to the working folder of p4c's own driver.
    done = subprocess.run(command, capture_output=True, text=True, cwd=source.parent, check=False)
    if done.returncode == 0 and json.exists():
        return ""
    json.unlink(missing_ok=True)
    lines = [line for line in done.stderr.splitlines() if line.strip()] or ["no reason given"]
    return next((line for line in lines if "error" in line or "Bug" in line), lines[-1])


def verdict(path: Path, json: Path, switch: str | None) -> tuple[str, str]:
    """Run one test. Returns its result, and the reason."""
    statements = parse(path.read_text())
    if switch is None:
        return judge(statements, EngineTarget(json))
    with running_switch(switch, json) as target:
        return judge(statements, target)


def judge(statements: list[Statement], target: Target) -> tuple[str, str]:
    """Run the statements, then compare output with expectations, port by port. Returns the result, and the reason."""
    expected: dict[int, list[Expect]] = {}
    for statement in statements:
        match statement:
            case Packet():
                expected.setdefault(statement.port, [])
                target.send(statement)
            case Expect():
                expected.setdefault(statement.port, []).append(statement)
            case Add() | SetDefault() | Command():
                try:
                    target.control(statement)
                except Unsupported as error:
                    return "unsupported", str(error)
    received = by_port(target.received(sum(map(len, expected.values()))))
    for port, patterns in expected.items():
        packets = received.get(port, [])
        for at, (pattern, packet) in enumerate(zip(patterns, packets, strict=False)):
            if not pattern.matches(packet):
                return "fail", f"port {port}, packet {at}: expected {pattern}, got {packet.hex().upper()}"
        if len(packets) != len(patterns):
            return "fail", f"port {port}: expected {len(patterns)} packets, got {len(packets)}"
    return "pass", ""
