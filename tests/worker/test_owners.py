"""Reduce-scatters and all-gathers on emulated links: the switches' captures show who sends and gets which bytes."""

from __future__ import annotations

import os
from collections.abc import Callable
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
"""The size of the whole array."""


def reduce_scatter(job: dropzero.Communicator) -> None:
    rows = np.full((job.size, BYTES // 4 // job.size), 1 << job.rank, np.int32)
    rows += np.arange(job.size, dtype=np.int32)[:, np.newaxis]
    part = job.reduce_scatter(rows)
    assert part.shape == rows.shape[1:]
    assert (part == 2**job.size - 1 + job.size * job.rank).all()


def all_gather(job: dropzero.Communicator) -> None:
    rows = np.random.default_rng(15).standard_normal((job.size, BYTES // 8 // job.size))
    assert job.all_gather(rows[job.rank]).tobytes() == rows.tobytes()


def captured(network: EmulatedNetwork, call: Callable[[dropzero.Communicator], None]) -> tuple[Path, Audit]:
    """Makes a call on all hosts. Returns the captures, and an audit of them."""
    with running(network) as hosts:
        size = len(network.hosts)

        def work(rank: int) -> None:
            host = network.hosts[rank]
            with inside(host.pid), dropzero.connect(hosts.controller, 1, size, rank=rank, ip=host.IP()) as job:
                call(job)

        with ThreadPoolExecutor(size) as threads:
            list(threads.map(work, range(size)))
        assert network.pcaps is not None
    return network.pcaps, audit(network.pcaps)


def sizes(folder: Path, switch: str, direction: str, kind: Kind) -> list[int]:
    """The bytes of the packets of one kind that went through each port of a switch. Those that were sent again, because
    this machine was busy, count once."""
    found = []
    for capture in captures(folder):
        if (capture.switch, capture.direction) == (switch, direction):
            packets = {
                (each.lane, each.round, each.mask): OUTER_BYTES + payload_bytes(len(each.columns), len(each.data))
                for each in capture.packets()
                if each.kind is kind
            }
            found.append(sum(packets.values()))
    return found


def sent(folder: Path, switch: str) -> list[int]:
    return sizes(folder, switch, "in", Kind.CONTRIBUTION)


def received(folder: Path, switch: str) -> list[int]:
    return sizes(folder, switch, "out", Kind.RESULT)


@pytest.mark.parametrize("workers", [4, 8])
def test_each_worker_sends_the_others_shards_and_receives_its_own_and_headers(tmp_path: Path, workers: int) -> None:
    rack = Rack(workers, tmp_path / "net", kind=SwitchKind.SOFTSWITCH, pcap=True)
    folder, found = captured(rack, reduce_scatter)
    (switch,) = found.switches
    left, arrived = sent(folder, switch), received(folder, switch)
    assert len(left) == len(arrived) == workers
    for size in left:
        assert BYTES * (1 - 1 / workers) < size <= BYTES * (1 - 1 / workers) + 0.08 * BYTES
    for size in arrived:
        assert BYTES / workers < size <= BYTES / workers + 0.08 * BYTES


@pytest.mark.parametrize("workers", [4, 8])
def test_each_worker_sends_its_shard_and_headers_and_receives_the_others(tmp_path: Path, workers: int) -> None:
    folder, found = captured(Rack(workers, tmp_path / "net", kind=SwitchKind.SOFTSWITCH, pcap=True), all_gather)
    (switch,) = found.switches
    left, arrived = sent(folder, switch), received(folder, switch)
    assert len(left) == len(arrived) == workers
    for size in left:
        assert BYTES / workers < size <= BYTES / workers + 0.08 * BYTES
    for size in arrived:
        assert BYTES * (1 - 1 / workers) < size <= BYTES * (1 - 1 / workers) + 0.08 * BYTES


def test_each_byte_goes_up_every_trunk_once_and_down_one_of_them(tmp_path: Path) -> None:
    racks = Racks(2, 2, tmp_path / "net", kind=SwitchKind.SOFTSWITCH, pcap=True)
    folder, found = captured(racks, reduce_scatter)
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


def test_each_byte_goes_up_the_trunk_of_its_rack_and_down_every_trunk_once(tmp_path: Path) -> None:
    racks = Racks(2, 2, tmp_path / "net", kind=SwitchKind.SOFTSWITCH, pcap=True)
    folder, found = captured(racks, all_gather)
    leaves = [name for name, ledger in found.switches.items() if ledger.given]
    assert len(leaves) == 2
    for name in leaves:
        ledger = found.switches[name]
        assert sum(len(share.data) for share in ledger.shares.values()) == BYTES / DATA.itemsize / 2
        assert sum(len(result.data) for result in ledger.given.values()) == BYTES / DATA.itemsize
        left = [size for size in sent(folder, name) if size]
        assert len(left) == 2
        for size in left:
            assert BYTES / 4 < size <= BYTES / 4 + 0.08 * BYTES
