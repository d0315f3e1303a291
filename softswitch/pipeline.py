"""A pushed pipeline: the running program together with the P4Info that names its parts."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from softswitch.device_config import program_text
from softswitch.engine import Engine
from softswitch.p4info import P4Info
from softswitch.program import Program, UnsupportedProgram
from softswitch.refusal import invalid
from softswitch.tables import Match


class Pipeline:
    """What clients address. `config` is the p4.v1.ForwardingPipelineConfig as it was pushed.

    groups: the MulticastGroupEntry of each group, as clients wrote it
    notes:  of (table id, match, priority), what clients noted down with an entry (controller_metadata, metadata), where
            they did; the match of a default entry is None
    """

    def __init__(self, config: Any, compile: Callable[[Program], Engine]) -> None:
        """Compiles. Raises Refusal when the config is no program, or the P4Info is not about it."""
        self.config = config
        self.p4info = P4Info(config.p4info)
        try:
            self.engine = compile(Program.parse(program_text(config.p4_device_config)))
        except UnsupportedProgram as error:
            raise invalid(f"Invalid device config: {error}") from None
        self.groups: dict[int, Any] = {}
        self.notes: dict[tuple[int, tuple[Match, ...] | None, int], tuple[int, bytes]] = {}
        self._compare()

    def _compare(self) -> None:
        tables = self.engine.tables
        _require("table", (table.name for table in self.p4info.tables.values()), tables)
        _require("register", (register.name for register in self.p4info.registers.values()), self.engine.registers)
        _require("counter", (counter.name for counter in self.p4info.counters.values()), self.engine.counters)
        for table in self.p4info.tables.values():
            widths = [field.width for field in table.fields]
            if widths != [key.width for key in tables[table.name].keys]:
                raise invalid(f"Table {table.name!r} has other match fields in P4Info than in the device config")
            names = (reference.action.name for reference in table.actions.values())
            _require(f"action of table {table.name!r}", names, tables[table.name].actions)


def _require(what: str, names: Iterable[str], known: Iterable[str]) -> None:
    missing = sorted(set(names) - set(known))
    if missing:
        raise invalid(f"The device config has no {what} {missing[0]!r}, which P4Info describes")
