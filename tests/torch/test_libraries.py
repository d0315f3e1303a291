"""Libraries that train with PyTorch: their scripts give the same results through the switch as with Gloo, unchanged."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).resolve().parents[2] / "examples" / "torch"
SCRIPTS = {
    "accelerate": ["accelerate", "transformers"],
    "ignite": ["ignite"],
    "lightning": ["lightning"],
    "opacus": ["opacus"],
    "torchmetrics": ["torchmetrics"],
    "trainer": ["accelerate", "transformers"],
}
"""What each script needs."""


def losses(out: Path, script: Path, backend: str) -> list[float]:
    """The losses that the first rank prints. The ranks must end with the same parameters."""
    command = [sys.executable, "-m", "dropzero", "torchrun", "--switch", "softswitch", "--workers", "2"]
    command += ["--backend", backend, "--out", str(out), str(script)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    summary = json.loads((out / "summary.json").read_text())
    assert bool(summary["summed_bytes"]) == (backend == "dropzero")
    assert summary["replicas_identical"] in (True, None)
    found = [float(loss) for loss in re.findall(r"^\[h1\].* loss (\S+)$", done.stdout, re.MULTILINE)]
    assert found
    return found


@pytest.mark.skipif(os.geteuid() != 0, reason="network namespaces need root")
@pytest.mark.parametrize("name", SCRIPTS)
def test_a_library_trains_through_the_switch_as_with_gloo(tmp_path: Path, name: str) -> None:
    """The scripts know nothing of dropzero."""
    if missing := [module for module in SCRIPTS[name] if find_spec(module) is None]:
        pytest.skip(f"{' and '.join(missing)} is not installed: with_{name}.py was not tried")
    script = EXAMPLES / f"with_{name}.py"
    wanted, found = (losses(tmp_path / backend, script, backend) for backend in ("gloo", "dropzero"))
    assert found == pytest.approx(wanted, rel=1e-4)
