"""A traced program behaves the same, and logs its steps."""

from __future__ import annotations

import logging
import re
from pathlib import Path

import pytest

from dropzero.files import COMPILED
from dropzero.softswitch.engine.engine import Engine
from dropzero.softswitch.engine.frames import Frames
from dropzero.softswitch.program.bmv2_json import load_program
from dropzero.softswitch.program.model import Exact
from tests.support import ROOT
from tests.support.bmv2_program import Bmv2Program, assign, constant, standard

KINDS = ROOT / "tests" / "softswitch" / "programs" / "kinds.json"
STATION = 0x020000000001
PACKET = STATION.to_bytes(6, "big") + bytes(6) + b"\x12\x34" + bytes(46)


def engine(*, traced: bool) -> Engine:
    """An engine with kinds.p4, which sends packets for STATION to port 3."""
    made = Engine(load_program(KINDS), cpu_port=255, seed=1, traced=traced)
    made.tables["In.station"].insert((Exact(STATION),), "In.send_to", (3,))
    return made


def logged(packet: bytes, port: int, caplog: pytest.LogCaptureFixture) -> list[str]:
    with caplog.at_level(logging.DEBUG, "dropzero.softswitch.engine.engine"):
        engine(traced=True).process(Frames.of([(port, packet)]), 0)
    return "\n".join(caplog.messages).splitlines()


def test_the_log_shows_each_step_of_a_packet(caplog: pytest.LogCaptureFixture) -> None:
    lines = logged(PACKET, 1, caplog)
    expected = [
        "Processing packet received on port 1",
        "Parser 'parser': start",
        "Parser 'parser' entering state 'ethernet'",
        "Extracting header 'ethernet'",
        "Parser 'parser': end",
        "Pipeline 'ingress': start",
        "Applying table 'In.station'",
        "Looking up key:",
        "* hdr.ethernet.destination: 020000000001",
        "Table 'In.station': hit with handle 0",
        "Action entry is In.send_to - 3,",
        "Action In.send_to",
        "Table 'In.prefix': miss",
        "Pipeline 'ingress': end",
        "Pipeline 'egress': start",
        "Pipeline 'egress': end",
        "Transmitting packet of size 60 out of port 3",
    ]
    remaining = iter(lines)
    for wanted in expected:
        assert any(line.endswith(wanted) for line in remaining), wanted
    assert all(re.match(r"\[0\.0\] \[cxt 0\] |\* |$", line) for line in lines)


def test_packets_are_numbered(caplog: pytest.LogCaptureFixture) -> None:
    made = engine(traced=True)
    with caplog.at_level(logging.DEBUG, "dropzero.softswitch.engine.engine"):
        made.process(Frames.of([(1, bytes(60)), (1, PACKET)] * 50), 0)
    lines = "\n".join(caplog.messages).splitlines()
    assert "[98.0] [cxt 0] Processing packet received on port 1" in lines
    assert "[99.0] [cxt 0] Processing packet received on port 1" in lines
    assert "[100.0] [cxt 0] Processing packet received on port 1" not in lines


def test_copies_are_numbered(caplog: pytest.LogCaptureFixture) -> None:
    program = Bmv2Program()
    program.call("node", assign(standard("mcast_grp"), constant(1)))
    made = Engine(program.program(), traced=True)
    made.multicast.set(1, [(3, 0), (4, 0)])
    with caplog.at_level(logging.DEBUG, "dropzero.softswitch.engine.engine"):
        made.process(Frames.of([(1, b"packet")]), 0)
    lines = [line for line in "\n".join(caplog.messages).splitlines() if "port" in line or "Multicast" in line]
    assert lines == [
        "[0.0] [cxt 0] Processing packet received on port 1",
        "[0.0] [cxt 0] Multicast requested for packet",
        "[0.1] [cxt 0] Replicating packet on port 3",
        "[0.1] [cxt 0] Transmitting packet of size 6 out of port 3",
        "[0.2] [cxt 0] Replicating packet on port 4",
        "[0.2] [cxt 0] Transmitting packet of size 6 out of port 4",
    ]


def test_conditions_and_primitives_are_shown_with_their_place_in_the_p4_source(
    caplog: pytest.LogCaptureFixture,
) -> None:
    lines = logged(PACKET, 1, caplog)
    pattern = r'.* \S*kinds\.p4\(\d+\) Condition "hdr\.packet_out\.isValid\(\)" \(\S+\) is false'
    assert any(re.fullmatch(pattern, line) for line in lines)
    pattern = r".* \S*kinds\.p4\(\d+\) Primitive std\.egress_spec = port"
    assert any(re.fullmatch(pattern, line) for line in lines)


def test_a_parser_error_is_named(caplog: pytest.LogCaptureFixture) -> None:
    lines = logged(b"short", 1, caplog)
    assert "[0.0] [cxt 0] Parser 'parser': end, error PacketTooShort" in lines
    assert lines[-1] == "[0.0] [cxt 0] Dropping packet at the end of ingress"


def test_tracing_changes_nothing_else() -> None:
    packets = Frames.of([(1, PACKET), (2, b"short"), (1, bytes(60)), (255, b"\x01\x00" + PACKET)] * 3)
    outputs = [list(engine(traced=traced).process(packets, 7)) for traced in (False, True)]
    assert outputs[0] == outputs[1]


def test_an_untraced_program_logs_nothing(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG, "dropzero.softswitch.engine.engine"):
        engine(traced=False).process(Frames.of([(1, PACKET)]), 0)
    assert not caplog.messages


@pytest.mark.parametrize("path", [KINDS, COMPILED / "dropzero.json"], ids=lambda path: path.stem)
def test_every_program_can_be_traced(path: Path) -> None:
    traced = Engine(load_program(path), seed=1, traced=True)
    traced.process(Frames.of([(1, PACKET), (1, bytes(300))]), 0)
    assert traced.reports_lost == 0
