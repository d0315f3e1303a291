"""Random headers: single ones, a stack, a union, and one of varying length."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from random import Random

from lab.conformance.generated.expressions import WIDTHS, Place, Type

SUM = Type(16)
MOST_VARYING = 56
"""Bits of a field of varying length."""
MEMBERS = ("a", "b")


@dataclass(frozen=True)
class Instance:
    """A header that a program can name.

    Attributes:
        name: such as hdr.s[1].
        type: of the header, by name.
        extracted: what a parser extracts to get it.
        stack: whether it is part of the stack.
        union: the union that it is part of.
        varying: whether its last field has a varying length; it is not among the fields.
    """

    name: str
    type: str
    fields: tuple[Place, ...]
    extracted: str
    stack: bool = False
    union: str | None = None
    varying: bool = False

    @property
    def valid(self) -> str:
        return f"{self.name}.isValid()"

    def united(self, other: Instance) -> bool:
        """Whether at most one of the two can be valid, because both are in the union."""
        return self != other and self.union is not None and self.union == other.union


class Headers:
    """The headers of a program.

    Attributes:
        instances: the headers that controls name.
        singles: those of no stack and no union. Their second field is for a checksum.
        first: the one that the first state of the parser extracts.
    """

    def __init__(self, random: Random) -> None:
        self._random = random
        self._types = {f"t{at}_t": self._fields(at == 0) for at in range(3)}
        names = list(self._types)
        singles = [self._instance("h0", "t0_t")]
        singles += [self._instance(f"h{at}", random.choice(names)) for at in range(1, random.randint(2, 3))]
        self.first = singles[0]
        self._size = random.randint(2, 3)
        stacked, united = random.choice(names[1:]), [random.choice(names) for _ in MEMBERS]
        varying = self._instance("v", names[-1], varying=True)
        self._union = dict(zip(MEMBERS, united, strict=True))
        union = [self._instance(f"u.{name}", type, union="hdr.u") for name, type in self._union.items()]
        stack = [self._instance(f"s[{at}]", stacked, stack=True) for at in range(self._size)]
        self._last = Instance("hdr.s.last", stacked, self._places("s.last", stacked), "s.next", stack=True)
        self.singles, self._varying = singles, varying
        self.instances = [*singles, *stack, *union, varying]

    def _fields(self, first: bool) -> list[tuple[str, Type]]:
        """Return the fields of a type: whole bytes, the first of which is a field, with one for a checksum."""
        types = [Type(8), SUM, *(Type(self._random.choice(WIDTHS)) for _ in range(self._random.randint(0, 1)))]
        if self._random.random() < 0.5:
            types.append(Type(self._random.choice([width for width in WIDTHS if width > 1]), signed=True))
        if first:
            types.append(Type(88))
        spare = -sum(type.width for type in types) % 8
        return [(f"f{at}", type) for at, type in enumerate([*types, *([Type(spare)] if spare else [])])]

    def _places(self, name: str, type: str) -> tuple[Place, ...]:
        return tuple(Place(f"hdr.{name}.{field}", kind) for field, kind in self._types[type])

    def _instance(
        self, name: str, type: str, *, stack: bool = False, union: str | None = None, varying: bool = False
    ) -> Instance:
        kind = "varying_t" if varying else type
        return Instance(f"hdr.{name}", kind, self._places(name, type), name, stack, union, varying)

    def declarations(self, dumped: Sequence[tuple[str, Type]]) -> Iterator[str]:
        """Yield the types. dumped: the fields of a header of their own, `hdr.dump`."""
        for name, fields in self._types.items():
            yield from _header(name, fields)
        yield from _header("varying_t", self._types[list(self._types)[-1]], f"varbit<{MOST_VARYING}> rest;")
        spare = -sum(type.width for _, type in dumped) % 8 or 8
        yield from _header("dump_t", [*dumped, ("padding", Type(spare))])
        yield "header_union union_t {"
        yield from (f"{type} {name};" for name, type in self._union.items())
        yield "}"
        yield "struct headers_t {"
        yield from (f"{each.type} {each.extracted};" for each in self.singles)
        yield f"{self._last.type}[{self._size}] s;"
        yield from ("union_t u;", "varying_t v;", "dump_t dump;", "}")

    def parsed(self, random: Random) -> list[tuple[str, Instance]]:
        """Return the parser's states, each with the header that it extracts; the first one first."""
        others = [*self.singles[1:], self._last, self._varying]
        others += [each for each in self.instances if each.union is not None]
        others = random.sample(others, random.randint(1, 4))
        return [("start", self.first), *((f"state{at}", each) for at, each in enumerate(others))]

    def emitted(self) -> list[str]:
        """Return what the deparser emits, in order."""
        names = [*(each.extracted for each in self.singles), "s", "u", "v"]
        self._random.shuffle(names)
        return [*names, "dump"]


def _header(name: str, fields: Sequence[tuple[str, Type]], *more: str) -> Iterator[str]:
    yield f"header {name} {{"
    yield from (f"{type} {field};" for field, type in fields)
    yield from more
    yield "}"
