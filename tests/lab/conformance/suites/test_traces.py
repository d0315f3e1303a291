"""BMv2's golden traces of packets, and the comparison with them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from lab.conformance.harness.scorecard import Outcome
from lab.conformance.suites import traces
from tests.support.p4runtime_client import PROGRAMS

STAGES = ("parser", "PARSER"), ("ingress", "CONTROL"), ("egress", "CONTROL"), ("deparser", "DEPARSER")


def golden(
    left: str = f"port=3 len=14 bytes={1:012x}{0:016x}",
    stages: tuple[tuple[str, str], ...] = STAGES,
    end: str = "",
    heading: str = "Number of packet traces: 1",
    action: str = "In.send_to",
) -> traces.Case:
    """A test of a packet that kinds.p4 sends to port 3."""
    events = "".join(
        f'events {{ pipeline_stage {{ stage_name: "{name}" stage_kind: {kind} direction: {direction} }} }}\n'
        for name, kind in stages
        for direction in ("ENTER", "EXIT")
    )
    return traces.Case.parse(
        f"""Packet trace test: kinds: to a station
A packet.
=====
-- INPUT -----
P4 pipeline: kinds.json
Table programming (runtime only; config-baked defaults not shown):
  In.station: add entry [0x000000000001] => {action}(3)
Input packets:
  port=1 len=14 bytes={1:012x}{0:016x}
-- OUTPUT ----
Output packets:
  {left}
{heading}
--- trace 0
input {{ ingress_port: 1 }}
root {{
{events}{end}
}}

=====
"""
    )


def judged(case: traces.Case) -> Outcome:
    return traces.judge(case, PROGRAMS / "kinds.json")


@pytest.mark.parametrize("heading", ["Number of packet traces: 1", "Packet traces:"])
def test_the_same_trace_and_packets_pass(heading: str) -> None:
    assert judged(golden(heading=heading)) == Outcome("kinds: to a station", "pass")
    assert judged(golden("port=3 len=14 (payload not shown: non-deterministic)")).result == "pass"
    assert judged(golden(end="transmit { egress_port: 3 packet_size: 14 }")).result == "pass"


@pytest.mark.parametrize(
    "case",
    [
        golden("port=4 len=14 (payload not shown: non-deterministic)"),
        golden(f"port=3 len=14 bytes={2:012x}{0:016x}"),
        golden("(none)"),
        golden(stages=STAGES[:3]),
        golden(end="transmit { egress_port: 4 packet_size: 14 }"),
        golden(end="drop {}"),
    ],
)
def test_another_packet_or_trace_fails(case: traces.Case) -> None:
    assert judged(case).result == "fail"


def test_a_line_that_is_not_known_is_refused() -> None:
    with pytest.raises(ValueError, match="the line"):
        judged(golden(action="In.send to"))
    with pytest.raises(ValueError, match="not a test"):
        traces.Case.parse("Packet trace test: none\n")


def test_bmv2s_golden_traces_are_this_switchs() -> None:
    checkout = os.environ.get("BEHAVIORAL_MODEL")
    if not checkout:
        pytest.skip("BEHAVIORAL_MODEL, a checkout of behavioral-model, is not set")
    outcomes = list(traces.run(Path(checkout), only=""))
    assert outcomes
    assert {outcome.result for outcome in outcomes} == {"pass"}
