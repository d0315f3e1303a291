"""Free TCP ports, and waiting for conditions."""

from __future__ import annotations

import socket
import time
from collections.abc import Callable


def free_port() -> int:
    """Return a free TCP port of the loopback."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def wait_until(condition: Callable[[], bool], seconds: float) -> bool:
    """Wait until the condition holds. Returns False if it does not within `seconds`."""
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.01)
    return True
