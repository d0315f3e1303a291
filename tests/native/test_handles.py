"""What compiled code finds at a handle's address is alive."""

from __future__ import annotations

from itertools import count
from typing import Any
from weakref import ref

import numpy as np
from numpy.typing import NDArray

from dropzero.native.compilation import compiled
from dropzero.native.handles import Handle, by_address
from tests.support.interrupted import Interrupted

Content = tuple[NDArray[np.int64], NDArray[np.uint8]]
put, get = by_address((np.zeros(1, np.int64), np.zeros(1, np.uint8)))


@compiled
def place(content: Content, address: int) -> None:
    put(content, address)


@compiled
def first(address: int) -> int:
    """The address of the first array's elements."""
    return int(get(address)[0].ctypes.data)


def test_an_exception_at_any_function_call_leaves_alive_what_the_memory_holds() -> None:
    known: dict[int, Any] = {}

    def content() -> Content:
        array = np.zeros(4, np.int64)
        known[array.ctypes.data] = ref(array)
        return array, np.zeros(4, np.uint8)

    handle = Handle(place, content())
    for point in count(1):
        try:
            with Interrupted(point):
                handle.hold(content())
        except TimeoutError:
            assert known[first(handle.address)]() is not None
        else:
            break
    assert known[first(handle.address)]() is handle.content[0]
    assert sum(each() is not None for each in known.values()) == 1
    assert point > 3
