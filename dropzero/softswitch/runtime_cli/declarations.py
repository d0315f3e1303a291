"""A program's tables, actions, arrays and value sets, by the names that verbs take."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable
from typing import Generic, Protocol, TypeVar

from dropzero.softswitch.program.bmv2_json import parse_program
from dropzero.softswitch.program.model import VALID, Action, Control, Key, Program, TableDeclaration


class Wrong(Exception):
    """Raised for wrong arguments of a verb. subject: the beginning of the error's line."""

    def __init__(self, reason: str, subject: str = "Error") -> None:
        super().__init__(f"{subject}: {reason}")
        self.reason = reason


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

    def find(self, name: str, among: Collection[str]) -> Declaration | None:
        """Finds a declaration by name. Its full name must be in `among`."""
        found = self._found.get(name)
        return found if found is not None and found.name in among else None

    def sorted(self) -> list[Declaration]:
        return [self.all[name] for name in sorted(self.all)]


class Declarations:
    def __init__(self, program: Program | None) -> None:
        """program: None: the switch has none yet."""
        program = program or NOTHING
        self.target = program.architecture.target
        self.profile_actions = program.profile_actions
        self.actions = Names("action", {each.name: each for each in program.actions}.values())
        self.profiles = Names("action profile", program.profiles)
        self.tables = Names("table", program.tables)
        self.counters = Names("counter", (*program.counters, *program.direct_counters))
        self.meters = Names("meter", program.meters)
        self.registers = Names("register", program.registers)
        self.value_sets = Names("parser value set", program.value_sets)
        self.calculations = {name: each.algorithm for name, each in program.calculations.items()}


NOTHING = Program(
    headers={},
    stacks={},
    errors={},
    aliases={},
    parsers=(),
    ingress=Control("ingress", None, {}, {}),
    egress=Control("egress", None, {}, {}),
    deparsers=(),
    checksums=(),
    registers=(),
    counters=(),
    digest="",
)
"""What a switch without a program has."""


def read(text: str) -> Program | None:
    """Reads p4c's JSON for BMv2. None: an empty object, which stands for no program. Raises UnsupportedProgram."""
    return None if text.strip() == "{}" else parse_program(text)


def signature(action: Action) -> str:
    return f"{action.name:30} [{_joined(f'{each.name}({each.width})' for each in action.parameters)}]"


def described(table: TableDeclaration) -> str:
    keys = _joined(f"{key_name(key)}({key.kind}, {key.width})" for key in table.keys)
    return f"{table.name:30} [implementation={table.profile}, mk={keys}]"


def key_name(key: Key) -> str:
    return f"{key.target.header}_valid" if key.target.field == VALID else str(key.target)


def _ends(name: str) -> list[str]:
    parts = name.split(".")
    return [".".join(parts[first:]) for first in range(len(parts))]


def _joined(fields: Iterable[str]) -> str:
    return ",\t".join(fields)
