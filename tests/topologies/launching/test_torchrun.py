"""PyTorch scripts under torchrun, with one agent per host."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

import dropzero.torch
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
    if len(network.contributors) < network.size:
        signal.pause()  # If it ended before torchrun restarts it, torchrun would wait for the other host's end.
    print("backend", os.environ["DROPZERO_BACKEND"], "sum", total[0])
"""

GLOO = """
import torch
from torch import distributed
distributed.init_process_group("gloo")
distributed.all_reduce(total := torch.ones(1))
print(type(distributed.group.WORLD).__name__, distributed.get_backend(), total.item())
distributed.barrier()
distributed.destroy_process_group()
"""


def test_without_pytorch_the_error_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torchrun, "find_spec", lambda name: None)
    with pytest.raises(SetupError, match=r"pip install torch --index-url https://download\.pytorch\.org/whl/cpu$"):
        torchrun.agent(["train.py"], 2, 0)


def test_without_pytorch_the_backend_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.startswith("dropzero.torch.")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(ImportError, match=r"^dropzero\.torch\.Meter needs PyTorch: pip install torch "):
        _ = dropzero.torch.Meter


def test_a_missing_script_is_named_before_anything_starts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torchrun, "find_spec", lambda name: object())
    with pytest.raises(SetupError, match=f"^there is no script {tmp_path}/train.py$"):
        torchrun.agent([f"{tmp_path}/train.py"], 2, 0)
    assert torchrun.agent(["-m", "train"], 2, 0)[-2:] == ["-m", "train"]


def run(out: Path, *words: str, workers: int = 2, kill_after: str = "") -> tuple[str, dict[str, object]]:
    """What it prints, and summary.json. `kill_after`: the words of a line at which rank 1's script is killed."""
    command = [sys.executable, "-m", "dropzero", "torchrun", "--switch", "softswitch", "--workers", str(workers)]
    said = []
    with (
        (out.parent / f"{out.name}.stderr").open("w+") as errors,
        subprocess.Popen(
            [*command, "--out", str(out), *words], stdout=subprocess.PIPE, stderr=errors, text=True
        ) as process,
    ):
        assert process.stdout is not None
        for line in process.stdout:
            said.append(line)
            if kill_after and kill_after in line:
                os.kill(script(1, words[-1]), signal.SIGKILL)
                kill_after = ""
        assert process.wait() == 0, "".join(said) + Path(errors.name).read_text()
    return "".join(said), json.loads((out / "summary.json").read_text())


def script(rank: int, last: str) -> int:
    """The pid of a rank's script, whose last argument no other program has."""
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            words, variables = ((folder / name).read_bytes().split(b"\0") for name in ("cmdline", "environ"))
            if last.encode() in words and f"RANK={rank}".encode() in variables:
                return int(folder.name)
    pytest.fail(f"no script of rank {rank} runs")


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
    assert summary["summed_bytes"] == 0


@rooted
@installed
def test_scripts_restarted_by_torchrun_join_again(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(RESTARTED)
    said, _ = run(tmp_path / "run", "--max-restarts", "1", str(script))
    for host in ("h1", "h2"):
        assert f"[{host}] backend dropzero sum 2.0" in said


@rooted
@installed
@pytest.mark.parametrize(("option", "group"), [("--serve-gloo", "Group"), ("--no-serve-gloo", "ProcessGroup")])
def test_the_switch_serves_scripts_that_ask_for_gloo_unless_told_not_to(
    tmp_path: Path, option: str, group: str
) -> None:
    (tmp_path / "script.py").write_text(GLOO)
    said, summary = run(tmp_path / "run", option, str(tmp_path / "script.py"))
    served = group == "Group"
    assert f"[h1] {group} gloo 2.0" in said
    assert bool(summary["summed_bytes"]) is served
    warned = "the switch added up nothing: the script called no collective of the backend dropzero; without --no-serve"
    assert (warned in (tmp_path / "run.stderr").read_text()) is not served


def train(out: Path, *words: str, **options: Any) -> tuple[dict[str, float], float]:
    """Trains the CNN of the digits on four hosts, whose replicas end the same. Returns the losses by step, and the
    accuracy."""
    said, summary = run(out, *words, workers=4, **options)
    assert summary["replicas_identical"] is True
    (accuracy,) = set(re.findall(r"accuracy (\S+)", said))
    return {step: float(loss) for step, loss in re.findall(r"step (\d+) loss (\S+)", said)}, float(accuracy)


@rooted
@installed
def test_training_matches_gloo_although_a_worker_is_killed(tmp_path: Path) -> None:
    words = [str(EXAMPLES / "digits.py"), "--steps", "60", "--snapshot"]
    wanted, accuracy = train(tmp_path / "gloo", "--backend", "gloo", *words, str(tmp_path / "gloo.pt"))
    killed = [*words, str(tmp_path / "killed.pt")]
    # With a delay, so that it is under way for seconds after the step of the kill.
    options = ["--delay", "5", "--max-restarts", "3"]
    losses, found = train(tmp_path / "killed", *options, *killed, kill_after="step 20 loss")
    # Printed values have four digits, the sums more.
    assert losses == pytest.approx(wanted, abs=2e-4)
    assert found == pytest.approx(accuracy, abs=0.01)
    assert "continues after step" in (tmp_path / "killed" / "logs" / "worker-h1.log").read_text()
