"""BMv2's Thrift services for the switch's program."""

from __future__ import annotations

from dropzero.softswitch.engine.switch import Switch
from dropzero.softswitch.thrift.arrays import Arrays
from dropzero.softswitch.thrift.configuration import Configuration
from dropzero.softswitch.thrift.profiles import Profiles
from dropzero.softswitch.thrift.replication import Replication, SimplePreLag, SimpleSwitch
from dropzero.softswitch.thrift.server import Service
from dropzero.softswitch.thrift.tables import Tables


def program_services(switch: Switch, replication: Replication) -> dict[str, list[Service]]:
    """Returns the services by name. "standard" lacks the functions of `Management`."""
    tables = Tables(switch)
    return {
        "standard": [tables, Profiles(switch), Arrays(switch), Configuration(switch, tables, replication)],
        "simple_pre_lag": [SimplePreLag(replication)],
        "simple_switch": [SimpleSwitch(replication, switch)],
    }
