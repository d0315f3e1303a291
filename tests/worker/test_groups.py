"""Groups are jobs of their own: a program may make and end many."""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import numpy as np
import pytest

import dropzero
from dropzero.controller.p4runtime.device import Device
from dropzero.controller.switches.switch import Switch
from dropzero.membership.client import MembershipError
from tests.support.loopback import HOST, at_once, loopback

WORKERS = 2


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    folder = tmp_path_factory.mktemp("groups")
    with loopback(folder):
        yield folder


def member(folder: Path, job: int, rank: int, lanes: int = 0) -> dropzero.Communicator:
    return dropzero.connect(f"unix:{folder}/c.sock", job, WORKERS, rank=rank, ip=HOST, lanes=lanes)


def processes() -> list[int]:
    """This process, and those of the switch and of the controller."""
    task = Path(f"/proc/self/task/{os.getpid()}/children")
    return [os.getpid(), *map(int, task.read_text().split())]


def on_the_switch(switch: Switch) -> tuple[int, int, int]:
    """The numbers of rows, multicast groups, and slots in use."""
    return len(switch.device.entries()), len(switch.device.groups()), len(switch.slots())


def in_processes() -> list[int]:
    """The numbers of each process's files, sockets among them, and of its threads."""
    return [len(os.listdir(f"/proc/{pid}/{what}")) for pid in processes() for what in ("fd", "task")]


def test_two_hundred_groups_leave_nothing_behind(folder: Path) -> None:
    def part(groups: int, rank: int) -> list[float]:
        sums = []
        with member(folder, 1, rank) as everybody:
            for group in range(groups):
                with member(folder, 2 + group, rank) as few:
                    sums.append(float(few.all_reduce(np.full(1, group, np.float32))[0]))
            everybody.barrier()
        return sums

    with Device(f"unix:{folder}/a.sock") as device:
        switch = Switch(device)
        at_once(*(partial(part, 2, rank) for rank in range(WORKERS)))
        rows, before = on_the_switch(switch), in_processes()
        assert at_once(*(partial(part, 200, rank) for rank in range(WORKERS))) == [[2.0 * g for g in range(200)]] * 2
        assert on_the_switch(switch) == rows
    # Threads that serve requests come and go: a leak would be one a group.
    assert all(after - earlier < 20 for earlier, after in zip(before, in_processes(), strict=True))


def test_a_group_without_room_is_refused_and_the_others_go_on(folder: Path) -> None:
    first = at_once(*(partial(member, folder, 1, rank, 1024) for rank in range(WORKERS)))
    more = [at_once(*(partial(member, folder, job, rank, 1024) for rank in range(WORKERS))) for job in (2, 3, 4)]
    with pytest.raises(MembershipError, match="no room for job 5: "):
        member(folder, 5, 0)
    for group in more:
        at_once(*(each.close for each in group))
    at_once(*(each.barrier for each in first))
    at_once(*(each.close for each in first))
