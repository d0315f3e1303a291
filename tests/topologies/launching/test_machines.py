"""Several machines, without Mininet: switch and controller on one, a worker on each of the others."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.topologies.launching.test_torchrun import EXAMPLES

pytestmark = [
    pytest.mark.skipif(os.geteuid() != 0, reason="network namespaces need root"),
    pytest.mark.skipif(shutil.which("openssl") is None, reason="no openssl on PATH to make certificates with"),
]
SCRIPT = Path(__file__).with_name("machines.sh")

SUM = """
import numpy as np
import dropzero
with dropzero.connect() as network:
    print(network.all_reduce(np.ones(10_000, np.float32)).sum())
"""


def run(folder: Path, *command: str) -> str:
    """What both workers print. Fails when one does."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path}
    words = ["bash", str(SCRIPT), str(folder), *command]
    done = subprocess.run(words, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert not [path for path in Path("/proc").glob("[0-9]*/cwd") if os.path.realpath(path) == str(folder)]
    return done.stdout


def test_workers_on_other_machines_join_over_tls(tmp_path: Path) -> None:
    assert run(tmp_path, sys.executable, "-c", SUM).count("20000.0") == 2


@pytest.mark.skipif(find_spec("torch") is None, reason="PyTorch is not installed: torchrun was not tried")
def test_torchrun_meets_over_the_switch(tmp_path: Path) -> None:
    agent = [sys.executable, "-m", "torch.distributed.run", "--nnodes", "2", "--master-addr", "10.0.0.1"]
    said = run(tmp_path, *agent, str(EXAMPLES / "digits.py"), "--steps", "2")
    first, second = re.findall("sha256 ([0-9a-f]{64})", said)
    assert first == second
