"""Random packets that fit a program, from its JSON; equal for equal seeds."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from typing import Any

Json = dict[str, Any]
PORT_BITS = 9
GROUP_BITS = 16
PAYLOADS = (0, 0, 1, 20, 64, 200)
STATES = 40
"""The most parser states of a packet."""


@dataclass
class Pools:
    """A few values for each width, so that packets and table entries often agree."""

    random: random.Random
    ports: list[int]
    groups: list[int]
    _values: dict[int, list[int]] = field(default_factory=dict)

    def value(self, width: int) -> int:
        if width not in self._values:
            full = (1 << width) - 1
            self._values[width] = [0, 1 & full, 2 & full, full, *(self.random.getrandbits(width) for _ in range(4))]
        if self.random.random() < 0.1:
            return self.random.getrandbits(width)
        return self.random.choice(self._values[width])

    def parameter(self, width: int) -> int:
        """Return an action parameter; one as wide as a port or a group number is often one."""
        if width == PORT_BITS and self.random.random() < 0.9:
            return self.random.choice(self.ports)
        if width == GROUP_BITS and self.random.random() < 0.5:
            return self.random.choice(self.groups)
        return self.value(width)


class Packets:
    """Random walks through the first parser: the headers that it extracts, with values for its transitions."""

    def __init__(self, program: Json, pools: Pools) -> None:
        self._pools = pools
        self._random = pools.random
        types = {each["name"]: each["fields"] for each in program["header_types"]}
        self._headers = {each["name"]: types.get(each["header_type"], []) for each in program["headers"]}
        self._stacks = {each["name"]: types[each["header_type"]] for each in program["header_stacks"]}
        parser = program["parsers"][0]
        self._start: str = parser["init_state"]
        self._states: dict[str, Json] = {each["name"]: each for each in parser["parse_states"]}

    def packet(self) -> bytes:
        chance = self._random.random()
        if chance < 0.05:
            return self._random.randbytes(self._random.choice([14, 20, 60, 100]))
        content = self._walk() + self._random.randbytes(self._random.choice(PAYLOADS))
        if chance < 0.1:
            content = content[: self._random.randrange(len(content) + 1)]
        # No packet is shorter than an Ethernet header.
        return content.ljust(14, b"\0")

    def _walk(self) -> bytes:
        bits: list[tuple[int, int]] = []
        places: dict[tuple[str, str], int] = {}
        name: str | None = self._start
        for _ in range(STATES):
            if name is None:
                break
            state = self._states[name]
            for operation in state["parser_ops"]:
                if operation["op"].startswith("extract"):
                    self._extract(operation["parameters"][0], bits, places)
            name = self._go_on(state, bits, places)
        total = sum(width for _, width in bits)
        value = 0
        for each, width in bits:
            value = value << width | each
        return (value << -total % 8).to_bytes((total + 7) // 8, "big")

    def _extract(self, what: Json, bits: list[tuple[int, int]], places: dict[tuple[str, str], int]) -> None:
        name = what["value"]
        if what["type"] == "regular":
            fields = self._headers[name]
        elif what["type"] == "stack":
            fields = self._stacks[name]
        else:
            return
        for label, width, *_ in fields:
            size = width if isinstance(width, int) else 0
            if size:
                places[name, label] = len(bits)
                bits.append((self._pools.value(size), size))

    def _go_on(self, state: Json, bits: list[tuple[int, int]], places: dict[tuple[str, str], int]) -> str | None:
        """Choose a transition, and set the fields of its key so that it is taken."""
        transition = self._random.choice(state["transitions"])
        keys = state["transition_key"]
        if transition["type"] == "hexstr" and keys:
            value = int(transition["value"], 16)
            for key in reversed(keys):
                where = places.get(tuple(key["value"][-2:])) if key["type"] in ("field", "stack_field") else None
                if where is None:
                    break
                _, width = bits[where]
                bits[where] = value & (1 << width) - 1, width
                value >>= (width + 7) // 8 * 8
        next_state: str | None = transition["next_state"]
        return next_state
