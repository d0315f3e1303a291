"""The function of BMv2's Thrift service "standard" that resets the program's state."""

from __future__ import annotations

from dropzero.softswitch.engine.switch import Switch
from dropzero.softswitch.thrift.engine_service import EngineService
from dropzero.softswitch.thrift.replication import Replication
from dropzero.softswitch.thrift.tables import Tables


class Configuration(EngineService):
    prefixes = ("bm_reset_state",)

    def __init__(self, switch: Switch, tables: Tables, replication: Replication) -> None:
        super().__init__(switch)
        self._tables = tables
        self._replication = replication

    def bm_reset_state(self) -> None:
        engine = self.engine
        for table in engine.tables.values():
            table.clear()
        self._tables.forget_handles()
        for states in (engine.registers, engine.counters, engine.meters):
            for name in states:
                states[name].reset()
        for profile in engine.action_profiles.values():
            for group in list(profile.groups):
                profile.delete_group(group)
            for member in list(profile.members):
                profile.delete_member(member)
        self._replication.reset()
