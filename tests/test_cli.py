"""The command `dropzero`, as a whole."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from typer.core import TyperGroup
from typer.main import get_command

from dropzero.cli import COMMANDS, build, main
from dropzero.extras import EXTRAS
from dropzero.topologies.defaults import COMPLETING
from dropzero.topologies.registry.choice import VARIABLE


def commands(command: str = "") -> dict[str, str]:
    """Commands by name, each with its one-line help."""
    program = get_command(build(command))
    assert isinstance(program, TyperGroup)
    return {name: " ".join((each.help or "").partition("\n\n")[0].split()) for name, each in program.commands.items()}


def test_the_listed_commands_and_help_are_those_of_the_packages() -> None:
    listed = commands()
    assert list(listed) == list(COMMANDS)
    for name in COMMANDS:
        assert commands(name) == listed


@pytest.mark.parametrize(
    ("command", "others"),
    [("", {"numpy", "dropzero.topologies"}), ("worker", {"scapy", "grpc"}), ("simulate", {"scapy", "numba"})],
)
def test_a_command_loads_only_its_package_and_help_loads_none(command: str, others: set[str]) -> None:
    """For example, a worker process loads nothing for reading captures or tables, and a simulation nothing for
    compiling."""
    code = f"import sys, dropzero.cli; dropzero.cli.build({command!r}); print(*{others} & {{*sys.modules}})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "\n"


def test_a_command_ends_without_a_garbage_collection() -> None:
    """Every run starts many processes, in which that would take a quarter of their time."""
    code = (
        "import atexit, gc, sys, dropzero.cli; atexit.register(lambda: print(gc.get_freeze_count() > 0)); "
        "sys.argv[1:] = ['--help']; dropzero.cli.main()"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.endswith("\nTrue\n")


@pytest.mark.parametrize(("command", "limit"), [("worker", "1"), ("run", "1"), ("launch", None), ("exec", None)])
def test_commands_compute_on_one_thread_but_leave_that_to_users_programs(command: str, limit: str | None) -> None:
    """NumPy's OpenBLAS would start a thread for each processor."""
    code = (
        "import atexit, os, sys, dropzero.cli; atexit.register(lambda: print(os.environ.get('OPENBLAS_NUM_THREADS'))); "
        f"sys.argv[1:] = [{command!r}, '--help']; dropzero.cli.main()"
    )
    environment = {name: value for name, value in os.environ.items() if name != "OPENBLAS_NUM_THREADS"}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environment)
    assert done.stdout.endswith(f"\n{limit}\n")


@pytest.mark.parametrize("value", ["nan", "inf"])
@pytest.mark.parametrize(
    "line",
    [
        "launch --rate",
        "run --trunk-rate",
        "controller watch --interval",
        "controller serve --heartbeat",
    ],
)
def test_numbers_that_are_not_finite_are_refused(
    line: str, value: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    command, option = line.rsplit(" ", 1)
    monkeypatch.setattr(sys, "argv", ["dropzero", *command.split(), f"{option}={value}"])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 2
    assert capsys.readouterr().err == f"dropzero: Invalid value for '{option}': {value} is not a finite number.\n"


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("run --workers abc", "Invalid value for '--workers': abc is not a whole number from 1 to 240."),
        ("run --workers 241", "Invalid value for '--workers': 241 is not a whole number from 1 to 240."),
        ("run --loss 2", "Invalid value for '--loss': 2 is not a number from 0 to 0.9."),
        ("controller slot -- -1", "Invalid value for 'number': -1 is not a whole number of 0 or more."),
        ("controller serve --topology x --device-id x", "x is not a whole number."),
        (
            f"simulate --seed {'9' * 400}x",
            f"Invalid value for '--seed': {'9' * 400}x is not a whole number of 0 or more.",
        ),
    ],
)
def test_a_wrong_number_is_explained_in_words(
    line: str, said: str, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    assert refusal(line.split(), monkeypatch, capfd).endswith(said)


@pytest.mark.parametrize(
    ("line", "completed"),
    [
        ("dropzero contr", "controller"),
        ("dropzero worker --qu", "--quorum"),
        ("dropzero simulate tr", "training"),
        ("dropzero simulate --rai", "--rails"),
        ("dropzero simulate training --fl", "--flops"),
    ],
)
def test_a_shell_completes_commands_and_their_options(
    line: str, completed: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["dropzero"])
    monkeypatch.setenv(COMPLETING, "complete_bash")
    # As if several runs were up.
    monkeypatch.setenv(VARIABLE, "nobody")
    monkeypatch.setenv("COMP_WORDS", line)
    monkeypatch.setenv("COMP_CWORD", str(line.count(" ")))
    with pytest.raises(SystemExit):
        main()
    assert capsys.readouterr().out.split() == [completed]


@pytest.mark.parametrize("words", [["run", "--steps", "1000000"], ["simulate", "--workers", "64", "--racks", "2"]])
@pytest.mark.parametrize("module", ["typer", "rich", "dropzero.controller.jobs.slots"])
def test_ctrl_c_while_a_command_loads_prints_one_line(tmp_path: Path, words: list[str], module: str) -> None:
    """module: one that is loaded early, or late."""
    (tmp_path / "sitecustomize.py").write_text(
        f"""
import os, signal, sys

class Interrupts:
    def find_spec(name, path=None, target=None):
        if name == {module!r}:
            sys.meta_path.remove(Interrupts)
            os.kill(os.getpid(), signal.SIGINT)

sys.meta_path.insert(0, Interrupts)
"""
    )
    done = subprocess.run(
        [sys.executable, "-m", "dropzero", *words],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "dropzero: interrupted\n")


SAID = {
    "WORKER=8": "WORKER is not a setting (did you mean WORKERS?)",
    "LOSSES=8": "LOSSES is not a setting (did you mean LOSS?)",
    "QQQ=8": "QQQ is not a setting (these are: WORKERS RACKS",
    "WORKERS=33": "32 workers of a job: 33 need more racks, such as RACKS=2 WORKERS=34\n",
    "WORKERS=64": "32 workers of a job: 64 need more racks, such as RACKS=2\n",
    "WORKERS=abc": "Invalid value for 'WORKERS': abc is not a whole number from 1 to 240.\n",
    "COMPRESS=topkk": "Invalid value for 'COMPRESS': there is no 'topkk' in 'topkk'; did you mean topk?\n",
    "ARGS='--ports shm --rate 1'": "leave out --ports=shm, or the rates of links\n",
    "WORKERS=64 ARGS=--page": "64 need more racks, such as --racks=2\n",
    "RATE=20": 'Options are passed on as in ARGS="--rate 20"',
}


@pytest.mark.skipif(os.geteuid() != 0, reason="network namespaces need root")
@pytest.mark.parametrize("settings", SAID)
def test_messages_name_the_settings_that_were_typed(tmp_path: Path, settings: str) -> None:
    """As after `make run`, with this Python."""
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "dropzero").write_text(f'#!/bin/sh\nexec {sys.executable} -m dropzero "$@"\n')
    (tmp_path / "bin" / "dropzero").chmod(0o755)
    done = subprocess.run(
        ["make", "run", f"--assume-old={tmp_path}/.run", f"VENV={tmp_path}", "SUDO=", *shlex.split(settings)],
        cwd=Path(__file__).parents[1],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 2
    assert SAID[settings] in done.stderr


@pytest.mark.parametrize("words", [["run"], ["launch", "true"], ["torchrun", "train.py"]])
def test_more_workers_than_a_switch_serves_are_refused_before_anything_starts(
    words: list[str], monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    said = refusal([words[0], "--workers", "33", *words[1:]], monkeypatch, capfd)
    assert said.endswith("33 need more racks, such as --racks=2 --workers=34")


def test_simulate_writes_json_to_stdout_and_says_if_memory_is_short(tmp_path: Path) -> None:
    def simulated(*words: str) -> subprocess.CompletedProcess[str]:
        command = ["prlimit", f"--as={4 << 30}", sys.executable, "-m", "dropzero", "simulate", "--size", "1kB", *words]
        return subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)

    assert json.loads(simulated("--json", "-").stdout)["workers"] == 4
    assert list(tmp_path.iterdir()) == []
    short = simulated("--row", "4294967296")
    assert (short.returncode, short.stderr.count("\n")) == (2, 1)
    assert "not enough memory" in short.stderr


def test_extras_exist_in_the_package() -> None:
    """Except p4runtime-shell, which is a separate program."""
    project = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text())["project"]
    declared = {name: set(each) for name, each in project["optional-dependencies"].items()}
    assert {name: set(each) for name, each in EXTRAS.items()} == {name: declared[name] for name in EXTRAS}
    assert {*declared} - {*EXTRAS} == {"all", "docs", "ray", "shell", "test", "torch"}


@pytest.mark.parametrize(
    ("words", "module", "said"),
    [
        (["run"], "sklearn", "run needs scikit-learn: pip install 'dropzero[train]'"),
        (["worker", "--controller", "x", "--workers", "1"], "matplotlib", "worker needs matplotlib: pip install"),
        (["trace", "audit"], "scapy", "trace needs scapy: pip install 'dropzero[traces]'"),
        (["experiment", "all"], "sklearn", "experiment needs scikit-learn: pip install 'dropzero[experiments]'"),
    ],
    ids=lambda value: value[0] if isinstance(value, list) else "",
)
def test_a_command_without_its_extra_says_how_to_install_it(
    words: list[str], module: str, said: str, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("dropzero.extras.find_spec", lambda name: None if name == module else object())
    assert said in refusal(words, monkeypatch, capfd)


def refusal(words: list[str], monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> str:
    """The error message of a command that ends with status 2."""
    monkeypatch.setattr(sys, "argv", ["dropzero", *words])
    with pytest.raises(SystemExit) as end:
        main()
    (line,) = capfd.readouterr().err.splitlines()
    assert end.value.code == 2
    return line


OUT = {
    "run": ["run", "--workers", "1", "--steps", "1"],
    "rack": ["rack", "--workers", "1"],
    "experiment": ["experiment", "counterexample", "--quick", "--where", "process"],
    "worker": ["worker", "--workers", "1", "--controller", "unix:/nowhere"],
}


@pytest.mark.parametrize("command", OUT)
@pytest.mark.parametrize("place", ["/proc/x", "file", "file/y", "x" * 300])
def test_an_unwritable_folder_prints_one_line(
    tmp_path: Path, command: str, place: str, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    if os.geteuid() and command in ("run", "rack"):
        pytest.skip("network namespaces need root")
    monkeypatch.chdir(tmp_path)
    Path("file").touch()
    assert f"cannot write to {place}" in refusal([*OUT[command], "--out", place], monkeypatch, capfd)
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


@pytest.mark.parametrize(
    "words",
    [
        ["trace", "audit", "x" * 300],
        ["trace", "show", "/proc/x"],
        ["page", "x" * 300],
        ["compare", "x" * 300, "/proc/x"],
        ["controller", "serve", "--topology", "junk"],
        ["controller", "serve", "--topology", "x" * 300],
        ["controller", "waiting", "--controller", f"unix:{'x' * 300}"],
        ["aggregator", "127.0.0.1", "--listen", "unix:/proc/x"],
        ["switch", "junk"],
    ],
)
def test_a_missing_path_prints_one_line(tmp_path: Path, words: list[str]) -> None:
    (tmp_path / "junk").write_bytes(b"\xff\x00junk")
    done = subprocess.run(
        [sys.executable, "-m", "dropzero", *words], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert len(done.stderr.splitlines()) == 1, done.stderr


@pytest.mark.parametrize(
    ("line", "status", "said"),
    [
        ("--version >&-", 0, ""),
        ("precision --help <&- >&- 2>&-", 0, ""),
        ("simulate --workers 1 --size 4B >&-", 0, ""),
        ("--version >/dev/full", 2, "dropzero: [Errno 28] No space left on device\n"),
        ("trace dissector >/dev/full", 2, "dropzero: [Errno 28] No space left on device\n"),
        ("--version > >(exec >&- <&-; sleep 1); exit $?", 1, ""),
    ],
)
def test_output_that_nobody_takes_is_at_most_one_line(line: str, status: int, said: str) -> None:
    command = f"{shlex.quote(sys.executable)} -m dropzero {line}"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (status, said)


def test_a_current_folder_that_is_gone_is_named(tmp_path: Path) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    command = f"rmdir {shlex.quote(str(gone))}; {shlex.quote(sys.executable)} -m dropzero run"
    checkout = {"PYTHONPATH": str(Path.cwd())}
    done = subprocess.run(["bash", "-c", command], cwd=gone, env=os.environ | checkout, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (2, "dropzero: the current folder has been deleted: go to another one\n")
