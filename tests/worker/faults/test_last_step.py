"""What a worker still does when a call's sum is known, such as copying it, ends the call on this worker alone by no
error of its own: not by a lack of memory, by numpy's or Python's options, or by a signal."""

from __future__ import annotations

import itertools
import json
import os
import subprocess
import sys
import time
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dropzero
from dropzero.membership.client import Membership
from dropzero.protocol.lanes.lanes import Lanes
from dropzero.worker.communicator import Communicator
from dropzero.worker.errors import Stalled
from dropzero.worker.history import SPARE
from tests.support.interrupted import Interrupted
from tests.support.loopback import HOST, loopback

PROGRAM = """
import json, os, resource, signal, sys, warnings
import numpy as np
import dropzero

def outcome(call):
    try:
        total = call()
    except Exception:
        return "an error"
    return [str(np.asarray(total).dtype), np.asarray(total).reshape(-1)[:3].astype(float).tolist()]

def room(megabytes):
    size = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (size + (megabytes << 20), resource.RLIM_INFINITY))

def raising(*_):
    if network._busy:  # Not in this program's own code between its calls.
        known.append(network._caller._lanes.done)
        raise TimeoutError("a signal")

with dropzero.connect({controller!r}, 1, 2, rank=int(sys.argv[1]), ip={ip!r}, stall=30) as network:
    said = []
{work}
    print(json.dumps(said))
"""
MEMORY = """
    for dtype, operation in [(np.float32, "sum"), (np.float32, "max"), (np.float16, "mean"), (np.int32, "mean")]:
        array = np.ones(4_000_000, dtype)
        for megabytes in (24, 40, 56):
            if network.rank == 1:
                room(megabytes)
            said.append(outcome(lambda: network.all_reduce(array, operation=operation)))
            resource.setrlimit(resource.RLIMIT_AS, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    for collective in (network.broadcast, network.all_gather):
        for megabytes in (24, 40, 56):
            if network.rank == 1:
                room(megabytes)
            said.append(outcome(lambda: collective(array)))
            resource.setrlimit(resource.RLIMIT_AS, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
"""
OPTIONS = """
    if network.rank == 1:
        {option}
    for size in (7, 10_000):
        array = np.full(size, 60_000, np.float16)
        said.append(outcome(lambda: network.all_reduce(array)))
        said.append(outcome(lambda: network.all_reduce_async(array).result()))
        said.append(outcome(lambda: network.all_reduce_many([array, array])[1]))
        said.append(outcome(lambda: network.sparse_all_reduce(np.array([5, 5]), array[:2].reshape(2, 1))[1]))
        said.append(outcome(lambda: network.all_reduce(np.full(size, 1e-30, np.float32) ** 1.25, operation="mean")))
        said.append(outcome(lambda: network.all_reduce(np.full(size, np.nan, np.float32), operation="max")))
"""
SIGNALS = """
    array, out = np.ones(1_000_000, np.float32), np.empty(1_000_000, np.float32)
    signal.signal(signal.SIGALRM, raising)
    network.barrier()
    for step in range(60):
        if network.rank == 1 and step % 2 == 0:
            signal.setitimer(signal.ITIMER_REAL, 0.0005 * (1 + step / 4))
        call = [lambda: network.all_reduce(array), lambda: network.all_reduce(array, out=out)][step // 2 % 2]
        known = []
        said.append([outcome(call), known])
    signal.setitimer(signal.ITIMER_REAL, 0)
    # An error that came too late for the last call would be raised at the end.
    network._late = None
"""
STEP = 5
"""How far apart the function calls are at which a worker that enters an epoch is interrupted."""


def outcomes(folder: Path, work: str) -> tuple[list[Any], list[Any]]:
    """Runs a program on two workers. Returns what each says."""
    with ExitStack() as stack:
        program = PROGRAM.format(controller=stack.enter_context(loopback(folder)), ip=HOST, work=work)
        processes = [
            subprocess.Popen(
                [sys.executable, "-c", program, str(rank)],
                stdout=subprocess.PIPE,
                text=True,
                env=os.environ | {"OMP_NUM_THREADS": "1"},
            )
            for rank in range(2)
        ]
        for each in processes:
            stack.callback(each.kill)
        first, second = (json.loads(each.communicate()[0]) for each in processes)
        return first, second


def test_a_lack_of_memory_ends_a_call_on_all_workers_or_on_none(tmp_path: Path) -> None:
    first, second = outcomes(tmp_path, MEMORY)
    assert first == second
    # Some limits were too low, and some high enough.
    assert "an error" in first
    assert ["float32", [2, 2, 2]] in first


@pytest.mark.parametrize("option", ['np.seterr(all="raise")', 'warnings.simplefilter("error")'])
def test_options_that_make_numpy_raise_change_no_result(tmp_path: Path, option: str) -> None:
    first, second = outcomes(tmp_path, OPTIONS.format(option=option))
    assert str(first) == str(second)
    assert "an error" not in first
    assert first[0] == ["float16", [float("inf")] * 3]


def test_a_signal_handler_that_raises_when_the_sum_is_known_ends_no_call(tmp_path: Path) -> None:
    first, second = outcomes(tmp_path, SIGNALS)
    for (others, _), (outcome, known) in zip(first, second, strict=True):
        # Before, another worker may have the sum already: then it keeps it.
        assert others == outcome or (outcome == "an error" and not any(known))
    assert ["an error", []] in first
    assert [["float32", [2, 2, 2]], []] in first
    assert any(True in known for _, known in second)


def test_an_exception_at_any_function_call_gives_an_error_or_this_calls_result(tmp_path: Path) -> None:
    """Never that of an earlier call."""
    errors = results = 0
    with loopback(tmp_path) as controller, dropzero.connect(controller, 1, 1, ip=HOST) as network:
        for last in itertools.count(1):
            # Begins the new epoch after an error.
            network.all_reduce(np.zeros(3, np.int32))
            try:
                with Interrupted(last) as interrupted:
                    total = network.all_reduce(np.full(3, last, np.int32))
            except TimeoutError:
                errors += 1
                continue
            assert total.tolist() == 3 * [last]
            if interrupted.left > 0:
                break
            results += 1
            with pytest.raises(TimeoutError):
                network.barrier()
    assert errors > results > 0


def test_an_exception_while_a_worker_enters_an_epoch_ends_one_call(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also if the next call begins before the worker hears of the epoch that this leads to."""
    learn, enter, entered = Membership._learn, Lanes.enter, False

    def learn_late(*arguments: Any) -> None:
        time.sleep(0.05)
        learn(*arguments)

    monkeypatch.setattr(Membership, "_learn", learn_late)
    with loopback(tmp_path) as controller, dropzero.connect(controller, 1, 1, ip=HOST) as network:
        for point in itertools.count(1, STEP):

            def enter_partly(*place: Any, point: int = point, **options: Any) -> None:
                nonlocal entered
                with Interrupted(point):
                    enter(*place, **options)
                    entered = True

            with pytest.raises(Stalled):
                network.barrier(timeout=0)
            with monkeypatch.context() as patched, suppress(TimeoutError):
                patched.setattr(Lanes, "enter", enter_partly)
                network.barrier()
            for value in range(2):
                assert network.all_reduce(np.full(3, value, np.int32)).tolist() == 3 * [value]
            if entered:
                break
    assert point > STEP


def test_a_collective_that_is_repeated_gets_the_results_of_all_of_its_calls(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No later one of them has taken their memory."""
    finish, late = Communicator._all_reduce, [TimeoutError("a signal")]

    def finish_late(*arguments: Any, **options: Any) -> Any:
        total = finish(*arguments, **options)
        if late:
            raise late.pop()
        return total

    monkeypatch.setattr(Communicator, "_all_reduce", finish_late)
    indices = np.arange(SPARE[0] // 4, dtype=np.int32)
    rows = np.ones((len(indices), 1), np.float32)
    with (
        loopback(tmp_path) as controller,
        dropzero.connect(controller, 1, 1, ip=HOST, nonfinite="raise") as network,
    ):
        union, total = network.sparse_all_reduce(3 * indices, rows)
        with pytest.raises(TimeoutError):
            network.barrier()
    assert union.tolist() == (3 * indices).tolist()
    assert total.tolist() == rows.tolist()
