"""The results that a worker keeps."""

from __future__ import annotations

from dropzero.protocol.tensor.arrays import Target
from dropzero.worker.history import SPARE, Finished, History


def test_a_dropped_results_memory_is_reused_for_the_next_of_its_length() -> None:
    history = History()
    for length in (10_000, 1, 10_000):
        history.add(Finished(0, 1, (0,), Target.new(length)))
    first = history[0].target
    history.trim(2, 2)
    assert history.room(1) is not first
    assert history.room(10_000) is first
    assert history.room(10_000) is not first


def test_large_memory_is_freed() -> None:
    history = History()
    large = Target.new(SPARE[1] // 4 + 1)
    history.add(Finished(0, 1, (0,), large))
    history.trim(1, 1)
    assert history.room(len(large.patterns)) is not large
