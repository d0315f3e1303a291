from __future__ import annotations

import os
import shutil
import threading
from collections.abc import Iterator
from pathlib import Path

import grpc
import pytest

from dropzero.softswitch.engine.switch import Switch
from dropzero.softswitch.p4runtime.server import Listener, Server
from dropzero.softswitch.p4runtime.service import Service
from dropzero.softswitch.ports.dataplane import Dataplane
from dropzero.softswitch.ports.loop import Loop
from dropzero.softswitch.ports.ports import Ports
from tests.support.namespace import Namespace
from tests.support.p4runtime_client import Client


@pytest.fixture
def namespace(request: pytest.FixtureRequest) -> Iterator[Namespace]:
    """A network namespace with two pairs of interfaces."""
    if os.geteuid() != 0:
        pytest.skip("network namespaces and packet sockets need root")
    if shutil.which("ip") is None or shutil.which("ethtool") is None:
        pytest.skip("needs ip and ethtool")
    made = Namespace(f"softswitch-{os.getpid()}", 2)
    try:
        yield made
    finally:
        made.close()


@pytest.fixture
def packets_out() -> list[bytes]:
    """The packets that clients sent. There is room for ten."""
    return []


@pytest.fixture
def switch() -> Switch:
    return Switch(cpu_port=255, seed=1)


@pytest.fixture
def client(switch: Switch, packets_out: list[bytes], tmp_path: Path) -> Iterator[Client]:
    """A client of `switch`, which has no ports and no pipeline."""
    address = f"unix:{tmp_path}/p4runtime"

    def inject(packet: bytes) -> bool:
        packets_out.append(packet)
        return len(packets_out) <= 10

    server = Server(Listener(address, Service(switch, inject).attach))
    client = Client(address)
    try:
        yield client
    finally:
        client.close()
        server.close()


@pytest.fixture
def channel(switch: Switch, tmp_path: Path) -> Iterator[grpc.Channel]:
    """A channel to the dataplane of `switch`."""
    ports = Ports()
    dataplane = Dataplane(switch)
    loop = Loop(switch, ports, dataplane.send)
    dataplane.begin(loop)
    thread = threading.Thread(target=loop.run)
    thread.start()
    server = Server(Listener(f"unix:{tmp_path}/dataplane", dataplane.attach))
    try:
        with grpc.insecure_channel(f"unix:{tmp_path}/dataplane") as channel:
            yield channel
    finally:
        server.close()
        loop.stop()
        thread.join()
        loop.close()
