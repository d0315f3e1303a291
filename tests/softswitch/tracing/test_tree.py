"""Steps of the switch, shown as a tree."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from dropzero.protocol.packet import Column, Packet
from dropzero.protocol.wire import Kind
from dropzero.simulator.in_process import MAC, InProcessSwitch, framed, ip, program
from dropzero.simulator.tree import EPOCH, JOB
from dropzero.softswitch.engine.switch import Switch
from dropzero.softswitch.program.model import Exact
from dropzero.softswitch.state.reports import Report
from dropzero.softswitch.tracing.text import lines, shown
from dropzero.softswitch.tracing.tree import follow, hexadecimal
from tests.support.bmv2_program import (
    Bmv2Program,
    assign,
    constant,
    extract,
    field,
    key,
    meta,
    primitive,
    standard,
)

ETHERNET = {"destination": 48, "source": 48, "type": 16}
ARRIVED = bytes.fromhex("020000000001 020000000002 0800 45")


def tree_of(
    made: Bmv2Program, set_up: Callable[[Switch], object] = lambda switch: None, packet: bytes = ARRIVED
) -> str:
    """Shows the steps of a packet that arrives at port 1."""
    reports: list[Report] = []
    switch = Switch(seed=1, follow=reports.append)
    switch.engine = switch.compile(made.program())
    set_up(switch)
    assert switch.engine is not None
    return "\n".join(lines(follow(switch.engine, reports, 1, packet)))


def in_order(text: str, *lines: str) -> bool:
    """Whether the text has these lines in this order, apart from the tree's branches."""
    remaining = (line.lstrip("│├└─ ") for line in text.splitlines())
    return all(wanted in remaining for wanted in lines)


def test_headers_tables_and_actions_are_shown_with_their_values() -> None:
    made = Bmv2Program({"seen": 8}, ethernet=ETHERNET)
    made.state("start", extract("ethernet"), by=(field("ethernet", "type"),), to=((0x800, "ipv4"), (None, None)))
    made.state("ipv4")
    made.action(
        "In.forward",
        assign(standard("egress_spec"), {"type": "runtime_data", "value": 0}),
        assign(meta("seen"), constant(77)),
        port=9,
    )
    made.action("In.drop", primitive("mark_to_drop", {"type": "header", "value": "standard_metadata"}))
    made.table(
        "In.station",
        ["In.forward", "In.drop"],
        keys=(key(field("ethernet", "destination")),),
        default="In.drop",
        source_info={"filename": "/src/in.p4", "line": 30},
    )

    def forward(switch: Switch) -> None:
        assert switch.engine is not None
        switch.engine.tables["In.station"].insert((Exact(0x020000000001),), "In.forward", (3,))

    assert (
        tree_of(made, forward)
        == """\
packet of 15 bytes into port 1
├─ parser
│  ├─ state start
│  │  ├─ extract ethernet: destination 0x020000000001, source 0x020000000002, type 0x0800
│  │  └─ select ethernet.type 0x0800
│  ├─ state ipv4
│  └─ accept
├─ ingress
│  └─ table In.station: hit  [in.p4:30]
│     ├─ ethernet.destination 0x020000000001
│     ├─ entry ethernet.destination 0x020000000001
│     └─ In.forward(port 3)
│        ├─ assign → standard_metadata.egress_spec = 3  [test.p4:7]
│        └─ assign → scalars.seen = 0x4d  [test.p4:7]
└─ to port 3
   ├─ egress
   ├─ deparser
   │  └─ ethernet: destination 0x020000000001, source 0x020000000002, type 0x0800
   └─ 15 bytes out of port 3
      └─ 020000000001020000000002080045"""
    )
    assert in_order(
        tree_of(made),
        "table In.station: miss  [in.p4:30]",
        "ethernet.destination 0x020000000001",
        "In.drop()",
        "mark_to_drop  [test.p4:7]",
        "dropped: egress_spec is 511",
    )


def test_a_packet_that_is_too_short_is_shown_where_it_ends() -> None:
    made = Bmv2Program(ethernet=ETHERNET)
    made.state("start", extract("ethernet"))
    tree = tree_of(made, packet=b"short")
    assert in_order(tree, "extract ethernet: the packet is too short", "error PacketTooShort")


def test_checksums_are_shown() -> None:
    made = Bmv2Program(ethernet=ETHERNET)
    made.state("start", extract("ethernet"))
    made.checksum(field("ethernet", "type"), field("ethernet", "destination"))
    made.checksum(field("ethernet", "type"), field("ethernet", "destination"), update=True)
    tree = tree_of(made)
    assert in_order(
        tree, "checksum ethernet.type 0x0800: wrong, not 0xfdfe", "checksum ethernet.type = 0xfdfe", "deparser"
    )


def test_copies_are_shown_below_their_cause() -> None:
    made = Bmv2Program()
    made.call("node", assign(standard("mcast_grp"), constant(1)))

    def replicate(switch: Switch) -> None:
        assert switch.engine is not None
        switch.engine.multicast.set(1, [(3, 0), (4, 0)])

    copies = tree_of(made, replicate).split("└─ multicast\n")[1]
    assert [line for line in copies.splitlines() if line.startswith(("   ├", "   └"))] == [
        "   ├─ copy to port 3",
        "   └─ copy to port 4",
    ]
    assert in_order(copies, "15 bytes out of port 3", "15 bytes out of port 4")
    assert in_order(tree_of(made), "multicast", "dropped: there are no replicas")


def test_clones_and_further_passes_are_shown() -> None:
    made = Bmv2Program({"again": 8}, ethernet=ETHERNET)
    made.state("start", extract("ethernet"))
    made.call(
        "node",
        primitive("clone_ingress_pkt_to_egress", constant(5), made.field_list()),
        assign(standard("egress_spec"), constant(2)),
    )
    made.call(
        "more",
        primitive("recirculate", made.field_list(meta("again"))),
        pipeline="egress",
    )

    def mirror(switch: Switch) -> None:
        assert switch.engine is not None
        switch.engine.clone_sessions.set(5, [(4, 0)])

    tree = tree_of(made, mirror)
    assert in_order(tree, "clone, parsed as it arrived", "parser", "clone session 5", "copy to port 4")
    assert in_order(tree, "to port 2", "recirculated", "again, recirculated", "parser", "ingress")


def test_a_contribution_is_followed_through_the_aggregation_program() -> None:
    reports: list[Report] = []
    switch = Switch(seed=1, follow=reports.append)

    class Followed(InProcessSwitch):
        def make(self) -> None:
            switch.engine = self.engine = switch.compile(program(self._compiled))

    Followed(["one", "two"], 2)
    trees = []
    for rank in range(2):
        data = {0: np.full(32, rank + 1, dtype=np.int32)}
        packet = Packet(Kind.CONTRIBUTION, JOB, 0, EPOCH, 0, rank, columns=(Column(block=0),), data=data)
        frame = framed(ip(1 + rank), ip(254), packet.encode())
        assert switch.engine is not None
        trace = follow(switch.engine, reports, 1 + rank, frame)
        trees.append("\n".join(line.partition("  [")[0] for line in lines(trace)))
    first, last = trees
    assert in_order(
        first,
        "state dropzero",
        "checksum ipv4.checksum 0x6532: right",
        "table ingress.address",
        f"ingress.set_address(mac 0x{MAC:012x}, ip 0x0a0000fe, epochs 0)",
        "table ingress.admission.job: hit",
        f"entry hdr.dropzero.job {JOB}",
        "table ingress.admission.worker: hit",
        "ingress.slot.enter_epoch()",
        "dropped: egress_spec is 511",
    )
    # The last contribution completes the sum, which goes to both workers.
    assert in_order(last, "multicast", "copy to port 1", "deparser", "203 bytes out of port 1", "copy to port 2")
    assert "elements 0x" + 7 * f"{3:08x}" in last


def test_wide_values_are_cut() -> None:
    assert shown(hexadecimal(9, 16)) == "9"
    assert shown(hexadecimal(10, 9)) == "0x00a"
    assert shown(hexadecimal((1 << 400) - 1, 400)) == f"0x{64 * 'f'}... (50 bytes)"
    assert shown(hexadecimal(-3, 8)) == "-3"
