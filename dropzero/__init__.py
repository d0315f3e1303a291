"""In-network aggregation of sparse gradients.

with dropzero.connect("unix:/run/dropzero/dz0.sock", job=1, size=4) as communicator:
    total = communicator.all_reduce(gradient)
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from protocol.lanes import ProtocolError
    from worker.communicator import Communicator, connect, wait_all

__all__ = ["Communicator", "ProtocolError", "connect", "wait_all"]


def __getattr__(name: str) -> object:
    # Not before it is asked for: it loads compiled code, which most of the commands do without.
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from worker import communicator

    return getattr(communicator, name)
