"""Random tables with their actions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random
from typing import NamedTuple

from lab.conformance.generated.expressions import Expressions, Place, Type
from lab.conformance.generated.headers import Instance

PARAMETERS = (Type(8), Type(9), Type(16), Type(32), Type(3), Type(48), Type(130), Type(12, signed=True))
SIZE = 64
Body = Callable[[list[Place]], list[str]]


class Table(NamedTuple):
    """instance: the header that must be valid when the table is applied, if any."""

    name: str
    actions: list[str]
    instance: Instance | None


class Tables:
    """The tables of a control.

    Attributes:
        lines: their declarations.
    """

    def __init__(self, random: Random, expressions: Expressions) -> None:
        self._random = random
        self._expressions = expressions
        self.lines: list[str] = []
        self._waiting: list[Table] = []

    def take(self) -> Table | None:
        """Return a table that is not applied yet."""
        return self._waiting.pop() if self._waiting else None

    def add(self, name: str, instance: Instance | None, places: list[Place], body: Body) -> None:
        """Declare a table. places: what its keys and actions may read. body: returns the statements of an action,
        which may read its parameters, too."""
        random = self._random
        metered = random.random() < 0.15
        counted = random.random() < 0.3
        profile = random.choice(("", "", "", "", "action_profile", "action_selector"))
        if metered:
            self.lines.append(f"direct_meter<bit<8>>(MeterType.{random.choice(('packets', 'bytes'))}) {name}_meter;")
        if counted:
            unit = random.choice(("packets", "bytes", "packets_and_bytes"))
            self.lines.append(f"direct_counter(CounterType.{unit}) {name}_counter;")
        if profile:
            shape = f"HashAlgorithm.{random.choice(('crc16', 'crc32', 'identity'))}, {SIZE}, 16"
            arguments = shape if profile == "action_selector" else SIZE
            self.lines.append(f"{profile}({arguments}) {name}_profile;")
        actions: dict[str, list[Type]] = {}
        for at in range(random.randint(1, 2)):
            types = [random.choice(PARAMETERS) for _ in range(random.choice((0, 1, 1, 2, 3)))]
            action = f"{name}_action{at}"
            parameters = [Place(f"{action}_param{number}", type) for number, type in enumerate(types)]
            actions[action] = types
            signature = ", ".join(f"{place.type} {place.text}" for place in parameters)
            statements = body([*places, *parameters])
            reads = [f"{name}_meter.read(m.m0);"] if metered else []
            self.lines += [f"action {action}({signature}) {{", *statements, *reads, "}"]
        keys = self._keys(places, selects=profile == "action_selector")
        self.lines += [f"table {name} {{", "key = {", *(f"{text}: {kind};" for text, kind, _ in keys), "}"]
        self.lines += ["actions = {", *(f"{action};" for action in actions), "NoAction;", "}"]
        if not profile:
            default = random.choice([*actions, "NoAction"])
            self.lines.append(f"default_action = {self._call(default, actions)};")
        self.lines.append(f"size = {SIZE};")
        if counted:
            self.lines.append(f"counters = {name}_counter;")
        if metered:
            self.lines.append(f"meters = {name}_meter;")
        if profile:
            self.lines.append(f"implementation = {name}_profile;")
        elif random.random() < 0.15 and not any(type.signed for _, _, type in keys):
            self.lines += ["const entries = {", *self._entries(keys, actions), "}"]
        self.lines.append("}")
        self._waiting.append(Table(name, list(actions), instance))

    def _keys(self, places: Sequence[Place], *, selects: bool) -> list[tuple[str, str, Type]]:
        """Return the text, match kind and type of each key."""
        random, keys = self._random, []
        chosen = random.sample(list(places), min(len(places), random.randint(1, 4)))
        prefixes = [place for place in places if place.type.width % 8 == 0 and not place.type.signed]
        style = random.choice(("exact", "lpm", "ternary", "mixed"))
        for place in chosen:
            any_kind = ("exact", "ternary", "range", "optional")
            kinds = {"exact": ("exact",), "lpm": ("exact",), "ternary": ("ternary",)}.get(style, any_kind)
            kind = "exact" if place.type.signed else random.choice(kinds)
            # BMv2 reads back a range of all values, as which others are written, only of whole bytes.
            keys.append((place.text, "ternary" if kind == "range" and place.type.width % 8 else kind, place.type))
        if style == "lpm" or (style == "mixed" and random.random() < 0.3):
            place = random.choice(prefixes)
            keys = [key for key in keys if key[0] != place.text] + [(place.text, "lpm", place.type)]
        if random.random() < 0.2:
            type = Type(16)
            keys.append((f"{self._expressions.value(type, places, 1)} + 16w1", "exact", type))
            text, kind, type = keys[-1]
            keys[-1] = (text, f'{kind} @name("{len(keys)}")', type)
        if selects:
            keys += [(place.text, "selector", place.type) for place in random.sample(list(places), 2)]
        return keys

    def _call(self, action: str, actions: dict[str, list[Type]]) -> str:
        return f"{action}({', '.join(map(self._argument, actions.get(action, ())))})"

    def _argument(self, type: Type) -> str:
        # BMv2 reads negative arguments back without their sign.
        if type.signed:
            return f"{type.width}s{self._expressions.number(type.width - 1)}"
        return self._expressions.literal(type)

    def _entries(self, keys: Sequence[tuple[str, str, Type]], actions: dict[str, list[Type]]) -> list[str]:
        found: dict[str, str] = {}
        for _ in range(self._random.randint(1, 4)):
            match = ", ".join(self._match(kind.split()[0], type) for _, kind, type in keys)
            found[match] = f"({match}): {self._call(self._random.choice(list(actions)), actions)};"
        return list(found.values())

    def _match(self, kind: str, type: Type) -> str:
        width, number = type.width, self._expressions.number(type.width)
        full = (1 << width) - 1
        match kind:
            case "lpm":
                mask = full & ~(full >> self._random.randint(1, width))
            case "ternary":
                mask = self._expressions.number(width)
            case "range":
                low, high = sorted((number, self._expressions.number(width)))
                return f"{width}w{low}..{width}w{high}"
            case "optional" if self._random.random() < 0.3:
                return "_"
            case _:
                return f"{width}w{number}"
        return f"{width}w{number & mask} &&& {width}w{mask}"
