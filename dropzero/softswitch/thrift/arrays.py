"""The functions of BMv2's Thrift service "standard" for counters, meters, registers, value sets and hashes."""

from __future__ import annotations

from dropzero.softswitch.thrift.engine_service import EngineService
from dropzero.softswitch.thrift.errors import INVALID_INDEX, INVALID_NAME, named, require
from dropzero.softswitch.thrift.server import Declined
from dropzero.softswitch.thrift.structs import Counts, CrcParameters, Rates, decode_rates, encode_integer, encode_rates
from dropzero.softswitch.thrift.wire import I64, STRING, Value, i64, record, sequence

WRONG_CALCULATION = 2
"""CrcErrorCode: the calculation has another algorithm."""


class Arrays(EngineService):
    prefixes = ("bm_counter_", "bm_meter_", "bm_register_", "bm_parse_vset_", "bm_set_crc")

    def bm_counter_read(self, _: int, name: bytes, index: int) -> Value:
        counter = named(self.engine.counters, name)
        require(0 <= index < counter.size, INVALID_INDEX)
        return record({1: i64(int(counter.bytes[index])), 2: i64(int(counter.packets[index]))})

    def bm_counter_write(self, _: int, name: bytes, index: int, value: Counts) -> None:
        counter = named(self.engine.counters, name)
        require(0 <= index < counter.size, INVALID_INDEX)
        counter.bytes[index], counter.packets[index] = value[1], value[2]

    def bm_counter_reset_all(self, _: int, name: bytes) -> None:
        named(self.engine.counters, name).reset()

    def bm_meter_set_rates(self, _: int, name: bytes, index: int, rates: Rates) -> None:
        meter = named(self.engine.meters, name)
        require(0 <= index < meter.size, INVALID_INDEX)
        meter[index] = decode_rates(rates)

    def bm_meter_array_set_rates(self, _: int, name: bytes, rates: Rates) -> None:
        direct = {meter.name: meter.table for meter in self.engine.program.meters if meter.table is not None}
        if name.decode() in direct:
            self.engine.tables[direct[name.decode()]].set_meters(decode_rates(rates))
            return
        meter = named(self.engine.meters, name)
        for index in range(meter.size):
            meter[index] = decode_rates(rates)

    def bm_meter_get_rates(self, _: int, name: bytes, index: int) -> Value:
        meter = named(self.engine.meters, name)
        require(0 <= index < meter.size, INVALID_INDEX)
        return encode_rates(meter[index])

    def bm_register_read(self, _: int, name: bytes, index: int) -> Value:
        register = named(self.engine.registers, name)
        require(0 <= index < register.size, INVALID_INDEX)
        return _cell(register[index])

    def bm_register_read_all(self, _: int, name: bytes) -> Value:
        return sequence(I64, [_cell(value) for value in named(self.engine.registers, name).snapshot()])

    def bm_register_write(self, _: int, name: bytes, index: int, value: int) -> None:
        self.bm_register_write_range(_, name, index, index + 1, value)

    def bm_register_write_range(self, _: int, name: bytes, start: int, end: int, value: int) -> None:
        register = named(self.engine.registers, name)
        require(0 <= start <= end <= register.size, INVALID_INDEX)
        for index in range(start, end):
            register[index] = value & (1 << register.width) - 1

    def bm_register_reset(self, _: int, name: bytes) -> None:
        named(self.engine.registers, name).reset()

    def bm_parse_vset_add(self, _: int, name: bytes, value: bytes) -> None:
        named(self.engine.value_sets, name).insert(int.from_bytes(value, "big"))

    def bm_parse_vset_remove(self, _: int, name: bytes, value: bytes) -> None:
        named(self.engine.value_sets, name).delete(int.from_bytes(value, "big"))

    def bm_parse_vset_get(self, _: int, name: bytes) -> Value:
        found = named(self.engine.value_sets, name)
        return sequence(STRING, [encode_integer(value, found.width) for value in found.values])

    def bm_parse_vset_clear(self, _: int, name: bytes) -> None:
        named(self.engine.value_sets, name).clear()

    def bm_set_crc16_custom_parameters(self, _: int, name: bytes, parameters: CrcParameters) -> None:
        self._set_crc(name, "crc16_custom", 16, parameters)

    def bm_set_crc32_custom_parameters(self, _: int, name: bytes, parameters: CrcParameters) -> None:
        self._set_crc(name, "crc32_custom", 32, parameters)

    def _set_crc(self, name: bytes, algorithm: str, width: int, parameters: CrcParameters) -> None:
        """Sets a custom CRC. parameters: polynomial, initial remainder, final XOR, reflect data, reflect remainder."""
        require(name.decode() in self.engine.program.calculations, INVALID_NAME)
        crc = self.engine.crcs.get(name.decode())
        if crc is None or crc.algorithm != algorithm:
            raise Declined(WRONG_CALCULATION)
        # Thrift's numbers are signed.
        numbers = [parameters[field] & (1 << width) - 1 for field in (1, 2, 3)]
        crc.set(*numbers, data_reflected=bool(parameters[4]), result_reflected=bool(parameters[5]))


def _cell(value: int) -> Value:
    """Encodes a register's cell: larger values as the largest I64, as BMv2 does."""
    return i64(min(value, (1 << 63) - 1))
