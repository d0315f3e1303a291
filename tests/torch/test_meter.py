"""The bytes and seconds of a training loop's steps."""

from __future__ import annotations

import threading
from time import sleep

import pytest
import torch

import dropzero.torch
from dropzero.torch.busy import Busy
from dropzero.torch.process_group import Group
from tests.torch.groups import in_group


class Log:
    """A writer like TensorBoard's."""

    def __init__(self) -> None:
        self.scalars: dict[str, list[tuple[int, float]]] = {}

    def add_scalar(self, tag: str, scalar_value: float, global_step: int) -> None:
        self.scalars.setdefault(tag, []).append((global_step, scalar_value))


def test_each_step_has_its_own_bytes_and_seconds(controller: str) -> None:
    def work(group: Group) -> None:
        log = Log()
        meter = dropzero.torch.Meter(group, writer=log, tag="net")
        steps = []
        for elements in (100_000, 200_000, 0):
            if elements:
                group.allreduce([torch.ones(elements)]).wait()
            steps.append(meter.step())
        small, large, none = steps
        assert small.bytes_sent >= 400_000
        assert small.bytes_received >= 400_000
        assert large.bytes_sent >= 800_000
        assert none.bytes_sent < 400_000
        assert 0 < small.communication <= small.seconds
        assert 0 <= small.overlap <= 1
        assert (none.communication, none.exposed, none.overlap, none.bus_bandwidth) == (0, 0, 0, 0)
        busier = max(large.bytes_sent, large.bytes_received)
        assert large.bus_bandwidth == pytest.approx(8 * busier / large.communication)
        assert none.seconds > 0
        assert log.scalars["net/bytes_sent"] == [(index, step.bytes_sent) for index, step in enumerate(steps)]
        assert set(log.scalars) == {f"net/{name}" for name in (*small._fields, "overlap", "bus_bandwidth")}

    in_group(controller, work, 2)


def test_calls_beside_each_other_count_once_and_those_before_the_last_are_hidden() -> None:
    busy = Busy()
    busy.added()
    begun, hold = threading.Barrier(3), threading.Event()

    def call() -> None:
        with busy.during():
            begun.wait()
            hold.wait()

    calls = [threading.Thread(target=call) for _ in range(2)]
    for each in calls:
        each.start()
    begun.wait()
    sleep(0.2)
    busy.added()
    hidden, nothing = busy.seconds
    assert hidden >= 0.2
    assert nothing < hidden
    sleep(0.1)
    hold.set()
    for each in calls:
        each.join()
    total, exposed = busy.seconds
    assert 0.1 <= exposed < total
    assert total - exposed == pytest.approx(hidden, abs=0.01 + nothing)
    sleep(0.1)
    assert busy.seconds == (total, exposed)


def test_another_backend_is_refused() -> None:
    with pytest.raises(TypeError, match="needs a process group of the backend dropzero"):
        dropzero.torch.Meter(object())
