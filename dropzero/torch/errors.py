"""The errors of a group, which are also those of PyTorch's own backends."""

from __future__ import annotations

from functools import cache
from typing import Any

from torch.distributed import DistBackendError

from dropzero.protocol.lanes.errors import ProtocolError


class TimedOut(DistBackendError, TimeoutError):
    """What was waited for did not happen in time; the message says what."""


def as_backend_error(error: BaseException) -> BaseException:
    """Makes a ProtocolError also a torch.distributed.DistBackendError, in place: programs catch it as either. Returns
    the error; other errors as they are."""
    kind: Any = type(error)
    if issubclass(kind, ProtocolError) and not issubclass(kind, DistBackendError):
        error.__class__ = _both(kind)
    return error


@cache
def _both(kind: Any) -> Any:
    names = {"__doc__": kind.__doc__, "__module__": kind.__module__}
    return type(kind.__name__, (kind, DistBackendError), names)
