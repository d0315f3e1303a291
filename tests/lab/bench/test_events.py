"""Simulated events by number of workers."""

from __future__ import annotations

from lab.bench.events import measure, program


def test_every_number_of_workers_is_simulated() -> None:
    results, seconds = zip(*measure(4, 4000, 10**10), strict=True)
    assert [each.workers for each in results] == [1, 2, 4]
    assert all(each.exact for each in results)
    assert min(seconds) > 0
    assert results[0].events < results[1].events < results[2].events


def test_packets_go_through_all_switches_of_a_row() -> None:
    assert program(300) > 0
