"""`python -m lab.conformance SUITE`: one command for each suite."""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Annotated, NoReturn

import typer
from rich.console import Console
from rich.progress import Progress, TimeElapsedColumn

from dropzero.files import COMPILED
from lab.conformance.fuzzing import campaign as campaigns
from lab.conformance.fuzzing import frames as floods
from lab.conformance.generated import campaign as random_programs
from lab.conformance.generated import mutants as planted
from lab.conformance.generated import p4testgen as path_tests
from lab.conformance.harness import compiler, record
from lab.conformance.harness.scorecard import Expectations, Outcome, report
from lab.conformance.harness.switches import EMBEDDED, SwitchEnded
from lab.conformance.probe import suite as probing
from lab.conformance.suites import driver, ptf, pytorch
from lab.conformance.suites import finsy as finsy_tests
from lab.conformance.suites import samples as loading
from lab.conformance.suites import stratum as vectors
from lab.conformance.suites import traces as golden_traces
from lab.conformance.suites import tutorials as solutions

app = typer.Typer(add_completion=False, no_args_is_help=True, pretty_exceptions_enable=False)
console = Console(soft_wrap=True, markup=False, highlight=False)
SUITES = ("p4c", "samples", "p4testgen", "finsy", *ptf.SUITES, "tutorials", "stratum", "traces", "probe", "torch")
Build = Annotated[Path, typer.Option(help="Folder for compiled programs and logs.")]
Only = Annotated[str, typer.Option(help="Run only tests whose name contains this.")]
Jobs = Annotated[int, typer.Option(min=1, help="At once.")]
Reference = Annotated[bool, typer.Option("--reference", help="Test BMv2's switch on PATH instead of the embedded one.")]
Other = Annotated[str, typer.Option(help="Switch executable to compare with.")]
Programs = Annotated[
    list[Path],
    typer.Argument(
        metavar="JSON...", exists=True, help="Programs with their P4Info next to them, or folders of such programs."
    ),
]


@app.callback()
def conformance() -> None:
    """Run other projects' test suites against the embedded switch. RECORD=1: write the results to record.json."""


@app.command()
def p4c(
    only: Only = "", jobs: Jobs = 2, reference: Reference = False, build: Build = Path("build/conformance/p4c")
) -> None:
    """Run p4c's STF tests for v1model and PSA, in P4_16 and P4_14, with p4c's own driver. P4C: a checkout; PTF_BIN: the
    folder of a python3 with ptf, scapy and ply."""
    checkout, binaries = _given("p4c", "P4C", "PTF_BIN")
    found = driver.run(checkout, binaries, build.resolve(), only=only, jobs=jobs, embedded=not reference)
    _end(_of_p4c("p4c"), found, complete=not (only or reference))


@app.command()
def samples(only: Only = "", jobs: Jobs = 2, build: Build = Path("build/conformance/samples")) -> None:
    """Load all of p4c's sample programs for v1model and PSA that it compiles. P4C: a checkout."""
    _needs("samples", *compiler.EXECUTABLES.values(), *loading.BMV2.values())
    found = loading.run(_given("samples", "P4C")[0], build.resolve(), only=only, jobs=jobs)
    _end(_of_p4c("samples"), found, complete=not only, without=("no-compile",))


@app.command()
def p4testgen(
    only: Only = "",
    most: Annotated[int, typer.Option("--tests", min=1, help="Tests of a program.")] = 10,
    switch: Other = "simple_switch_grpc",
    jobs: Jobs = 2,
    build: Build = Path("build/conformance/p4testgen"),
) -> None:
    """Let p4testgen make tests from p4c's sample programs for v1model, and send them to the embedded switch and to
    BMv2. P4C: a checkout.

    "unexpected" are tests of which p4testgen expects something else than both
    switches do.
    """
    _needs("p4testgen", compiler.EXECUTABLE, path_tests.EXECUTABLE, switch)
    (checkout,) = _given("p4testgen", "P4C")
    found = path_tests.run(checkout, switch, build.resolve(), only=only, most=most, jobs=jobs)
    _end(_of_p4c("p4testgen"), found, complete=not only, without=path_tests.NOT_OURS)


@app.command()
def finsy(
    switch: Annotated[str | None, typer.Option(help="Switch executable to test instead of the embedded one.")] = None,
    build: Build = Path("build/conformance/finsy"),
) -> None:
    """Run finsy's tests of its client. FINSY: a checkout; FINSY_PYTHON: a Python with its dependencies."""
    checkout, python = _given("finsy", "FINSY", "FINSY_PYTHON")
    _end("finsy", finsy_tests.run(checkout, python, build.resolve(), switch), complete=switch is None)


def _launched(suite: str, run: Callable[..., Iterable[Outcome]], checkout: str, binaries: str, help: str) -> None:
    """Add the command of a suite that runs with its own launchers. checkout, binaries: the variables that name it, and
    the folder of what it needs."""

    @app.command(suite, help=help)
    def _(only: Only = "", reference: Reference = False, build: Build = Path(f"build/conformance/{suite}")) -> None:
        found = run(*_given(suite, checkout, binaries), build.resolve(), only=only, embedded=not reference)
        _end(suite, found, complete=not (only or reference))


for _name, _suite in ptf.SUITES.items():
    _needed = f"{_suite.variable}: a checkout; PTF_BIN: the folder of ptf and its python3."
    _help = f"Run {_suite.whose} PTF tests. {_needed}"
    _launched(_name, partial(ptf.run, _suite), _suite.variable, "PTF_BIN", _help)
_needed = "P4_TUTORIALS: a checkout; TUTORIALS_BIN: the folder of a python3 with Mininet and what they need."
_help = f"Run the tutorials' solutions by `make run`. {_needed}"
_launched("tutorials", solutions.run, "P4_TUTORIALS", "TUTORIALS_BIN", _help)


@app.command()
def stratum(only: Only = "", build: Build = Path("build/conformance/stratum")) -> None:
    """Run Stratum's test vectors of P4Runtime for BMv2. TESTVECTORS: a checkout."""
    found = vectors.run(_given("stratum", "TESTVECTORS")[0], build.resolve(), only=only)
    _end("stratum", found, complete=not only)


@app.command()
def traces(only: Only = "") -> None:
    """Compare traces of packets with BMv2's golden traces. BEHAVIORAL_MODEL: a checkout of behavioral-model."""
    _end("traces", golden_traces.run(_given("traces", "BEHAVIORAL_MODEL")[0], only=only), complete=not only)


@app.command()
def probe(build: Annotated[Path, typer.Option(help="Folder for logs.")] = Path("build/conformance/probe")) -> None:
    """Ask the embedded switch, and the simple_switch_grpc on PATH, everything that a P4Runtime client may ask, and
    compare the answers with those of BMv2 1.15.5."""
    intended = Expectations(dict.fromkeys(probing.answers(probing.DIFFERENCES), (probing.DIFFERS, "")))
    asked: dict[str, tuple[Sequence[str], Expectations]] = {"probe": (EMBEDDED, intended)}
    if shutil.which(probing.BMV2):
        asked["probe-bmv2"] = ([probing.BMV2], Expectations())
    else:
        console.print(f"probe-bmv2: skipped (there is no {probing.BMV2} on PATH)")
    expected = [
        _report(name, probing.run(command, build / f"{name}.log"), expectations, complete=True)
        for name, (command, expectations) in asked.items()
    ]
    raise typer.Exit(0 if all(expected) else 1)


@app.command()
def torch(
    source: Annotated[
        Path | None, typer.Option(envvar="PYTORCH", help="A checkout of PyTorch, of about the installed version.")
    ] = None,
    only: Only = "",
    ranks: Annotated[int, typer.Option(min=2, help="Ranks of the installed tests.")] = pytorch.RANKS,
    sharded: Annotated[bool, typer.Option("--sharded", help="The checkout's tests of FSDP, ZeRO and DTensor.")] = False,
    gloo: Annotated[bool, typer.Option("--gloo", help="Run them with Gloo itself, to compare.")] = False,
    build: Build = Path("build/conformance/torch"),
) -> None:
    """Run PyTorch's own tests of process groups and DDP on the backend "dropzero" instead of Gloo: the installed ones,
    or with PYTORCH those of Gloo in a checkout."""
    if missing := [package for package in ("torch", "expecttest") if importlib.util.find_spec(package) is None]:
        _skip("torch", f"{' and '.join(missing)} not installed")
    if source is not None and not (source / "test" / "distributed").is_dir():
        _fail(f"{source} has no test/distributed: it is not a checkout of PyTorch")
    if sharded and source is None:
        _fail("--sharded needs --source: PyTorch installs no such tests")
    backend = "gloo" if gloo else "dropzero"
    run = partial(pytorch.run, source, only=only, ranks=ranks, sharded=sharded)
    outcomes = run(build.resolve(), backend=backend)
    tests = "torch" if source is None else "torch-sharded" if sharded else "torch-gloo"
    expected = tests + "-by-gloo" * gloo
    suite = expected if source is not None or ranks == pytorch.RANKS else f"{expected}-{ranks}"
    versions, expectations = pytorch.versions(source), Expectations.load(expected)
    if sharded and not gloo:
        # Without a GPU, and with tests of another version, Gloo fails some, too.
        by_gloo = run(build.resolve() / "by-gloo", backend="gloo")
        failed = {each.test: ("fail", "Gloo fails it, too") for each in by_gloo if each.result == "fail"}
        _report(f"{tests}-by-gloo", by_gloo, Expectations(failed), complete=not only, versions=versions)
        both = {each.test: failed[each.test] for each in outcomes if each.result == "fail" and each.test in failed}
        expectations.exceptions.update(both)
    found = _report(suite, outcomes, expectations, complete=not only, versions=versions)
    raise typer.Exit(0 if found else 1)


@app.command()
def fuzz(
    programs: Programs,
    switch: Other = "simple_switch_grpc",
    packets: Annotated[int, typer.Option(min=1, help="Packets in total.")] = 10_000,
    requests: Annotated[int, typer.Option(min=0, help="Valid P4Runtime requests in total.")] = 1000,
    malformed: Annotated[int, typer.Option(min=0, help="Malformed requests, to the embedded switch only.")] = 1000,
    rounds: Annotated[int, typer.Option(min=1, help="How often each program runs.")] = 4,
    batch: Annotated[int, typer.Option(min=1, help="Packets between two comparisons.")] = 100,
    seed: int = 0,
    only: Only = "",
    first: Annotated[int, typer.Option("--from", min=0, help="Step to continue from after an interruption.")] = 0,
    build: Build = Path("build/conformance/fuzz"),
) -> None:
    """Send the same random packets and requests to the embedded switch and to another one, program by program.

    Fails if their output differs, or if the embedded switch ends, hangs or
    leaks memory.
    """
    found = _with_p4info(programs, only)
    other = switch if shutil.which(switch) else None
    if other is None:
        console.print(f"fuzz: there is no {switch} on PATH, so nothing is compared")
    campaign = campaigns.Campaign(found, packets, requests, malformed, rounds, batch, seed, first)
    expectations, tally = Expectations.load("fuzz"), campaigns.Tally()
    step = first
    with _progress() as progress:
        bar = progress.add_task("fuzz", total=len(campaign), completed=first)
        try:
            for number, plan, outcome in campaigns.run(campaign, other, expectations, build, tally):
                step = number + 1
                progress.update(bar, completed=step, description=f"{tally.packets_in} packets, {plan.program.stem}")
                if expectations.surprises([outcome]):
                    console.print(f"step {number}, seed {plan.seed}: {outcome.result}: {outcome.detail}")
        except KeyboardInterrupt:
            console.print(f"fuzz: interrupted; --from {step} continues")
            raise typer.Exit(1) from None
    expected = _report("fuzz", list(tally.outcomes.values()), expectations, complete=not (only or first))
    codes = ", ".join(f"{code} {count}" for code, count in sorted(tally.updates.items()))
    memory = " -> ".join(f"{size / 2**20:.0f}" for size in tally.memory)
    console.print(
        f"fuzz: {tally.packets_in} packets in, {tally.packets_out} out; {tally.requests} requests, updates: "
        f"{codes or 'none'}; {tally.malformed} malformed requests; {tally.repeated} steps repeated; "
        f"MiB of memory after each round: {memory}"
        f"{', which grew' if tally.grew else ''}"
    )
    raise typer.Exit(0 if expected and not tally.grew else 1)


@app.command()
def programs(
    count: Annotated[int, typer.Option(min=1, help="Programs, each with 40 packets.")] = 200,
    seed: Annotated[int, typer.Option(min=0, help="The first program's seed; the others' follow.")] = 0,
    case: Annotated[
        Path | None, typer.Option(metavar="FOLDER", exists=True, help="Only repeat the case in this folder.")
    ] = None,
    switch: Other = "simple_switch_grpc",
    jobs: Jobs = 2,
    keep: Annotated[bool, typer.Option("--keep", help="Keep cases that pass, for `mutants`.")] = False,
    most: Annotated[int, typer.Option("--reduce", min=0, help="Cases to reduce, of those that differ.")] = 3,
    build: Build = Path("build/conformance/programs"),
) -> None:
    """Compile random programs with p4c, and send the same entries and packets to the embedded switch and to BMv2.

    Fails if packets, entries, counters or registers differ. Cases that do are
    reduced.
    """
    _needs("programs", compiler.EXECUTABLE, switch)
    build = build.resolve()
    if case is not None:
        found = random_programs.repeat(case.resolve(), switch, build)
        console.print(*found or ["programs: no difference"], sep="\n")
        raise typer.Exit(1 if found else 0)
    outcomes = []
    with _progress() as progress:
        bar = progress.add_task("programs", total=count)
        for outcome in random_programs.run(range(seed, seed + count), switch, build, jobs, keep=keep):
            outcomes.append(outcome)
            progress.update(bar, advance=1)
            if outcome.result not in ("pass", "no-compile"):
                console.print(f"{outcome.test}: {outcome.result}: {outcome.detail}")
    # p4c's own bugs, such as its refusal of wide masks of constant LPM entries.
    expectations = _expectations("programs", outcomes, ("no-compile",))
    expected = _report("programs", outcomes, expectations, complete=not seed)
    for outcome in [each for each in expectations.surprises(outcomes) if each.result == "differ"][:most]:
        folder = build / f"{outcome.test}-reduced"
        random_programs.reduce(build / outcome.test, folder, switch)
        console.print(f"{folder / 'program.p4'}:", (folder / "program.p4").read_text(), sep="\n")
        console.print(f"Repeat it with: python -m lab.conformance programs --case {folder}")
    raise typer.Exit(0 if expected else 1)


@app.command()
def mutants(cases: Annotated[Path, typer.Argument(exists=True, help="Cases that `programs --keep` has kept.")]) -> None:
    """Plant bugs in the embedded switch's compiler, one at a time. Fails if a kept case finds no difference from BMv2's
    answers."""
    survivors = 0
    for mutant in planted.MUTANTS:
        tried, difference = random_programs.caught(mutant, cases)
        survivors += not difference
        found = f"found by program {tried}: {difference}" if difference else f"not found by {tried} programs"
        console.print(f"{mutant.name}: {found}")
    raise typer.Exit(1 if survivors else 0)


@app.command()
def frames(
    programs: Programs,
    count: Annotated[int, typer.Option("--frames", min=1, help="Frames in total.")] = 100_000,
    rounds: Annotated[int, typer.Option(min=1, help="How often the switch gets another program.")] = 200,
    seed: int = 0,
    build: Build = Path("build/conformance/frames"),
) -> None:
    """Send random frames and GSO packets to the embedded switch on veth interfaces. Needs root.

    Some have VLAN tags, wrong lengths or checksums, or are cut off. Fails if
    the switch ends, hangs or leaks memory.
    """
    found = _with_p4info(programs)
    build.mkdir(parents=True, exist_ok=True)
    with _progress() as progress:
        bar = progress.add_task("frames", total=rounds)
        try:
            for result in floods.flood(found, count, rounds, build / "switch.log", seed):
                progress.update(bar, completed=result.pushed, description=f"{result.frames:,} frames")
        except (OSError, SwitchEnded) as error:
            _fail(str(error))
    first, last = (size / 2**20 for size in (max(result.memory[: result.settled]), result.memory[-1]))
    refused = ", ".join(f"{name} {count:,}" for name, count in sorted(result.refused.items()))
    console.print(
        f"frames: {result.frames:,} frames in {result.packets:,} packets, {result.back:,} packets back; "
        f"{result.pushed:,} programs; the kernel refused: {refused or 'none'}; "
        f"MiB of memory after {result.settled} rounds {first:.0f}, at the end {last:.0f}"
        f"{': it grew' if result.grew else ''}"
    )
    raise typer.Exit(1 if result.grew else 0)


@app.command("all")
def run_all() -> None:
    """Run every suite that is installed, one after the other, and the fuzzer on this project's own program."""
    commands = [*([suite] for suite in SUITES), ["fuzz", str(COMPILED)]]
    done = [subprocess.run([sys.executable, "-m", "lab.conformance", *each], check=False) for each in commands]
    raise typer.Exit(1 if any(each.returncode for each in done) else 0)


def _progress() -> Progress:
    return Progress(*Progress.get_default_columns(), TimeElapsedColumn(), console=console)


def _with_p4info(paths: list[Path], only: str = "") -> tuple[Path, ...]:
    """Return the programs in files and folders whose names contain `only`. Fails if there are none."""
    found = tuple(program for program in campaigns.programs_in(paths) if only in program.stem)
    if not found:
        _fail(f"no program with its P4Info next to it in {', '.join(map(str, paths))}")
    return found


def _given(suite: str, *variables: str) -> list[Path]:
    """Return the paths in a suite's variables. If one is not set, or there is nothing at its path, end the command."""
    for variable in variables:
        if not (path := os.environ.get(variable)):
            _skip(suite, f"{variable} is not set")
        if not Path(path).exists():
            _fail(f"{variable}: there is no {path}")
    return [Path(os.environ[variable]).absolute() for variable in variables]


def _skip(suite: str, reason: str) -> NoReturn:
    """End with a line that says why, and exit status 0."""
    console.print(f"{suite}: skipped ({reason})")
    raise typer.Exit


def _needs(name: str, *executables: str) -> None:
    """End the command if one of a suite's programs is not on PATH."""
    for needed in executables:
        if shutil.which(needed) is None:
            _skip(name, f"there is no {needed} on PATH")


def _of_p4c(suite: str) -> str:
    """The name of a suite's tests in this version of p4c, whose programs and results are its own."""
    found = record.version(compiler.EXECUTABLE)
    return f"{suite}-{found}" if found else suite


def _expectations(suite: str, outcomes: list[Outcome], without: Sequence[str]) -> Expectations:
    """Return what a suite expects; all results named in `without` are expected, because they are not the switch's."""
    found = Expectations({each.test: (each.result, each.detail) for each in outcomes if each.result in without})
    found.exceptions.update(Expectations.load(suite).exceptions)
    return found


def _end(suite: str, outcomes: Iterable[Outcome], *, complete: bool, without: Sequence[str] = ()) -> NoReturn:
    """Report, and end the command. without: results that are expected of any test."""
    found = list(outcomes)
    raise typer.Exit(0 if _report(suite, found, _expectations(suite, found, without), complete=complete) else 1)


def _report(
    suite: str,
    outcomes: list[Outcome],
    expectations: Expectations,
    *,
    complete: bool,
    versions: Mapping[str, str | None] | None = None,
) -> bool:
    """Print the suite's table, and record a complete run on the embedded switch if asked to. Returns whether there are
    outcomes, all as expected. versions: of the programs that took part, by default BMv2 and p4c."""
    if os.environ.get("RECORD") and complete and outcomes:
        record.write(suite, outcomes, versions=versions)
    return report(suite, outcomes, expectations, console)


def _fail(message: str) -> NoReturn:
    """End with one line on stderr and exit status 2."""
    print(f"conformance: {message}", file=sys.stderr)
    raise SystemExit(2)


if __name__ == "__main__":
    app(prog_name="conformance")
