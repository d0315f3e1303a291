"""Reads the extern instances of PSA programs, and calls of their methods, as what v1model has in their place: arrays of
counters and meters, calculations, and primitives."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from dropzero.json_schema import Object
from dropzero.softswitch.program import model as p4
from dropzero.softswitch.program.schema import Declared, malformed

PSA_COLOURS = (1, 2, 0)
"""PSA's numbers for green, yellow and red."""

METHODS = {
    "_Counter_count": 2,
    "_Meter_execute": 3,
    "_Random_read": 2,
    "_Hash_get_hash": 3,
    "_Hash_get_hash_mod": 5,
    **dict.fromkeys(("_InternetChecksum_add", "_InternetChecksum_subtract", "_InternetChecksum_get"), 2),
    **dict.fromkeys(("_InternetChecksum_get_state", "_InternetChecksum_set_state"), 2),
    "_InternetChecksum_get_verify": 3,
    "_InternetChecksum_clear": 1,
}
"""The primitives that call a method, and how many arguments each takes, the instance first."""


@dataclass(frozen=True)
class Instance:
    """An extern instance. attributes: integers or text, by name."""

    name: str
    type: str
    attributes: dict[str, Any]


class Externs:
    """A program's extern instances.

    counters, meters: the arrays among them
    calculations: one for each call of a hash, by name
    """

    def __init__(self, declared: Iterable[Object], number: Callable[[Any], int]) -> None:
        """number: reads a hexadecimal number."""
        self._instances = Declared("extern instance", {each["name"]: self._instance(each, number) for each in declared})
        self.counters = tuple(
            p4.CounterDeclaration(each.name, each.attributes["n_counters"]) for each in self._of_type("Counter")
        )
        self.meters = tuple(map(self._meter, self._of_type("Meter")))
        self.calculations: dict[str, p4.Calculation] = {}

    @staticmethod
    def _instance(declared: Object, number: Callable[[Any], int]) -> Instance:
        attributes: dict[str, Any] = Declared(f"attribute of {declared['name']} called", {})
        for each in declared.get("attribute_values", ()):
            value = each["value"]
            attributes[each["name"]] = number(value) if each["type"] == "hexstr" and isinstance(value, str) else value
        return Instance(declared["name"], declared["type"], attributes)

    def _of_type(self, kind: str) -> list[Instance]:
        return [each for each in self._instances.values() if each.type == kind]

    @staticmethod
    def _meter(instance: Instance) -> p4.MeterDeclaration:
        attributes = instance.attributes
        if attributes["rate_count"] != 2 or attributes["is_direct"]:
            raise p4.UnsupportedProgram(f"{instance.name} is not supported: only arrays of meters of two rates are")
        return p4.MeterDeclaration(instance.name, attributes["type"], attributes["n_meters"], colours=PSA_COLOURS)

    def call(self, op: str, arguments: tuple[p4.Expression, ...]) -> tuple[str, tuple[p4.Expression, ...]]:
        """The primitive and its arguments for a call of a method."""
        named, *given = arguments
        if not isinstance(named, p4.Named) or named.kind != "extern":
            raise malformed(f"{op} of {named!r:.40}")
        instance = self._instances[named.name]
        if instance.type != op.split("_")[1]:
            raise malformed(f"{op} of {instance.name}, which is a {instance.type}")
        match op, given:
            case "_Counter_count", (index,):
                return "count", (p4.Named("counter_array", instance.name), index)
            case "_Meter_execute", (index, target):
                return "execute_meter", (p4.Named("meter_array", instance.name), index, target)
            case "_Random_read", (target,):
                low, high = (p4.Constant(instance.attributes[name]) for name in ("min", "max"))
                return "modify_field_rng_uniform", (target, low, high)
            case "_Hash_get_hash", (target, p4.Values(fields)):
                return "get_hash", (target, self._calculation(instance, fields))
            case "_Hash_get_hash_mod", (target, base, p4.Values(fields), size):
                calculation = self._calculation(instance, fields)
                return "modify_field_with_hash_based_offset", (target, base, calculation, size)
            case _:
                return op.removeprefix("_InternetChecksum_") + "_checksum", (p4.Text(instance.name), *given)

    def _calculation(self, instance: Instance, inputs: tuple[p4.Expression, ...]) -> p4.Named:
        fields = tuple(each for each in inputs if isinstance(each, p4.FieldRef))
        if len(fields) < len(inputs):
            raise p4.UnsupportedProgram(f"a hash by {instance.name} over anything but fields is not supported")
        name = f"{instance.name} {len(self.calculations)}"
        algorithm = instance.attributes["algo"]
        self.calculations[name] = p4.Calculation(algorithm, fields, name, aligned_right=True)
        return p4.Named("calculation", name)
