"""The verbs for counters, meters, registers and value sets."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from dropzero.softswitch.program.model import (
    CounterDeclaration,
    MeterDeclaration,
    RegisterDeclaration,
    ValueSetDeclaration,
)
from dropzero.softswitch.runtime_cli.arguments import exactly, integer
from dropzero.softswitch.runtime_cli.declarations import Wrong
from dropzero.softswitch.runtime_cli.verbs import INTEGERS, Verbs
from dropzero.softswitch.thrift.wire import STRUCT, Value, double, i32, i64, record, sequence, string

Array = CounterDeclaration | MeterDeclaration
RATES = 2
"""The rates of a meter."""


class ArrayVerbs(Verbs):
    def do_counter_read(self, counter: CounterDeclaration, index: int) -> None:
        """Print a counter: counter_read <name> <index, or entry handle>"""
        if counter.table is not None:
            print("this is the direct counter for table", counter.table)
        value = self._call(_function(counter, "counter_read", "read_counter"), _place(counter), i32(index))
        print(f"{self.words[0]}[{index}]= ({value[1]} bytes, {value[2]} packets)")

    def do_counter_write(self, counter: CounterDeclaration, index: int, packets: int, octets: int) -> None:
        """Set a counter: counter_write <name> <index, or entry handle> <packets> <bytes>"""
        value = record({1: i64(octets), 2: i64(packets)})
        if counter.table is not None:
            print("writing to direct counter for table", counter.table)
        self._call(_function(counter, "counter_write", "write_counter"), _place(counter), i32(index), value)
        print(f"{self.words[0]}[{index}] has been updated")

    def do_counter_reset(self, counter: CounterDeclaration) -> None:
        """Set all counters of an array or a table to 0: counter_reset <name>"""
        if counter.table is not None:
            print("this is the direct counter for table", counter.table)
        self._call(_function(counter, "counter_reset_all", "reset_counters"), _place(counter))

    def do_meter_set_rates(self, meter: MeterDeclaration, index: int, *pairs: str) -> None:
        """Set a meter's rates, in packets or bytes a microsecond, and bursts, in packets or bytes:
        meter_set_rates <name> <index, or entry handle> <rate>:<burst> <rate>:<burst>"""
        rates = _rates(pairs)
        self._call(_function(meter, "meter_set_rates", "set_meter_rates"), _place(meter), i32(index), rates)

    def do_meter_array_set_rates(self, meter: MeterDeclaration, *pairs: str) -> None:
        """Set the rates of all meters of an array: meter_array_set_rates <name> <rate>:<burst> <rate>:<burst>"""
        self._call("bm_meter_array_set_rates", string(meter.name), _rates(pairs))

    def do_meter_get_rates(self, meter: MeterDeclaration, index: int) -> None:
        """Print a meter's rates: meter_get_rates <name> <index, or entry handle>"""
        rates = self._call(_function(meter, "meter_get_rates", "get_meter_rates"), _place(meter), i32(index))
        if len(rates) != RATES:
            print(f"WARNING: expected {RATES} rates but only received {len(rates)}")
        for number, rate in enumerate(rates):
            print(f"{number}: info rate = {rate[1]}, burst size = {rate[2]}")

    def do_register_read(self, register: RegisterDeclaration, *more: str) -> None:
        """Print a register, or all of an array: register_read <name> [index]"""
        name = self.words[0]
        if not more:
            print("register index omitted, reading entire array", file=sys.stderr)
            print(f"{name}=", ", ".join(map(str, self._call("bm_register_read_all", string(register.name)))))
            return
        index = integer(exactly(" ".join(self.words), 2)[1], INTEGERS["index"])
        print(f"{name}[{index}]=", self._call("bm_register_read", string(register.name), i32(index)))

    def do_register_write(self, register: RegisterDeclaration, index: int, value: int) -> None:
        """Set a register: register_write <name> <index> <value>"""
        self._call("bm_register_write", string(register.name), i32(index), i64(value))

    def do_register_reset(self, register: RegisterDeclaration) -> None:
        """Set all registers of an array to 0: register_reset <name>"""
        self._call("bm_register_reset", string(register.name))

    def do_show_pvs(self) -> None:
        """List the program's parser value sets: show_pvs"""
        for each in self._declared.value_sets.sorted():
            print(f"{each.name:30} [compressed bitwidth:{each.width}]")

    def do_pvs_add(self, value_set: ValueSetDeclaration, word: str) -> None:
        """Add a value to a parser value set: pvs_add <name> <value>"""
        self._call("bm_parse_vset_add", *_member(value_set, word))

    def do_pvs_remove(self, value_set: ValueSetDeclaration, word: str) -> None:
        """Remove a value from a parser value set: pvs_remove <name> <value>"""
        self._call("bm_parse_vset_remove", *_member(value_set, word))

    def do_pvs_get(self, value_set: ValueSetDeclaration) -> None:
        """Print the values of a parser value set: pvs_get <name>"""
        for value in self._call("bm_parse_vset_get", string(value_set.name)):
            print(value.hex())

    def do_pvs_clear(self, value_set: ValueSetDeclaration) -> None:
        """Remove all values from a parser value set: pvs_clear <name>"""
        self._call("bm_parse_vset_clear", string(value_set.name))


def _function(array: Array, own: str, of_entry: str) -> str:
    """The function for an array of its own, or for one that belongs to a table's entries."""
    return f"bm_{own}" if array.table is None else f"bm_mt_{of_entry}"


def _place(array: Array) -> Value:
    return string(array.table or array.name)


def _rates(pairs: Sequence[str]) -> Value:
    if len(pairs) != RATES:
        raise Wrong(f"Invalid number of rates, expected {RATES} but got {len(pairs)}")
    try:
        parsed = [(float(rate), int(burst)) for rate, burst in (pair.split(":") for pair in pairs)]
        return sequence(STRUCT, [record({1: double(rate), 2: i32(burst)}) for rate, burst in parsed])
    except (ValueError, OverflowError):
        raise Wrong("Error while parsing rates") from None


def _member(value_set: ValueSetDeclaration, word: str) -> tuple[Value, Value]:
    try:
        value = int(word, 0)
    except ValueError:
        raise Wrong("Invalid input, could not cast to integer, try in hex with 0x prefix") from None
    if not 0 <= value < 1 << value_set.width:
        raise Wrong(f"Input is too large, it should fit within {value_set.width} bits")
    return string(value_set.name), string(value.to_bytes((value_set.width + 7) // 8, "big"))
