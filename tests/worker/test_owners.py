"""Reduce-scatters on emulated links: the switches' captures show who gets which bytes."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

import dropzero
from dropzero.linux.namespace import inside
from dropzero.protocol.wire import DATA, OUTER_BYTES, Kind, payload_bytes
from dropzero.topologies.networks.kind import SwitchKind
from dropzero.topologies.networks.network import EmulatedNetwork
from dropzero.topologies.networks.rack import Rack
from dropzero.topologies.networks.racks import Racks
from dropzero.traces.audit import Audit, audit
from dropzero.traces.capture import captures
from tests.support.on_hosts import running

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="network namespaces need root")

BYTES = 2 << 20
"""The size of each worker's array."""


def reduce_scatter(network: EmulatedNetwork) -> tuple[Path, Audit]:
    """Makes a reduce-scatter on all hosts, and checks what they get. Returns the captures, and an audit of them."""
    with running(network) as hosts:
        size = len(network.hosts)

        def work(rank: int) -> None:
            host = network.hosts[rank]
            with inside(host.pid), dropzero.connect(hosts.controller, 1, size, rank=rank, ip=host.IP()) as job:
                rows = np.full((size, BYTES // 4 // size), 1 << rank, np.int32)
                rows += np.arange(size, dtype=np.int32)[:, np.newaxis]
                part = job.reduce_scatter(rows)
                assert part.shape == rows.shape[1:]
                assert (part == 2**size - 1 + size * rank).all()

        with ThreadPoolExecutor(size) as threads:
            list(threads.map(work, range(size)))
        assert network.pcaps is not None
    return network.pcaps, audit(network.pcaps)


def received(folder: Path, switch: str) -> list[int]:
    """The bytes of the results that left through each port of a switch. Results that were sent again, because this
    machine was busy, count once."""
    sizes = []
    for capture in captures(folder):
        if (capture.switch, capture.direction) == (switch, "out"):
            results = {
                (each.lane, each.round, each.mask): OUTER_BYTES + payload_bytes(len(each.columns), len(each.data))
                for each in capture.packets()
                if each.kind is Kind.RESULT
            }
            sizes.append(sum(results.values()))
    return sizes


@pytest.mark.parametrize("workers", [4, 8])
def test_each_worker_receives_its_shard_and_headers(tmp_path: Path, workers: int) -> None:
    folder, found = reduce_scatter(Rack(workers, tmp_path / "net", kind=SwitchKind.SOFTSWITCH, pcap=True))
    (switch,) = found.switches
    sizes = received(folder, switch)
    assert len(sizes) == workers
    for size in sizes:
        assert BYTES / workers < size <= BYTES / workers + 0.08 * BYTES


def test_each_byte_goes_up_every_trunk_once_and_down_one_of_them(tmp_path: Path) -> None:
    folder, found = reduce_scatter(Racks(2, 2, tmp_path / "net", kind=SwitchKind.SOFTSWITCH, pcap=True))
    leaves = [name for name, ledger in found.switches.items() if ledger.given]
    assert len(leaves) == 2
    for name in leaves:
        ledger = found.switches[name]
        assert sum(len(share.data) for share in ledger.shares.values()) >= BYTES / DATA.itemsize
        # The bitmap of the blocks that are not zero, and the confirmation, go to all.
        assert 0 <= sum(len(result.data) for result in ledger.given.values()) - BYTES / DATA.itemsize / 2 < 20
        to_hosts = [size for size in received(folder, name) if size]
        assert len(to_hosts) == 2
        for size in to_hosts:
            assert BYTES / 4 < size <= BYTES / 4 + 0.08 * BYTES
