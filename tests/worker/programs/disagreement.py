"""The last worker makes another call than the others; each prints the error it gets."""

from __future__ import annotations

import sys

import numpy as np

import dropzero


def main() -> None:
    controller, job, size, rank = sys.argv[1], *map(int, sys.argv[2:5])
    with dropzero.connect(controller, job, size, rank=rank) as network:
        network.barrier()
        try:
            network.all_reduce(np.ones(1000 if rank == size - 1 else 999, np.float32), block=64)
        except dropzero.ProtocolError as error:
            print(error)


if __name__ == "__main__":
    main()
