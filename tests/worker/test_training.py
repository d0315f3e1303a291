from __future__ import annotations

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from threading import Barrier

import numpy as np
import pytest
from threadpoolctl import threadpool_limits

from worker import digits
from worker.digits import Digits
from worker.records import Records
from worker.reference import train_in_process
from worker.sparsifiers import Vector
from worker.training import Metrics, Replica, Settings, train

SHORT = Settings(steps=12)


@pytest.fixture(autouse=True, scope="module")
def one_blas_thread() -> Iterator[None]:
    with threadpool_limits(1, user_api="blas"):
        yield


@pytest.fixture(scope="module")
def data() -> Digits:
    return digits.load()


class Meeting:
    """Reducers of one job, each for a thread of its own."""

    def __init__(self, size: int) -> None:
        self.barrier = Barrier(size, timeout=30)
        self.contributions: list[Vector] = [np.empty(0, np.float32)] * size
        self.members = [Member(self, rank) for rank in range(size)]


class Member:
    def __init__(self, meeting: Meeting, rank: int) -> None:
        self.meeting = meeting
        self.rank = rank
        self.size = meeting.barrier.parties
        self.statistics = {"bytes_sent": 0, "bytes_received": 0, "packets_sent": 0, "retransmissions": 0}

    def all_reduce(self, x: Vector, /, *, block: int) -> Vector:
        self.meeting.contributions[self.rank] = x
        self.meeting.barrier.wait()
        total: Vector = np.sum(self.meeting.contributions, axis=0)
        self.meeting.barrier.wait()
        self.statistics["bytes_sent"] += x.nbytes
        self.statistics["packets_sent"] += -(-len(x) // block)
        return total


@pytest.mark.parametrize("workers", [1, 2, 4, 8])
@pytest.mark.parametrize("density", [0.1, 1.0])
def test_the_default_run_reaches_97_percent(data: Digits, workers: int, density: float) -> None:
    replicas = train_in_process(workers, Settings(density=density), data)

    assert replicas[0].test_accuracy() >= 0.97
    assert len({replica.weights_sha256() for replica in replicas}) == 1


def test_separate_workers_end_with_the_weights_of_the_reference(data: Digits) -> None:
    def work(member: Member) -> tuple[list[Metrics], str]:
        replica = Replica(member.rank, member.size, SHORT, data)
        return list(train(replica, member)), replica.weights_sha256()

    meeting = Meeting(4)
    with ThreadPoolExecutor(4) as threads:
        outcomes = list(threads.map(work, meeting.members))

    assert {digest for _, digest in outcomes} == {train_in_process(4, SHORT, data)[0].weights_sha256()}
    assert len({metrics[0].loss for metrics, _ in outcomes}) == 4, "every worker has images of its own"


def test_metrics_follow_the_run(data: Digits) -> None:
    [member] = Meeting(1).members
    metrics = list(train(Replica(0, 1, SHORT, data), member))

    assert [line.step for line in metrics] == list(range(1, 13))
    assert [line.step for line in metrics if line.accuracy is not None] == [10, 12]
    assert metrics[-1].loss < metrics[0].loss
    assert metrics[-1].bytes_sent == 12 * 17226 * 4
    assert metrics[-1].packets_sent == 12 * 539
    assert all(a.seconds <= b.seconds for a, b in pairwise(metrics))


def test_a_run_repeats_bit_for_bit_and_another_seed_differs(data: Digits) -> None:
    def digest(settings: Settings) -> str:
        return train_in_process(2, settings, data)[0].weights_sha256()

    assert digest(SHORT) == digest(SHORT) != digest(replace(SHORT, seed=1))


def test_a_worker_sends_its_density_of_the_blocks(data: Digits) -> None:
    _, sent = Replica(0, 4, Settings(density=0.1), data).contribution()

    blocks = np.pad(sent, (0, -len(sent) % 32)).reshape(-1, 32)
    assert np.count_nonzero(blocks.any(axis=1)) == 54


@pytest.mark.parametrize("seed", [0, 1, 2])
@pytest.mark.parametrize("density", [0.1, 1.0])
def test_sums_in_fixed_point_end_within_1e_4_of_float_sums(data: Digits, density: float, seed: int) -> None:
    """A block's contributions are rounded to a common unit, in which the sum of 4 fits 32 bits."""
    settings = Settings(density=density, seed=seed)
    replicas = [Replica(rank, 4, settings, data) for rank in range(4)]
    size = replicas[0].model.size
    for step in range(settings.steps):
        sent = np.array([replica.contribution()[1] for replica in replicas], np.float64)
        blocks = np.pad(sent, ((0, 0), (0, -size % 32))).reshape(4, -1, 32)
        _, exponents = np.frexp(np.abs(blocks).max(axis=(0, 2)))
        units = np.ldexp(1.0, exponents - 29)[:, None]
        total = (np.rint(blocks / units).sum(axis=0) * units).ravel()[:size].astype(np.float32)
        for replica in replicas:
            replica.apply(total, step)

    exact = train_in_process(4, settings, data)[0]
    np.testing.assert_allclose(replicas[0].parameters, exact.parameters, rtol=0, atol=1e-4)


def test_diverging_training_is_reported_by_the_element(data: Digits) -> None:
    replica = Replica(0, 1, SHORT, data)
    replica.parameters[:] = np.nan

    with pytest.raises(FloatingPointError, match="gradient element 0 of 17226 is nan"):
        replica.contribution()


@pytest.mark.parametrize(
    ("settings", "complaint"),
    [
        (Settings(density=0), "density is a fraction"),
        (Settings(density=1.5), "density is a fraction"),
        (Settings(batch=0), "batch of 0 images"),
        (Settings(batch=701), "batch of 701 images, but each of 2 workers has 700"),
    ],
)
def test_settings_that_cannot_be_are_refused(data: Digits, settings: Settings, complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        Replica(0, 2, settings, data)


def test_records_hold_every_step_and_the_result(tmp_path: Path, data: Digits) -> None:
    [member] = Meeting(1).members
    replica = Replica(0, 1, SHORT, data)
    with Records(tmp_path, 0) as records:
        for metrics in train(replica, member):
            records.add(metrics)
            lines = (tmp_path / "worker-0" / "metrics.jsonl").read_text().splitlines()
            assert len(lines) == metrics.step, "a step is on disk as soon as it is done"
        records.finish(replica, metrics)

    assert json.loads(lines[0]).keys() == {
        "step", "loss", "accuracy", "bytes_sent", "bytes_received", "packets_sent", "retransmissions", "seconds",
    }  # fmt: skip
    assert json.loads(lines[0])["accuracy"] is None
    result = json.loads((tmp_path / "worker-0" / "result.json").read_text())
    assert result["weights_sha256"] == replica.weights_sha256()
    assert result["test_accuracy"] == json.loads(lines[-1])["accuracy"]
    assert (result["rank"], result["workers"], result["steps"], result["bytes_sent"]) == (0, 1, 12, 12 * 17226 * 4)
    np.testing.assert_array_equal(np.load(tmp_path / "worker-0" / "weights.npy"), replica.parameters)


def test_a_new_run_leaves_no_result_of_an_earlier_one(tmp_path: Path) -> None:
    (tmp_path / "worker-0").mkdir()
    (tmp_path / "worker-0" / "result.json").write_text("{}")
    (tmp_path / "worker-0" / "metrics.jsonl").write_text("{}\n")

    with Records(tmp_path, 0):
        pass

    assert [(path.name, path.read_text()) for path in (tmp_path / "worker-0").iterdir()] == [("metrics.jsonl", "")]
