"""The verbs for counters, meters, registers and value sets."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from dropzero.softswitch.program.model import ValueSetDeclaration
from dropzero.softswitch.runtime_cli.arguments import at_least, exactly, integer
from dropzero.softswitch.runtime_cli.declarations import Array, Wrong
from dropzero.softswitch.runtime_cli.verbs import Verbs
from dropzero.softswitch.thrift.wire import STRUCT, Value, double, i32, i64, record, sequence, string

INDEX = "Bad format for index"


class ArrayVerbs(Verbs):
    def do_counter_read(self, line: str) -> None:
        """Print a counter: counter_read <name> <index, or entry handle>"""
        name, word = exactly(line, 2)
        counter, index = self._declared.counters[name], integer(word, INDEX)
        if counter.table is not None:
            print("this is the direct counter for table", counter.table)
        value = self._call(_function(counter, "counter_read", "read_counter"), _place(counter), i32(index))
        print(f"{name}[{index}]= ({value[1]} bytes, {value[2]} packets)")

    def do_counter_write(self, line: str) -> None:
        """Set a counter: counter_write <name> <index, or entry handle> <packets> <bytes>"""
        name, word, *counts = exactly(line, 4)
        counter, index = self._declared.counters[name], integer(word, INDEX)
        packets = integer(counts[0], "Bad format for packets")
        value = record({1: i64(integer(counts[1], "Bad format for bytes")), 2: i64(packets)})
        if counter.table is not None:
            print("writing to direct counter for table", counter.table)
        self._call(_function(counter, "counter_write", "write_counter"), _place(counter), i32(index), value)
        print(f"{name}[{index}] has been updated")

    def do_counter_reset(self, line: str) -> None:
        """Set all counters of an array or a table to 0: counter_reset <name>"""
        counter = self._declared.counters[exactly(line, 1)[0]]
        if counter.table is not None:
            print("this is the direct counter for table", counter.table)
        self._call(_function(counter, "counter_reset_all", "reset_counters"), _place(counter))

    def do_meter_set_rates(self, line: str) -> None:
        """Set a meter's rates, in packets or bytes a microsecond, and bursts, in packets or bytes:
        meter_set_rates <name> <index, or entry handle> <rate>:<burst> <rate>:<burst>"""
        name, word, *pairs = at_least(line, 2)
        meter, index = self._declared.meters[name], integer(word, INDEX)
        rates = _rates(meter, pairs)
        self._call(_function(meter, "meter_set_rates", "set_meter_rates"), _place(meter), i32(index), rates)

    def do_meter_array_set_rates(self, line: str) -> None:
        """Set the rates of all meters of an array: meter_array_set_rates <name> <rate>:<burst> <rate>:<burst>"""
        name, *pairs = at_least(line, 1)
        meter = self._declared.meters[name]
        self._call("bm_meter_array_set_rates", string(meter.name), _rates(meter, pairs))

    def do_meter_get_rates(self, line: str) -> None:
        """Print a meter's rates: meter_get_rates <name> <index, or entry handle>"""
        name, word = exactly(line, 2)
        meter, index = self._declared.meters[name], i32(integer(word, INDEX))
        rates = self._call(_function(meter, "meter_get_rates", "get_meter_rates"), _place(meter), index)
        if len(rates) != meter.rates:
            print(f"WARNING: expected {meter.rates} rates but only received {len(rates)}")
        for number, rate in enumerate(rates):
            print(f"{number}: info rate = {rate[1]}, burst size = {rate[2]}")

    def do_register_read(self, line: str) -> None:
        """Print a register, or all of an array: register_read <name> [index]"""
        name, *more = at_least(line, 1)
        register = self._declared.registers[name]
        if not more:
            print("register index omitted, reading entire array", file=sys.stderr)
            print(f"{name}=", ", ".join(map(str, self._call("bm_register_read_all", string(register.name)))))
            return
        index = integer(exactly(line, 2)[1], INDEX)
        print(f"{name}[{index}]=", self._call("bm_register_read", string(register.name), i32(index)))

    def do_register_write(self, line: str) -> None:
        """Set a register: register_write <name> <index> <value>"""
        name, word, written = exactly(line, 3)
        register, index = self._declared.registers[name], integer(word, INDEX)
        value = integer(written, "Bad format for value, must be an integer")
        self._call("bm_register_write", string(register.name), i32(index), i64(value))

    def do_register_reset(self, line: str) -> None:
        """Set all registers of an array to 0: register_reset <name>"""
        self._call("bm_register_reset", string(self._declared.registers[exactly(line, 1)[0]].name))

    def do_show_pvs(self, line: str) -> None:
        """List the program's parser value sets: show_pvs"""
        exactly(line, 0)
        for each in self._declared.value_sets.sorted():
            print(f"{each.name:30} [compressed bitwidth:{each.width}]")

    def do_pvs_add(self, line: str) -> None:
        """Add a value to a parser value set: pvs_add <name> <value>"""
        name, value = exactly(line, 2)
        self._call("bm_parse_vset_add", *_member(self._declared.value_sets[name], value))

    def do_pvs_remove(self, line: str) -> None:
        """Remove a value from a parser value set: pvs_remove <name> <value>"""
        name, value = exactly(line, 2)
        self._call("bm_parse_vset_remove", *_member(self._declared.value_sets[name], value))

    def do_pvs_get(self, line: str) -> None:
        """Print the values of a parser value set: pvs_get <name>"""
        for value in self._call("bm_parse_vset_get", string(self._declared.value_sets[exactly(line, 1)[0]].name)):
            print(value.hex())

    def do_pvs_clear(self, line: str) -> None:
        """Remove all values from a parser value set: pvs_clear <name>"""
        self._call("bm_parse_vset_clear", string(self._declared.value_sets[exactly(line, 1)[0]].name))


def _function(array: Array, own: str, of_entry: str) -> str:
    """The function for an array of its own, or for one that belongs to a table's entries."""
    return f"bm_{own}" if array.table is None else f"bm_mt_{of_entry}"


def _place(array: Array) -> Value:
    return string(array.table or array.name)


def _rates(meter: Array, pairs: Sequence[str]) -> Value:
    if len(pairs) != meter.rates:
        raise Wrong(f"Invalid number of rates, expected {meter.rates} but got {len(pairs)}")
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
