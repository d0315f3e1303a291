"""Builds the trace of one packet (packet_trace.proto) from the steps that a program reports (program/steps.py)."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterable, Iterator
from typing import Any

from dropzero.softswitch.compiler.forwarding.recirculation import RECIRCULATED
from dropzero.softswitch.engine.engine import Engine
from dropzero.softswitch.engine.frames import Frames
from dropzero.softswitch.program import model as p4
from dropzero.softswitch.program.steps import Steps, extracted_header, header_fields, inputs, written
from dropzero.softswitch.state.reports import DIGEST, STEP, Report, message, messages
from dropzero.softswitch.state.tables.targets import Group, Member
from dropzero.softswitch.tracing import packet_trace_pb2 as pb

QUEUE_MICROSECONDS = 1_000_000_000
"""When packets are released from queues, in microseconds."""
Stage = pb.PipelineStageEvent


def follow(engine: Engine, reports: list[Report], port: int, packet: bytes, now: int = 0) -> pb.PacketTrace:
    """Sends a packet through an engine, and returns its trace.

    reports: the list to which the engine appends its reports. now: microseconds.
    """
    reports.clear()
    lost = engine.reports_lost
    frames = [engine.process(Frames.of([(port, packet)]), now)]
    frames.append(engine.release(now + QUEUE_MICROSECONDS)[0])
    tree = _Tree(engine, port, packet, (contents for each in frames for _, contents in each))
    for report in reports:
        tree.add(report)
    tree.end()
    tree.trace.steps_lost = engine.reports_lost - lost
    return tree.trace


class _Tree:
    """The trace while it is built.

    Events are added to the current places:
    _pass:  one pass through the switch: of the arriving packet, or of one that was resubmitted or recirculated
    _copy:  the packet in this pass, or the current copy of it
    _block: the events of the current parser state, table or action, or of _copy
    """

    def __init__(self, engine: Engine, port: int, packet: bytes, left: Iterator[bytes]) -> None:
        """left: the contents of the packets that leave, in order."""
        self._engine = engine
        self._program = engine.program
        self._steps = Steps(engine.program, detailed=True)
        self._actions = {action.id: action for action in engine.program.actions}
        self._parsers = {parser.name: parser for parser in engine.program.parsers}
        self._controls = {control.name: control for control in (engine.program.ingress, engine.program.egress)}
        self._errors = {code: name for name, code in engine.program.errors.items()}
        self._messages = list(messages(engine.program))
        self._left = left
        self.trace = pb.PacketTrace(input=pb.InputPacket(ingress_port=port, content=packet))
        self._pass = self._copy = self.trace.root
        self._block: Any = self._copy.events
        self._table = pb.TableLookup()
        """The current table; one that is not shown, if p4c made it."""
        self._nested = False
        """Whether _block is within a table, action or state."""
        self._in_deparser = False
        self._replications: list[pb.TraceTree] = []
        """The clone sessions and multicast groups that make copies."""
        self._sent: list[tuple[pb.TraceTree, int]] = []
        """The packets sent to a port, before egress, and their numbers of events."""
        self._waiting: defaultdict[int, deque[pb.TraceTree]] = defaultdict(deque)
        """The packets in each port's queues."""

    def add(self, report: Report) -> None:
        if report.kind == DIGEST:
            digest = self._program.digests[report.number]
            elements = map(self._value, digest.elements, report.values)
            self._pass.events.add(digest=pb.Digest(name=digest.name, values=elements))
            return
        if report.kind != STEP:
            primitive = self._messages[report.number]
            self._block.add(message=message(primitive, report.values), source=_source(primitive.source))
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
            case ("choice", p4.Primitive(op)):
                self._choose(self._block[-1].statement.choice, self._number(op, *values))
            case ("choice", str(profile)):
                self._choose(self._table.choice, self._member(profile, *values))
            case ("verified", p4.Checksum(target=target)):
                held, right = (self._value(target, value) for value in values)
                self._copy.events.add(
                    checksum=pb.Checksum(target=pb.Field(name=str(target), value=held), computed=right)
                )
            case ("updated", p4.Checksum(target=target)):
                field = pb.Field(name=str(target), value=self._value(target, values[0]))
                self._copy.events.add(checksum=pb.Checksum(target=field, updated=True))
            case (str(name), "emitted", str(header)):
                self._deparse(name)
                self._copy.events.add(emission=self._header(header, header, values))
            case (str(name), *step) if name in self._parsers:
                self._parser(self._parsers[name], step, values)
            case (str(name), *step) if name in self._controls:
                self._control(name, step, values)

    def end(self) -> None:
        """Adds why copies were not sent. Call it after the last step."""
        for tree in self._replications:
            if not tree.branches:
                tree.drop.reason = "there are no replicas"
        for tree, events in self._sent:
            if len(tree.events) == events and not tree.WhichOneof("outcome"):
                tree.drop.reason = "its priority has no queue"

    # --- outside of parser and controls ---

    def _event(self, event: str, values: tuple[int, ...]) -> None:
        root = self.trace.root
        match event, values:
            case "again", (kind,):
                cause = pb.Cause(recirculated=True) if kind == RECIRCULATED else pb.Cause(resubmitted=True)
                self._pass = self._copy = root.branches.add(cause=cause)
            case "cloning", ():
                self._copy = self._pass.branches.add(cause=pb.Cause(cloned_in_ingress=True))
            case "cloned", (session,):
                # A clone of egress has not been parsed.
                if not self._copy.cause.cloned_in_ingress or self._copy.cause.clone_session:
                    self._copy = root.branches.add(cause=pb.Cause(cloned_in_egress=True))
                self._copy.cause.clone_session = session
                self._replications.append(self._copy)
            case "multicast", ():
                self._replications.append(self._pass.branches.add(cause=pb.Cause(multicast=True)))
            case "copied", (port,):
                self._copy = self._replications[-1].branches.add(cause=pb.Cause(copied_to_port=port))
                self._sent.append((self._copy, 0))
            case "unicast", (port,):
                self._copy = self._pass
                self._copy.events.add(sent_to_port=port)
                self._sent.append((self._copy, len(self._copy.events)))
            case "deparsing", (number,):
                if number == 0:
                    self._copy = self._pass
                self._deparse(self._program.deparsers[number].name)
            case "deparsed", ():
                self._deparse(self._program.deparsers[0].name, end=True)
            case "dropped in ingress", ():
                # simple_switch has already noted that the packet is sent.
                if self._sent and self._sent[-1][0] is self._pass:
                    self._pass.events.pop()
                    self._sent.pop()
                self._copy = self._pass
                self._drop("ingress")
            case "dropped in egress", ():
                if self._in_deparser:
                    self._deparse(self._program.deparsers[-1].name, end=True)
                self._drop("egress")
            case "recirculated", ():
                self._deparse(self._program.deparsers[-1].name, end=True)
                self._copy.recirculated.SetInParent()
            case "resubmitted", ():
                self._pass.resubmitted.SetInParent()
            case "queued", (port,):
                self._copy.events.add(queued=pb.Queued())
                self._waiting[port].append(self._copy)
            case "continued", (port,):
                self._copy = self._waiting[port].popleft()
            case "transmitted", (size, port):
                self._deparse(self._program.deparsers[-1].name, end=True)
                self._copy.transmit.egress_port, self._copy.transmit.packet_size = port, size
                self._copy.transmit.content = next(self._left)
                self._copy.transmit.to_controller = port == self._engine.cpu_port

    def _drop(self, control: str) -> None:
        reason = self._program.architecture.drop_reason
        self._copy.drop.reason = reason.format(control=control, drop_port=self._engine.drop_port)

    def _stage(self, name: str, kind: Stage.StageKind.ValueType, direction: Stage.Direction.ValueType) -> Stage:
        self._block, self._nested = self._copy.events, False
        event = self._copy.events.add(pipeline_stage=Stage(stage_name=name, stage_kind=kind, direction=direction))
        return event.pipeline_stage

    def _enter(self, events: Any) -> None:
        self._block, self._nested = events, True

    def _deparse(self, name: str, *, end: bool = False) -> None:
        """Enters a deparser, unless it has been entered, and leaves it at its `end`."""
        if not self._in_deparser:
            self._stage(name, Stage.DEPARSER, Stage.ENTER)
        if end:
            self._stage(name, Stage.DEPARSER, Stage.EXIT)
        self._in_deparser = not end

    # --- parser ---

    def _parser(self, parser: p4.Parser, step: list[object], values: tuple[int, ...]) -> None:
        match step:
            case ["start"]:
                self._stage(parser.name, Stage.PARSER, Stage.ENTER)
            case ["end"]:
                error = self._errors.get(values[0] if values else 0, "NoError")
                self._stage(parser.name, Stage.PARSER, Stage.EXIT).parser_error = "" if error == "NoError" else error
            case ["state", str(name)]:
                self._enter(self._copy.events.add(parser_state=pb.ParserState(name=name)).parser_state.events)
            case ["extract", str(name)]:
                self._block.add(extraction=pb.Extraction(header=pb.Header(name=name), too_short=True))
            case ["extracted", operation]:
                self._extracted(operation, values)  # type: ignore[arg-type]
            case ["select", str(name)]:
                keys = parser.states[name].key
                self._block.add(selection=pb.Selection(keys=map(self._field, keys, values)))
            case ["set", p4.Set(target)]:
                self._block.add(assignment=pb.Field(name=str(target), value=self._value(target, values[0])))

    def _extracted(self, operation: p4.ParserOperation, values: tuple[int, ...]) -> None:
        header = name = extracted_header(self._program, operation)
        match operation:
            case p4.ExtractNext(stack):
                name, values = f"{stack}[{values[0]}]", values[1:]
            case p4.ExtractNextUnion(stack):
                name, values = f"{stack}[{values[0]}].{header.rpartition('.')[2]}", values[1:]
        if not isinstance(operation, p4.ExtractNextUnion):
            # Replaces the event that says that the packet is too short.
            self._block.pop()
        self._block.add(extraction=pb.Extraction(header=self._header(name, header, values)))

    def _header(self, name: str, header: str, values: tuple[int, ...]) -> pb.Header:
        return pb.Header(name=name, fields=_fields(header_fields(self._program, header), values))

    # --- controls ---

    def _control(self, name: str, step: list[object], values: tuple[int, ...]) -> None:
        control = self._controls[name]
        match step:
            case ["start"]:
                self._stage(name, Stage.CONTROL, Stage.ENTER)
            case ["end"]:
                self._stage(name, Stage.CONTROL, Stage.EXIT)
            case [str(node), bool(result)] if node in control.conditionals:
                conditional = control.conditionals[node]
                text = (conditional.source.fragment if conditional.source else "") or conditional.name
                self._copy.events.add(
                    condition=pb.Condition(text=text, result=result), source=_source(conditional.source)
                )
            case [str(node)]:
                table = control.tables[node]
                self._block, self._nested, self._table = self._copy.events, False, pb.TableLookup()
                # p4c makes others for statements, or a call, that are not in a table in the source.
                if table.keys or not table.name.startswith("tbl_"):
                    event = self._block.add(table=pb.TableLookup(name=node), source=_source(table.source))
                    self._table = event.table
                    self._enter(event.table.events)
            case [str(node), "key"]:
                self._table.keys.extend(_fields(control.tables[node].keys, values))
            case [str(node), True]:
                self._table.hit = True
                self._table.entry.CopyFrom(self._entry(control.tables[node], values[0]))

    def _entry(self, table: p4.TableDeclaration, row: int) -> pb.Entry:
        entry = self._engine.tables[table.name].entry_in(row)
        found = pb.Entry(priority=entry.priority)
        for key, part in zip(table.keys, entry.match, strict=True):
            value = hexadecimal(part.low if isinstance(part, p4.Range) else part.value, key.width)
            found.matches.append(pb.Match(name=key.name, value=value))
            match part:
                case p4.Lpm(_, length):
                    found.matches[-1].prefix_length = length
                case p4.Ternary(_, mask):
                    found.matches[-1].mask = hexadecimal(mask, key.width)
                case p4.Range(_, high):
                    found.matches[-1].high = hexadecimal(high, key.width)
        match entry.action:
            case Member(number):
                found.member = number
            case Group(number):
                found.group = number
        return found

    def _action(self, action: p4.Action, values: tuple[int, ...]) -> None:
        # p4c makes actions from statements outside actions; these actions have no place in the source.
        if "." in action.name or action.parameters or self._nested:
            called = pb.ActionCall(name=action.name, parameters=_fields(action.parameters, values))
            self._enter(self._block.add(action=called).action.events)

    def _primitive(self, primitive: p4.Primitive, values: tuple[int, ...]) -> None:
        source = primitive.source
        text = (source.fragment if source else "") or primitive.op
        given = map(self._value, inputs(primitive), values)
        statement = pb.Statement(text=text, primitive=primitive.op, inputs=given)
        self._block.add(statement=statement, source=_source(source))

    def _written(self, primitive: p4.Primitive, value: int) -> None:
        target = written(self._program, primitive)
        assert target is not None
        self._block[-1].statement.written.CopyFrom(self._field(target, value))

    # --- choices ---

    def _choose(self, place: pb.Choice, choice: pb.Choice) -> None:
        place.CopyFrom(choice)
        self.trace.choices.append(choice)

    @staticmethod
    def _number(op: str, index: int, count: int) -> pb.Choice:
        kind = pb.Choice.RANDOM if op == "modify_field_rng_uniform" else pb.Choice.HASH
        return pb.Choice(kind=kind, index=index, count=count)

    def _member(self, profile: str, index: int, count: int, slot: int) -> pb.Choice:
        group, members = self._engine.action_profiles[profile].group_in(slot)
        return pb.Choice(kind=pb.Choice.SELECTOR, index=index, count=count, group=group, member=members[index])

    # --- values ---

    def _field(self, expression: p4.Expression, value: int) -> pb.Field:
        return pb.Field(name=_name(expression), value=self._value(expression, value))

    def _value(self, expression: p4.Expression, value: int) -> str:
        return hexadecimal(value, _width(self._program, expression))


def hexadecimal(value: int, width: int = 0) -> str:
    """A value of `width` bits, in hexadecimal digits; 0: as few as it has."""
    return f"{'-' * (value < 0)}0x{abs(value):0{-(-width // 4)}x}"


def _fields(declared: Iterable[Any], values: Iterable[int]) -> Iterator[pb.Field]:
    """Yields declared fields, keys or parameters with their values."""
    for each, value in zip(declared, values, strict=True):
        yield pb.Field(name=each.name, value=hexadecimal(value, each.width))


def _source(source: p4.Source | None) -> pb.Source | None:
    return pb.Source(file=source.file, line=source.line) if source else None


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
