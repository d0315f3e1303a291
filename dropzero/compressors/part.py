"""The base of all parts of a compression: a state that can be saved and restored."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray


class Part:
    """A sparsifier, a memory or a quantizer.

    Attributes:
        common: the names of attributes, numbers or arrays, that sums change and that are equal on all workers.
        local: the names of those that differ: arrays with a row for each hosted worker, or what all of these share.
    """

    common: ClassVar[tuple[str, ...]] = ()
    local: ClassVar[tuple[str, ...]] = ()

    def see(self, shapes: Sequence[tuple[int, ...]]) -> None:
        """Learns the shapes of the parameters that the vectors consist of, in order. Not called if nobody knows
        them."""

    def state(self, shared: bool = False) -> dict[str, NDArray[Any]]:
        """The attributes by name. shared: only those that are equal on all workers."""
        return {name: np.asarray(getattr(self, name)) for name in self.common + (() if shared else self.local)}

    def restore(self, state: Mapping[str, NDArray[Any]]) -> None:
        """The inverse of `state`. After a shared state, this is the part of a worker that has sent nothing yet."""
        for name, value in state.items():
            # Python numbers do not change the dtype of the arrays that they are combined with.
            setattr(self, name, value if value.ndim else value.item())
