"""Which tracebacks in a log a campaign reports."""

from __future__ import annotations

import pytest

from lab.chaos.campaign import TRACEBACK

GRPC = (
    "Traceback (most recent call last):\n"
    '  File "src/python/grpcio/grpc/_cython/_cygrpc/aio/server.pyx.pxi", line 812, in _schedule_rpc_coro\n'
    "asyncio.exceptions.CancelledError\n"
)
OWN = 'Traceback (most recent call last):\n  File "dropzero/softswitch/cli.py", line 1, in main\nKeyError: 3\n'


@pytest.mark.parametrize("log", [OWN, GRPC + OWN, OWN + GRPC, GRPC.replace("asyncio.exceptions.Cancelled", "Key")])
def test_a_traceback_of_an_error_is_reported(log: str) -> None:
    assert TRACEBACK.search(f"ready\n{log}")


def test_a_stream_that_ends_with_its_server_is_no_error() -> None:
    assert not TRACEBACK.search(f"ready\n{GRPC}stopped\n")
