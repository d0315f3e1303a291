"""The networks around a bridge. Needs root."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from lab.bench.testbed.racks import PlainRack

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="network namespaces need root")


def test_every_link_loses_packets_in_both_directions(tmp_path: Path) -> None:
    """A ping and its answer pass two links each."""
    with PlainRack(2, tmp_path, loss=0.1) as rack:
        first, second = rack.hosts
        found = re.search(r"(\d+) received", first.cmd("ping -q -c 1000 -i 0.001", second.IP()))
        assert found is not None
        # Five standard deviations around 0.9^4.
        assert 580 <= int(found[1]) <= 732
