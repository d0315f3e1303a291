"""`python -m tests.support.rehearsal`: compiles what most of the tests' processes would otherwise compile at once."""

from __future__ import annotations

from concurrent.futures import ProcessPoolExecutor, wait

import numpy as np

from dropzero.compressors.in_process import InProcessNetwork
from dropzero.softswitch import daemon
from dropzero.worker import pump
from lab.bench import compressors, events
from lab.bench.papers import switchml


def workers_and_simulator() -> None:
    """In this order: the simulator's code includes the workers'."""
    pump.rehearse()
    list(events.measure(2, 4000, 10**10))
    switchml.workers(4000, (2,))


def switch() -> None:
    daemon.rehearse()
    events.program(10)


def sums_without_network() -> None:
    InProcessNetwork(2).all_reduce(np.ones((2, 64), np.float32))
    compressors.measure(megabytes=1, rounds=1)


if __name__ == "__main__":
    with ProcessPoolExecutor() as processes:
        parts = (workers_and_simulator, switch, sums_without_network)
        for done in wait([processes.submit(each) for each in parts]).done:
            done.result()
