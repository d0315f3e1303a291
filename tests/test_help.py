"""The `--help` of every command, in a terminal of 80 columns."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from typing import Any

import pytest

from dropzero.cli import COMMANDS, program


def commands(command: Any, name: str) -> Iterator[tuple[str, Any]]:
    yield name, command
    for each, inner in getattr(command, "commands", {}).items():
        yield from commands(inner, f"{name} {each}")


def every() -> Iterator[tuple[str, Any]]:
    yield "dropzero", program()
    for name in COMMANDS:
        yield from commands(program(name).commands[name], f"dropzero {name}")


ALL: dict[str, Any] = dict(every())


@pytest.mark.parametrize("name", ALL)
def test_help_fits_80_columns_and_flags_have_no_type(
    name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    ALL[name].main(["--help"], prog_name=name, standalone_mode=False)
    shown = capsys.readouterr().out
    assert "--help" in shown
    assert "<bool>" not in shown
    assert "range>" not in shown
    assert "<=" not in shown
    assert "[default: <" not in shown
    # An ellipsis in a table means that a text was truncated.
    assert "…" not in shown
    assert max(map(len, shown.splitlines())) <= 80


def test_commands_are_grouped_and_examples_are_their_own_lines(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    ALL["dropzero"].main(["--help"], prog_name="dropzero", standalone_mode=False)
    shown = capsys.readouterr().out
    assert [line.split("─")[1].strip() for line in shown.splitlines() if line.startswith("╭")] == [
        "Options",
        *dict.fromkeys(each.group for each in COMMANDS.values()),
    ]


EXAMPLES = [(name, example) for name, command in ALL.items() for example in (command.epilog or "").split("\n\n")[1:]]


@pytest.mark.parametrize(("name", "example"), EXAMPLES)
def test_an_example_is_a_line_that_works(
    name: str, example: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """As far as its options are parsed."""
    monkeypatch.setenv("COLUMNS", "80")
    ALL[name].main(["--help"], prog_name=name, standalone_mode=False)
    assert example in [line.strip() for line in capsys.readouterr().out.splitlines()]
    words = shlex.split(example.partition(" && ")[0])
    command, *inner = name.split()[1:]
    assert words[:2] == ["dropzero", command]
    # The first command of a group may be left out.
    own = words[2 + len(inner) :] if words[2 : 2 + len(inner)] == inner else words[2:]
    ALL[name].make_context(name, own)
