"""The client with real switch processes."""

from __future__ import annotations

import gc
import queue
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from ipaddress import IPv4Address
from pathlib import Path
from typing import Any, NoReturn

import grpc
import pytest

from dropzero.controller.jobs.epochs import END, RANGE
from dropzero.controller.jobs.jobs import Job, Worker
from dropzero.controller.jobs.slots import SLOTS
from dropzero.controller.p4runtime.device import Device, Group
from dropzero.controller.p4runtime.errors import (
    NotPrimaryError,
    SwitchError,
    UnreachableError,
    UnsupportedError,
    WriteError,
)
from dropzero.controller.switches.rows import Rows
from dropzero.controller.switches.switch import Program, Settings, Switch
from dropzero.controller.switches.view import Host, SwitchView
from dropzero.files import COMPILED
from dropzero.p4.names import Entry, P4Info, UnknownNameError
from dropzero.protocol.wire import Fate
from tests.conftest import free_port, running_switch

NAMES = P4Info.read(COMPILED / "dropzero.p4info.txtpb")
CODE = (COMPILED / "dropzero.json").read_bytes()

STATION = Entry("ingress.forward.station", {"hdr.ethernet.destination": 0x80}, "ingress.forward.send_to", {"port": 3})
JOB = Job(
    7,
    99,
    2,
    8,
    {},
    {
        0: Worker(IPv4Address("10.0.0.1"), 0x11, 40001, 1),
        1: Worker(IPv4Address("10.0.0.2"), 0x22, 40002, 2),
    },
    token=b"digest",
    here=range(32, 40),
)
HOSTS = [Host("h1", IPv4Address("10.0.0.1"), 0x11, 1), Host("h2", IPv4Address("10.0.0.2"), 0x22, 2)]
RACK = SwitchView("s1", {host.name: host for host in HOSTS})
SETTINGS = Settings(uplink_loss=0.5, downlink_loss=1)


@pytest.fixture
def device(switch_address: str) -> Iterator[Device]:
    """The primary client of a switch with the program and empty tables."""
    with Device(switch_address) as device:
        device.become_primary()
        device.push(NAMES, CODE)
        yield device


def test_entries_are_inserted_modified_read_and_deleted_by_name(device: Device) -> None:
    device.insert(STATION)
    assert device.entries("station") == [STATION]
    moved = Entry(STATION.table, STATION.match, STATION.action, {"port": 4})
    device.modify(moved)
    assert device.entries() == [moved]
    device.delete(STATION)
    assert device.entries("station") == []


def test_default_actions_are_set_read_and_reset(device: Device) -> None:
    device.set_default("uplink.probability", "uplink.drop_with", {"probability": 5})
    assert device.default("uplink.probability").parameters == {"probability": 5}
    device.reset_default("uplink.probability")
    assert device.default("uplink.probability").parameters == {"probability": 0}


def test_multicast_groups_are_set_changed_and_deleted(device: Device) -> None:
    both = Group(5, frozenset({(1, 0), (2, 1)}))
    device.insert(both)
    assert device.groups() == [both]
    one = Group(5, frozenset({(2, 1)}))
    device.modify(one)
    assert device.groups() == [one]
    device.delete(Group(5))
    assert device.groups() == []


def test_a_write_names_the_refused_updates_and_carries_out_the_others(device: Device) -> None:
    device.insert(STATION)
    other = Entry(STATION.table, {"hdr.ethernet.destination": 0x81}, STATION.action, {"port": 1})
    with pytest.raises(WriteError, match=r"to insert ingress.forward.station .*: ALREADY_EXISTS \w") as refused:
        device.insert(STATION, other)
    assert [each.code for each in refused.value.rejections] == ["ALREADY_EXISTS"]
    assert other in device.entries("station")
    with pytest.raises(WriteError, match="to delete multicast group 9: NOT_FOUND"):
        device.delete(Group(9))


def test_counters_are_read_by_name(device: Device) -> None:
    counts = device.counter("fate")
    assert len(counts) == len(Fate)
    assert {(each.packets, each.bytes) for each in counts} == {(0, 0)}
    with pytest.raises(UnknownNameError, match="no counter 'fat'"):
        device.counter("fat")


def test_registers_are_read_if_the_switch_serves_them(device: Device, request: pytest.FixtureRequest) -> None:
    if "bmv2" in request.node.name:
        with pytest.raises(UnsupportedError, match="cannot do that: Register reads are not supported"):
            device.register("slot.epoch", [0])
    else:
        assert device.register("slot.epoch", [0, SLOTS - 1]) == {0: 0, SLOTS - 1: 0}


def test_only_the_client_with_the_highest_election_id_may_write(device: Device, switch_address: str) -> None:
    with Device(switch_address) as other:
        with pytest.raises(NotPrimaryError, match="another controller is primary"):
            other.become_primary(0)
        with pytest.raises(NotPrimaryError, match="cannot become primary"):
            other.become_primary(1)
        with pytest.raises(NotPrimaryError):
            other.insert(STATION)
        assert other.entries() == []


def test_a_client_learns_that_another_one_took_over(device: Device, switch_address: str) -> None:
    losses: queue.SimpleQueue[SwitchError] = queue.SimpleQueue()
    with Device(switch_address) as second, Device(switch_address) as third:
        second.become_primary(2, on_loss=losses.put)
        third.become_primary(3)
        assert isinstance(losses.get(timeout=600), NotPrimaryError)
        third.insert(STATION)
        with pytest.raises(NotPrimaryError):
            second.delete(STATION)


def test_a_client_that_pushed_nothing_reads_the_names_from_the_switch(device: Device, switch_address: str) -> None:
    device.insert(STATION)
    with Device(switch_address) as reader:
        assert reader.entries("station") == [STATION]


def test_an_address_without_a_switch_is_an_error() -> None:
    with pytest.raises(UnreachableError, match=r"no switch answers at 127.0.0.1:\d+: is it running\?"):
        Device(f"127.0.0.1:{free_port()}", timeout=0.5)


@pytest.mark.parametrize("kind", ["softswitch", "bmv2"])
def test_a_switch_without_a_program_and_one_that_goes_away_are_errors(kind: str, tmp_path: Path) -> None:
    losses: queue.SimpleQueue[SwitchError] = queue.SimpleQueue()
    with running_switch(kind, tmp_path / "log") as address:
        device = Device(address)
        device.become_primary(on_loss=losses.put)
        with pytest.raises(SwitchError, match="No forwarding pipeline config"):
            device.entries("station")
    assert isinstance(losses.get(timeout=600), UnreachableError)
    device.close()


def test_a_write_during_which_the_switch_dies_raises_unreachable() -> None:
    def end(request: object, context: grpc.ServicerContext) -> NoReturn:
        context.abort(grpc.StatusCode.CANCELLED, "CANCELLED")

    server = grpc.server(ThreadPoolExecutor(1))
    write: grpc.RpcMethodHandler[object, object] = grpc.unary_unary_rpc_method_handler(end)
    server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler("p4.v1.P4Runtime", {"Write": write}),))
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    try:
        with Device(f"127.0.0.1:{port}") as device, pytest.raises(UnreachableError, match="does not answer: CANCELLED"):
            device.insert(Group(1))
        for use in (lambda: device.insert(Group(1)), device.groups):
            with pytest.raises(UnreachableError, match=r"the connection to the switch at .* is closed"):
                use()
    finally:
        server.stop(None)


def test_a_network_is_configured_and_a_job_installed_changed_and_removed(device: Device) -> None:
    switch = Switch(device)
    switch.configure(RACK, SETTINGS)
    assert switch.address() == (SETTINGS.ip, SETTINGS.mac)
    assert device.default("uplink.probability").parameters == {"probability": 2**31}
    assert device.default("downlink.probability").parameters == {"probability": 2**32 - 1}
    assert switch.loss() == (0.5, 1 - 2**-32)
    assert device.default("station").parameters == {"group": 1}
    assert switch.stations() == {0x11: 1, 0x22: 2}
    assert switch.flooded() == [1, 2]
    stations, groups = device.entries(), device.groups()
    assert groups == [Group(1, frozenset({(1, 0), (2, 0)}))]

    switch.sync(7, JOB)
    (job,) = switch.jobs()
    assert (job.id, job.epoch, job.here, job.size, job.token) == (7, 99, range(32, 40), 2, b"digest")
    assert [each.ip for each in job.workers.values()] == [IPv4Address("10.0.0.1"), IPv4Address("10.0.0.2")]
    (row,) = device.entries("admission.job")
    assert row.parameters["members"] == 0b11
    whole, parts = {(1, 0), (2, 1)}, {(1, 0), (2, 1), (1, 0x100), (2, 0x101)}
    assert Group(row.parameters["group"], frozenset(whole)) in device.groups()
    assert Group(row.parameters["group"] + 1, frozenset(parts)) in device.groups()
    receivers = {entry.match["hdr.dropzero.worker"]: entry.parameters for entry in device.entries("replica.receiver")}
    assert receivers[1] == {"mac": 0x22, "ip": 0x0A000002, "port": 40002, "secret": 0}

    switch.sync(7, replace(JOB, epoch=100, here=range(8, 12), lanes=4, workers={1: JOB.workers[1]}))
    (row,) = device.entries("admission.job")
    assert (row.parameters["epoch"], row.parameters["members"], row.parameters["lanes"]) == (100, 0b10, 4)
    assert len(device.groups()) == 3
    assert len(device.entries("admission.worker")) == 1

    switch.sync(7, None)
    assert (device.entries(), device.groups()) == (stations, groups)


def test_a_job_whose_slots_now_belong_to_another_job_is_removed(device: Device) -> None:
    """After a switch was away, a finished job may be removed after a job with its slots is set up."""
    switch = Switch(device)
    switch.sync(7, JOB)
    switch.sync(8, replace(JOB, id=8, epoch=100, here=range(8)))
    switch.sync(9, replace(JOB, id=9, epoch=101, here=range(32, 36), lanes=4))
    assert [job.id for job in switch.jobs()] == [8, 9]
    switch.sync(7, replace(JOB, epoch=102, here=range(40, 48)))
    assert [job.id for job in switch.jobs()] == [7, 8, 9]
    for number in (7, 8, 9):
        switch.sync(number, None)
    assert (device.entries(), device.groups()) == ([], [])


def test_jobs_that_are_over_are_forgotten(device: Device) -> None:
    def remembered() -> int:
        return sum(isinstance(each, Rows) for each in gc.get_objects())

    switch = Switch(device)
    before = remembered()
    for number in range(9):
        switch.sync(number, replace(JOB, id=number, epoch=100 + number))
        switch.sync(number, None)
    assert remembered() == before


def test_existing_rows_are_read_and_only_missing_ones_written(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    former = Switch(device)
    former.configure(RACK, SETTINGS)
    former.sync(7, JOB)
    stray = Entry("ingress.admission.worker", {"hdr.dropzero.job": 9, "hdr.dropzero.worker": 0}, "found_worker")
    device.insert(
        replace(stray, parameters={"lives_on": 1, "has_address": 1, "sends_from": 1, "has_secret": 1, "leaf": 0}),
        Group(900, frozenset({(1, 1)})),
    )
    group = device.entries("admission.job")[0].parameters["group"]
    device.delete(Group(group + 1))

    switch = Switch(device)
    writes: list[str] = []
    write = device._write

    def noted(kind: Any, entities: tuple[Entry | Group, ...], **options: bool) -> None:
        writes.extend(f"{kind} {each}" for each in entities)
        write(kind, entities, **options)

    monkeypatch.setattr(device, "_write", noted)
    switch.configure(RACK, SETTINGS)
    assert writes == []
    ((job, lacking, *_),) = switch.learn()
    assert (job.epoch, job.members, lacking) == (99, (0, 1), ())
    assert len(writes) == 2
    assert {entry.match["hdr.dropzero.job"] for entry in device.entries("admission.worker")} == {7}
    switch.sync(7, job)
    assert writes[2:] == [f"1 multicast group {group + 1}"]
    switch.sync(7, job)
    assert len(writes) == 3


def test_after_a_refused_write_the_known_rows_match_the_switch(device: Device) -> None:
    switch = Switch(device)
    in_the_way = Entry(
        "ingress.admission.worker",
        {"hdr.dropzero.job": 7, "hdr.dropzero.worker": 1},
        "found_worker",
        {"lives_on": 5, "has_address": 5, "sends_from": 5, "has_secret": 5, "leaf": 0},
    )
    device.insert(in_the_way)
    with pytest.raises(WriteError, match="ALREADY_EXISTS"):
        switch.sync(7, JOB)
    assert (device.entries(), device.groups()) == ([], [])
    switch.sync(7, JOB)
    assert switch.jobs()[0].workers[1].port == 2
    switch.sync(7, None)
    assert (device.entries(), device.groups()) == ([], [])


def test_a_program_is_pushed_only_if_it_does_not_run_yet(device: Device) -> None:
    program = Program(NAMES, CODE)
    switch = Switch(device)
    device.insert(STATION)
    assert switch.prepare(program)
    assert device.entries() == []
    device.insert(STATION)
    assert not switch.prepare(program)
    assert device.entries() == [STATION]


def test_a_switch_stores_the_taken_epochs_and_refuses_more_than_it_can_count(device: Device) -> None:
    switch = Switch(device)
    switch.configure(RACK, SETTINGS)
    assert switch.taken() == 0
    switch.sync(7, JOB)
    assert switch.taken() == RANGE
    with Device(device.address) as reader:
        assert Switch(reader).taken() == RANGE
    switch.set_address(IPv4Address("10.0.0.99"), 7)
    assert (switch.address(), switch.taken()) == ((IPv4Address("10.0.0.99"), 7), RANGE)
    switch.sync(7, replace(JOB, epoch=END - 1))
    assert switch.taken() == END
    with pytest.raises(SwitchError, match=r"the switch at .* has used up its epochs: restart it and the controller"):
        switch.sync(7, replace(JOB, epoch=END))
    assert [job.epoch for job in switch.jobs()] == [END - 1]


def test_counters_are_reset(device: Device) -> None:
    Switch(device).reset_counters()
    assert {count.packets for count in Switch(device).fates().values()} == {0}


def test_slots_are_shown_with_the_missing_workers(device: Device, request: pytest.FixtureRequest) -> None:
    switch = Switch(device)
    switch.sync(7, JOB)
    if "bmv2" in request.node.name:
        with pytest.raises(UnsupportedError, match="cannot do that: Register reads are not supported"):
            switch.slot(32)
        return
    assert list(switch.slots()) == list(range(32, 40))
    state = switch.slot(33)
    assert (state.job, state.fresh, state.missing) == (7, False, (0, 1))
    assert switch.slot(5).job is None
    with pytest.raises(SwitchError, match=f"there is no slot {SLOTS}: the switch has {SLOTS}"):
        switch.slot(SLOTS)
