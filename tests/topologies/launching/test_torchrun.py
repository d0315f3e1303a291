"""PyTorch scripts under torchrun, an agent a host."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from dropzero.topologies.launching import torchrun
from dropzero.topologies.processes.errors import SetupError

EXAMPLES = Path(__file__).resolve().parents[3] / "examples" / "torch"
rooted = pytest.mark.skipif(os.geteuid() != 0, reason="network namespaces need root")
installed = pytest.mark.skipif(find_spec("torch") is None, reason="PyTorch is not installed: torchrun was not tried")

RESTARTED = """
import os, signal
import numpy as np
import dropzero
with dropzero.connect() as network:
    total = network.all_reduce(np.ones(1000, np.float32))
    if network.rank == int(os.environ["WORLD_SIZE"]) - 1 and os.environ["TORCHELASTIC_RESTART_COUNT"] == "0":
        os.kill(os.getpid(), signal.SIGKILL)
    network.barrier()
    print("backend", os.environ["DROPZERO_BACKEND"], "sum", total[0])
"""


def test_without_pytorch_it_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torchrun, "find_spec", lambda name: None)
    with pytest.raises(SetupError, match=r"pip install torch --index-url https://download\.pytorch\.org/whl/cpu$"):
        torchrun.agent(["train.py"], 2, 0)


def run(out: Path, *words: str) -> tuple[str, dict[str, object]]:
    """What it prints, and summary.json."""
    command = [sys.executable, "-m", "dropzero", "torchrun", "--switch", "softswitch", "--workers", "2"]
    done = subprocess.run([*command, "--out", str(out), *words], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr + done.stdout
    return done.stdout, json.loads((out / "summary.json").read_text())


@rooted
@installed
@pytest.mark.parametrize("example", ["characters", "embedding"])
def test_an_example_ends_with_the_same_parameters_on_all_hosts(tmp_path: Path, example: str) -> None:
    said, summary = run(tmp_path / "run", "--backend", "gloo", str(EXAMPLES / f"{example}.py"), "--steps", "2")
    assert "[h1] step 2 loss" in said
    assert summary["replicas_identical"] is True
    assert summary["exit_statuses"] == [0, 0]
    assert isinstance(summary["parameters"], dict)
    assert summary["parameters"]["DROPZERO_BACKEND"] == "gloo"


@rooted
@installed
def test_scripts_that_torchrun_starts_anew_join_again(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(RESTARTED)
    said, _ = run(tmp_path / "run", "--max-restarts", "1", str(script))
    for host in ("h1", "h2"):
        assert f"[{host}] backend dropzero sum 2.0" in said
