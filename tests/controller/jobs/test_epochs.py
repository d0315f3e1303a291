"""Epochs are never reused, whatever restarts and whatever the clock says."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from ipaddress import IPv4Address
from pathlib import Path
from typing import cast

from hypothesis import given
from hypothesis import strategies as st

from dropzero.controller.jobs.epochs import END, RANGE, Epochs, taken_with
from dropzero.controller.jobs.jobs import Job, Jobs, Terms, Worker
from dropzero.controller.jobs.roster import Roster
from dropzero.controller.p4runtime.device import Device, Group
from dropzero.controller.switches.rows import JOB_TABLE
from dropzero.controller.switches.switch import Switch
from dropzero.membership.client import Membership
from dropzero.p4.names import Entry
from dropzero.simulator.in_process import InProcessDevice, program
from dropzero.softswitch.engine.engine import Engine
from tests.support.controller import FakeSwitch, running

WORKER = Worker(IPv4Address("10.0.0.1"), 1, 40000, 1)


def test_epochs_count_up_from_1_and_from_those_that_are_outrun() -> None:
    epochs = Epochs()
    assert [next(epochs) for _ in range(3)] == [1, 2, 3]
    epochs.outrun(700)
    epochs.outrun(5)
    assert next(epochs) == 701


def test_an_epoch_that_a_worker_knows_is_passed_over_only_if_a_controller_may_have_begun_it() -> None:
    epochs = Epochs()
    epochs.pass_over(RANGE + 1)
    assert next(epochs) == 1
    epochs.pass_over(RANGE + 1)
    assert next(epochs) == RANGE + 2


@given(st.integers(1, END - 1))
def test_an_epoch_is_taken_together_with_its_range(epoch: int) -> None:
    assert epoch < taken_with(epoch) <= min(epoch + RANGE, END)


def test_a_restarted_controller_reuses_no_epoch_even_without_jobs(tmp_path: Path) -> None:
    switch, epochs = FakeSwitch(), []
    for turn in range(3):
        with running(f"unix:{tmp_path}/{turn}.sock", switch) as controller, Membership(controller.address) as member:
            epochs.append(controller.joining(member, 1, size=1).result(600).epoch)
            member.leave()
            assert not switch.jobs
    assert epochs == sorted(set(epochs))


def test_jobs_continue_above_the_taken_epochs_of_a_returning_switch() -> None:
    async def play() -> None:
        switch = FakeSwitch()
        roster = Roster(Jobs(64, Epochs()), switch, lambda _: None)
        roster.join(0, Terms(1), WORKER)
        switch.epochs = 5000
        switch.jobs.clear()
        await roster.restore(lambda: None)
        assert switch.jobs[0].epoch >= 5000

    asyncio.run(play())


class Watched(InProcessDevice):
    """Checks that an epoch is taken before a row has it."""

    writes = 0

    def set_default(self, table: str, action: str, parameters: Mapping[str, int]) -> None:
        self.writes += 1
        assert parameters["epochs"] > self.default(table).parameters["epochs"]
        super().set_default(table, action, parameters)

    def insert(self, *entities: Entry | Group) -> None:
        self._check(entities)
        super().insert(*entities)

    def modify(self, *entities: Entry | Group) -> None:
        self._check(entities)
        super().modify(*entities)

    def _check(self, entities: tuple[Entry | Group, ...]) -> None:
        for each in entities:
            if isinstance(each, Entry) and each.table == JOB_TABLE:
                assert each.parameters["epoch"] < self.default("address").parameters["epochs"]


def test_an_epoch_is_recorded_as_taken_before_a_row_uses_it_with_few_writes() -> None:
    device = Watched(Engine(program(), seed=1))
    for controller in range(3):
        switch = Switch(cast(Device, device))
        switch.learn()
        first = switch.taken()
        for epoch in range(max(first, 1), first + RANGE):
            switch.sync(1, Job(1, epoch, 1, 1, {}, {0: WORKER}, here=range(1)))
        assert device.writes == controller + 1
        assert switch.taken() == (controller + 1) * RANGE
    switch.sync(1, None)
    assert Switch(cast(Device, device)).taken() == 3 * RANGE
