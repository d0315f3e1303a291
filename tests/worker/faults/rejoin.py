"""Workers that abort, crash and are killed, and join the next job of the same number at once, as after a fault under
torchrun. Run for long with

    python -m tests.worker.faults.rejoin --rounds 200

Prints a line for each worker of each round: what happens to it, and the seconds that it took to join and to add up.
Fails if a round's job is not that of all its workers.
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

import dropzero
from dropzero.worker.pump import rehearse
from tests.support.loopback import HOST, loopback

JOB = 7
FAULTS = ("all abort", "one aborts", "one raises", "one is killed", "half are killed", "all are killed")


def victims(fault: str, size: int, number: int) -> set[int]:
    """The workers that begin the fault of a round."""
    count = {"one": 1, "half": size // 2, "all": size}[fault.split()[0]]
    return set(random.Random(number).sample(range(size), count))


def round_of(controller: str, worker: int, size: int, number: int) -> None:
    """Joins the job of one round, adds up, and takes part in the fault."""
    fault = FAULTS[number % len(FAULTS)]
    began = time.monotonic()
    network = dropzero.connect(controller, JOB, size, ip=HOST, on_loss="raise", timeout=30)
    total = network.all_reduce(np.ones(100, np.int32))
    if total[0] != size or network.contributors != tuple(range(size)):
        raise AssertionError(f"round {number} lost a worker that had done nothing: {network.contributors}")
    print(f"round {number} ({fault}) worker {worker} of {size}: {time.monotonic() - began:.2f} s", flush=True)
    try:
        network.barrier()
        if worker in victims(fault, size, number):
            if "killed" in fault:
                os.kill(os.getpid(), signal.SIGKILL)
            if "raises" in fault:
                with network:
                    raise ValueError("a fault")
            network.abort()
        network.all_reduce(np.ones(100, np.int32))
    except (dropzero.ProtocolError, ValueError):
        pass
    else:
        raise AssertionError(f"round {number} ({fault}) had no fault")
    network.abort()
    network.close()


def work(controller: str, worker: int, size: int, first: int, rounds: int) -> int:
    """Starts a process that takes part in the rounds from `first` on. Returns its id."""
    if child := os.fork():
        return child
    try:
        for number in range(first, rounds):
            round_of(controller, worker, size, number)
    except BaseException as error:
        print(f"worker {worker} of {size}: {type(error).__name__}: {error}", flush=True)
        os._exit(1)
    os._exit(0)


def play(controller: str, size: int, rounds: int) -> bool:
    """Runs rounds of one size, and restarts the workers that are killed. Returns whether all went well."""
    well = True
    running = {work(controller, worker, size, 0, rounds): (worker, 0) for worker in range(size)}
    while running:
        child, status = os.wait()
        worker, first = running.pop(child)
        if os.WIFSIGNALED(status):
            # It is killed in the first round in which it must be.
            killed = (
                number
                for number in range(first, rounds)
                if "killed" in (fault := FAULTS[number % len(FAULTS)]) and worker in victims(fault, size, number)
            )
            first = next(killed) + 1
            running[work(controller, worker, size, first, rounds)] = worker, first
        elif status:
            well = False
    return well


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=200)
    parser.add_argument("--sizes", type=int, nargs="+", default=list(range(2, 9)))
    asked = parser.parse_args()
    # Before the processes are forked, so that their rounds take no time to load code.
    rehearse()
    each = -(-asked.rounds // len(asked.sizes))
    with tempfile.TemporaryDirectory() as folder, loopback(Path(folder)) as controller:
        well = [play(controller, size, each) for size in asked.sizes]
    sys.exit(not all(well))


if __name__ == "__main__":
    main()
