"""The state given to workers that enter a running job."""

from __future__ import annotations

import ast
import gc
import sys
from threading import Thread
from types import FrameType

import numpy as np
import pytest
from numpy.typing import ArrayLike

from dropzero.worker.state import check, deserialized, packed, serialized, unpacked


def test_a_state_comes_back_as_it_was() -> None:
    state: dict[str, ArrayLike] = {"weights": np.arange(7, dtype=np.float64).reshape(7, 1), "step": 3, "name": "all"}
    back = unpacked(packed(state))
    assert back.keys() == state.keys()
    assert all(np.array_equal(back[name], np.asarray(value)) for name, value in state.items())


def test_a_state_that_is_too_large_is_refused_before_it_is_packed() -> None:
    half = np.broadcast_to(np.zeros(1, np.uint8), 2**30)
    check({"half": half})
    with pytest.raises(ValueError, match=r"a state of 2147\d+ bytes is too large \(at most 2147483647\)"):
        check({"one": half, "other": half})


def test_a_state_of_objects_is_refused() -> None:
    with pytest.raises(ValueError, match="names is not an array of numbers"):
        check({"step": 1, "names": np.array([object()])})


def test_a_state_is_read_while_another_thread_reads_one() -> None:
    """The second thread runs while the garbage collector interrupts the first in the middle of a header."""
    content = serialized({"weights": np.arange(7.0)})
    others: list[Thread] = []

    def interrupt(phase: str, info: dict[str, int]) -> None:
        frame: FrameType | None = sys._getframe()
        while frame and frame.f_code is not ast.literal_eval.__code__:
            frame = frame.f_back
        if frame and phase == "start" and len(others) < 20:
            others.append(Thread(target=deserialized, args=(content,)))
            others[-1].start()
            others[-1].join(0.02)

    thresholds = gc.get_threshold()
    gc.callbacks.append(interrupt)
    gc.set_threshold(1)
    try:
        state = deserialized(content)
    finally:
        gc.set_threshold(*thresholds)
        gc.callbacks.remove(interrupt)
    for other in others:
        other.join()
    assert others
    assert state["weights"].tolist() == [*range(7)]
