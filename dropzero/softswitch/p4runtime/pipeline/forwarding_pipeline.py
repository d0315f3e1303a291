"""A pushed pipeline: the running program with its P4Info."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence, Sized
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, TypeAlias

from google.protobuf import message

from dropzero.p4.v1 import p4runtime_pb2
from dropzero.softswitch.engine.engine import Engine
from dropzero.softswitch.p4runtime.pipeline.completion import completed
from dropzero.softswitch.p4runtime.pipeline.device_config_pb2 import P4DeviceConfig
from dropzero.softswitch.p4runtime.pipeline.digest_lists import DigestLists
from dropzero.softswitch.p4runtime.pipeline.p4info import (
    Bits,
    CounterInfo,
    Index,
    MeterInfo,
    P4Info,
    ProfileInfo,
    RegisterInfo,
)
from dropzero.softswitch.p4runtime.pipeline.profiles import Profile
from dropzero.softswitch.p4runtime.pipeline.refusal import invalid, unimplemented
from dropzero.softswitch.program.bmv2_json import parse_program
from dropzero.softswitch.program.model import Match, Program, UnsupportedProgram
from dropzero.softswitch.state.tables.action_profiles import ActionProfile
from dropzero.softswitch.state.tables.tables import Entry

Clock = Callable[[], int]
Kind: TypeAlias = "p4runtime_pb2.Update.Type.ValueType"
"""What an update does: INSERT, MODIFY or DELETE."""


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
    meter: p4runtime_pb2.MeterConfig | None = None


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

    def __init__(
        self,
        config: p4runtime_pb2.ForwardingPipelineConfig,
        compile: Callable[[Program], Engine],
        clock: Clock = lambda: 0,
    ) -> None:
        """Compiles the program. Raises Refusal if the config is not a program, or does not fit the P4Info.

        clock: the clock of Engine.process, in microseconds.
        """
        self.config = config
        self.p4info = P4Info(config.p4info)
        try:
            program = parse_program(program_text(config.p4_device_config))
            self.engine = compile(completed(program, self.p4info))
        except UnsupportedProgram as error:
            raise invalid(f"Invalid device config: {error}") from None
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
        self.p4info.tables = Index(table for table in self.p4info.tables.values() if table.name in tables)
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
        self._translate()

    def _translate(self) -> None:
        """Replaces widths of translated types, for which P4Info has others or none, by the device config's."""
        info, engine = self.p4info, self.engine
        for id, table in info.tables.items():
            declared = engine.tables[table.name]
            widths = [key.width for key in declared.declaration.keys]
            info.tables[id] = replace(table, fields=_as_wide(table.fields, widths))
            for name, action in table.actions_by_name.items():
                _as_wide(action.parameters, [parameter.width for parameter in declared.actions[name].parameters])
        for id, values in info.value_sets.items():
            if len(values.fields) == 1:
                width = engine.value_sets[values.name].width
                info.value_sets[id] = replace(values, fields=_as_wide(values.fields, [width]))
            elif any(field.strings is not None for field in values.fields):
                raise unimplemented(f"Value set {values.name!r} has several fields, and strings among them")
        kinds = [header.type for header in engine.program.headers.values()]
        # P4Info does not say which header type it means.
        widths_by_names = {tuple(kind.by_name): [field.width for field in kind.fields] for kind in kinds}
        for direction in ("packet_in", "packet_out"):
            fields = getattr(info, direction)
            named = widths_by_names.get(tuple(field.name for field in fields))
            if named is not None:
                setattr(info, direction, _as_wide(fields, named))
            elif any(field.strings is not None for field in fields):
                raise invalid(f"The device config has no header with the fields of {direction!r}, which has strings")


def _as_wide(fields: tuple[Bits, ...], widths: Sequence[int]) -> tuple[Bits, ...]:
    """The fields with the device's widths where those are narrower, or the fields are strings."""
    for field, width in zip(fields, widths, strict=False):
        if field.strings is not None:
            field.strings.fit(width)
    return tuple(
        replace(field, width=width if field.strings is not None else min(field.width, width))
        for field, width in zip(fields, widths, strict=False)
    )


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


def program_text(config: bytes) -> bytes:
    """Returns the program's JSON, which a client pushes plain, or wrapped in the older p4.tmp.P4DeviceConfig. Anything
    but a P4DeviceConfig is returned unchanged, for the JSON reader to check."""
    try:
        legacy = P4DeviceConfig.FromString(config)
    except message.DecodeError:
        return config
    return bytes(legacy.device_data) or config
