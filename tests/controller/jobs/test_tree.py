from __future__ import annotations

from ipaddress import IPv4Address

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dropzero.controller.jobs.tree import ONE_SWITCH, Tree

HOSTS = {f"h{i}": IPv4Address(f"10.0.0.{i}") for i in range(1, 6)}
"""Hosts 1 and 2 are on s1, 3 on s2, 4 on s3 below that, and 5 on the spine."""
TREE = Tree(
    {"s1": "spine", "s2": "spine", "s3": "s2"},
    dict(zip(HOSTS.values(), ["s1", "s1", "s2", "s3", "spine"], strict=True)),
)


@pytest.mark.parametrize(
    ("hosts", "switches"),
    [
        (["h1", "h2"], {"s1"}),
        (["h4"], {"s3"}),
        (["h3", "h4"], {"s2", "s3"}),
        (["h1", "h4"], {"s1", "spine", "s3", "s2"}),
        (["h5", "h2"], {"spine", "s1"}),
    ],
)
def test_a_job_uses_the_switches_from_its_workers_up_to_the_lowest_above_all(
    hosts: list[str], switches: set[str]
) -> None:
    assert TREE.span(HOSTS[each] for each in hosts) == switches


@given(st.sets(st.sampled_from(sorted(HOSTS)), min_size=2), st.data())
def test_a_job_never_needs_more_switches_without_a_worker(hosts: set[str], data: st.DataObject) -> None:
    fewer = hosts - {data.draw(st.sampled_from(sorted(hosts)))}
    assert TREE.span(HOSTS[each] for each in fewer) <= TREE.span(HOSTS[each] for each in hosts)


def test_without_a_tree_all_hosts_are_on_one_switch() -> None:
    assert len(ONE_SWITCH.span(HOSTS.values())) == 1
