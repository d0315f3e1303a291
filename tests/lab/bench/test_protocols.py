"""The comparison of emulated protocols with virtual time."""

from __future__ import annotations

import os

import pytest

from lab.bench.protocols import measure


@pytest.mark.skipif(os.geteuid() != 0, reason="network namespaces need root")
def test_a_protocol_runs_in_both_ways_on_links_of_one_rate() -> None:
    pair = measure("atp", 2, 0.0, 1, 1)
    least = 8 * pair.size / (1e6 * pair.rate)
    assert min(*pair.emulated, *pair.virtual) > least
