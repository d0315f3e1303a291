"""Execution traces in the format of MLCommons Chakra [Chakra]: what a worker computes and communicates in a step."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import cast

from google.protobuf.message import DecodeError, Message

from dropzero.simulator.training import chakra_pb2 as chakra

MICROSECOND = 1000
"""Nanoseconds."""
_VERSION = "0.0.4"
_LENGTH_BYTES = 5
"""The most of a message's length as a varint."""
LONGEST = 365 * 24 * 3600 * 10**9
"""Nanoseconds: a year, of all operations together."""
_LOCAL = {
    chakra.METADATA_NODE: "",
    chakra.MEM_LOAD_NODE: "",
    chakra.MEM_STORE_NODE: "",
    chakra.COMP_NODE: "",
    chakra.STORAGE_NODE: "storage",
    chakra.BATCH_NODE: "storage",
    chakra.CHECKPOINT_NODE: "storage",
}
"""What a worker does alone, and the processor that does it; empty: as `is_cpu_op` says."""
SEND, RECEIVE = "SEND", "RECEIVE"
_BETWEEN_TWO = {chakra.COMM_SEND_NODE: (SEND, "comm_dst"), chakra.COMM_RECV_NODE: (RECEIVE, "comm_src")}


class TraceError(ValueError):
    """A trace cannot be simulated."""


@dataclass(frozen=True)
class Node:
    """An operation.

    Attributes:
        id: its number in the trace. name: for people.
        after: the nodes that must be over before it begins.
        duration: nanoseconds, of an operation that communicates nothing.
        processor: that has it for so long, such as "gpu"; each runs one operation at a time.
        collective: its name, such as "ALL_REDUCE"; or SEND or RECEIVE. None: it communicates nothing.
        size: bytes that it communicates, on each worker.
        group: the name of its process group; empty: all workers.
        peer: of a send or receive: the other rank.
        tag: of these, what tells them from others between the two; of collectives, their order in a schedule in GOAL.
        with_begin_of: the nodes that must have begun before it begins.
    """

    id: int
    name: str
    after: tuple[int, ...] = ()
    duration: int = 0
    processor: str = "gpu"
    collective: str | None = None
    size: int = 0
    group: str = ""
    peer: int = 0
    tag: int = 0
    with_begin_of: tuple[int, ...] = ()


@dataclass(frozen=True)
class Trace:
    """What one worker does in a step. Raises TraceError if two nodes have one id, or one waits for a node that is not
    there."""

    nodes: Sequence[Node]

    def __post_init__(self) -> None:
        if len(self.by_id) < len(self.nodes):
            raise TraceError("two nodes have the same id")
        for node in self.nodes:
            for each in (*node.after, *node.with_begin_of):
                if each not in self.by_id:
                    raise TraceError(f"node {node.id} ({node.name}) waits for node {each}, which is not in the trace")

    @cached_property
    def by_id(self) -> Mapping[int, Node]:
        return {node.id: node for node in self.nodes}

    @cached_property
    def collectives(self) -> Sequence[Node]:
        """In the order of their tags and then of their ids, which is that in which they were called; sends and receives
        are none."""
        nodes = (node for node in self.nodes if node.collective not in (None, SEND, RECEIVE))
        return sorted(nodes, key=lambda node: (node.tag, node.id))


def read(path: Path, flops: float = 0.0, durations: Mapping[str, float] | None = None) -> Trace:
    """Reads a trace.

    Args:
        path: of the file.
        flops: operations a second, of nodes with a number of operations and no duration.
        durations: microseconds by the names of nodes; the others keep those of the trace.

    Raises:
        OSError: there is no such file.
        TraceError: it is not a trace, or has what cannot be simulated.
    """
    content = path.read_bytes()
    messages = _messages(content)
    nodes: list[Node] = []
    try:
        chakra.Metadata.FromString(next(messages, b""))
        nodes += (_node(chakra.Node.FromString(message), flops, durations or {}) for message in messages)
    except DecodeError as error:
        what = "is not a Chakra trace, or only the beginning of one; a schedule in GOAL begins with num_ranks"
        raise TraceError(f"{path} {what}") from error
    if not nodes:
        raise TraceError(f"{path} has no nodes")
    if (total := sum(node.duration for node in nodes)) > LONGEST:
        raise TraceError(f"the operations of {path} last {total / 10**9:g} s together, longer than a year")
    return Trace(nodes)


def write(path: Path, trace: Trace) -> None:
    """Writes a trace. Raises OSError."""
    messages: list[Message] = [chakra.Metadata(version=_VERSION)]
    for node in trace.nodes:
        made = chakra.Node(
            id=node.id, name=node.name, data_deps=node.after, duration_micros=node.duration // MICROSECOND
        )
        if node.collective is None:
            made.type = chakra.COMP_NODE
        elif node.collective in (SEND, RECEIVE):
            made.type, (_, peer) = next(each for each in _BETWEEN_TWO.items() if each[1][0] == node.collective)
            made.attr.add(name=peer, int64_val=node.peer)
            made.attr.add(name="comm_tag", int64_val=node.tag)
        else:
            made.type = chakra.COMM_COLL_NODE
            made.attr.add(name="comm_type", int64_val=chakra.CollectiveType.Value(node.collective))
        if node.collective is not None:
            made.attr.add(name="comm_size", int64_val=node.size)
        if node.group:
            made.attr.add(name="pg_name", string_val=node.group)
        made.attr.add(name="is_cpu_op", bool_val=node.processor == "cpu")
        messages.append(made)
    path.write_bytes(b"".join(_varint(message.ByteSize()) + message.SerializeToString() for message in messages))


def _node(made: chakra.Node, flops: float, durations: Mapping[str, float]) -> Node:
    """A node of a trace. Raises TraceError."""
    who = f"node {made.id} ({made.name})"
    after = (*made.ctrl_deps, *made.data_deps)
    attributes = _attributes(made)
    if made.type == chakra.COMM_COLL_NODE:
        number = _integer(attributes, "comm_type", who, 0) if "comm_type" in attributes else -1
        if number not in chakra.CollectiveType.values():
            raise TraceError(f"{who} is not a known collective")
        kind = chakra.CollectiveType.Name(cast("chakra.CollectiveType.ValueType", number))
        size = _integer(attributes, "comm_size", who, 0 if kind == "BARRIER" else 1)
        group = str(attributes.get("pg_name", ""))
        # The dimensions of ASTRA-sim's network in which the ranks communicate, if no group names them.
        if not group and not all(all(each.bool_list.values) for each in made.attr if each.name == "involved_dim"):
            raise TraceError(f"{who} has only some dimensions in involved_dim: name its group in pg_name instead")
        return Node(made.id, made.name, after, collective=kind, size=size, group=group)
    if made.type in _BETWEEN_TWO:
        kind, peer = _BETWEEN_TWO[made.type]
        if peer not in attributes:
            raise TraceError(f"{who} has no {peer}: which rank is it?")
        numbers = [_integer(attributes, *each) for each in ((peer, who, 0), ("comm_tag", who, 0))]
        size = _integer(attributes, "comm_size", who, 0)
        return Node(made.id, made.name, after, collective=kind, size=size, peer=numbers[0], tag=numbers[1])
    if made.type not in _LOCAL:
        names = {number: name for name, number in chakra.NodeType.items()}
        known = names.get(made.type, f"node of type {made.type}, which is newer than this program")
        raise TraceError(f"{who} is a {known}, which cannot be simulated")
    duration = made.duration_micros * float(MICROSECOND)
    operations = _number(attributes, "num_ops", who)
    if made.name in durations:
        duration = durations[made.name] * MICROSECOND
    elif not duration and operations:
        if not flops:
            raise TraceError(f"{who} has a number of operations, and no duration: how many a second are there?")
        duration = operations / flops * 1e9
    if not 0 <= duration <= LONGEST:
        raise TraceError(f"{who} lasts {duration / 1e9:g} s: from 0 s to a year is possible")
    processor = _LOCAL[made.type] or ("cpu" if attributes.get("is_cpu_op") else "gpu")
    return Node(made.id, made.name, after, round(duration), processor)


def _integer(attributes: Mapping[str, float | str], name: str, who: str, least: int) -> int:
    """The value of an attribute; 0 without it. Raises TraceError if it is not an integer, or smaller than `least`."""
    value = _number(attributes, name, who)
    if value < least or value % 1:
        unit = " bytes" if name == "comm_size" else ""
        raise TraceError(f"{who} has no usable {name} ({value:g}{unit})")
    return int(value)


def _number(attributes: Mapping[str, float | str], name: str, who: str) -> float:
    """The value of an attribute; 0 without it. Raises TraceError if it is not a finite number."""
    try:
        value = float(attributes.get(name, 0))
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise TraceError(f"{who} has a {name} that is not a number: {attributes[name]!r}")
    return value


def _attributes(made: chakra.Node) -> dict[str, float | str]:
    """The values of a node's attributes by their names, without lists."""
    pairs = ((each.name, each.WhichOneof("value")) for each in made.attr if not each.HasField("bool_list"))
    values = dict(zip((each.name for each in made.attr), made.attr, strict=True))
    return {name: getattr(values[name], field) for name, field in pairs if field is not None}


def _messages(content: bytes) -> Iterator[bytes]:
    """The messages of a trace. Raises DecodeError."""
    at = 0
    while at < len(content):
        length = shift = 0
        while True:
            if at == len(content) or shift == 7 * _LENGTH_BYTES:
                raise DecodeError
            byte = content[at]
            length |= (byte & 0x7F) << shift
            at, shift = at + 1, shift + 7
            if not byte & 0x80:
                break
        if at + length > len(content):
            raise DecodeError
        yield content[at : at + length]
        at += length


def _varint(number: int) -> bytes:
    low = number & 0x7F
    return bytes([low | 0x80]) + _varint(number >> 7) if number >> 7 else bytes([low])
