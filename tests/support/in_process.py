"""Networks of switches in this process, without sockets: thousands of packets per second."""

from __future__ import annotations

from dropzero.protocol.wire import HEADROOM
from dropzero.simulator.in_process import InProcessSwitch, ip
from dropzero.simulator.tree import Node, Shape
from tests.support.network import Fabric


def rack(workers: int, lanes: int, growth: int = HEADROOM) -> Fabric:
    """One rack on one compiled program. growth: by how many bytes its packets may get longer."""
    switch = InProcessSwitch(list(range(workers)), lanes)
    _let_grow(switch, growth)
    return Fabric({"switch": switch.receive}, ["switch"] * workers)


def _let_grow(switch: InProcessSwitch, growth: int) -> None:
    switch.device.set_default("reply.growth", "reply.grow_by", {"bytes": growth})


def switches(shape: Shape, lanes: int, growth: int = HEADROOM) -> dict[Node, InProcessSwitch]:
    """The switches of a tree, each running the compiled program. growth: as for a rack."""
    addresses: dict[Node, int] = {switch: ip(254 - i) for i, switch in enumerate(shape.parents)}
    addresses |= {rank: ip(1 + rank) for rank in range(len(shape.homes))}
    made = {
        switch: InProcessSwitch(shape.around(switch), lanes, addresses[switch], addresses, parent, shape.number(switch))
        for switch, parent in shape.parents.items()
    }
    for switch in made.values():
        _let_grow(switch, growth)
    return made


def tree(shape: Shape, lanes: int) -> Fabric:
    """A tree of switches on the compiled program, as a network."""
    return Fabric({name: switch.receive for name, switch in switches(shape, lanes).items()}, shape.homes)
