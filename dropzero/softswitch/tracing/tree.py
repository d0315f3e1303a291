"""Builds a tree of one packet's path from the steps that a program reports (program/steps.py)."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from dropzero.softswitch.engine.engine import Engine
from dropzero.softswitch.engine.frames import Frames
from dropzero.softswitch.engine.switch import Switch
from dropzero.softswitch.program import model as p4
from dropzero.softswitch.program.steps import PARSER, Steps, extracted_header, header_fields, inputs, written
from dropzero.softswitch.state.reports import DIGEST, STEP, Report, message, messages
from dropzero.softswitch.state.tables.tables import Entry
from dropzero.softswitch.state.tables.targets import Group, Member

AGAIN_KINDS = {4: "again, recirculated", 6: "again, resubmitted"}
LONGEST = 64
"""The most hexadecimal digits of a value to show."""
HEX_BYTES = 32
"""Bytes of a packet in a line."""
QUEUE_MICROSECONDS = 1_000_000_000
"""When packets are released from queues, in microseconds."""


@dataclass
class Node:
    """A step and its substeps. source: its place in the P4 source."""

    text: str
    source: p4.Source | None = None
    below: list[Node] = field(default_factory=list)

    def add(self, text: str, source: p4.Source | None = None) -> Node:
        node = Node(text, source)
        self.below.append(node)
        return node

    def lines(self) -> Iterator[str]:
        """Yields the lines of the tree, one for each step."""
        place = f"  [{Path(self.source.file).name}:{self.source.line}]" if self.source else ""
        yield self.text + place
        for node in self.below:
            last = node is self.below[-1]
            for at, line in enumerate(node.lines()):
                yield ("   " if last else "│  ") * bool(at) + ("└─ " if last else "├─ ") * (not at) + line


def follow(switch: Switch, reports: list[Report], port: int, packet: bytes) -> Node:
    """Sends a packet through the switch's engine, and returns the tree of its path.

    reports: the list to which the engine appends its reports.
    """
    engine = switch.engine
    assert engine is not None
    reports.clear()
    frames = [engine.process(Frames.of([(port, packet)]), 0)]
    frames.append(engine.release(QUEUE_MICROSECONDS)[0])
    tree = _Tree(engine, port, packet, (contents for each in frames for _, contents in each))
    for report in reports:
        tree.add(report)
    tree.end()
    return tree.root


class _Tree:
    """The tree while it is built.

    root: the packet that arrived

    Steps are added to the current nodes:
    _pass:  one pass through the switch: of the arriving packet, or of one that was resubmitted or recirculated
    _copy:  the packet in this pass, or the current copy of it
    _stage: the current parser, control or deparser
    _block: the current parser state, table or action
    """

    def __init__(self, engine: Engine, port: int, packet: bytes, left: Iterator[bytes]) -> None:
        """left: the contents of the packets that leave, in order."""
        self._engine = engine
        self._program = engine.program
        self._steps = Steps(engine.program, detailed=True)
        self._actions = {action.id: action for action in engine.program.actions}
        self._controls = {control.name: control for control in (engine.program.ingress, engine.program.egress)}
        self._errors = {code: name for name, code in engine.program.errors.items()}
        self._messages = list(messages(engine.program))
        self._left = left
        self.root = self._pass = self._copy = self._stage = self._block = Node(
            f"packet of {len(packet)} bytes into port {port}"
        )
        self._replications: list[Node] = []
        """The clone sessions and multicast groups that make copies."""
        self._sent: list[Node] = []
        """The packets sent to a port, before egress."""
        self._waiting: defaultdict[int, deque[Node]] = defaultdict(deque)
        """The packets in each port's queues."""

    def add(self, report: Report) -> None:
        if report.kind == DIGEST:
            digest = self._program.digests[report.number]
            shown = map(self._value, digest.elements, report.values)
            self._pass.add(f"digest {digest.name}: {', '.join(shown)}")
            return
        if report.kind != STEP:
            primitive = self._messages[report.number]
            self._block.add(f"log: {message(primitive, report.values)}", primitive.source)
            return
        values = report.values
        match self._steps.key(report.number):
            case (str(event),):
                self._event(event, values)
            case ("entry", int(id)):
                self._action(self._actions[id], values)
            case ("primitive", p4.Primitive() as primitive):
                self._primitive(primitive, values)
            case ("written", p4.Primitive() as primitive):
                self._written(primitive, values[0])
            case ("verified", p4.Checksum() as checksum):
                held, right = (self._value(checksum.target, value) for value in values)
                self._copy.add(
                    f"checksum {checksum.target} {held}: {'right' if held == right else f'wrong, not {right}'}"
                )
            case ("updated", p4.Checksum() as checksum):
                self._copy.add(f"checksum {checksum.target} = {self._value(checksum.target, values[0])}")
            case ("emitted", str(header)):
                if self._stage.text != "deparser":
                    self._stage = self._copy.add("deparser")
                self._stage.add(self._header(header, header, values))
            case (name, *step) if name == PARSER:
                self._parser(step, values)
            case (str(name), *step) if name in self._controls:
                self._control(name, step, values)

    def end(self) -> None:
        """Adds why copies were not sent. Call it after the last step."""
        for node in self._replications:
            if not any(below in self._sent for below in node.below):
                node.add("has no replicas: dropped")
        for node in self._sent:
            if not node.below:
                node.add("dropped: its priority has no queue")
        if self._engine.reports_lost:
            self.root.add(f"{self._engine.reports_lost} more steps did not fit")

    # --- outside of parser and controls ---

    def _event(self, event: str, values: tuple[int, ...]) -> None:
        match event, values:
            case "again", (kind,):
                self._pass = self._copy = self.root.add(AGAIN_KINDS[kind])
            case "cloning", ():
                self._copy = self._pass.add("clone, parsed as it arrived")
            case "cloned", (session,):
                # A clone of egress has not been parsed.
                if self._copy.text != "clone, parsed as it arrived":
                    self._copy = self.root.add("clone, as it left")
                self._replications.append(self._copy.add(f"clone session {session}"))
            case "multicast", ():
                self._replications.append(self._pass.add("multicast"))
            case "copied", (port,):
                self._copy = self._replications[-1].add(f"copy to port {port}")
                self._sent.append(self._copy)
            case "unicast", (port,):
                self._copy = self._pass.add(f"to port {port}")
                self._sent.append(self._copy)
            case "dropped in ingress", ():
                self._copy.text = f"dropped: egress_spec is {self._engine.drop_port}"
                self._sent.remove(self._copy)
            case "dropped in egress", ():
                self._copy.add(f"dropped: egress_spec is {self._engine.drop_port}")
            case "recirculated", ():
                self._copy.add("recirculated")
            case "resubmitted", ():
                self._pass.add("resubmitted")
            case "queued", (port,):
                self._copy.add("queued: its port has a rate")
                self._waiting[port].append(self._copy)
            case "continued", (port,):
                self._copy = self._waiting[port].popleft()
            case "transmitted", (size, port):
                whom = ", for the controller" if port == self._engine.cpu_port else ""
                node = self._copy.add(f"{size} bytes out of port {port}{whom}")
                content = next(self._left)
                for at in range(0, len(content), HEX_BYTES):
                    node.add(content[at : at + HEX_BYTES].hex())

    # --- parser ---

    def _parser(self, step: list[object], values: tuple[int, ...]) -> None:
        match step:
            case ["start"]:
                self._stage = self._block = self._copy.add("parser")
            case ["end"]:
                error = self._errors.get(values[0] if values else 0, "NoError")
                self._stage.add("accept" if error == "NoError" else f"error {error}")
            case ["state", str(name)]:
                self._block = self._stage.add(f"state {name}")
            case ["extract", str(name)]:
                self._block.add(f"extract {name}: the packet is too short")
            case ["extracted", operation]:
                self._extracted(operation, values)  # type: ignore[arg-type]
            case ["select", str(name)]:
                state = self._program.parser.states[name]
                parts = zip(state.key, values, strict=True)
                self._block.add(
                    "select " + ", ".join(f"{_name(part)} {self._value(part, each)}" for part, each in parts)
                )
            case ["set", p4.Set(target)]:
                self._block.add(f"{target} = {self._value(target, values[0])}")

    def _extracted(self, operation: p4.ParserOperation, values: tuple[int, ...]) -> None:
        header = name = extracted_header(self._program, operation)
        match operation:
            case p4.ExtractNext(stack):
                name, values = f"{stack}[{values[0]}]", values[1:]
            case p4.ExtractNextUnion(stack):
                name, values = f"{stack}[{values[0]}].{header.rpartition('.')[2]}", values[1:]
        if not isinstance(operation, p4.ExtractNextUnion):
            # Replaces the node that says that the packet is too short.
            self._block.below.pop()
        self._block.add("extract " + self._header(name, header, values))

    def _header(self, name: str, header: str, values: tuple[int, ...]) -> str:
        fields = zip(header_fields(self._program, header), values, strict=True)
        return f"{name}: " + ", ".join(f"{each.name} {shown(value, each.width)}" for each, value in fields)

    # --- controls ---

    def _control(self, name: str, step: list[object], values: tuple[int, ...]) -> None:
        control = self._controls[name]
        match step:
            case ["start"]:
                self._stage = self._block = self._copy.add(name)
            case ["end"]:
                self._block = self._copy
            case [str(node), bool(result)] if node in control.conditionals:
                conditional = control.conditionals[node]
                self._stage.add(f"if ({_condition(conditional)}): {'yes' if result else 'no'}", conditional.source)
            case [str(node)]:
                table = control.tables[node]
                self._block = self._stage if _is_hidden(table) else self._stage.add(f"table {node}", table.source)
            case [str(node), "key"]:
                for key, value in zip(control.tables[node].keys, values, strict=True):
                    self._block.add(f"{key.name} {shown(value, key.width)}")
            case [str(node), True]:
                self._block.text += ": hit"
                self._block.add(_entry(control.tables[node], self._engine.tables[node].entry_in(values[0])))
            case [str(node), False] if control.tables[node].keys:
                self._block.text += ": miss"

    def _action(self, action: p4.Action, values: tuple[int, ...]) -> None:
        data = zip(action.parameters, values, strict=True)
        # p4c makes actions from statements outside actions; these actions have no place in the source.
        if "." in action.name or action.parameters or self._block is not self._stage:
            given = ", ".join(f"{each.name} {shown(value, each.width)}" for each, value in data)
            self._block = self._block.add(f"{action.name}({given})")

    def _primitive(self, primitive: p4.Primitive, values: tuple[int, ...]) -> None:
        source = primitive.source
        text = (source.fragment if source else "") or primitive.op
        given = [self._value(each, value) for each, value in zip(inputs(primitive), values, strict=True)]
        self._block.add(text + (f" ({', '.join(given)})" if given else ""), source)

    def _written(self, primitive: p4.Primitive, value: int) -> None:
        target = written(self._program, primitive)
        assert target is not None
        node = self._block.below[-1]
        name = _name(target)
        named = name.rpartition(".")[2] in node.text
        node.text += f" → {self._value(target, value) if named else f'{name} = {self._value(target, value)}'}"

    def _value(self, expression: p4.Expression, value: int) -> str:
        return shown(value, _width(self._program, expression))


def _is_hidden(table: p4.TableDeclaration) -> bool:
    """Whether p4c made the table for statements or a call that are not in a table in the source."""
    return not table.keys and table.name.startswith("tbl_")


def _condition(conditional: p4.Conditional) -> str:
    return (conditional.source.fragment if conditional.source else "") or conditional.name


def _name(field: p4.Expression) -> str:
    match field:
        case p4.FieldRef():
            return str(field)
        case p4.LastField(stack, name) | p4.LastUnionField(stack, _, name):
            return f"{stack}.last.{name}"
    return "an element of a stack"


def _width(program: p4.Program, expression: p4.Expression) -> int:
    """The width of a value in bits; 0 if it is not known."""
    match expression:
        case p4.FieldRef():
            return program.field_type(expression).width
        case p4.LastField(stack, name):
            return program.stacks[stack].type.by_name[name].width
        case p4.RegisterCell(register):
            return next(each.width for each in program.registers if each.name == register)
    return 0


def shown(value: int, width: int = 0) -> str:
    """A value of `width` bits: in hexadecimal, or in decimal if it is a single digit or negative."""
    if value < 10:
        return str(value)
    digits = f"{value:0{-(-width // 4)}x}"
    return f"0x{digits}" if len(digits) <= LONGEST else f"0x{digits[:LONGEST]}... ({-(-width // 8)} bytes)"


def _entry(table: p4.TableDeclaration, entry: Entry) -> str:
    parts = (f"{key.name} {_matched(part, key.width)}" for key, part in zip(table.keys, entry.match, strict=True))
    text = "entry " + ", ".join(parts)
    if entry.priority:
        text += f", priority {entry.priority}"
    match entry.action:
        case Member(number):
            text += f", member {number}"
        case Group(number):
            text += f", group {number}"
    return text


def _matched(part: p4.Match, width: int) -> str:
    match part:
        case p4.Exact(value):
            return shown(value, width)
        case p4.Lpm(value, length):
            return f"{shown(value, width)}/{length}"
        case p4.Ternary(value, mask):
            return f"{shown(value, width)} &&& {shown(mask, width)}"
        case p4.Range(low, high):
            return f"{shown(low, width)}..{shown(high, width)}"
