"""Complete runs, as with `make run`: real workers, real links, the compiled program, and captures.

On the embedded switch, and on BMv2 if that is installed.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dropzero.compressors.spec import density_spec
from dropzero.problems.digits import load
from dropzero.protocol.wire import OUTER_BYTES
from dropzero.traces.audit import audit
from dropzero.traces.capture import captures
from dropzero.training.replica import Settings
from tests.support.training_in_process import train_in_process

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="network namespaces need root")

WORKERS, STEPS = 4, 30
FRAME = 1514
"""The most bytes of an Ethernet frame."""


@dataclass(frozen=True)
class Run:
    """The files of a run."""

    folder: Path

    @cached_property
    def summary(self) -> dict[str, Any]:
        summary: dict[str, Any] = json.loads((self.folder / "summary.json").read_text())
        return summary

    @property
    def again(self) -> int:
        """The most bytes that workers sent again, as they do when the machine is busy and the switch slow to answer."""
        return int(self.summary["retransmissions"]) * FRAME

    @cached_property
    def captured(self) -> dict[str, int]:
        """Bytes of aggregation traffic at the switch's ports, by direction."""
        total = {"in": 0, "out": 0}
        for capture in captures(self.folder / "pcaps"):
            total[capture.direction] += sum(OUTER_BYTES + len(payload) for payload in capture.payloads())
        return total

    def weights(self, rank: int) -> np.ndarray[Any, np.dtype[np.float32]]:
        weights: np.ndarray[Any, np.dtype[np.float32]] = np.load(self.folder / f"worker-{rank}" / "weights.npy")
        return weights


def train(folder: Path, switch: str, density: float = 0.1, loss: float = 0.0) -> Run:
    """switch: `shm` is the embedded switch with ports in shared memory."""
    own = {"switch": "softswitch", "ports": "shm"} if switch == "shm" else {"switch": switch}
    options = {"workers": WORKERS, "steps": STEPS, **own, "density": density, "loss": loss, "out": folder}
    words = [word for name, value in options.items() for word in (f"--{name}", str(value))]
    subprocess.run([sys.executable, "-m", "dropzero", "run", "--pcap", "--no-plot", *words], check=True, timeout=600)
    return Run(folder)


@pytest.fixture(scope="module", params=["softswitch", "shm", "bmv2"])
def switch(request: pytest.FixtureRequest) -> str:
    if request.param == "bmv2" and not shutil.which("simple_switch_grpc"):
        pytest.skip("simple_switch_grpc is not on PATH: training ran on the embedded switch only")
    return str(request.param)


@pytest.fixture(scope="module")
def sparse(switch: str, tmp_path_factory: pytest.TempPathFactory) -> Run:
    return train(tmp_path_factory.mktemp(switch) / "sparse", switch)


@pytest.fixture(scope="module")
def dense(switch: str, tmp_path_factory: pytest.TempPathFactory) -> Run:
    return train(tmp_path_factory.mktemp(switch) / "dense", switch, density=1.0)


@pytest.fixture(scope="module")
def lossy(switch: str, tmp_path_factory: pytest.TempPathFactory) -> Run:
    return train(tmp_path_factory.mktemp(switch) / "lossy", switch, loss=0.02)


def test_all_workers_end_with_the_same_weights(sparse: Run) -> None:
    assert sparse.summary["replicas_identical"] is True
    for rank in range(1, WORKERS):
        assert np.array_equal(sparse.weights(0), sparse.weights(rank))


def test_the_weights_are_those_of_training_in_one_process(sparse: Run, dense: Run) -> None:
    """To the last bit, because an InProcessNetwork computes the same sums as the switch."""
    for run, density in ((sparse, 0.1), (dense, 1.0)):
        reference = train_in_process(WORKERS, Settings(steps=STEPS, compress=density_spec(density)), load())
        np.testing.assert_array_equal(run.weights(0), reference[0].parameters)


def test_loss_changes_only_the_time(sparse: Run, lossy: Run) -> None:
    assert lossy.summary["retransmissions"] > 0
    assert lossy.summary["weights_sha256"] == sparse.summary["weights_sha256"]


@pytest.mark.parametrize("switch", ["bmv2"], indirect=True)
def test_both_switches_give_the_same_weights(tmp_path_factory: pytest.TempPathFactory, sparse: Run) -> None:
    other = train(tmp_path_factory.mktemp("embedded") / "run", "softswitch")
    assert other.summary["weights_sha256"] == sparse.summary["weights_sha256"]


def test_every_sum_in_the_captures_is_correct(sparse: Run, dense: Run, lossy: Run) -> None:
    """Rounds, masks, exponents, next blocks, sums and members, of every packet."""
    for run in (sparse, dense, lossy):
        found = audit(run.folder / "pcaps")
        assert len(found.results) > STEPS
        assert {result.workers for result in found.results.values()} == {(1 << WORKERS) - 1}
    assert found.duplicates > 0


def test_sparse_training_sends_at_most_a_quarter_of_the_dense_bytes(sparse: Run, dense: Run) -> None:
    """Counted from the captures."""
    assert sparse.captured["in"] - sparse.again <= 0.25 * dense.captured["in"]


def test_the_summary_counts_what_the_captures_show(sparse: Run, dense: Run) -> None:
    """The rest are ARP requests and answers of 42 bytes each. What is sent again last may be in one of them alone."""
    for run in (sparse, dense):
        for key, direction in (("uplink_bytes", "in"), ("downlink_bytes", "out")):
            assert -run.again <= run.summary[key] - run.captured[direction] <= WORKERS * 42 * 10 + run.again


def test_dense_uplink_bytes_are_what_dense_training_sends(dense: Run) -> None:
    """Real gradients have a few zero blocks (pixels that are always blank), so dense training sends slightly less."""
    yardstick = dense.summary["dense_uplink_bytes"]
    assert 0.9 * yardstick <= dense.captured["in"] <= 1.05 * yardstick + dense.again
