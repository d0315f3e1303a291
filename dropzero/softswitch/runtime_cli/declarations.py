"""A program's tables, actions, arrays and value sets, by the names that verbs take."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Generic, NamedTuple, Protocol, TypeVar


class Wrong(Exception):
    """Raised for wrong arguments of a verb. subject: the beginning of the error's line."""

    def __init__(self, reason: str, subject: str = "Error") -> None:
        super().__init__(f"{subject}: {reason}")
        self.reason = reason


class Field(NamedTuple):
    """kind: of match; "" for a parameter. width: bits."""

    name: str
    width: int
    kind: str = ""


@dataclass(frozen=True)
class Action:
    name: str
    parameters: tuple[Field, ...]

    def __str__(self) -> str:
        return f"{self.name:30} [{_joined(f'{name}({width})' for name, width, _ in self.parameters)}]"


@dataclass(frozen=True)
class Profile:
    name: str
    selects: bool
    actions: frozenset[str]


@dataclass(frozen=True)
class Table:
    """kind: the least exact one of its keys. ordered: whether its entries have priorities."""

    name: str
    kind: str
    keys: tuple[Field, ...]
    actions: frozenset[str]
    idle_timeout: bool
    profile: Profile | None

    @property
    def ordered(self) -> bool:
        return self.kind in ("ternary", "range")

    def __str__(self) -> str:
        keys = _joined(f"{name}({kind}, {width})" for name, width, kind in self.keys)
        return f"{self.name:30} [implementation={self.profile.name if self.profile else None}, mk={keys}]"


@dataclass(frozen=True)
class Array:
    """Counters, meters or registers. table: whose entries they belong to. rates: of a meter."""

    name: str
    table: str | None
    rates: int = 0


@dataclass(frozen=True)
class ValueSet:
    name: str
    width: int

    def __str__(self) -> str:
        return f"{self.name:30} [compressed bitwidth:{self.width}]"


class _Declared(Protocol):
    @property
    def name(self) -> str: ...


Declaration = TypeVar("Declaration", bound=_Declared)


class Names(Generic[Declaration]):
    """Finds declarations of one kind by full name or by a unique suffix: send_to for MyIngress.send_to."""

    def __init__(self, kind: str, declared: Iterable[Declaration]) -> None:
        self._kind = kind
        self.all = {each.name: each for each in declared}
        ends = [(end, each) for name, each in self.all.items() for end in _ends(name)]
        counts = Counter(end for end, _ in ends)
        self._found = {end: each for end, each in ends if counts[end] == 1}

    def __getitem__(self, name: str) -> Declaration:
        if name not in self._found:
            raise Wrong(f"Invalid {self._kind} name ({name})")
        return self._found[name]

    def find(self, name: str, among: frozenset[str]) -> Declaration | None:
        """Finds a declaration by name. Its full name must be in `among`."""
        found = self._found.get(name)
        return found if found is not None and found.name in among else None

    def sorted(self) -> list[Declaration]:
        return [self.all[name] for name in sorted(self.all)]


class Declarations:
    """text: p4c's JSON for BMv2. Raises ValueError if it is none."""

    def __init__(self, text: str) -> None:
        document = json.loads(text)
        if not isinstance(document, dict):
            raise ValueError("it is not an object")

        def declared(kind: str) -> list[Any]:
            return list(document.get(kind, []))

        pipelines = declared("pipelines")
        tables = [each for pipeline in pipelines for each in pipeline["tables"]]
        profiles = {
            each["name"]: Profile(
                each["name"],
                "selector" in each,
                frozenset(
                    action for at in tables if at.get("action_profile") == each["name"] for action in at["actions"]
                ),
            )
            for pipeline in pipelines
            for each in pipeline.get("action_profiles", [])
        }
        types = {each["name"]: {field[0]: field[1] for field in each["fields"]} for each in declared("header_types")}
        headers = {each["name"]: types[each["header_type"]] for each in declared("headers")}

        def key(declared: Any) -> Field:
            header, field = declared["target"]
            if field == "$valid$":
                return Field(f"{header}_valid", 1, declared["match_type"])
            return Field(f"{header}.{field}", headers[header][field], declared["match_type"])

        self.actions = Names(
            "action",
            {
                each["name"]: Action(
                    each["name"],
                    tuple(Field(parameter["name"], parameter["bitwidth"]) for parameter in each["runtime_data"]),
                )
                for each in declared("actions")
            }.values(),
        )
        self.profiles = Names("action profile", profiles.values())
        self.tables = Names(
            "table",
            [
                Table(
                    name=each["name"],
                    kind=each["match_type"],
                    keys=tuple(map(key, each["key"])),
                    actions=frozenset(each["actions"]),
                    idle_timeout=each["support_timeout"],
                    profile=profiles.get(each.get("action_profile", "")),
                )
                for each in tables
            ],
        )
        self.counters = Names("counter", map(_array, declared("counter_arrays")))
        self.meters = Names("meter", map(_array, declared("meter_arrays")))
        self.registers = Names("register", map(_array, declared("register_arrays")))
        self.value_sets = Names(
            "parser value set",
            [ValueSet(each["name"], each["compressed_bitwidth"]) for each in declared("parse_vsets")],
        )
        self.calculations = {each["name"]: each["algo"] for each in declared("calculations")}


def _array(declared: Any) -> Array:
    return Array(
        declared["name"], declared["binding"] if declared.get("is_direct") else None, declared.get("rate_count", 0)
    )


def _ends(name: str) -> list[str]:
    parts = name.split(".")
    return [".".join(parts[first:]) for first in range(len(parts))]


def _joined(fields: Iterable[str]) -> str:
    return ",\t".join(fields)
