"""What all parts of a compression have in common: a state that outlives the process."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray


class Part:
    """A sparsifier, a memory or a quantizer.

    Attributes:
        common: names of the attributes, numbers or arrays, that sums change and that are equal on all workers.
        local: names of those that differ: arrays with a row for each hosted worker, or a number for all rows.
    """

    common: ClassVar[tuple[str, ...]] = ()
    local: ClassVar[tuple[str, ...]] = ()

    def state(self, shared: bool = False) -> dict[str, NDArray[Any]]:
        """The attributes by name. shared: only those that are equal on all workers."""
        return {name: np.asarray(getattr(self, name)) for name in self.common + (() if shared else self.local)}

    def restore(self, state: Mapping[str, NDArray[Any]]) -> None:
        """The inverse of `state`. After a shared one this is a worker that has sent nothing yet."""
        for name, value in state.items():
            # Numbers as Python's, which leave the type of the arrays that they meet.
            setattr(self, name, value if value.ndim else value.item())
