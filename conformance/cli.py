"""The command line: one command a suite."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Annotated, NoReturn

import grpc
import typer
from rich.console import Console

from conformance import finsy as finsy_tests
from conformance import fuzz as differential
from conformance import p4c_stf, ptf
from conformance import tutorials as solutions
from conformance.scorecard import Expectations, Outcome, report
from conformance.switches import SwitchEnded

app = typer.Typer(add_completion=False, no_args_is_help=True, pretty_exceptions_enable=False)
console = Console(soft_wrap=True)
Build = Annotated[Path, typer.Option(help="Where compiled programs and logs go.")]
LINE = 200
"""Characters of a difference on the console; build/.../differences.txt has all of it."""
Only = Annotated[str, typer.Option(help="Only tests whose name contains this.")]


@app.callback()
def conformance() -> None:
    """Suites that others wrote, run against the embedded switch."""


@app.command()
def stf(
    switch: Annotated[
        str | None, typer.Option(help="A switch executable to run them on, over its DataplaneInterface.")
    ] = None,
    only: Only = "",
    jobs: Annotated[int, typer.Option(min=1)] = 2,
    build: Build = Path("build/conformance/stf"),
    details: Annotated[Path | None, typer.Option(help="Write a line for each test that did not pass here.")] = None,
) -> None:
    """p4c's STF tests for v1model; P4C_TESTDATA names p4c's testdata/p4_16_samples."""
    samples = _suite("stf", "P4C_TESTDATA")
    outcomes = list(p4c_stf.run(samples, build.resolve(), switch=switch, only=only, jobs=jobs))
    if details is not None:
        details.write_text("".join(f"{o.test}\t{o.result}\t{o.detail}\n" for o in outcomes if o.result != "pass"))
    _end("stf", outcomes)


@app.command()
def finsy(
    switch: Annotated[
        str | None, typer.Option(help="A switch executable to test in place of the embedded one.")
    ] = None,
    build: Build = Path("build/conformance/finsy"),
) -> None:
    """finsy's tests of its client; FINSY names a checkout of finsy, FINSY_PYTHON a Python that has its dependencies."""
    checkout = _suite("finsy", "FINSY")
    python = os.environ.get("FINSY_PYTHON")
    if not python:
        console.print("finsy: skipped (FINSY_PYTHON is not set)", highlight=False)
        raise typer.Exit
    _end("finsy", finsy_tests.run(checkout, python, build.resolve(), switch))


@app.command("p4-guide")
def p4_guide(
    only: Only = "",
    reference: Annotated[bool, typer.Option("--reference", help="Test the simple_switch_grpc on PATH.")] = False,
    build: Build = Path("build/conformance/p4-guide"),
) -> None:
    """p4-guide's PTF tests; P4_GUIDE names a checkout, PTF_BIN where ptf and a python3 with p4runtime-shell are."""
    _ptf("p4-guide", "P4_GUIDE", ptf.P4_GUIDE, only, build, embedded=not reference)


@app.command("tutorials-ptf")
def tutorials_ptf(
    only: Only = "",
    reference: Annotated[bool, typer.Option("--reference", help="Test the simple_switch_grpc on PATH.")] = False,
    build: Build = Path("build/conformance/tutorials-ptf"),
) -> None:
    """The PTF tests of p4lang's tutorials; P4_TUTORIALS names a checkout, PTF_BIN as for p4-guide."""
    _ptf("tutorials-ptf", "P4_TUTORIALS", ptf.TUTORIALS, only, build, embedded=not reference)


def _ptf(suite: str, variable: str, chosen: ptf.Suite, only: str, build: Path, *, embedded: bool) -> NoReturn:
    checkout, binaries = _suite(suite, variable), _suite(suite, "PTF_BIN")
    _end(suite, list(ptf.run(checkout, chosen, binaries, build.resolve(), only=only, embedded=embedded)))


@app.command()
def tutorials(
    only: Only = "",
    reference: Annotated[bool, typer.Option("--reference", help="Test the simple_switch_grpc on PATH.")] = False,
    build: Build = Path("build/conformance/tutorials"),
) -> None:
    """The tutorials' solutions under `make run`; TUTORIALS_BIN: where a python3 with Mininet and their needs is."""
    checkout, binaries = _suite("tutorials", "P4_TUTORIALS"), _suite("tutorials", "TUTORIALS_BIN")
    found = solutions.run(checkout, binaries, build.resolve(), only=only, embedded=not reference)
    _end("tutorials", list(found))


@app.command()
def fuzz(
    program: Annotated[Path, typer.Argument(metavar="JSON", exists=True, dir_okay=False)],
    p4info: Annotated[Path, typer.Argument(metavar="P4INFO", exists=True, dir_okay=False)],
    switch: Annotated[str, typer.Option(help="The switch to compare with.")] = "simple_switch_grpc",
    packets: Annotated[int, typer.Option(min=1)] = 10_000,
    writes: Annotated[int, typer.Option(min=0)] = 500,
    batch: Annotated[int, typer.Option(min=1, help="Packets between two comparisons.")] = 20,
    seed: int = 0,
    leave: Annotated[
        list[str] | None,
        typer.Option(help="Write no table whose name contains this, one that sets a random loss, say."),
    ] = None,
    build: Build = Path("build/conformance/fuzz"),
) -> None:
    """The same random packets and table writes for a program, on the embedded switch and on another."""
    if shutil.which(switch) is None:
        console.print(f"fuzz: skipped (there is no {switch} on PATH)", highlight=False)
        raise typer.Exit
    plan = differential.Plan(
        program, p4info, seed=seed, packets=packets, writes=writes, batch=batch, leave=tuple(leave or ())
    )
    try:
        found = differential.run(plan, switch, build)
    except SwitchEnded as error:
        console.print(f"fuzz {program.stem}: {error}", markup=False, highlight=False)
        raise typer.Exit(1) from None
    except grpc.RpcError as error:
        console.print(f"fuzz {program.stem}: {error.code().name}: {error.details()}", markup=False, highlight=False)
        raise typer.Exit(1) from None
    (build / "differences.txt").write_text("".join(f"{line}\n" for line in found.differences))
    for line in found.differences:
        console.print(line[:LINE], markup=False, highlight=False)
    codes = ", ".join(f"{mine if mine == other else f'{mine}/{other}'} {n}" for (mine, other), n in found.codes.items())
    console.print(
        f"fuzz {program.stem}: {found.packets_in} packets in, {found.packets_out} out; updates: {codes or 'none'}; "
        f"{found.registers} registers read; {len(found.differences) or 'no'} differences",
        highlight=False,
    )
    raise typer.Exit(1 if found.differences else 0)


@app.command("all")
def run_all() -> None:
    """Every suite that is here, one after the other, and the fuzzer on this project's own program."""
    compiled = Path(__file__).resolve().parents[1] / "p4src" / "compiled"
    own = ("fuzz", str(compiled / "dropzero.json"), str(compiled / "dropzero.p4info.txtpb"), "--leave", "probability")
    failed = 0
    for arguments in (("stf",), ("finsy",), ("p4-guide",), ("tutorials-ptf",), ("tutorials",), own):
        done = subprocess.run([sys.executable, "-m", "conformance", *arguments], check=False)
        failed += done.returncode != 0
    raise typer.Exit(1 if failed else 0)


def _suite(name: str, variable: str) -> Path:
    """Where a suite is; without its variable the command ends here, with a line that says so."""
    value = os.environ.get(variable)
    if not value:
        console.print(f"{name}: skipped ({variable} is not set)", highlight=False)
        raise typer.Exit
    path = Path(value)
    if not path.is_dir():
        _fail(f"{variable}: {value}: no such directory")
    return path.resolve()


def _end(suite: str, outcomes: list[Outcome]) -> NoReturn:
    raise typer.Exit(0 if report(suite, outcomes, Expectations.load(suite), console) else 1)


def _fail(message: str) -> NoReturn:
    """One line on stderr, exit status 2."""
    print(f"conformance: {message}", file=sys.stderr)
    raise SystemExit(2)


def main() -> None:
    app(prog_name="conformance")
