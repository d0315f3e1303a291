"""Ports go down and up with their interfaces."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest

from dropzero.softswitch.engine.switch import Switch
from dropzero.softswitch.ports.port_status import PortStatus
from tests.support.namespace import Namespace


@pytest.fixture
def status(namespace: Namespace, switch: Switch) -> Iterator[PortStatus]:
    with namespace.inside():
        made = PortStatus(switch, {1: "sw1", 2: "sw2", 3: "sw3"})
    yield made
    made.close()


def test_the_switch_hears_of_interfaces_that_go_down_and_up(
    namespace: Namespace, switch: Switch, status: PortStatus
) -> None:
    changes: list[frozenset[int]] = []

    async def run() -> None:
        changed = asyncio.Event()

        def note(down: frozenset[int]) -> None:
            changes.append(down)
            changed.set()

        async def change(*command: str) -> None:
            changed.clear()
            namespace.ip("link", *command)
            await asyncio.wait_for(changed.wait(), 60)

        switch.ports_changed = note
        status.attach()
        await change("set", "h2", "down")
        await change("set", "h2", "up")
        await change("del", "sw1")

    asyncio.run(run())
    assert changes == [frozenset(each) for each in ({3}, {2, 3}, {3}, {1, 3})]
    assert switch.ports_down == {1, 3}
