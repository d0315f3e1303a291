"""How a process group reaches its switch."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from random import SystemRandom
from typing import Any

from torch import distributed

from dropzero.membership.access import CONTROLLER_VARIABLE, DEFAULT_CONTROLLER, Tls
from dropzero.protocol.wire import block_sizes
from dropzero.worker import environment
from dropzero.worker.communicator import Reduction, WhenFull

FIRST, END = 1024, 1 << 16
"""The numbers of the jobs that nobody has numbered: of all groups but the first one."""


@dataclass(frozen=True)
class Options:
    """The `pg_options` of init_process_group and new_group. All groups have the first one's, other than `job`, unless
    they get their own.

    Attributes:
        controller: its address, the same as for dropzero.connect; by default DROPZERO_CONTROLLER of the environment, or
            where a controller listens that was not told where.
        job: the job's number; by default DROPZERO_JOB for the first group, and for the others, or without it, a number
            that no other of them has.
        ip: this host's address in the network; by default DROPZERO_IP, or that of the first interface.
        block, width: of floats in the switch: see Communicator.all_reduce.
        channels: collectives that may be under way at once, each in a job of its own; that of the group's first rank
            counts.
        lanes, token, when_full: see dropzero.connect.
        tls: see dropzero.connect; by default the environment's DROPZERO_TLS_CERT, DROPZERO_TLS_KEY and DROPZERO_TLS_CA.
    """

    controller: str = field(default_factory=lambda: os.environ.get(CONTROLLER_VARIABLE) or DEFAULT_CONTROLLER)
    job: int | None = None
    ip: str | None = field(default_factory=environment.ip)
    block: int = 0
    width: int = 32
    channels: int = 2
    lanes: int = 0
    token: str = ""
    when_full: WhenFull = "refuse"
    tls: Tls | None = field(default_factory=environment.tls)

    def __post_init__(self) -> None:
        if self.channels < 1:
            raise ValueError(f"a process group has at least 1 channel, not {self.channels}")
        sizes = block_sizes(Reduction("sum", self.block, self.width, few_bits=False).form)
        if self.block not in (0, *sizes):
            raise ValueError(f"a block of {self.width}-bit elements has one of {sizes}, not {self.block}")


def free_jobs(count: int, after: int | None) -> list[int]:
    """Numbers for jobs, other than those that this call gave to the others of this program's processes. Its first
    one is drawn, so that it is hardly another program's, unless the program already has drawn others, up to `after`."""
    first, taken = SystemRandom().randrange(FIRST, END) if after is None else after, count
    if distributed.is_initialized():
        store: Any = distributed.distributed_c10d._get_default_store()
        first = int(store.compare_set("dropzero/first job", "", str(first)))
        taken = store.add("dropzero/jobs", count)
    return [FIRST + (first - FIRST + taken - each) % (END - FIRST) for each in reversed(range(count))]
