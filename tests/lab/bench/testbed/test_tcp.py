"""TCP between emulated hosts. Needs root."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from lab.bench.testbed import tcp
from lab.bench.testbed.racks import PlainRack

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="network namespaces need root")


def test_what_arrives_counts_and_nothing_without_a_connection(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with PlainRack(2, tmp_path, rate=10) as rack:
        first, second = rack.hosts
        rate = tcp.throughput(first, second, 1.0)
        # The queues hold more, but it has not arrived. A link may begin with a burst of 16 kB, of which the last packet
        # may be longer than what was left: with GSO, up to 64 kB. On busy cores the hosts may leave the link idle, but
        # not for half of the time.
        assert 5e6 < rate <= 10e6 + 8 * (16_000 + 65_536)
        first.setARP(second.IP(), second.MAC())
        second.cmd("ip link set eth0 down")
        monkeypatch.setattr(tcp, "CONNECT_SECONDS", 0.1)
        assert tcp.throughput(first, second, 1.0) == 0
