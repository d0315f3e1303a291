"""Random controls: ingress and egress."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from random import Random

from lab.conformance.generated.expressions import Expressions, Place, Type
from lab.conformance.generated.headers import Headers, Instance
from lab.conformance.generated.tables import Tables

SESSIONS = (1, 2, 3)
"""Numbers of clone sessions and of multicast groups."""
PORTS = (1, 2, 3, 4)
CELLS = 8
"""Cells of registers, counters and meters."""
SIZES = (0, 1, 1, 2)
"""Numbers of tables, and of statements in pairs or more."""
NESTED = 2
HASHES = ("crc16", "crc32", "csum16", "xor16", "identity", "crc16_custom", "crc32_custom")
ERRORS = ("NoError", "PacketTooShort", "StackOutOfBounds", "HeaderTooShort", "Bad")
INGRESS_PORT = Place("std.ingress_port", Type(9))
STANDARD = (
    INGRESS_PORT,
    Place("std.packet_length", Type(32)),
    Place("std.instance_type", Type(32)),
    Place("std.checksum_error", Type(1)),
)
IN_EGRESS = (Place("std.egress_port", Type(9)), Place("std.egress_rid", Type(16)))
CLOSE = "}"

Lines = list[str]
Valid = list[Instance]
"""The headers that are valid at a statement."""


class Control:
    """A control."""

    def __init__(
        self,
        random: Random,
        expressions: Expressions,
        headers: Headers,
        metadata: Sequence[Place],
        *,
        ingress: bool,
        loops: bool,
        clones: bool,
    ) -> None:
        """loops: whether packets may pass again. There are no registers then, and none in egress, because BMv2 orders
        passes, and the packets of different ports, by chance. clones: whether it may clone packets."""
        self._random = random
        self._expressions = expressions
        self._headers = headers
        self._metadata = metadata
        self._unsigned = [place for place in metadata if not place.type.signed]
        self._ingress = ingress
        self._loops = loops
        self._clones = clones
        self._base = [*metadata, *STANDARD, *(() if ingress else IN_EGRESS)]
        self._tables = Tables(random, expressions)
        self._externs: Lines = []
        self._named = 0

    def lines(self) -> Iterator[str]:
        random, name = self._random, "In" if self._ingress else "Out"
        size = random.choice(SIZES)
        for at in range(size):
            instance = random.choice([None, *self._headers.instances])
            readable = self._readable([] if instance is None else [instance], self._base)
            self._tables.add(f"{name.lower()}{at}", instance, readable, self._action)
        body = self._block([], self._base, random.randint(2 + 2 * size, 3 + 3 * size), 0)
        yield f"control {name}(inout headers_t hdr, inout meta_t m, inout standard_metadata_t std) {{"
        yield from self._externs
        yield from self._tables.lines
        yield "apply {"
        if self._ingress:
            yield f"std.egress_spec = (bit<9>){self._expressions.below(len(PORTS), self._base)} + 9w1;"
        yield from body
        if not self._ingress:
            yield from ("hdr.dump.setValid();", "hdr.dump.padding = 0;")
            yield from (f"hdr.dump.m{at} = {place.text};" for at, place in enumerate(self._metadata))
        yield from (CLOSE, CLOSE)

    def _new(self, kind: str) -> str:
        self._named += 1
        return f"{kind}{self._named}"

    @staticmethod
    def _readable(valid: Valid, places: Sequence[Place]) -> list[Place]:
        return [*places, *(field for instance in valid for field in instance.fields)]

    # --- statements that actions have, too ---

    def _action(self, readable: list[Place]) -> Lines:
        return [line for _ in range(self._random.randint(1, 3)) for line in self._assignment(readable)]

    def _plain(self, valid: Valid, places: list[Place], depth: int) -> Lines:
        readable = self._readable(valid, places)
        return self._stateful(readable) if self._random.random() < 0.25 else self._assignment(readable)

    def _assignment(self, readable: list[Place]) -> Lines:
        random, value = self._random, self._expressions.value
        chance = random.random()
        if chance < 0.1:
            return self._stateful(readable)
        target = random.choice([place for place in readable if place.text.startswith(("m.", "hdr.", "v"))])
        if chance < 0.2 and not target.type.signed and target.type.width > 1:
            low = random.randrange(target.type.width)
            high = random.randrange(low, target.type.width)
            return [f"{target.text}[{high}:{low}] = {value(Type(high - low + 1), readable)};"]
        return [f"{target.text} = {value(target.type, readable)};"]

    def _stateful(self, readable: list[Place]) -> Lines:
        random, expressions = self._random, self._expressions
        index, target = expressions.below(CELLS, readable), random.choice(self._unsigned)
        kinds = ["counter", "meter", "hash", *(["register"] * 3 if self._ingress and not self._loops else [])]
        match random.choice(kinds):
            case "register":
                name = self._new("register_")
                self._externs.append(f"register<{target.type}>({CELLS}) {name};")
                write = f"{name}.write({index}, {expressions.value(target.type, readable)});"
                read = f"{name}.read({target.text}, {expressions.below(CELLS, readable)});"
                return random.choice(([read, write], [write, read]))
            case "meter":
                name, unit = self._new("meter_"), random.choice(("packets", "bytes"))
                self._externs.append(f"meter({CELLS}, MeterType.{unit}) {name};")
                return [f"{name}.execute_meter({index}, {target.text});"]
            case "counter":
                name, unit = self._new("counter_"), random.choice(("packets", "bytes", "packets_and_bytes"))
                self._externs.append(f"counter({CELLS}, CounterType.{unit}) {name};")
                return [f"{name}.count({index});"]
            case _:
                data = ", ".join(place.text for place in random.sample(readable, random.randint(1, 4)))
                base, most = expressions.literal(Type(16)), random.choice((1, 2, 7, 100, 65536, 1 << 31))
                algorithm = f"HashAlgorithm.{random.choice(HASHES)}"
                return [f"hash({target.text}, {algorithm}, {base}, {{ {data} }}, 32w{most});"]

    # --- blocks ---

    def _block(self, valid: Valid, places: list[Place], count: int, depth: int) -> Lines:
        """Return a block of statements. valid: changed to what is valid after it."""
        places = list(places)
        kinds = (self._plain, self._if, self._guard, self._apply, self._validity, self._variable, self._fate)
        weights = (8, 2 * (depth < NESTED), 3 * (depth < NESTED), 4, 1.5, 1, 2)
        chosen = self._random.choices(kinds, weights, k=count)
        return [line for kind in chosen for line in kind(valid, places, depth)]

    def _nested(self, valid: Valid, places: list[Place], depth: int) -> tuple[Lines, Valid]:
        """Return a block inside a block, and what is valid after it."""
        inside = list(valid)
        return self._block(inside, places, self._random.randint(1, 3), depth + 1), inside

    def _if(self, valid: Valid, places: list[Place], depth: int) -> Lines:
        condition = self._condition(self._readable(valid, places))
        lines, after = self._nested(valid, places, depth)
        lines = [f"if ({condition}) {{", *lines, CLOSE]
        if self._random.random() < 0.5:
            otherwise, after_else = self._nested(valid, places, depth)
            lines += ["else {", *otherwise, CLOSE]
            valid[:] = [each for each in valid if each in after_else]
        valid[:] = [each for each in valid if each in after]
        return lines

    def _condition(self, readable: list[Place]) -> str:
        random, chance = self._random, self._random.random()
        if chance < 0.1:
            return f"std.parser_error {random.choice(('==', '!='))} error.{random.choice(ERRORS)}"
        if chance < 0.2:
            return f"{random.choice(('', '!'))}{random.choice(self._headers.instances).valid}"
        return self._expressions.condition(readable)

    def _guard(self, valid: Valid, places: list[Place], depth: int) -> Lines:
        """Return a block in which one more header is valid."""
        instance = self._random.choice(self._headers.instances)
        lines, after = self._nested([*valid, instance], places, depth)
        valid[:] = [each for each in valid if each in after]
        return [f"if ({instance.valid}) {{", *lines, CLOSE]

    def _apply(self, valid: Valid, places: list[Place], depth: int) -> Lines:
        table, random = self._tables.take(), self._random
        if table is None:
            return self._plain(valid, places, depth)
        match random.choice(("plain", "hit", "switch")) if depth < NESTED else "plain":
            case "hit":
                inside, _ = self._nested(valid, places, NESTED)
                lines = [f"if ({table.name}.apply().{random.choice(('hit', 'miss'))}) {{", *inside, CLOSE]
            case "switch":
                lines = [f"switch ({table.name}.apply().action_run) {{"]
                for label in (random.choice(table.actions), *random.choice(((), ("default",)))):
                    lines += [f"{label}: {{", *self._nested(valid, places, NESTED)[0], CLOSE]
                lines.append(CLOSE)
            case _:
                lines = [f"{table.name}.apply();"]
        # The blocks may have changed it.
        valid.clear()
        return lines if table.instance is None else [f"if ({table.instance.valid}) {{", *lines, CLOSE]

    def _validity(self, valid: Valid, places: list[Place], depth: int) -> Lines:
        """Return statements that change which headers are valid."""
        random, instances = self._random, self._headers.instances
        match random.choice(("set", "set", "invalid", "copy", "push_front", "pop_front")):
            case "set":
                instance = random.choice([each for each in instances if not each.varying])
                # Setting a header of a union makes the others invalid.
                valid[:] = [each for each in valid if each != instance and not each.united(instance)]
                readable = self._readable(valid, places)
                value = self._expressions.value
                fields = [f"{each.text} = {value(each.type, readable, 1)};" for each in instance.fields]
                valid.append(instance)
                return [f"{instance.name}.setValid();", *fields]
            case "invalid":
                instance = random.choice(instances)
                valid[:] = [each for each in valid if each != instance]
                return [f"{instance.name}.setInvalid();"]
            case "copy":
                target = random.choice(instances)
                source = random.choice([each for each in instances if each.type == target.type])
                valid[:] = [each for each in valid if each != target and not each.united(target)]
                return [f"{target.name} = {source.name};"]
            case shift:
                valid[:] = [each for each in valid if not each.stack]
                return [f"hdr.s.{shift}({random.choice((1, 1, 2))});"]

    def _variable(self, valid: Valid, places: list[Place], depth: int) -> Lines:
        place = Place(self._new("v"), self._random.choice(self._metadata).type)
        value = self._expressions.value(place.type, self._readable(valid, places))
        places.append(place)
        return [f"{place.type} {place.text} = {value};"]

    def _fate(self, valid: Valid, places: list[Place], depth: int) -> Lines:
        """Return statements about what becomes of the packet."""
        random, below = self._random, self._expressions.below
        readable = self._readable(valid, places)
        kinds = ["truncate", "drop", "leave", *(("group", "digest") if self._ingress else ())]
        if self._clones:
            kinds.append("clone")
        if self._loops:
            kinds += ["resubmit", "priority"] if self._ingress else ["recirculate"]
        match random.choice(kinds):
            case "truncate":
                return [f"truncate({below(64, readable)} + 32w20);"]
            case "drop":
                return [f"if ({self._condition(readable)}) {{", "mark_to_drop(std);", CLOSE]
            case "leave":
                return [f"if ({self._condition(readable)}) {{", random.choice(("exit;", "return;")), CLOSE]
            case "group":
                return [f"std.mcast_grp = (bit<16>){below(len(SESSIONS) + 1, readable)};"]
            case "digest":
                return ["digest<digest_t>(1, { m.m0, m.m1, m.m2 });"]
            case "priority":
                return [f"std.priority = (bit<3>){below(8, readable)};"]
            case "clone":
                what = f"CloneType.{'I2E' if self._ingress else 'E2E'}, {random.choice(SESSIONS)}"
                preserving = f"clone_preserving_field_list({what}, {random.choice((1, 2))});"
                call = random.choice((f"clone({what});", preserving))
                # In egress, packets that pass again are ordinary ones, too.
                return ["if (std.instance_type == 0 && m.passes == 0) {", call, CLOSE]
            case verb:
                call = f"{verb}_preserving_field_list({random.choice((1, 2))});"
                return ["if (m.passes < 2) {", "m.passes = m.passes + 1;", call, CLOSE]
