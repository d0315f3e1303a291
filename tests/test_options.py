"""Groups of options: dataclasses that declare and check themselves."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated

import pytest
import typer
from typer.testing import CliRunner

from dropzero.options import grouped


@dataclass(frozen=True)
class Inner:
    deep: Annotated[int, typer.Option(max=9)] = 1

    def __post_init__(self) -> None:
        if self.deep == 5:
            raise ValueError("--deep is not 5")


@dataclass(frozen=True)
class Base:
    inner: Inner = Inner()
    names: Annotated[list[str], typer.Option("--name", help="Repeatable.")] = field(default_factory=lambda: ["made"])


@dataclass(frozen=True)
class Group(Base):
    needed: Annotated[str, typer.Option()] = field(kw_only=True)
    hidden: int = 7


def called(*words: str) -> str:
    app = typer.Typer()

    @app.command()
    @grouped()
    def command(group: Group, own: Annotated[bool, typer.Option("--own")] = False) -> None:
        """Print."""
        print(group, own)

    done = CliRunner().invoke(app, words)
    return f"{done.output}{done.exception}" if done.exit_code else done.output.strip()


def test_a_group_takes_its_fields_and_those_of_groups_in_it_from_the_command_line() -> None:
    group = "Group(inner=Inner(deep={}), names={}, needed='x', hidden=7) {}"
    assert called("--needed", "x") == group.format(1, ["made"], False)
    words = ["--name", "a", "--own", "--deep", "3", "--name", "b", "--needed", "x"]
    assert called(*words) == group.format(3, ["a", "b"], True)


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        ([], "Missing option '--needed'"),
        (["--needed", "x", "--deep", "10"], "10 is not in the range x<=9"),
        (["--needed", "x", "--deep", "5"], "--deep is not 5"),
        (["--needed", "x", "--hidden", "1"], "No such option: --hidden"),
    ],
)
def test_what_the_type_or_the_group_refuses_is_a_users_error(words: list[str], reason: str) -> None:
    assert reason in called(*words)
