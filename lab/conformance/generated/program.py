"""Random programs for v1model, equal for equal seeds.

Everything in them is defined: only fields of headers that are valid are read, indices are in range, packets pass a
limited number of times, and no result depends on the time or on the order of BMv2's threads. At the end of egress, the
metadata become a header, so that a wrong value leaves with the packet.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from random import Random

from lab.conformance.generated.controls import CLOSE, INGRESS_PORT, STANDARD, Control
from lab.conformance.generated.expressions import WIDTHS, Expressions, Place, Type
from lab.conformance.generated.headers import Headers, Instance


def source(seed: int) -> str:
    """Return the P4_16 text of a program: one statement, or the beginning or end of a block, in a line."""
    return "\n".join(indented(Program(Random(seed)).lines())) + "\n"


def indented(lines: Iterable[str]) -> Iterator[str]:
    depth = 0
    for line in lines:
        depth -= line.startswith(CLOSE)
        yield f"{'    ' * depth}{line}"
        depth += line.endswith("{")


class Program:
    """One program."""

    def __init__(self, random: Random) -> None:
        self._random = random
        self._expressions = Expressions(random)
        self._headers = Headers(random)
        types = [Type(random.choice(WIDTHS)) for _ in range(random.randint(1, 3))]
        types += [Type(random.choice([width for width in WIDTHS if width > 1]), signed=True)]
        # Digests have the first three.
        self._metadata = [Place(f"m.m{at}", type) for at, type in enumerate([Type(8), Type(16), Type(32), *types])]
        self._clones, self._loops = random.random() < 0.5, random.random() < 0.4
        # What the parser may read: BMv2 parses a clone from ingress with its ingress port, and an earlier packet's
        # other metadata.
        self._places: list[Place] = [INGRESS_PORT] if self._clones else [*self._metadata, *STANDARD]

    def lines(self) -> Iterator[str]:
        made = (self._random, self._expressions, self._headers, self._metadata)
        ingress = Control(*made, ingress=True, loops=self._loops, clones=self._clones)
        egress = Control(*made, ingress=False, loops=self._loops, clones=self._loops)
        yield from ("#include <core.p4>", "#include <v1model.p4>")
        yield "error { Bad, Worse }"
        yield from self._headers.declarations([(f"m{at}", place.type) for at, place in enumerate(self._metadata)])
        yield from self._structs()
        yield from self._parser()
        yield from self._checksums("Verify", "verify")
        yield from ingress.lines()
        yield from egress.lines()
        yield from self._checksums("Update", "update")
        yield "control Deparse(packet_out packet, in headers_t hdr) {"
        yield "apply {"
        yield from (f"packet.emit(hdr.{name});" for name in self._headers.emitted())
        yield from (CLOSE, CLOSE)
        yield "V1Switch(Parse(), Verify(), In(), Out(), Update(), Deparse()) main;"

    def _structs(self) -> Iterator[str]:
        yield from ("struct digest_t {", "bit<8> a;", "bit<16> b;", "bit<32> c;", CLOSE)
        yield "struct meta_t {"
        yield "@field_list(1, 2) bit<8> passes;"
        for place in self._metadata:
            lists = self._random.choice(("", "@field_list(1) ", "@field_list(2) ", "@field_list(1, 2) "))
            yield f"{lists}{place.type} {place.text.removeprefix('m.')};"
        yield CLOSE

    # --- the parser ---

    def _parser(self) -> Iterator[str]:
        yield "parser Parse(packet_in packet, out headers_t hdr, inout meta_t m, inout standard_metadata_t std) {"
        order = self._headers.parsed(self._random)
        for at, (name, instance) in enumerate(order):
            yield f"state {name} {{"
            yield from self._state(instance, [later for later, _ in order[at + 1 :]], name)
            yield CLOSE
        yield CLOSE

    def _state(self, instance: Instance, later: list[str], name: str) -> Iterator[str]:
        """Yield the statements of a state, which extracts a header and goes to itself, to a later state, or ends."""
        random, expressions = self._random, self._expressions
        fields = list(instance.fields)
        if random.random() < 0.15:
            ahead = random.choice(self._metadata)
            yield f"{ahead.text} = packet.lookahead<{ahead.type}>();"
        if not instance.varying:
            yield f"packet.extract(hdr.{instance.extracted});"
        else:
            yield f"packet.extract(hdr.{instance.extracted}, (bit<32>)(packet.lookahead<bit<8>>() & 8w7) << 3);"
        places = [*self._places, *fields, *(self._headers.first.fields if name != "start" else ())]
        for _ in range(random.choice((0, 0, 1, 2))):
            target = random.choice(self._metadata)
            yield f"{target.text} = {expressions.value(target.type, places)};"
        if random.random() < 0.1:
            yield f"verify({expressions.condition(places)}, error.{random.choice(('Bad', 'Worse'))});"
        if random.random() < 0.1:
            amount = random.choice(("8", "32", f"{expressions.below(32, places)} & 32w24"))
            yield f"packet.advance({amount});"
        keys = [place for place in fields if not place.type.signed and place.type.width <= 64]
        targets = [name, *later] if instance.stack else later
        if not keys or not targets:
            yield f"transition {random.choice([*later, 'accept'])};"
            return
        chosen = random.sample(keys, random.randint(1, min(2, len(keys))))
        yield f"transition select({', '.join(key.text for key in chosen)}) {{"
        for _ in range(random.randint(1, 4)):
            yield f"({', '.join(self._case(key.type.width) for key in chosen)}): {random.choice(targets)};"
        yield f"default: {random.choice([*later, *later, 'accept'])};"
        yield CLOSE

    def _case(self, width: int) -> str:
        number = f"{width}w{self._expressions.number(width):#x}"
        chance = self._random.random()
        if chance < 0.1:
            return "_"
        return f"{number} &&& {width}w{self._expressions.number(width):#x}" if chance < 0.3 else number

    # --- checksums ---

    def _checksums(self, name: str, verb: str) -> Iterator[str]:
        yield f"control {name}(inout headers_t hdr, inout meta_t m) {{"
        yield "apply {"
        for instance in self._headers.singles:
            if self._random.random() < 0.5:
                continue
            field = instance.fields[1]
            algorithm = self._random.choice(("csum16", "csum16", "csum16", "crc16", "xor16"))
            covered = [place.text for place in instance.fields if place != field]
            summed = self._random.sample(covered, self._random.randint(1, len(covered)))
            payload = self._random.choice(("", "", "_with_payload"))
            data = f"{{ {', '.join(summed)} }}"
            yield (f"{verb}_checksum{payload}({instance.valid}, {data}, {field.text}, HashAlgorithm.{algorithm});")
        yield from (CLOSE, CLOSE)
