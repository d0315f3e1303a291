"""BMv2's Thrift services for the switch's program."""

from __future__ import annotations

from dropzero.softswitch.engine.switch import Switch
from dropzero.softswitch.program.architecture import PSA, V1MODEL
from dropzero.softswitch.thrift.arrays import Arrays
from dropzero.softswitch.thrift.engine_service import EngineService
from dropzero.softswitch.thrift.profiles import Profiles
from dropzero.softswitch.thrift.replication import Replication, SimplePreLag, SimpleSwitch
from dropzero.softswitch.thrift.server import Service
from dropzero.softswitch.thrift.tables import Tables


class Configuration(EngineService):
    """The function of the service "standard" that resets the program's state."""

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


def program_services(switch: Switch, replication: Replication) -> dict[str, list[Service]]:
    """Returns the services by name. "standard" lacks the functions of `Management`."""
    tables = Tables(switch)
    target: list[Service] = [SimpleSwitch(replication, switch)]
    return {
        "standard": [tables, Profiles(switch), Arrays(switch), Configuration(switch, tables, replication)],
        "simple_pre_lag": [SimplePreLag(replication)],
        **{architecture.target: target for architecture in (V1MODEL, PSA)},
    }
