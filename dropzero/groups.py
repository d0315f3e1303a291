"""Groups of commands."""

from __future__ import annotations

from typing import Any

from typer.core import TyperGroup


class DefaultingGroup(TyperGroup):
    """A group whose first command may be left out."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        # A shell that completes the first word asks shell_complete.
        named = args[0] in (*self.commands, "--help") if args else ctx.resilient_parsing
        return super().parse_args(ctx, args if named else [next(iter(self.commands)), *args])

    def shell_complete(self, ctx: Any, incomplete: str) -> list[Any]:
        first = next(iter(self.commands.values()))
        return [*super().shell_complete(ctx, incomplete), *first.shell_complete(ctx, incomplete)]
