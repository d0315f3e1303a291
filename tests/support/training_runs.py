"""Complete runs from the command line."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from dropzero.problems.digits import load
from dropzero.training.replica import Settings
from tests.support.training_in_process import train_in_process


def train(folder: Path, *flags: str, **options: Any) -> list[dict[str, Any]]:
    """Runs a training, without a plot. Returns the summary of each job."""
    words = [word for name, value in (options | {"out": folder}).items() for word in (f"--{name}", str(value))]
    command = [sys.executable, "-m", "dropzero", "run", "--no-plot", *flags, *words]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, done.stderr
    return [json.loads(path.read_text()) for path in sorted(folder.glob("**/summary.json"))]


def expected(workers: int, steps: int) -> str:
    """The SHA-256 of the weights that `workers` workers train without a network. test_training_run shows that one
    switch trains these."""
    return train_in_process(workers, Settings(steps=steps), load())[0].weights_sha256()
