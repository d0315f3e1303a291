"""A pushed pipeline: the running program with its P4Info."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Mapping, Sized
from dataclasses import dataclass
from typing import Any, NamedTuple

from dropzero.softswitch.engine.engine import Engine
from dropzero.softswitch.p4runtime.pipeline.device_config import program_text
from dropzero.softswitch.p4runtime.pipeline.digest_lists import DigestLists
from dropzero.softswitch.p4runtime.pipeline.p4info import CounterInfo, MeterInfo, P4Info, ProfileInfo, RegisterInfo
from dropzero.softswitch.p4runtime.pipeline.profiles import Profile
from dropzero.softswitch.p4runtime.pipeline.refusal import invalid
from dropzero.softswitch.program.bmv2_json import parse_program
from dropzero.softswitch.program.model import Match, Program, UnsupportedProgram
from dropzero.softswitch.state.action_profiles import ActionProfile
from dropzero.softswitch.state.tables import Entry

log = logging.getLogger(__name__)

Clock = Callable[[], int]


class RowKey(NamedTuple):
    """The key of an entry's note. The match of a default entry is None."""

    table: int
    match: tuple[Match, ...] | None
    priority: int


@dataclass(frozen=True)
class Note:
    """The fields of an entry that the switch returns as they were written. meter: a p4.v1.MeterConfig, or None."""

    controller_metadata: int = 0
    metadata: bytes = b""
    idle_timeout_ns: int = 0
    meter: Any | None = None


NOTHING = Note()


class Pipeline:
    """The pipeline that clients address. `config` is the p4.v1.ForwardingPipelineConfig as pushed.

    groups: the MulticastGroupEntry of each group, as clients wrote it
    clones: the CloneSessionEntry of each clone session, as clients wrote it
    digests: by id
    profiles: by id
    meters: (meter id, index) -> the p4.v1.MeterConfig of a cell that has one
    notes:  those of entries that differ from NOTHING
    ageing: the entries with an idle timeout
    """

    def __init__(self, config: Any, compile: Callable[[Program], Engine], clock: Clock = lambda: 0) -> None:
        """Compiles the program. Raises Refusal if the config is no program, or does not fit the P4Info.

        clock: the clock of Engine.process, in microseconds.
        """
        self.config = config
        self.p4info = P4Info(config.p4info)
        try:
            self.engine = compile(parse_program(program_text(config.p4_device_config)))
        except UnsupportedProgram as error:
            raise invalid(f"Invalid device config: {error}") from None
        except Exception as error:
            # The reader does not validate JSON that p4c would never write, but it must only affect its sender.
            log.exception("A device config was refused")
            raise invalid(f"Invalid device config: not a program that p4c wrote for BMv2: {error!r}") from None
        self.groups: dict[int, Any] = {}
        self.clones: dict[int, Any] = {}
        self.digests = {id: DigestLists(info) for id, info in self.p4info.digests.items()}
        self.meters: dict[tuple[int, int], Any] = {}
        self.notes: dict[RowKey, Note] = {}
        self.ageing: set[RowKey] = set()
        self._clock = clock
        self._compare()
        self.profiles = {id: Profile(info, self._profile(info)) for id, info in self.p4info.profiles.items()}

    def note_of(self, row: RowKey) -> Note:
        return self.notes.get(row, NOTHING)

    def note(self, row: RowKey, note: Note) -> None:
        if note != NOTHING:
            self.notes[row] = note
        else:
            self.notes.pop(row, None)
        if note.idle_timeout_ns:
            self.ageing.add(row)
        else:
            self.ageing.discard(row)

    def watch(self, down: frozenset[int]) -> None:
        """Excludes members of action profiles that watch a port in `down`."""
        with self.engine.lock:
            for profile in self.profiles.values():
                profile.watch(down)

    def look_for_idle(self, table: str) -> list[Entry]:
        """The entries of a table, by name, that no packet has hit for their timeout."""
        with self.engine.lock:
            return list(self.engine.tables[table].idle(self._clock()))

    def _profile(self, info: ProfileInfo) -> ActionProfile:
        """An action profile; an unused empty one if p4c has omitted it because no table has it."""
        known = self.engine.action_profiles.get(info.name)
        return known or ActionProfile(info.name, {}, info.size, selector=info.selects)

    def _compare(self) -> None:
        tables = self.engine.tables
        _require("table", (table.name for table in self.p4info.tables.values() if table.fields), tables)
        # p4c omits tables that cannot match and do nothing.
        self.p4info.tables = {id: table for id, table in self.p4info.tables.items() if table.name in tables}
        _require_cells("register", self.p4info.registers.values(), self.engine.registers)
        _require_cells("counter", self.p4info.counters.values(), self.engine.counters)
        _require_cells("meter", self.p4info.meters.values(), self.engine.meters)
        _require("value set", (each.name for each in self.p4info.value_sets.values()), self.engine.value_sets)
        for table in self.p4info.tables.values():
            # Widths may differ if P4Runtime translates a type, or for types without a width, such as error.
            if [field.name for field in table.fields] != [key.name for key in tables[table.name].keys]:
                raise invalid(f"Table {table.name!r} has other match fields in P4Info than in the device config")
            names = (reference.action.name for reference in table.actions.values())
            _require(f"action of table {table.name!r}", names, tables[table.name].actions)


def _require_cells(
    what: str, infos: Iterable[RegisterInfo | CounterInfo | MeterInfo], known: Mapping[str, Sized]
) -> None:
    for info in infos:
        _require(what, [info.name], known)
        if info.size != len(known[info.name]):
            cells = f"{info.size} cells in P4Info, and {len(known[info.name])} in the device config"
            raise invalid(f"The {what} {info.name!r} has {cells}")


def _require(what: str, names: Iterable[str], known: Iterable[str]) -> None:
    missing = sorted(set(names) - set(known))
    if missing:
        raise invalid(f"The device config has no {what} {missing[0]!r}, which P4Info describes")
