"""p4c's test language, and the outcomes of tests."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from lab.conformance.stf.language import Add, Command, Expect, Packet, SetDefault, StfError, parse
from lab.conformance.stf.suite import judge
from lab.conformance.stf.targets import Target


class Wire(Target):
    """A target that sends every packet out of the next port, and records control-plane commands."""

    def __init__(self) -> None:
        self.controlled: list[Add | SetDefault | Command] = []
        self._received: list[tuple[int, bytes]] = []

    def control(self, statement: Add | SetDefault | Command) -> None:
        self.controlled.append(statement)

    def carry_out(self, line: str) -> None:
        raise NotImplementedError

    def send(self, packet: Packet) -> None:
        self._received.append((packet.port + 1, packet.content))

    def received(self, count: int) -> list[tuple[int, bytes]]:
        return self._received


def test_packets_and_expected_packets_are_parsed() -> None:
    text = "# a comment\npacket 0 01 0203 # of three bytes\nexpect 1 01** 03$\nexpect 2\nEXPECT 3 AB\nwait\n"
    assert parse(text) == [
        Packet(0, b"\1\2\3"),
        Expect(1, "01**03", exact=True),
        Expect(2),
        Expect(3, "AB"),
    ]


def test_entries_defaults_and_commands_are_parsed() -> None:
    text = """
    add a.t 10 hdr.x:0x0a** y : 5 a.act(port:0x10, val:2)
    add t x:1 act() = handle
    setdefault t act(port:3)
    mc_node_create 400 6 7
    """
    assert parse(text) == [
        Add("a.t", 10, (("hdr.x", "0x0a**"), ("y", "5")), "a.act", (("port", 16), ("val", 2))),
        Add("t", None, (("x", "1"),), "act", ()),
        SetDefault("t", "act", (("port", 3),)),
        Command(("mc_node_create", "400", "6", "7")),
    ]


@pytest.mark.parametrize(
    "line", ["packet 0 01x", "packet", "add t x:1", "add t x act()", "setdefault t", "dance", "expect one 00"]
)
def test_a_wrong_statement_is_refused_with_its_line(line: str) -> None:
    with pytest.raises(StfError, match=r"^line 2: "):
        parse(f"wait\n{line}")


@pytest.mark.parametrize(
    ("expect", "packet", "matches"),
    [
        (Expect(1, "0A0B"), b"\x0a\x0b", True),
        (Expect(1, "0A0B"), b"\x0a\x0b\x0c", True),
        (Expect(1, "0A0B", exact=True), b"\x0a\x0b\x0c", False),
        (Expect(1, "0A0B"), b"\x0a", False),
        (Expect(1, "*A0*"), b"\xfa\x0f", True),
        (Expect(1, "0A"), b"\x0b", False),
        (Expect(1), b"", True),
    ],
)
def test_which_packets_match(expect: Expect, packet: bytes, matches: bool) -> None:
    assert expect.matches(packet) is matches


@pytest.mark.parametrize(
    ("text", "result", "reason"),
    [
        ("packet 0 01\nexpect 1 01", "pass", ""),
        ("packet 0 01\npacket 0 02\nexpect 1 01\nexpect 1 02", "pass", ""),
        ("packet 0 01\npacket 0 02\nexpect 1 02\nexpect 1 01", "fail", "port 1, packet 0: expected 02, got 01"),
        ("packet 0 01\nexpect 1 01\nexpect 1 02", "fail", "port 1: expected 2 packets, got 1"),
        ("packet 0 01\npacket 1 02\nexpect 2 02", "fail", "port 1: expected 0 packets, got 1"),
        ("packet 0 01", "pass", ""),
    ],
)
def test_the_outcome_of_a_test(text: str, result: str, reason: str) -> None:
    assert judge(parse(text), Wire()) == (result, reason)


def test_control_plane_statements_are_carried_out_in_order() -> None:
    wire = Wire()
    judge(parse("add t x:1 act()\nregister_reset r"), wire)
    assert wire.controlled == [Add("t", None, (("x", "1"),), "act", ()), Command(("register_reset", "r"))]


def test_packets_of_unnamed_ports_are_ignored() -> None:
    wire = Wire()
    statements: Sequence[Packet | Expect] = [Packet(7, b"\1")]
    assert judge(list(statements), wire) == ("pass", "")
