"""Adds up dense arrays for a number of seconds, from when the workers of all jobs are ready. Prints when each sum was
done, by the machine's clock."""

from __future__ import annotations

import sys
import time
from pathlib import Path

import numpy as np

import dropzero


def main() -> None:
    controller, job, size, rank, lanes, seconds = sys.argv[1], *map(int, sys.argv[2:6]), float(sys.argv[6])
    folder, workers = Path(sys.argv[7]), int(sys.argv[8])
    with dropzero.connect(controller, job, size, rank=rank, lanes=lanes) as network:
        array = np.ones(1 << 15, np.int32)
        (folder / f"ready-{job}-{rank}").touch()
        while len(list(folder.glob("ready-*"))) < workers:
            time.sleep(0.01)
        network.barrier()
        end = time.monotonic() + seconds
        done = False
        while not done:
            # All workers of a job stop after the same call.
            array[0] = time.monotonic() > end
            done = bool(network.all_reduce(array, block=32)[0])
            print(time.monotonic(), flush=True)


if __name__ == "__main__":
    main()
