"""Records of runs: invalid ones are moved aside, and stopping ends only recorded processes. Needs root."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest
from typer.core import TyperGroup
from typer.main import get_command

from dropzero.cli import build, main
from dropzero.help import READS
from dropzero.topologies.defaults import COMPLETING
from dropzero.topologies.networks.kind import SwitchKind
from dropzero.topologies.networks.rack import Rack
from dropzero.topologies.networks.switch import free_port
from dropzero.topologies.processes.claim import Claim
from dropzero.topologies.processes.errors import SetupError
from dropzero.topologies.processes.identity import Identity
from dropzero.topologies.registry.choice import chosen, only
from dropzero.topologies.registry.state import INTERFACES, MAX_NAME, State, clean_crashed, states, unused

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="network namespaces need root")


@pytest.fixture
def records(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder for records, because the machine's may contain others."""
    monkeypatch.setattr("dropzero.topologies.registry.state.FOLDER", tmp_path)
    monkeypatch.delenv("DROPZERO_RUN", raising=False)
    return tmp_path


@pytest.fixture
def resources() -> Iterator[ExitStack]:
    with ExitStack() as stack:
        yield stack


def sleeper(resources: ExitStack) -> subprocess.Popen[bytes]:
    process = resources.enter_context(subprocess.Popen(["sleep", "1000"]))
    resources.callback(process.kill)
    return process


def run_of(name: str, owner: subprocess.Popen[bytes], checkout: str | None = None, user: str = "") -> State:
    """A record of a run with this process."""
    state = State(name, Identity.of("owner", owner.pid), user=user)
    if checkout is not None:
        state.checkout = checkout
    state.begin()
    return state


def status(*words: str, monkeypatch: pytest.MonkeyPatch) -> int:
    """Runs the command in this process. Returns its exit status."""
    monkeypatch.setattr(sys, "argv", ["dropzero", *words])
    with pytest.raises(SystemExit) as end:
        main()
    assert isinstance(end.value.code, int)
    return end.value.code


GOOD: dict[str, Any] = asdict(State("torn", Identity("owner", 1, 1), [Identity("h1", 2, 2)], ["torns1-eth1"]))
WRONG: dict[str, list[Any]] = {
    "owner": ["init", {"name": "owner", "pid": "1", "started": 1}, {"name": "owner", "pid": -1, "started": 1}, None],
    "processes": [{}, [1], [{"name": "h1"}], [{"name": "h1", "pid": 1 << 70, "started": 1}]],
    "interfaces": ["torns1-eth1", [1], ["eth0"]],
    "interface_prefix": [7, "other"],
    "user": [0],
    "switches": [[], {"s1": 50051}],
    "rings": [[], {"h1": 3}],
    "nodes": [{"h1": 1}, [None]],
    "prefix": ["another", 7],
    "since": [12.01],
}


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{",
        json.dumps(GOOD).encode()[:-40],
        b"\xff\xfe",
        b"[]",
        b"null",
        b"{}",
        b"[" * 100_000,
        *(json.dumps(GOOD | {key: value}).encode() for key, values in WRONG.items() for value in values),
    ],
)
def test_a_broken_record_is_set_aside_with_one_line(
    records: Path, content: bytes, capsys: pytest.CaptureFixture[str]
) -> None:
    path = records / "torn.json"
    path.write_bytes(content)
    assert list(states()) == []
    assert path.with_name("torn.json.corrupt").read_bytes() == content
    assert list(states()) == []
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith(f"dropzero: {path} is not a run's record (")
    assert line.endswith("); renamed to torn.json.corrupt")


def test_a_record_is_read_as_it_was_written(records: Path) -> None:
    (records / "torn.json").write_text(json.dumps(GOOD))
    (state,) = states()
    assert asdict(state) == GOOD


def test_the_record_of_an_older_version_is_read(records: Path) -> None:
    needed = {key: GOOD[key] for key in ("prefix", "owner", "processes", "interfaces")}
    path = records / "torn.json"
    path.write_text(json.dumps(needed | {"hosts": {"h1": 2}}))
    (state,) = states()
    assert {key: asdict(state)[key] for key in needed} == needed
    assert str(state) == "torn (checkout unknown, since unknown)"
    state.clean_after_owner()
    assert not path.exists()


# A switch may run on this machine, but none with the number 77.
@pytest.mark.parametrize(
    "command",
    [("stop",), ("exec", "h1", "true"), ("controller", "jobs", "--device-id", "77"), ("trace", "audit")],
)
def test_commands_work_beside_a_broken_record(
    records: Path, command: tuple[str, ...], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (records / "torn.json").write_text("{")
    monkeypatch.chdir(records)
    assert status(*command, monkeypatch=monkeypatch) == (0 if command == ("stop",) else 2)
    errors = capsys.readouterr().err
    assert "torn.json is not a run's record" in errors
    assert "Traceback" not in errors


def test_the_name_of_a_broken_record_is_free_once_its_interfaces_are_gone(
    records: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    name = f"t{os.getpid() % 100_000}"
    (records / f"{name}.json").write_text("{")
    subprocess.run(["ip", "link", "add", f"{name}s1-eth1", "type", "veth"], check=True)
    rack = Rack(1, tmp_path / "rack", name=name, kind=SwitchKind.SOFTSWITCH)
    try:
        with pytest.raises(SetupError, match=f"by what is left of one: {name}s1-eth1"), rack:
            pass
    finally:
        subprocess.run(["ip", "link", "delete", f"{name}s1-eth1"], check=True)
    with rack:
        assert rack.name == name
        assert (records / f"{name}.json").exists()
    assert capfd.readouterr().err.count("is not a run's record") == 1


@pytest.mark.parametrize("name", ["Rack", "1st", "a-b", "sixteencharacter", "ä", "../x"])
def test_a_name_is_a_letter_followed_by_letters_and_digits(name: str) -> None:
    with pytest.raises(SetupError, match="a run's name must be"):
        unused(name)


def test_the_longest_name_fits_the_longest_interface(records: Path, tmp_path: Path) -> None:
    claim, prefix = unused("x" * MAX_NAME)
    claim.release()
    shape = Rack(240, tmp_path, kind=SwitchKind.SOFTSWITCH).describe(prefix)
    assert max(len(link["intfName2"]) for *_, link in shape.links(withInfo=True)) == 15


def test_long_names_with_the_same_beginning_have_their_own_interfaces(records: Path, tmp_path: Path) -> None:
    names = [f"ab{os.getpid() % 10_000:04}{each}" for each in ("anna", "berta")]
    with (
        Rack(1, tmp_path / "a", name=names[0], kind=SwitchKind.SOFTSWITCH) as one,
        Rack(1, tmp_path / "b", name=names[1], kind=SwitchKind.SOFTSWITCH) as other,
    ):
        assert [one.name, other.name] == names
        found = {state.prefix: state.interfaces for state in states()}
        assert [*found] == names
        assert not set(found[names[0]]) & set(found[names[1]])
        assert all((INTERFACES / each).exists() for interfaces in found.values() for each in interfaces)
    assert not any((INTERFACES / each).exists() for interfaces in found.values() for each in interfaces)


def test_while_a_crashed_run_is_cleaned_up_nothing_gets_its_name_or_its_interfaces(
    records: Path, resources: ExitStack, monkeypatch: pytest.MonkeyPatch
) -> None:
    owner = sleeper(resources)
    State("longname", Identity.of("owner", owner.pid), interface_prefix="short").begin()
    owner.kill()
    owner.wait()
    refused = []

    def clean(state: State) -> None:
        for name in ("longname", "short-interfaces"):
            with pytest.raises(OSError, match="in use"):
                Claim(name)
            refused.append(name)
        state.path.unlink()

    monkeypatch.setattr(State, "clean", clean)
    clean_crashed()
    assert refused == ["longname", "short-interfaces"]


def test_a_port_reserved_by_a_run_is_not_given_to_another(resources: ExitStack) -> None:
    first, claim = free_port(30_000)
    resources.callback(claim.release)
    second, claim = free_port(30_000)
    resources.callback(claim.release)
    assert first < second


def test_without_a_name_the_only_run_is_meant(records: Path, resources: ExitStack) -> None:
    with pytest.raises(SetupError, match=r"^no run is up$"):
        chosen(None)
    one = run_of("one", sleeper(resources))
    crashed = sleeper(resources)
    run_of("gone", crashed)
    crashed.kill()
    crashed.wait()
    assert chosen(None) == one
    foreign = run_of("foreign", sleeper(resources), "/b", "berta")
    assert chosen(None) == one
    two = run_of("two", sleeper(resources))
    with pytest.raises(SetupError) as asked:
        chosen(None)
    assert str(asked.value) == f"2 runs are up: {one}, {two}: choose one with --run or DROPZERO_RUN"
    assert str(foreign) == f"foreign (of berta, checkout /b, since {foreign.since})"
    assert chosen("foreign") == foreign
    with pytest.raises(SetupError, match="no run gone is up; these are: foreign"):
        chosen("gone")


def test_another_persons_run_is_only_read_unless_it_is_named(
    records: Path, resources: ExitStack, capsys: pytest.CaptureFixture[str]
) -> None:
    assert only([run_of("one", sleeper(resources))]) is not None
    other = run_of("two", sleeper(resources), "/b")
    with pytest.raises(SetupError, match=r"^no run of yours is up, only two \(.*\): to change that one, give --run"):
        only([other])
    assert capsys.readouterr().err == ""
    assert only([other], foreign=True) == other
    assert capsys.readouterr().err == f"dropzero: using the run {other}\n"


@pytest.mark.parametrize(
    ("user", "mine"), [("", True), ("anna", True), ("berta", False)], ids=["unknown", "own", "another"]
)
def test_of_two_people_with_one_checkout_each_has_own_runs(
    records: Path, resources: ExitStack, user: str, mine: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = run_of("one", sleeper(resources), user=user)
    assert run.mine
    monkeypatch.setattr("dropzero.topologies.registry.state.person", lambda: "anna")
    assert run.mine is mine


CHANGING = [
    ["exec", "h1", "true"],
    ["worker", "--workers", "1"],
    *(
        ["controller", *verb]
        for verb in (
            ["evict", "1", "0"],
            ["resize", "1", "2"],
            ["reset", "1"],
            ["loss", "set", "--uplink", "0"],
            ["marking", "set", "1"],
            ["address", "set", "10.0.0.254"],
        )
    ),
]
READING = [["controller", *verb] for verb in (["waiting"], ["trace", "1"], ["jobs"], ["loss", "show"])]


@pytest.mark.parametrize("words", CHANGING, ids=" ".join)
def test_a_command_that_changes_something_never_picks_another_persons_run(
    records: Path,
    resources: ExitStack,
    words: list[str],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    run_of("foreign", sleeper(resources), "/b")
    assert status(*words, monkeypatch=monkeypatch) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("dropzero: no run of yours is up, only foreign (checkout /b, ")


@pytest.mark.parametrize("words", READING, ids=" ".join)
def test_a_command_that_reads_picks_the_only_run_and_says_whose(
    records: Path,
    resources: ExitStack,
    words: list[str],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    state = run_of("foreign", sleeper(resources), "/b")
    state.switches = {"s1": f"unix:{records}/nothing.sock"}
    state.save()
    assert status(*words, monkeypatch=monkeypatch) == 2
    note, error = capsys.readouterr().err.splitlines()
    assert note == f"dropzero: using the run {state}"
    assert str(records) in error


def test_the_lists_of_commands_that_change_and_read_are_complete() -> None:
    """Every command of `dropzero controller` either says that it reads, or needs a run of one's own."""
    program = get_command(build("controller"))
    assert isinstance(program, TyperGroup)
    controller: Any = program.commands["controller"]
    reading = {
        name
        for name, each in controller.commands.items()
        for one in (each, *getattr(each, "commands", {}).values())
        if one.rich_help_panel == READS
    }
    assert {*controller.commands} - reading == {"serve", "evict", "resize", "reset"}


def test_a_run_can_be_named_before_the_subcommand(
    records: Path, resources: ExitStack, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("one", "two"):
        run_of(name, sleeper(resources))
    # The option sets it for what follows.
    monkeypatch.setenv("DROPZERO_RUN", "")
    assert status("controller", "--run", "two", "waiting", monkeypatch=monkeypatch) == 2
    assert f"{records}/two.sock" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("options", "ended"), [((), ["one", "two"]), (("--all",), ["one", "two", "three"]), (("--run", "three"), ["three"])]
)
def test_stop_ends_this_checkouts_runs_or_all_or_one_and_names_them(
    records: Path,
    resources: ExitStack,
    options: tuple[str, ...],
    ended: list[str],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    processes = {name: sleeper(resources) for name in ("one", "two", "three")}
    for name, process in processes.items():
        run_of(name, process, "/b" if name == "three" else None)
    assert status("stop", *options, monkeypatch=monkeypatch) == 0
    said = capsys.readouterr().out
    for name, process in processes.items():
        assert (f"stopped {name} (checkout " in said) == (name in ended)
        if name in ended:
            assert process.wait() == -signal.SIGTERM
        else:
            assert process.poll() is None
    assert ("not stopped (--all stops them too): three (checkout /b" in said) == (options == ())


@pytest.mark.parametrize("options", [("--run", "none"), ("--all", "--run", "one")])
def test_stop_refuses_an_unknown_run(records: Path, options: tuple[str, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    assert status("stop", *options, monkeypatch=monkeypatch) == 2


def test_guests_end_with_the_run_in_reverse_order(records: Path, resources: ExitStack) -> None:
    state = run_of("one", sleeper(resources))
    joining = """
import os, sys, dropzero.topologies.registry.state
from pathlib import Path
dropzero.topologies.registry.state.FOLDER = Path(sys.argv[1])
(state,) = dropzero.topologies.registry.state.states()
state.join(sys.argv[2])
os.execvp("sleep", ["sleep", "1000"])
"""
    processes = []
    for number in range(2):
        command = [sys.executable, "-c", joining, str(records), f"guest {number}"]
        processes.append(resources.enter_context(subprocess.Popen(command)))
        resources.callback(processes[-1].kill)
        while len(state.guests) == number:
            assert processes[-1].poll() is None
    # Invalid lines in the file protect no other process.
    with (records / "one.guests").open("a") as file:
        file.write('{"name": "torn\n')
    assert [(guest.name, guest.pid) for guest in state.guests] == [
        (f"guest {number}", process.pid) for number, process in enumerate(processes)
    ]
    state.stop()
    assert [process.wait() for process in processes] == [-signal.SIGTERM] * 2
    assert list(records.iterdir()) == []
    with pytest.raises(SetupError, match="the run one has just ended"):
        state.join("late")


def test_a_process_that_reuses_a_guests_pid_is_spared(records: Path, resources: ExitStack) -> None:
    state = run_of("one", sleeper(resources))
    bystander = Identity.of("bystander", sleeper(resources).pid)
    assert bystander.started is not None
    entry = asdict(bystander) | {"started": bystander.started - 1}
    (records / "one.guests").write_text(json.dumps(entry) + "\n")
    state.stop()
    assert bystander.alive


def test_only_one_process_gets_a_claim() -> None:
    claim = Claim(f"test-{os.getpid()}")
    with pytest.raises(OSError, match="in use"):
        Claim(claim.name)
    claim.release()
    Claim(claim.name).release()


def completed(line: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> list[str]:
    """What a shell offers for the last word of a line."""
    monkeypatch.setattr(sys, "argv", ["dropzero"])
    monkeypatch.setenv(COMPLETING, "complete_bash")
    monkeypatch.setenv("COMP_WORDS", line)
    monkeypatch.setenv("COMP_CWORD", str(line.count(" ")))
    with pytest.raises(SystemExit):
        main()
    return capsys.readouterr().out.split()


def test_a_shell_completes_names_of_runs_and_hosts(
    records: Path, resources: ExitStack, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, checkout, nodes in (("bee", None, ["h1", "h2", "s1"]), ("fly", "/b", ["h3"])):
        state = run_of(name, sleeper(resources), checkout)
        state.nodes = nodes
        state.save()
    (records / "runs" / "20260101").mkdir(parents=True)
    (records / "runs" / "20260101" / "topology.json").touch()
    monkeypatch.chdir(records)
    for line, offered in {
        "dropzero exec ": ["h1", "h2", "s1"],
        "dropzero exec --run fly ": ["h3"],
        "dropzero exec --run ": ["bee", "fly"],
        "dropzero stop --run f": ["fly"],
        "dropzero controller jobs --run b": ["bee"],
        "dropzero controller --run b": ["bee"],
        "dropzero page 2026": ["20260101"],
        "dropzero page ru": ["runs/"],
        "dropzero compare 20260101 2": ["20260101"],
    }.items():
        assert completed(line, monkeypatch, capsys) == offered, line
