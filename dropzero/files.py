"""The files that the package brings beside its modules, in a checkout and in a wheel."""

from __future__ import annotations

from pathlib import Path

COMPILED = Path(__file__).parent / "p4src" / "compiled"
"""What p4c made of the switch program."""
