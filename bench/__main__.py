"""python -m bench."""

from bench.cli import app

app()
