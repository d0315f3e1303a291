"""In-network aggregation of sparse gradients.

with dropzero.connect("unix:/run/dropzero/dz0.sock", job=1, size=4) as communicator:
    total = communicator.all_reduce(gradient)
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dropzero.protocol.lanes.errors import Disagreement, ProtocolError
    from dropzero.worker.communicator import Communicator, connect, wait_all
    from dropzero.worker.errors import Aborted, Closed, NotFinite, Stalled, WorkerLost
    from dropzero.worker.rails import Rails

_ERRORS = ("Aborted", "Closed", "Disagreement", "NotFinite", "ProtocolError", "Stalled", "WorkerLost")
__all__ = [
    "Aborted",
    "Closed",
    "Communicator",
    "Disagreement",
    "NotFinite",
    "ProtocolError",
    "Rails",
    "Stalled",
    "WorkerLost",
    "connect",
    "wait_all",
]


def __getattr__(name: str) -> object:
    # Imported lazily: it loads compiled code, which most commands do not need.
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from dropzero.worker import communicator, errors, rails

    return getattr(errors if name in _ERRORS else rails if name == "Rails" else communicator, name)
