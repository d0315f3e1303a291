"""Schedules in GOAL, the text format of LogGOPSim and ATLAHS [GOAL]: what each rank computes, sends and receives.

num_ranks 2
rank 0 {
  l1: calc 100 cpu 0
  l2: send 10b to 1 tag 5
  l2 requires l1
}
rank 1 { l1: recv 10b from 0 tag 5 }

In atlahs-inc (https://github.com/miharulidze/atlahs-inc), it also has collectives: of a group, with a number that only
its ranks give, and the root or -1:

l3: coll allreduce 1000b 0 7 -1
"""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import replace
from pathlib import Path

from dropzero.simulator.training.trace import LONGEST, RECEIVE, SEND, Node, Trace, TraceError

_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_STATEMENT = re.compile(
    r"""\s*(?:
        num_ranks\s+(?P<ranks>\d{1,6})
        | rank\s+(?P<rank>\d{1,18})\s*\{
        | (?P<close>\})
        | (?P<later>\w+)\s+(?P<how>i?requires)\s+(?P<earlier>\w+)
        | (?P<label>\w+)\s*:\s*
          (?: calc\s+(?P<time>\d{1,18}) | send\s+(?P<sent>\d{1,18})b\s+to\s+(?P<to>\d{1,18})
            | recv\s+(?P<received>\d{1,18})b\s+from\s+(?P<source>\d{1,18})
            | coll\s+(?P<kind>allreduce|allgather|bcast|reduce_scatter|reduce)\s+(?P<whole>\d{1,18})b
              \s+(?P<group>\d{1,18})\s+(?P<instance>\d{1,18})\s+(?P<root>-1|\d{1,18}) )
          (?: \s+tag\s+(?P<tag>\d{1,18}) | \s+cpu\s+(?P<cpu>\d{1,18}) | \s+nic\s+\d{1,18} )*
    )(?!\w)""",
    re.VERBOSE,
)

_KINDS = {"allreduce": "ALL_REDUCE", "allgather": "ALL_GATHER", "bcast": "BROADCAST"}
_ROOTED = ("BROADCAST", "REDUCE")


def is_goal(path: Path) -> bool:
    """Whether a file begins as GOAL does. Raises OSError."""
    with path.open("rb") as file:
        beginning = file.read(1 << 16).decode("utf-8-sig", "replace")
    return _COMMENT.sub("", beginning).lstrip().startswith("num_ranks")


def read(path: Path) -> list[Trace]:
    """Reads the traces of all ranks. A calc is nanoseconds of its cpu. Raises OSError, TraceError."""
    text = _COMMENT.sub(lambda found: "\n" * found[0].count("\n"), path.read_bytes().decode("utf-8-sig", "replace"))
    traces: dict[int, Trace] = {}
    count, rank = 0, -1
    nodes: dict[str, Node] = {}
    needs: dict[str, dict[str, list[str]]] = {}
    at, end = 0, len(text.rstrip())
    while at < end:
        found = _STATEMENT.match(text, at)
        if found is None or (rank < 0) == bool(found["close"] or found["label"] or found["how"]):
            line = text.count("\n", 0, at + len(text[at:]) - len(text[at:].lstrip())) + 1
            raise TraceError(f"{path}, line {line}: {' '.join(text[at:].split(maxsplit=8)[:8])!r} is not GOAL here")
        at = found.end()
        if found["ranks"]:
            count = int(found["ranks"])
        elif found["rank"]:
            rank = int(found["rank"])
            if rank >= count or rank in traces:
                raise TraceError(f"{path}: there are {count} ranks, and rank {rank} is one too many, or there twice")
            nodes, needs = {}, {"requires": defaultdict(list), "irequires": defaultdict(list)}
        elif found["label"]:
            if found["label"] in nodes:
                raise TraceError(f"{path}: rank {rank} has two operations {found['label']}")
            nodes[found["label"]] = _node(len(nodes), found)
        elif found["how"]:
            for label in (found["later"], found["earlier"]):
                if label not in nodes:
                    raise TraceError(f"{path}: rank {rank} has no operation {label} up to here")
            needs[found["how"]][found["later"]].append(found["earlier"])
        else:
            traces[rank], rank = _trace(nodes, needs), -1
    if rank >= 0:
        raise TraceError(f"{path}: the block of rank {rank} has no end")
    if (total := sum(node.duration for trace in traces.values() for node in trace.nodes)) > LONGEST:
        raise TraceError(f"the operations of {path} last {total / 10**9:g} s together, longer than a year")
    return _grouped([traces.get(each, Trace([])) for each in range(count)])


def _node(number: int, found: re.Match[str]) -> Node:
    """An operation, without what it waits for."""
    name, tag = found["label"], int(found["tag"] or 0)
    if found["time"]:
        return Node(number, name, duration=int(found["time"]), processor=f"cpu {found['cpu'] or 0}")
    if found["sent"]:
        return Node(number, name, collective=SEND, size=int(found["sent"]), peer=int(found["to"]), tag=tag)
    if found["kind"]:
        kind = _KINDS.get(found["kind"], found["kind"].upper())
        group, root = f"group {found['group']}, instance {found['instance']}", int(found["root"])
        return Node(number, name, collective=kind, size=int(found["whole"]), group=group, peer=root)
    return Node(number, name, collective=RECEIVE, size=int(found["received"]), peer=int(found["source"]), tag=tag)


def _trace(nodes: dict[str, Node], needs: dict[str, dict[str, list[str]]]) -> Trace:
    """The trace of a rank. needs: for each operation, those that must be over, and those that must have begun."""

    def ids(how: str, label: str) -> tuple[int, ...]:
        return tuple(nodes[each].id for each in needs[how].get(label, ()))

    def complete(label: str, node: Node) -> Node:
        return replace(node, after=ids("requires", label), with_begin_of=ids("irequires", label))

    return Trace([complete(label, node) for label, node in nodes.items()])


def _grouped(traces: list[Trace]) -> list[Trace]:
    """The traces with a group for all instances of the same ranks, and sizes as in Chakra. Raises TraceError."""
    ranks: dict[str, list[int]] = defaultdict(list)
    for rank, trace in enumerate(traces):
        for node in trace.collectives:
            ranks[node.group].append(rank)
    names = {each: f"group {number}" for number, each in enumerate(dict.fromkeys(map(tuple, ranks.values())))}
    order = {instance: number for number, instance in enumerate(ranks)}

    def changed(node: Node) -> Node:
        if node.group not in ranks:
            return node
        own = tuple(ranks[node.group])
        if len({*own}) < len(own):
            raise TraceError(f"a rank has {node.group} twice: each collective needs an instance of its own")
        if node.collective in _ROOTED and node.peer != own[0]:
            raise TraceError(
                f"the root of {node.group} is {node.peer}: only rank {own[0]}, its first, can be that here"
            )
        size = -(-node.size // len(own)) if node.collective == "ALL_GATHER" else node.size
        return replace(node, size=size, group=names[own], peer=0, tag=order[node.group])

    return [Trace([changed(node) for node in trace.nodes]) for trace in traces]
