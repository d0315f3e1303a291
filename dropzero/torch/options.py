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
"""Random numbers of jobs are from FIRST to END - 1."""


@dataclass(frozen=True)
class Options:
    """The `pg_options` of init_process_group and new_group. A group without its own has those of the first group,
    except `job`.

    Attributes:
        controller: its address, as for dropzero.connect. Default: DROPZERO_CONTROLLER, or the controller's own default.
        job: the job's number. Default: DROPZERO_JOB for the first group; for others, or without it, a number that no
            other group has.
        ip: this host's address in the network. Default: DROPZERO_IP, or that of the first interface.
        block, width: of floats in the switch: see Communicator.all_reduce.
        channels: collectives that may be under way at once, each in its own job. The number of the group's first rank
            applies to all.
        lanes, token, when_full: see dropzero.connect.
        tls: see dropzero.connect. Default: DROPZERO_TLS_CERT, DROPZERO_TLS_KEY and DROPZERO_TLS_CA.

    Raises:
        ValueError: there is no channel, or blocks have no such size or width.
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
    """Returns numbers for jobs that no other group of this program has.

    The program draws the first one, so that other programs hardly have it, and then counts on. after: the last number
    that the first group has drawn; None: none.
    """
    first, taken = SystemRandom().randrange(FIRST, END) if after is None else after, count
    if distributed.is_initialized():
        store: Any = distributed.distributed_c10d._get_default_store()
        first = int(store.compare_set("dropzero/first job", "", str(first)))
        taken = store.add("dropzero/jobs", count)
    return [FIRST + (first - FIRST + taken - each) % (END - FIRST) for each in reversed(range(count))]
