from __future__ import annotations

import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from threading import Barrier
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from dropzero.compressors.compression import Compression
from dropzero.compressors.in_process import InProcessNetwork
from dropzero.compressors.network import Operation, Scaled
from dropzero.compressors.spec import density_spec
from dropzero.problems import digits
from dropzero.problems.digits import Digits
from dropzero.training.records import Records
from dropzero.training.replica import SECTIONS, Metrics, Replica, Settings, densities, train
from tests.support.training_in_process import train_in_process

SHORT = Settings(steps=12)


@pytest.fixture(scope="module")
def data() -> Digits:
    return digits.load()


class Meeting:
    """A network for each worker, each on its own thread, with the sums of an InProcessNetwork."""

    def __init__(self, size: int) -> None:
        self.ensemble = InProcessNetwork(size)
        self.barrier = Barrier(size, timeout=600)
        self.rows: list[NDArray[Any]] = [np.empty(0)] * size
        self.exponents = np.zeros(0, np.uint8)
        self.members = [Member(self, rank) for rank in range(size)]

    def together(
        self, rank: int, row: NDArray[Any], collective: Callable[[NDArray[Any]], NDArray[Any]]
    ) -> NDArray[Any]:
        """Makes a collective once for all workers. Returns its result."""
        self.rows[rank] = row
        if self.barrier.wait() == 0:
            self.result = collective(np.stack(self.rows))
        self.barrier.wait()
        return self.result


class Member:
    def __init__(self, meeting: Meeting, rank: int) -> None:
        self.meeting = meeting
        self.rank = rank
        self.size = meeting.barrier.parties

    @property
    def contributors(self) -> tuple[int, ...]:
        return tuple(range(self.size))

    @property
    def statistics(self) -> dict[str, int]:
        """The InProcessNetwork's statistics."""
        return self.meeting.ensemble.statistics

    def all_reduce(
        self,
        array: NDArray[Any],
        /,
        *,
        operation: Operation = "sum",
        block: int = 0,
        width: int = 32,
        few_bits: bool = False,
    ) -> NDArray[Any]:
        options: dict[str, Any] = {"operation": operation, "block": block or 32, "width": width, "few_bits": few_bits}
        return self.meeting.together(self.rank, array, lambda rows: self.meeting.ensemble.all_reduce(rows, **options))

    def all_reduce_scaled(self, array: NDArray[np.float32], /, *, block: int, width: int, few_bits: bool) -> Scaled:
        def summed(rows: NDArray[Any]) -> NDArray[Any]:
            total, self.meeting.exponents = self.meeting.ensemble.all_reduce_scaled(
                rows, block=block, width=width, few_bits=few_bits
            )
            return total

        return self.meeting.together(self.rank, array, summed), self.meeting.exponents

    def all_gather(self, array: NDArray[Any], /) -> NDArray[Any]:
        return self.meeting.together(self.rank, array, self.meeting.ensemble.all_gather)


class InFloats(InProcessNetwork):
    """Sums in float64, like a host."""

    def all_reduce(
        self,
        rows: NDArray[Any],
        /,
        *,
        operation: Operation = "sum",
        block: int = 32,
        width: int = 32,
        few_bits: bool = False,
    ) -> NDArray[Any]:
        assert operation == "sum"
        total: NDArray[Any] = rows.sum(axis=0, dtype=np.float64).astype(np.float32)
        return total


@pytest.mark.parametrize("workers", [1, 2, 4, 8])
@pytest.mark.parametrize("density", [0.1, 1.0])
def test_the_default_run_reaches_97_percent(data: Digits, workers: int, density: float) -> None:
    replicas = train_in_process(workers, Settings(compress=density_spec(density)), data)

    assert replicas[0].test_accuracy() >= 0.97
    assert len({replica.weights_sha256() for replica in replicas}) == 1


@pytest.mark.filterwarnings("ignore:the omega of")
@pytest.mark.parametrize(
    "compress",
    [
        "topk(0.1,block=32)+ef",
        "randk(0.1,block=32)+diana",
        "randk(0.1,block=32,shared)",
        "gtopk(0.02)+ef",
        "terngrad+diana",
        "qsgd(4,own)",
        "gaussiank(0.05,block=128)+ef+fixed8",
        "int",
        "onebit+ef",
    ],
)
def test_separate_workers_end_with_the_reference_weights(data: Digits, compress: str) -> None:
    settings = Settings(steps=6, compress=compress)

    def work(member: Member) -> tuple[list[Metrics], str]:
        replica = Replica(member.rank, member.size, settings, data)
        return list(train(replica, member)), replica.weights_sha256()

    meeting = Meeting(4)
    with ThreadPoolExecutor(4) as threads:
        outcomes = list(threads.map(work, meeting.members))

    assert {digest for _, digest in outcomes} == {train_in_process(4, settings, data)[0].weights_sha256()}
    assert len({metrics[0].loss for metrics, _ in outcomes}) == 4, "every worker has images of its own"


def test_a_worker_left_out_of_a_sum_adds_its_part_to_the_next(data: Digits) -> None:
    """Without compression, so that the next sum contains both gradients completely."""

    class Late(Member):
        @property
        def contributors(self) -> tuple[int, ...]:
            return (0,) if self.meeting.result.any() else ()

    class Away(InProcessNetwork):
        calls = 0

        def all_reduce(self, rows: NDArray[Any], /, **options: Any) -> NDArray[Any]:
            self.calls += 1
            return super().all_reduce(rows, **options) * np.float32(self.calls != 1)

    meeting = Meeting(1)
    meeting.ensemble = Away(1)
    compression = Compression("topk(1)+ef", Late(meeting, 0), 64)
    first, second = np.ones((2, 1, 64), np.float32)
    assert not compression.aggregate(first).total.any()
    np.testing.assert_array_equal(compression.aggregate(second).total, first[0] + second[0])


def test_a_newcomer_continues_from_the_others_weights_and_step(data: Digits) -> None:
    class Team:
        def __init__(self, state: dict[str, NDArray[Any]] | None) -> None:
            self.state = state
            self.given: list[dict[str, Any]] = []

        def admit(self, state: Any) -> None:
            self.given.append({name: np.array(value) for name, value in state.items()})

    old, new = Team(None), Team(None)
    replica = Replica(0, 1, SHORT, data)
    list(train(replica, Meeting(1).members[0], old))
    assert [int(each["step"]) for each in old.given] == list(range(SHORT.steps))
    assert {"weights", "settings", "spec", "step"} <= old.given[5].keys()
    new.state = dict(old.given[5], weights=old.given[5]["weights"].copy())
    late = Replica(0, 1, SHORT, data)
    assert [line.step for line in train(late, Meeting(1).members[0], new)] == list(range(6, SHORT.steps + 1))
    np.testing.assert_array_equal(new.given[0]["weights"], old.given[5]["weights"])
    for changed in ({"steps": 3}, {"compress": "none"}, {"learning_rate": 0.25}):
        with pytest.raises(ValueError, match=r"the job trains with Settings\(.*, this worker with Settings\("):
            next(train(Replica(0, 1, replace(SHORT, **changed), data), Meeting(1).members[0], new))


def test_metrics_show_the_progress(data: Digits) -> None:
    [member] = Meeting(1).members
    metrics = list(train(Replica(0, 1, SHORT, data), member))

    assert [line.step for line in metrics] == list(range(1, 13))
    assert [line.step for line in metrics if line.accuracy is not None] == [10, 12]
    assert metrics[-1].loss < metrics[0].loss
    # 54 blocks of 32 float32, and the headers of 16 lanes.
    assert metrics[0].bytes_sent == 54 * 128 + metrics[0].packets_sent * (42 + 24 + 72)
    assert metrics[0].packets_sent <= 16 + 54
    assert all(a.bytes_sent < b.bytes_sent for a, b in pairwise(metrics))
    assert all(a.seconds <= b.seconds for a, b in pairwise(metrics))


def test_a_run_repeats_bit_for_bit_and_another_seed_differs(data: Digits) -> None:
    def digest(settings: Settings) -> str:
        return train_in_process(2, settings, data)[0].weights_sha256()

    assert digest(SHORT) == digest(SHORT) != digest(replace(SHORT, seed=1))


@pytest.mark.parametrize("seed", [0, 1, 2])
@pytest.mark.parametrize(("density", "near"), [(0.1, 1e-3), (1.0, 1e-4)])
def test_fixed_point_sums_give_nearly_the_parameters_of_float_sums(
    data: Digits, density: float, near: float, seed: int
) -> None:
    """Blocks of nearly equal norm may be selected in another order, which costs an order of magnitude."""
    settings = Settings(compress=density_spec(density), seed=seed)
    exact = train_in_process(4, settings, data, InFloats(4))[0]
    np.testing.assert_allclose(train_in_process(4, settings, data)[0].parameters, exact.parameters, rtol=0, atol=near)


def test_diverging_training_is_reported_with_its_element(data: Digits) -> None:
    replica = Replica(0, 1, SHORT, data)
    replica.parameters[:] = np.nan
    [member] = Meeting(1).members

    with pytest.raises(FloatingPointError, match="gradient element 0 of 17226 is nan"):
        next(train(replica, member))


@pytest.mark.parametrize(
    ("settings", "complaint"),
    [
        (Settings(batch=0), "batch of 0 images"),
        (Settings(batch=701), "batch of 701 images, but each of 2 workers has 700"),
    ],
)
def test_invalid_settings_are_refused(data: Digits, settings: Settings, complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        Replica(0, 2, settings, data)


def test_densities_are_shares_of_blocks_by_their_place() -> None:
    message = np.zeros(32 * 128 + 5, np.float32)
    # One of the first section's two blocks, and the last, shorter block of the final section's three.
    message[40] = message[-1] = -1.0
    first, *others, last = bytes.fromhex(densities(message))
    assert (first, set(others), last) == (128, {0}, 85)
    assert len(others) == SECTIONS - 2
    assert densities(np.array([0.0] * 32 + [1.0], np.float32)) == "00ff"


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
        "step", "loss", "accuracy", "bytes_sent", "bytes_received", "packets_sent", "retransmissions", "congested",
        "window", "densities", "seconds",
    }  # fmt: skip
    assert json.loads(lines[0])["accuracy"] is None
    result = json.loads((tmp_path / "worker-0" / "result.json").read_text())
    assert result["compress"] == "topk(0.1,block=32)+ef"
    assert result["weights_sha256"] == replica.weights_sha256()
    assert result["test_accuracy"] == json.loads(lines[-1])["accuracy"]
    assert (result["rank"], result["workers"], result["steps"], result["bytes_sent"]) == (0, 1, 12, metrics.bytes_sent)
    np.testing.assert_array_equal(np.load(tmp_path / "worker-0" / "weights.npy"), replica.parameters)


def test_a_new_run_removes_the_result_of_an_earlier_one(tmp_path: Path) -> None:
    (tmp_path / "worker-0").mkdir()
    (tmp_path / "worker-0" / "result.json").write_text("{}")
    (tmp_path / "worker-0" / "metrics.jsonl").write_text("{}\n")

    with Records(tmp_path, 0):
        pass

    assert [(path.name, path.read_text()) for path in (tmp_path / "worker-0").iterdir()] == [("metrics.jsonl", "")]
