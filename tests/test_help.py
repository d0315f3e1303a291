"""The `--help` of every command, in a terminal of 80 columns."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from typer.core import TyperCommand, TyperGroup
from typer.main import get_command

from dropzero.cli import build
from dropzero.help import hide_flag_types
from dropzero.numbers import explain_numbers


def commands(command: TyperCommand | TyperGroup, name: str) -> Iterator[tuple[str, TyperCommand | TyperGroup]]:
    yield name, command
    for each, inner in getattr(command, "commands", {}).items():
        yield from commands(inner, f"{name} {each}")


def program() -> TyperGroup:
    found = get_command(build())
    assert isinstance(found, TyperGroup)
    hide_flag_types(found)
    explain_numbers(found)
    return found


ALL = dict(commands(program(), "dropzero"))


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
    # An ellipsis in a table means that a text was truncated.
    assert "…" not in shown
    assert max(map(len, shown.splitlines())) <= 80
