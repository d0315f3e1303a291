"""Compare a switch's answers to the probe with those of BMv2 1.15.5.

programs/probe.bmv2.txt has BMv2's answers, and programs/probe.differences.txt the intended different answers of the
embedded switch, with the reasons.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path

from lab.conformance.harness.scorecard import Outcome
from lab.conformance.harness.switches import running
from lab.conformance.probe.client import PROGRAMS
from lab.conformance.probe.probe import CPU_PORT, Probe

BMV2 = "simple_switch_grpc"
ANSWERS = PROGRAMS / "probe.bmv2.txt"
DIFFERENCES = PROGRAMS / "probe.differences.txt"
DIFFERS = "differ"
"""The result of a question with an intended different answer."""


def answers(path: Path) -> dict[str, str]:
    """Read a file of answers. Returns them by question."""
    lines = path.read_text().splitlines()
    return dict(line.split(" -> ", 1) for line in lines if line and not line.startswith("#"))


def run(command: Sequence[str], log: Path) -> list[Outcome]:
    """Return one outcome for each question to a switch."""
    log.parent.mkdir(parents=True, exist_ok=True)
    with (
        running(command, log, target=("--cpu-port", str(CPU_PORT))) as switch,
        closing(Probe(switch.address, switch.dataplane)) as probe,
    ):
        return list(compare(probe.run()))


def compare(given: Mapping[str, str]) -> Iterator[Outcome]:
    """Yield "pass" for each answer that is BMv2's word for word, "differ" for an intended different one, and "fail" for
    any other. given: the answers by question."""
    reference, intended = answers(ANSWERS), answers(DIFFERENCES)
    for question in {**reference, **given}:
        answer = given.get(question, "not asked")
        if answer == reference.get(question):
            result = "pass"
        else:
            result = DIFFERS if answer == intended.get(question) else "fail"
        yield Outcome(question, result, answer)
