"""All state of one program that the control plane reads and writes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from numpy.typing import NDArray

from dropzero.softswitch.program.model import Program
from dropzero.softswitch.state.arrays import Counter, Register
from dropzero.softswitch.state.crcs import CustomCrc
from dropzero.softswitch.state.meters import Meter
from dropzero.softswitch.state.replication import CloneSessions, Multicast
from dropzero.softswitch.state.tables.action_profiles import ActionProfile
from dropzero.softswitch.state.tables.tables import Table
from dropzero.softswitch.state.value_sets import ValueSet


class Tables(Mapping[str, Table]):
    """A program's tables by name, each made when it is first asked for. p4c makes a table for every call of an action:
    no one asks for those, and a program may have hundreds."""

    def __init__(self, program: Program, profiles: Mapping[str, ActionProfile]) -> None:
        self._declared = {declared.name: declared for declared in program.tables}
        self._profiles = profiles
        self._made: dict[str, Table] = {}

    def __getitem__(self, name: str) -> Table:
        table = self._made.get(name)
        if table is None:
            declared = self._declared[name]
            table = self._made[name] = Table(declared, self._profiles.get(declared.profile or ""))
        return table

    def __iter__(self) -> Iterator[str]:
        return iter(self._declared)

    def __len__(self) -> int:
        return len(self._declared)


class ProgramState:
    """The state of a program, initially as the program defines it. Objects are known by full names, such as
    "Ingress.forward.station".

    program:   the program
    tables:    match-action tables, whose entries include direct counters and meters
    registers, counters, meters: arrays, which the program indexes
    action_profiles: the members and groups that some tables' entries name
    value_sets: the values that parser states compare with
    crcs:      the hashes whose parameters the control plane sets
    multicast: the multicast groups
    clone_sessions: the destinations of clones
    """

    def __init__(self, program: Program) -> None:
        self.program = program
        self.action_profiles: dict[str, ActionProfile] = {
            declared.name: ActionProfile(
                declared.name,
                program.profile_actions(declared.name),
                declared.size,
                selector=declared.selector is not None,
            )
            for declared in program.profiles
        }
        self.tables = Tables(program, self.action_profiles)
        self.registers: dict[str, Register] = {
            declared.name: Register(declared.name, declared.width, declared.size) for declared in program.registers
        }
        self.counters: dict[str, Counter] = {
            declared.name: Counter(declared.name, declared.size) for declared in program.counters
        }
        self.meters: dict[str, Meter] = {
            declared.name: Meter(declared.name, declared.size) for declared in program.meters if declared.table is None
        }
        self.value_sets: dict[str, ValueSet] = {
            declared.name: ValueSet(declared.name, declared.width, declared.size) for declared in program.value_sets
        }
        self.crcs = {name: CustomCrc(algorithm) for name, algorithm in program.custom_crcs.items()}
        self.multicast = Multicast()
        self.clone_sessions = CloneSessions()

    def arrays(self) -> Iterator[NDArray[Any]]:
        """Yields the arrays that packets write."""
        yield from (register.cells for register in self.registers.values())
        yield from (counter.cells for counter in self.counters.values())
        yield from (meter.cells for meter in self.meters.values())
        for declared in self.program.tables:
            if declared.direct_counter or declared.direct_meter or declared.idle_timeout:
                yield self.tables[declared.name].rows
