"""What an all-reduce by messages needs of the network, and what it is."""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float32]
Bytes = NDArray[np.uint8]


class Mesh(Protocol):
    """One host's connections to all others. Neighbouring ranks share a rack."""

    @property
    def rank(self) -> int: ...

    @property
    def size(self) -> int:
        """How many hosts."""

    @property
    def racks(self) -> int: ...

    def send(self, peer: int, content: NDArray[np.generic]) -> None:
        """Send an array, which must not change until `flush`. Does not wait."""

    def flush(self) -> None:
        """Wait until all sent arrays may change."""


Steps = Generator[int, Bytes, Vector]
"""A host's part in an all-reduce: yields the rank of the host whose next message it needs, is given that message, and
returns the sum."""
Collective = Callable[[Mesh, Vector], Steps]
"""An all-reduce of each host's float32 vector, shape (elements,)."""
