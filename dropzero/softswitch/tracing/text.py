"""Shows a trace (packet_trace.proto) as a tree of lines."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from dropzero.softswitch.tracing import packet_trace_pb2 as pb

MOST_VALUES = 64
"""The most values of a hash or random number that are tried, spread evenly."""
LONGEST = 64
"""The most hexadecimal digits of a value to show."""
HEX_BYTES = 32
"""Bytes of a packet in a line."""


@dataclass
class Node:
    """A step and its substeps."""

    text: str
    below: list[Node] = field(default_factory=list)

    def add(self, text: str) -> Node:
        node = Node(text)
        self.below.append(node)
        return node

    def lines(self) -> Iterator[str]:
        """Yields the lines of the tree, one for each step."""
        yield self.text
        for node in self.below:
            last = node is self.below[-1]
            for at, line in enumerate(node.lines()):
                yield ("   " if last else "│  ") * bool(at) + ("└─ " if last else "├─ ") * (not at) + line


def lines(trace: pb.PacketTrace) -> Iterator[str]:
    """Yields the lines of a trace: of what the switch did, or, if there are outcomes, of each of them."""
    arrived = f"packet of {len(trace.input.content)} bytes into port {trace.input.ingress_port}"
    if not trace.outcomes:
        yield from _packet(arrived, trace.root).lines()
    for number, outcome in enumerate(trace.outcomes, 1):
        yield f"outcome {number} of {len(trace.outcomes)}: {_outcome(outcome)}"
        yield from _packet(arrived, outcome.root).lines()
    if trace.estimated:
        yield f"estimated: of hashes and random numbers with more values, {MOST_VALUES} are tried"
    if trace.outcomes and trace.tried < 1:
        yield f"cut: other combinations have a probability of {1 - trace.tried:.3g}; --max-outcomes tries more"
    if trace.steps_lost:
        yield f"{trace.steps_lost} more steps did not fit"


def _outcome(outcome: pb.Outcome) -> str:
    parts = [f"probability {outcome.probability:.4g}"]
    selected = (each for each in outcome.choices if each.kind == pb.Choice.SELECTOR)
    parts += [f"member {each.member} of group {each.group}" for each in selected]
    if outcome.combinations > 1:
        parts.append(f"the first of {outcome.combinations} combinations of numbers")
    if outcome.actual:
        parts.append("what this switch does")
    return ", ".join(parts)


def _packet(text: str, tree: pb.TraceTree) -> Node:
    node = Node(text)
    _add(node, tree)
    return node


def _add(node: Node, tree: pb.TraceTree) -> None:
    """Adds the events, the end and the branches of a packet."""
    _end(_events(node, tree.events), node, tree)


def _end(at: Node, node: Node, tree: pb.TraceTree) -> None:
    """Adds how a packet ended to one node, and its branches to another."""
    match tree.WhichOneof("outcome"):
        case "transmit":
            left = tree.transmit
            whom = ", for the controller" if left.to_controller else ""
            sent = at.add(f"{left.packet_size} bytes out of port {left.egress_port}{whom}")
            for start in range(0, len(left.content), HEX_BYTES):
                sent.add(left.content[start : start + HEX_BYTES].hex())
        case "drop":
            at.add(f"dropped: {tree.drop.reason}")
        case "recirculated" | "resubmitted" as again:
            at.add(again)
    for branch in tree.branches:
        _branch(node, branch)


def _branch(node: Node, tree: pb.TraceTree) -> None:
    cause = tree.cause
    match cause.WhichOneof("cause"):
        case "cloned_in_ingress":
            clone = node.add("clone, parsed as it arrived")
            _events(clone, tree.events)
            session = clone.add(f"clone session {cause.clone_session}")
            _end(session, session, tree)
        case "cloned_in_egress":
            _add(node.add("clone, as it left").add(f"clone session {cause.clone_session}"), tree)
        case "multicast":
            _add(node.add("multicast"), tree)
        case "copied_to_port":
            _add(node.add(f"copy to port {cause.copied_to_port}"), tree)
        case again:
            _add(node.add(f"again, {again}"), tree)


def _events(node: Node, events: Iterable[pb.TraceEvent]) -> Node:
    """Adds a packet's events. Returns the node to which its end belongs."""
    at = stage = node
    for event in events:
        match event.WhichOneof("event"):
            case "pipeline_stage":
                reported = event.pipeline_stage
                if reported.direction == pb.PipelineStageEvent.ENTER:
                    stage = at.add(reported.stage_name)
                    continue
                if reported.stage_kind == pb.PipelineStageEvent.PARSER:
                    stage.add(f"error {reported.parser_error}" if reported.parser_error else "accept")
                stage = at
            case "sent_to_port":
                at = stage = node.add(f"to port {event.sent_to_port}")
            case _:
                _event(stage, event)
    return at


def _event(node: Node, event: pb.TraceEvent) -> None:
    """Adds an event, and the events within it."""
    below: Iterable[pb.TraceEvent] = ()
    more: list[str] = []
    match event.WhichOneof("event"):
        case "parser_state":
            text, below = f"state {event.parser_state.name}", event.parser_state.events
        case "extraction":
            header = event.extraction.header
            short = event.extraction.too_short
            text = f"extract {header.name}: the packet is too short" if short else f"extract {_header(header)}"
        case "selection":
            text = f"select {_fields(event.selection.keys)}"
        case "assignment":
            text = f"{event.assignment.name} = {shown(event.assignment.value)}"
        case "table":
            text, more, below = _table(event.table), list(_lookup(event.table)), event.table.events
        case "condition":
            text = f"if ({event.condition.text}): {'yes' if event.condition.result else 'no'}"
        case "action":
            text = f"{event.action.name}({_fields(event.action.parameters)})"
            below = event.action.events
        case "statement":
            text = _statement(event.statement)
        case "message":
            text = f"log: {event.message}"
        case "digest":
            text = f"digest {event.digest.name}: {', '.join(map(shown, event.digest.values))}"
        case "checksum":
            text = _checksum(event.checksum)
        case "emission":
            text = _header(event.emission)
        case "queued":
            text = "queued: its port has a rate"
        case unknown:
            raise AssertionError(unknown)
    source = event.source
    added = node.add(text + (f"  [{Path(source.file).name}:{source.line}]" if event.HasField("source") else ""))
    for line in more:
        added.add(line)
    for each in below:
        _event(added, each)


def _table(table: pb.TableLookup) -> str:
    result = ": hit" if table.hit else ": miss" if table.keys else ""
    return f"table {table.name}{result}"


def _lookup(table: pb.TableLookup) -> Iterator[str]:
    for key in table.keys:
        yield f"{key.name} {shown(key.value)}"
    if table.hit:
        yield _entry(table.entry)
    if table.HasField("choice"):
        chosen = table.choice
        yield f"group {chosen.group}: member {chosen.member}, one of {chosen.count}"


def _entry(entry: pb.Entry) -> str:
    text = "entry " + ", ".join(f"{each.name} {_matched(each)}" for each in entry.matches)
    if entry.priority:
        text += f", priority {entry.priority}"
    if target := entry.WhichOneof("target"):
        text += f", {target} {getattr(entry, target)}"
    return text


def _matched(part: pb.Match) -> str:
    value = shown(part.value)
    match part.WhichOneof("kind"):
        case "prefix_length":
            return f"{value}/{part.prefix_length}"
        case "mask":
            return f"{value} &&& {shown(part.mask)}"
        case "high":
            return f"{value}..{shown(part.high)}"
    return value


def _statement(statement: pb.Statement) -> str:
    text = statement.text
    if statement.inputs:
        text += f" ({', '.join(map(shown, statement.inputs))})"
    if statement.HasField("written"):
        name, value = statement.written.name, shown(statement.written.value)
        text += f" → {value}" if name.rpartition(".")[2] in text else f" → {name} = {value}"
    if statement.HasField("choice"):
        text += f", one of {statement.choice.count or 1 << 64}"
    return text


def _checksum(checksum: pb.Checksum) -> str:
    target, computed = checksum.target, checksum.computed
    if checksum.updated:
        return f"checksum {target.name} = {shown(target.value)}"
    right = "right" if target.value == computed else f"wrong, not {shown(computed)}"
    return f"checksum {target.name} {shown(target.value)}: {right}"


def _header(header: pb.Header) -> str:
    return f"{header.name}: {_fields(header.fields)}"


def _fields(fields: Iterable[pb.Field]) -> str:
    return ", ".join(f"{each.name} {shown(each.value)}" for each in fields)


def shown(value: str) -> str:
    """A value of a trace: in hexadecimal, or in decimal if it is a single digit or negative."""
    number = int(value, 0)
    if number < 10:
        return str(number)
    digits = value.removeprefix("0x")
    return value if len(digits) <= LONGEST else f"0x{digits[:LONGEST]}... ({-(-len(digits) // 2)} bytes)"
