"""A worker of a job that does not wait for the slowest: one lane, 256 numbers in a round.

python worker.py CONTROLLER IP WORKERS RANK SECONDS takes SECONDS for a step on average, and prints its results.
"""

from __future__ import annotations

import random
import select
import socket
import sys
import time
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from dropzero.membership.client import Membership
from dropzero.protocol.packet import Column, Packet
from dropzero.protocol.wire import MAX_PAYLOAD, Kind, ranks

SCALE = 1 << 16
"""Numbers are sent as multiples of 1 / SCALE. Sums must stay below 2^31 / SCALE."""
ROUNDS = 20
TIMEOUT = 0.05
"""Seconds after which a contribution is sent again."""


class Worker:
    """A worker's place in a job. The arguments are as for `dropzero.connect`.

    Attributes:
        round: its next round.
    """

    def __init__(self, controller: str, job: int, size: int, rank: int, ip: str) -> None:
        self.membership, self.socket = Membership(controller), socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.bind((ip, 0))
        port = self.socket.getsockname()[1]
        self.place = self.membership.join(job=job, size=size, rank=rank, ip=ip, udp_port=port, lanes=1)
        self.socket.connect((self.place.switch_ip, self.place.switch_port))
        self.round = 0

    def mean(self, values: NDArray[np.float64]) -> tuple[NDArray[np.float64], tuple[int, ...]]:
        """Returns the mean of the values, shape (256,), over the contributors to the latest round, and their ranks. For
        a late worker, that is a later round than its own, without its values."""
        words = np.rint(values * SCALE).astype(np.int32).reshape(8, 32)
        result: Packet | None = None
        while result is None:
            if self.place.epoch != (here := self.membership.place).epoch:
                self.place, self.round = here, 0
            mine = Packet(Kind.CONTRIBUTION, here.job, 0, here.epoch, self.round, here.rank, secret=here.secret)
            self.socket.send(replace(mine, columns=(Column(),), data=dict(enumerate(words))).encode())
            while select.select([self.socket], [], [], 0 if result else TIMEOUT)[0]:
                answer = Packet.decode(self.socket.recv(MAX_PAYLOAD))
                known = (answer.kind, answer.epoch, answer.secret) == (Kind.RESULT, here.epoch, here.secret)
                if known and answer.round >= self.round:
                    result, self.round = answer, answer.round + 1
        total = np.concatenate([result.data[column] for column in range(8)])
        return total / SCALE / result.workers.bit_count(), ranks(result.workers)


if __name__ == "__main__":
    controller, ip, size, rank, seconds = sys.argv[1:]
    worker = Worker(controller, 1, int(size), int(rank), ip)
    with worker.membership, worker.socket:
        while worker.round < ROUNDS:
            time.sleep(random.expovariate(1 / float(seconds)))
            mean, contributors = worker.mean(np.full(256, float(rank)))
            assert (mean == np.mean(contributors)).all()
            print(f"round {worker.round - 1}: {mean[0]:.3f} is the mean of {contributors}")
