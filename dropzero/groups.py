"""Groups of commands."""

from __future__ import annotations

from typing import Any

from typer.core import TyperGroup


class DefaultingGroup(TyperGroup):
    """A group whose first command may be left out."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        named = args and args[0] in (*self.commands, "--help")
        return super().parse_args(ctx, args if named else [next(iter(self.commands)), *args])
