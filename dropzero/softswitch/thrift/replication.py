"""BMv2's Thrift services "simple_pre_lag" (multicast) and "simple_switch" (clone sessions, queues, time)."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass, field, replace

from dropzero.softswitch.engine.engine import Engine
from dropzero.softswitch.engine.switch import Switch
from dropzero.softswitch.state.replication import GROUPS
from dropzero.softswitch.thrift.server import Declined
from dropzero.softswitch.thrift.structs import MirroringTo
from dropzero.softswitch.thrift.wire import Value, i32, i64, record, string

INVALID_MGID, INVALID_MGRP_HANDLE, INVALID_L1_HANDLE, ERROR = 2, 3, 4, 5
SESSION_NOT_FOUND = 1
DONE = 0
FOREIGN_NODES = 1 << 16
"""The number of the first node that a P4Runtime client made."""


@dataclass
class _State:
    """What Thrift's clients have set in one engine.

    Attributes:
        nodes: (instance, ports) by number.
        groups: the numbers of each group's nodes.
        followers: the group of each clone session that copies packets to a group.
    """

    engine: Engine
    nodes: dict[int, tuple[int, list[int]]] = field(default_factory=dict)
    groups: dict[int, list[int]] = field(default_factory=dict)
    followers: dict[int, int] = field(default_factory=dict)

    def update(self, group: int) -> None:
        """Writes a group to the engine, and the sessions that follow it."""
        replicas = [(port, instance) for node in self.groups[group] for instance, port in self._pairs(node)]
        self.engine.multicast.set(group, replicas)
        self._update_followers(group, replicas)

    def remove(self, group: int) -> None:
        """Removes a group, if there is one. Sessions that follow it have no ports until it is made again."""
        self.engine.multicast.delete(group)
        self.groups.pop(group, None)
        self._update_followers(group, [])

    def _update_followers(self, group: int, replicas: list[tuple[int, int]]) -> None:
        for session, followed in self.followers.items():
            if followed == group:
                self.engine.clone_sessions.set(session, replicas)

    def _pairs(self, node: int) -> list[tuple[int, int]]:
        instance, ports = self.nodes[node]
        return [(instance, port) for port in ports]


class Replication:
    """The state that both services share."""

    def __init__(self, switch: Switch) -> None:
        self._switch = switch
        self._known: _State | None = None

    @property
    def state(self) -> _State:
        """The state of the running engine, or of the staged one if none runs."""
        engine = self._switch.engine or self._switch.staged
        assert engine is not None
        if self._known is None or self._known.engine is not engine:
            self._known = _State(engine)
        return self._known

    def reset(self) -> None:
        """Removes groups and nodes. As in BMv2, clone sessions stay."""
        state = self.state
        for group in (*state.engine.multicast.groups, *state.groups):
            state.remove(group)
        state.nodes.clear()

    def carry_over(self, engine: Engine) -> None:
        """Copies groups and sessions from the running engine to its successor: as in BMv2, they survive a swap."""
        state = self.state
        for group, replicas in state.engine.multicast.groups.items():
            engine.multicast.set(group, replicas)
        for number, session in state.engine.clone_sessions.sessions.items():
            engine.clone_sessions.set(number, session.replicas)
        self._known = replace(state, engine=engine)


class SimplePreLag:
    prefixes = ("bm_mc_",)
    needs_engine = True

    def __init__(self, replication: Replication) -> None:
        self._replication = replication

    def bm_mc_mgrp_create(self, _: int, group: int) -> Value:
        if not 0 < group < GROUPS:
            raise Declined(INVALID_MGID)
        if group not in self._state.groups:
            self._state.groups[group] = []
            self._state.update(group)
        return i32(group)

    def bm_mc_mgrp_destroy(self, _: int, group: int) -> None:
        self._state.remove(group)

    def bm_mc_node_create(self, _: int, instance: int, ports: bytes, lags: bytes = b"") -> Value:
        _refuse(lags)
        if not -(1 << 31) <= instance < 1 << 31:
            raise ValueError(f"{instance} is not the number of an instance")
        nodes = self._state.nodes
        number = next(number for number in range(len(nodes) + 1) if number not in nodes)
        nodes[number] = instance, _members(ports)
        return i32(number)

    def bm_mc_node_update(self, _: int, node: int, ports: bytes, lags: bytes = b"") -> None:
        _refuse(lags)
        instance, _before = self._node(node)
        self._state.nodes[node] = instance, _members(ports)
        self._update_groups_of(node)

    def bm_mc_node_associate(self, _: int, group: int, node: int) -> None:
        self._node(node)
        nodes = self._group(group)
        if any(node in others for others in self._state.groups.values()):
            raise Declined(ERROR)
        nodes.append(node)
        self._state.update(group)

    def bm_mc_node_dissociate(self, _: int, group: int, node: int) -> None:
        self._node(node)
        nodes = self._group(group)
        if node not in nodes:
            raise Declined(ERROR)
        nodes.remove(node)
        self._state.update(group)

    def bm_mc_node_destroy(self, _: int, node: int) -> None:
        self._node(node)
        for group, nodes in self._state.groups.items():
            if node in nodes:
                nodes.remove(node)
                self._state.update(group)
        del self._state.nodes[node]

    def bm_mc_get_entries(self, _: int) -> Value:
        state = self._state
        nodes, groups = dict(state.nodes), []
        for group, replicas in state.engine.multicast.groups.items():
            own = state.groups.get(group)
            if own is None:
                own = []
                for instance in dict.fromkeys(instance for _, instance in replicas):
                    own.append(FOREIGN_NODES + len(nodes))
                    nodes[own[-1]] = instance, sorted(port for port, its in replicas if its == instance)
            groups.append({"id": group, "l1_handles": own})
        first = [{"handle": node, "rid": rid, "l2_handle": node} for node, (rid, _) in nodes.items()]
        second = [{"handle": node, "ports": ports, "lags": []} for node, (_, ports) in nodes.items()]
        return string(json.dumps({"mgrps": groups, "l1_handles": first, "l2_handles": second, "lags": []}))

    @property
    def _state(self) -> _State:
        return self._replication.state

    def _node(self, node: int) -> tuple[int, list[int]]:
        if node not in self._state.nodes:
            raise Declined(INVALID_L1_HANDLE)
        return self._state.nodes[node]

    def _group(self, group: int) -> list[int]:
        if group not in self._state.groups:
            raise Declined(INVALID_MGRP_HANDLE)
        return self._state.groups[group]

    def _update_groups_of(self, node: int) -> None:
        for group, nodes in self._state.groups.items():
            if node in nodes:
                self._state.update(group)


class SimpleSwitch:
    prefixes = ("mirroring_", "set_", "get_time_")
    needs_engine = True

    def __init__(self, replication: Replication, switch: Switch) -> None:
        self._replication = replication
        self._switch = switch

    def mirroring_session_add(self, session: int, to: MirroringTo) -> None:
        state = self._replication.state
        state.followers.pop(session, None)
        if 2 in to:
            state.followers[session] = to[2]
            replicas = state.engine.multicast.groups.get(to[2], [])
        else:
            replicas = []
        if 1 in to:
            replicas = [*replicas, (to[1], 0)]
        state.engine.clone_sessions.set(session, replicas)

    def mirroring_session_delete(self, session: int) -> None:
        self._session(session)
        self._replication.state.engine.clone_sessions.delete(session)
        self._replication.state.followers.pop(session, None)

    def mirroring_session_get(self, session: int) -> Value:
        ports = self._session(session)
        group = self._replication.state.followers.get(session)
        return record({2: i32(group)} if group is not None else {1: i32(ports[0])} if ports else {})

    def mirroring_mapping_add(self, session: int, port: int) -> Value:
        self.mirroring_session_add(session, {1: port})
        return i32(DONE)

    def mirroring_mapping_delete(self, session: int) -> Value:
        self.mirroring_session_delete(session)
        return i32(DONE)

    def mirroring_mapping_get_egress_port(self, session: int) -> Value:
        return i32(next(iter(self._session(session)), -1))

    def set_egress_priority_queue_depth(self, port: int, priority: int, packets: int) -> Value:
        self._switch.queues.set_depth(packets, port, priority)
        return i32(DONE)

    def set_egress_queue_depth(self, port: int, packets: int) -> Value:
        self._switch.queues.set_depth(packets, port)
        return i32(DONE)

    def set_all_egress_queue_depths(self, packets: int) -> Value:
        self._switch.queues.set_depth(packets)
        return i32(DONE)

    def set_egress_priority_queue_rate(self, port: int, priority: int, packets_a_second: int) -> Value:
        self._switch.queues.set_rate(packets_a_second, port, priority)
        return i32(DONE)

    def set_egress_queue_rate(self, port: int, packets_a_second: int) -> Value:
        self._switch.queues.set_rate(packets_a_second, port)
        return i32(DONE)

    def set_all_egress_queue_rates(self, packets_a_second: int) -> Value:
        self._switch.queues.set_rate(packets_a_second)
        return i32(DONE)

    def get_time_elapsed_us(self) -> Value:
        return i64(self._switch.now())

    def get_time_since_epoch_us(self) -> Value:
        return i64(time.time_ns() // 1000)

    def _session(self, session: int) -> list[int]:
        """The ports of a clone session."""
        sessions = self._replication.state.engine.clone_sessions.sessions
        if session not in sessions:
            raise Declined(SESSION_NOT_FOUND)
        return [port for port, _ in sessions[session].replicas]


def _refuse(lags: bytes) -> None:
    if _members(lags):
        raise ValueError("this switch has no LAGs")


def _members(bits: bytes) -> list[int]:
    """Decodes a set of numbers: a string of 0 and 1, in which the last character stands for number 0."""
    return [number for number, bit in enumerate(reversed(bits)) if bit == ord("1")]
