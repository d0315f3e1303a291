"""The package's data files, in a checkout and in a wheel."""

from __future__ import annotations

from pathlib import Path

COMPILED = Path(__file__).parent / "switch_program"
"""p4c's output for the switch program."""
