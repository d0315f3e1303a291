"""`python -m dropzero` is the command `dropzero`."""

from __future__ import annotations

from dropzero.cli import main

main()
