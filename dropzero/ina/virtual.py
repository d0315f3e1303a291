"""Runs a protocol in virtual time: the program in the embedded switch's engine, hosts and links modelled."""

from __future__ import annotations

from dataclasses import replace

from dropzero.controller.p4runtime.device import entity_of
from dropzero.ina.audit import Audit
from dropzero.ina.conditions import Conditions
from dropzero.ina.folder import Folder
from dropzero.ina.frames import framed, payload_of, place
from dropzero.ina.outcome import PATIENCE, Outcome, tensors
from dropzero.ina.protocol import Protocol, Rows
from dropzero.ina.topology import Topology
from dropzero.p4.names import P4Info
from dropzero.p4.v1 import p4runtime_pb2
from dropzero.simulator.programs.fabric import Fabric
from dropzero.simulator.simulation import QUEUE
from dropzero.softswitch.engine.switch import Switch
from dropzero.softswitch.engine.wire import SECOND
from dropzero.softswitch.offline.state import config_of, write
from dropzero.softswitch.p4runtime.device import Device, Request
from dropzero.softswitch.p4runtime.pipeline.refusal import Refusal


def run(folder: Folder, protocol: Protocol, elements: int, conditions: Conditions, queue: int = QUEUE) -> Outcome:
    """Runs a protocol until all workers have their sums, and audits it.

    Args:
        elements: of a worker's tensor.
        queue: packets that wait at a port of the switch, at most.

    Raises:
        AuditError: a sum is wrong or missing.
        ProtocolError: the protocol's own code fails.
        ValueError, SwitchError: the program or a row is wrong.
    """
    with folder.blamed():
        return _run(folder, protocol, elements, conditions, queue)


def _run(folder: Folder, protocol: Protocol, elements: int, conditions: Conditions, queue: int) -> Outcome:
    given = tensors(protocol, elements, conditions)
    workers = [protocol.worker(rank, protocol.encode(tensor)) for rank, tensor in enumerate(given)]
    hosts = [*workers, *map(protocol.server, range(protocol.servers))]
    topology = Topology.of(protocol)
    quality = conditions.quality
    slow = replace(quality, rate=round(conditions.slow_spine * quality.rate))
    fabric = Fabric(quality, queue, conditions.seed)
    for number, name in enumerate(topology.switches):
        set_up(fabric.add(name), folder, protocol.rows(topology.places(number)))
    for lower, upper in topology.trunks:
        is_slow = topology.spines > 1 and upper[0] == topology.switches[-1]
        fabric.link(lower, upper, slow if is_slow else None)
    ports = list(map(topology.port, range(len(hosts))))
    numbers = {port: number for number, port in enumerate(ports)}
    audit = Audit(protocol, given)
    # When the network next looks at each host's timers.
    late = conditions.late
    woken = [late if host is workers[-1] else 0 for host in hosts]
    started: set[int] = set()
    for port, at in zip(ports, woken, strict=True):
        fabric.wake(*port, at)
    living = [worker for rank, worker in enumerate(workers) if rank not in conditions.killed]
    missing, progressed = sum(worker.missing for worker in living), late
    ended: dict[int, float] = {}
    for arrival in fabric.run():
        port, now = (arrival.switch, arrival.port), arrival.time
        number = numbers[port]
        host = hosts[number]
        stopped = next((stop for stop in conditions.stops if stop.covers(number, now)), None)
        if stopped is not None:
            if stopped.end is not None:
                fabric.wake(*port, stopped.end, arrival.packet)
            continue
        payload = payload_of(arrival.packet, protocol.port)
        if payload is not None:
            audit.packet(payload, f"the switch to host {number}")
        if number not in started:
            if now < woken[number]:
                # Nobody receives there yet.
                continue
            started.add(number)
            sent = host.begin(now)
        else:
            sent = host.tick(now) if payload is None else host.take(now, payload)
        for each in sent:
            audit.packet(each, f"host {number} to the switch")
            fabric.send(*port, framed(place(number), protocol.port, each))
        deadline = host.deadline
        if deadline is not None and (deadline < woken[number] or woken[number] <= now):
            woken[number] = deadline
            fabric.wake(*port, deadline)
        if number < protocol.workers and workers[number].finished:
            ended.setdefault(number, now / SECOND)
        left = sum(worker.missing for worker in living)
        if left < missing:
            missing, progressed = left, now
        if not left or now - progressed > PATIENCE:
            break
    return Outcome.of(living, protocol, ended, audit)


def set_up(switch: Switch, folder: Folder, rows: Rows) -> None:
    """Loads the program into a switch, and writes the rows. Raises ValueError, SwitchError."""
    device = Device(switch)
    try:
        device.configure(Request.VERIFY_AND_COMMIT, config_of(folder.json, folder.p4info))
    except Refusal as refusal:
        raise ValueError(str(refusal)) from None
    assert device.pipeline is not None
    p4info = P4Info.read(folder.p4info)
    insert = p4runtime_pb2.Update.INSERT
    entities = [entity_of(each, p4info.encode) for each in rows.all]
    write(device.pipeline, [p4runtime_pb2.Update(type=insert, entity=each) for each in entities])
