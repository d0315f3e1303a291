"""Times of arrival, and the queueing metadata of a port with a rate: read by a program, on real interfaces."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import accumulate
from pathlib import Path

import pytest

from lab.conformance.harness.switches import wait_until
from tests.softswitch.test_cli import PORTS, SECONDS, switch
from tests.support.bmv2_program import Bmv2Program, assign, constant, extract, field, standard
from tests.support.namespace import Namespace

METADATA = {
    "ingress_global_timestamp": 48,
    "enq_qdepth": 24,
    "deq_qdepth": 24,
    "deq_timedelta": 32,
    "enq_timestamp": 32,
}
"""The kernel would remove a VLAN tag. In this order, no queue depth is in the place of one."""
SIZE = 1000
MARGIN = 1000
"""Microseconds between readings of two clocks, at most."""


@contextmanager
def reporting(folder: Path, namespace: Namespace, *arguments: str) -> Iterator[subprocess.Popen[str]]:
    """Runs a switch that sends everything to port 2 and writes METADATA into it. Yields its process."""
    it = Bmv2Program(h=METADATA)
    widths = {"enq_timestamp": 32, "enq_qdepth": 19, "deq_timedelta": 32, "deq_qdepth": 19}
    it.types[0]["fields"] += [[name, width, False] for name, width in widths.items()]
    it.state("start", extract("h"))
    it.call("go", assign(standard("egress_spec"), constant(2)))
    it.call("report", *(assign(field("h", name), standard(name)) for name in METADATA), pipeline="egress")
    (folder / "reporting.json").write_text(json.dumps(it.document()))
    with switch(folder, *PORTS, *arguments, str(folder / "reporting.json"), namespace=namespace) as running:
        assert wait_until(lambda: "Server listening" in running.output.read_text(), SECONDS)
        yield running.process


def reported(content: bytes) -> list[int]:
    at, found = 0, []
    for width in METADATA.values():
        found.append(int.from_bytes(content[at : at + width // 8], "big"))
        at += width // 8
    return found


@contextmanager
def stopped(process: subprocess.Popen[str]) -> Iterator[None]:
    """Stops the switch while this thread sends. It sends on one processor: packets from two may change places."""
    processors = os.sched_getaffinity(0)
    process.send_signal(signal.SIGSTOP)
    os.sched_setaffinity(0, {min(processors)})
    try:
        yield
    finally:
        os.sched_setaffinity(0, processors)
        process.send_signal(signal.SIGCONT)


@pytest.mark.parametrize("captures", [(), ("--pcap", ".")], ids=["fast path", "captures"])
def test_each_packet_of_a_batch_has_its_own_arrival(
    captures: tuple[str, ...], namespace: Namespace, tmp_path: Path
) -> None:
    with reporting(tmp_path, namespace, *captures) as process:
        first, second = namespace.host(1), namespace.host(2)
        with stopped(process):
            around = []
            for _ in range(6):
                before = time.monotonic_ns() // 1000
                first.send(bytes(SIZE))
                around.append((before, time.monotonic_ns() // 1000))
                time.sleep(0.01)
        arrivals = [reported(content)[0] for content in second.receive(6)]
        first.close()
        second.close()
    for arrival, (before, after) in zip(arrivals, around, strict=True):
        earliest, latest = before - around[0][1] - MARGIN, after - around[0][0] + MARGIN
        assert earliest <= arrival - arrivals[0] <= latest


# Several times as many as the switch reads at once, so that some leave before others are read.
@pytest.mark.parametrize(("megabits", "count"), [(10, 40), (100, 40), (100, 1200), (500, 1200)])
def test_a_burst_meets_the_queue_of_a_link_of_that_rate(
    megabits: int, count: int, namespace: Namespace, tmp_path: Path
) -> None:
    with reporting(tmp_path, namespace, "--impair", f"2:rate={megabits}mbit,limit={count}") as process:
        first, second = namespace.host(1), namespace.host(2)
        with stopped(process):
            for number in range(count):
                first.send(bytes(SIZE))
                if number % 10 == 9:
                    time.sleep(0.0005)
        found = [reported(content) for content in second.receive(count)]
        first.close()
        second.close()
    came = [enqueued for *_, enqueued in found]
    assert len(found) == count
    assert came[-1] - came[0] > 3 * 500
    assert came == [arrival for arrival, *_ in found]
    service = 8 * SIZE // megabits
    left = list(accumulate(came, lambda before, arrival: max(before + service, arrival)))
    for number, (_, depth, behind, waited, arrival) in enumerate(found):
        assert waited == left[number] - arrival
        # A packet that came or left in the same microsecond may be counted or not.
        assert (
            number - bisect_right(left, arrival, hi=number) <= depth <= number - bisect_left(left, arrival, hi=number)
        )
        earliest, latest = (find(came, left[number], number + 1) for find in (bisect_left, bisect_right))
        assert earliest <= behind + number + 1 <= latest
    assert max(depth for _, depth, *_ in found) > 0


@pytest.mark.parametrize("flags", [(), ("--link-rates",)], ids=["without", "with"])
def test_a_port_has_the_rate_of_its_link_where_that_is_asked_for(
    flags: tuple[str, ...], namespace: Namespace, tmp_path: Path
) -> None:
    namespace.command("tc", "qdisc", "add", "dev", "sw2", "root", "handle", "5:0", "htb", "default", "1")
    namespace.command("tc", "class", "add", "dev", "sw2", "parent", "5:0", "classid", "5:1", "htb", "rate", "10mbit")
    with reporting(tmp_path, namespace, *flags) as process:
        first, second = namespace.host(1), namespace.host(2)
        with stopped(process):
            for _ in range(20):
                first.send(bytes(SIZE))
        found = [reported(content) for content in second.receive(20)]
        first.close()
        second.close()
    came = [arrival for arrival, *_ in found]
    left = accumulate(came, lambda before, arrival: max(before + 8 * SIZE // 10, arrival))
    waits = [end - arrival for end, arrival in zip(left, came, strict=True)]
    assert [waited for *_, waited, _ in found] == (waits if flags else [0] * 20)
