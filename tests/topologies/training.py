"""Complete runs from the command line."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any


def train(folder: Path, *flags: str, **options: Any) -> list[dict[str, Any]]:
    """Runs a training, without a plot. Returns the summary of each job."""
    words = [word for name, value in (options | {"out": folder}).items() for word in (f"--{name}", str(value))]
    command = [sys.executable, "-m", "dropzero", "run", "--no-plot", *flags, *words]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    return [json.loads(path.read_text()) for path in sorted(folder.glob("**/summary.json"))]
