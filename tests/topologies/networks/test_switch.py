"""Detection of a switch that is ready."""

from __future__ import annotations

import os
import socket

import pytest

from dropzero.topologies.networks.switch import GRPC_PORT, listens
from tests.support.namespace import Namespace


@pytest.mark.skipif(os.geteuid() != 0, reason="network namespaces need root")
def test_probing_a_port_never_connects_to_itself() -> None:
    namespace = Namespace(f"dz-listens-{os.getpid()}", 0)
    try:
        namespace.ip("link", "set", "lo", "up")
        # Few source ports: one of the probes would soon use the port itself as its source.
        ports = f"{GRPC_PORT - 1} {GRPC_PORT + 2}"
        namespace.command("sh", "-c", f"echo {ports} >/proc/sys/net/ipv4/ip_local_port_range")
        with namespace.inside():
            assert not any(listens(port) for port in (GRPC_PORT, GRPC_PORT + 1) for _ in range(100))
            with socket.create_server(("127.0.0.1", GRPC_PORT)):
                assert listens(GRPC_PORT)
    finally:
        namespace.close()
