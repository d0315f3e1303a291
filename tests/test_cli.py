"""The command `dropzero`, as a whole."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from typer.core import TyperGroup
from typer.main import get_command

from dropzero.cli import ROOMS, build, main


def commands(command: str = "") -> dict[str, str | None]:
    """With what each says that it does."""
    program = get_command(build(command))
    assert isinstance(program, TyperGroup)
    return {name: each.help for name, each in program.commands.items()}


def test_a_room_that_is_loaded_alone_has_the_commands_that_it_has_with_all() -> None:
    everything = commands()
    assert list(everything) == list(ROOMS)
    for name in ROOMS:
        alone = commands(name)
        assert name in alone
        assert alone.items() <= everything.items()


def test_a_command_loads_no_other_room() -> None:
    """Every worker is a process, and reading captures or the switch's tables is not its business."""
    code = "import sys, dropzero.cli; dropzero.cli.build('worker'); print(*{'scapy', 'p4', 'grpc'} & {*sys.modules})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "\n"


def refusal(words: list[str], monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> str:
    """What the command says that ends with status 2."""
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
def test_a_folder_that_cannot_be_written_is_one_line(
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
        ["controller", "serve", "--topology", "junk"],
        ["controller", "serve", "--topology", "x" * 300],
        ["controller", "waiting", "--controller", f"unix:{'x' * 300}"],
        ["aggregator", "127.0.0.1", "--listen", "unix:/proc/x"],
        ["switch", "junk"],
    ],
)
def test_a_path_that_leads_nowhere_is_one_line(tmp_path: Path, words: list[str]) -> None:
    (tmp_path / "junk").write_bytes(b"\xff\x00junk")
    done = subprocess.run(
        [sys.executable, "-m", "dropzero", *words], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert len(done.stderr.splitlines()) == 1, done.stderr
