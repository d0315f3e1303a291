"""Packets are processed as by simple_switch."""

from __future__ import annotations

import struct
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dropzero.files import COMPILED
from dropzero.softswitch.engine.engine import Engine
from dropzero.softswitch.engine.frames import Frames
from dropzero.softswitch.program.bmv2_json import load_program
from dropzero.softswitch.program.model import Exact, UnsupportedProgram
from tests.support.bmv2_program import (
    Bmv2Program,
    Json,
    assign,
    constant,
    element,
    extract,
    field,
    header,
    key,
    meta,
    operation,
    parameter,
    primitive,
    run,
    standard,
)


def send_to(port: int | Json) -> Json:
    return assign(standard("egress_spec"), constant(port) if isinstance(port, int) else port)


def drop() -> Json:
    return primitive("mark_to_drop", header("standard_metadata"))


def set_valid(name: str) -> Json:
    return primitive("add_header", header(name))


def one_byte() -> Bmv2Program:
    """A program that takes one byte, h.x."""
    program = Bmv2Program({"a": 32, "b": 32}, h={"x": 8})
    program.state("start", extract("h"))
    return program


class TestRouting:
    """The ports at which packets leave."""

    def test_a_packet_without_a_route_leaves_by_port_0(self) -> None:
        assert run(Bmv2Program().engine(), b"abc", b"") == [(0, b"abc"), (0, b"")]

    def test_egress_spec_is_the_port(self) -> None:
        program = one_byte()
        program.call("send", send_to(field("h", "x")))
        assert run(program.engine(), b"\x05", b"\x00", b"\xff") == [(5, b"\x05"), (0, b"\x00"), (255, b"\xff")]

    @pytest.mark.parametrize("pipeline", ["ingress", "egress"])
    def test_a_packet_marked_to_drop_does_not_leave(self, pipeline: str) -> None:
        program = one_byte()
        program.call("drop", drop(), pipeline=pipeline)
        assert run(program.engine(), b"\x05") == []

    def test_in_ingress_a_later_port_undoes_the_drop(self) -> None:
        program = one_byte()
        program.call("drop", drop(), send_to(4))
        assert run(program.engine(), b"\x05") == [(4, b"\x05")]

    def test_a_drop_marked_in_a_copy_of_the_standard_metadata_counts_once_copied_back(self) -> None:
        mark = primitive("mark_to_drop", header("scalars"))
        for copied in (False, True):
            program = Bmv2Program({"egress_spec": 9, "mcast_grp": 16})
            program.call("drop", mark, *[send_to(meta("egress_spec"))] * copied)
            assert run(program.engine(), b"\x05") == ([] if copied else [(0, b"\x05")])

    def test_the_drop_port_can_be_chosen(self) -> None:
        program = one_byte()
        program.call("send", send_to(5))
        assert run(program.engine(drop_port=5), b"\x05") == []
        assert run(program.engine(), b"\x05") == [(5, b"\x05")]

    def test_egress_cannot_change_the_port(self) -> None:
        program = one_byte()
        program.call("send", send_to(3))
        program.call("redirect", send_to(6), pipeline="egress")
        assert run(program.engine(), b"\x05") == [(3, b"\x05")]

    def test_packets_keep_their_order(self) -> None:
        packets = [bytes([at % 251]) * (at % 90) for at in range(500)]
        assert [content for _, content in run(Bmv2Program().engine(), *packets)] == packets


class TestMulticast:
    """Copies of one packet."""

    def engine(self) -> Engine:
        """An engine that puts (egress_rid, egress_port, instance_type, passes through egress) before each copy."""
        program = Bmv2Program({"seen": 8}, h={"group": 8}, tag={"rid": 16, "port": 16, "type": 8, "seen": 8})
        program.state("start", extract("h"))
        program.order = ["tag", "h"]
        program.call("send", assign(standard("mcast_grp"), field("h", "group")))
        program.call(
            "report",
            assign(meta("seen"), operation("+", meta("seen"), constant(1))),
            set_valid("tag"),
            assign(field("tag", "rid"), standard("egress_rid")),
            assign(field("tag", "port"), standard("egress_port")),
            assign(field("tag", "type"), standard("instance_type")),
            assign(field("tag", "seen"), meta("seen")),
            assign(field("h", "group"), constant(0)),
            pipeline="egress",
        )
        return program.engine()

    def copies(self, engine: Engine, *packets: bytes) -> list[tuple[int, ...]]:
        return [(port, *struct.unpack(">HHBB", content[:6])) for port, content in run(engine, *packets)]

    def test_every_replica_starts_from_the_end_of_ingress(self) -> None:
        engine = self.engine()
        engine.multicast.set(7, [(3, 30), (1, 10)])
        assert self.copies(engine, b"\x07") == [(3, 30, 3, 5, 1), (1, 10, 1, 5, 1)]
        assert {content[6:] for _, content in run(engine, b"\x07payload")} == {b"\x00payload"}

    def test_copies_are_ordered_by_instance_and_then_by_port(self) -> None:
        engine = self.engine()
        engine.multicast.set(1, [(9, 5), (2, 5), (7, 4), (3, 5), (1, 4)])
        assert [copy[:2] for copy in self.copies(engine, b"\x01")] == [(2, 5), (3, 5), (9, 5), (1, 4), (7, 4)]

    def test_an_unknown_group_has_no_copies(self) -> None:
        engine = self.engine()
        engine.multicast.set(1, [(1, 1)])
        assert self.copies(engine, b"\x02") == []
        engine.multicast.delete(1)
        assert self.copies(engine, b"\x01") == []

    def test_group_0_makes_no_copies(self) -> None:
        assert self.copies(self.engine(), b"\x00") == [(0, 0, 0, 0, 1)]

    def test_an_output_larger_than_expected_loses_nothing(self) -> None:
        engine = self.engine()
        engine.multicast.set(1, [(port, port) for port in range(1, 301)])
        packets = [bytes([at % 2]) + bytes(1400) for at in range(60)]
        left = run(engine, *packets)
        assert len(left) == 30 * 300 + 30
        assert {len(content) for _, content in left} == {1407}
        assert [port for port, _ in left[:302]] == [0, *range(1, 301), 0]

    def test_dropping_a_copy_leaves_the_others(self) -> None:
        program = one_byte()
        program.call("send", assign(standard("mcast_grp"), constant(1)))
        program.action("NoAction")
        program.action("drop", drop())
        keys = (key(standard("egress_port")),)
        program.table("t", ["NoAction", "drop"], keys=keys, default="NoAction", pipeline="egress")
        engine = program.engine()
        engine.tables["t"].insert((Exact(2),), "drop")
        engine.multicast.set(1, [(1, 1), (2, 1), (3, 1)])
        assert run(engine, b"\x09") == [(1, b"\x09"), (3, b"\x09")]

    def test_marking_to_drop_cancels_the_group(self) -> None:
        program = one_byte()
        program.call("send", assign(standard("mcast_grp"), constant(1)), drop())
        engine = program.engine()
        engine.multicast.set(1, [(1, 1)])
        assert run(engine, b"\x09") == []


class TestMetadata:
    """Metadata that the switch sets for the program."""

    def reporting(self, name: str, *, pipeline: str = "ingress", before: tuple[Json, ...] = ()) -> Bmv2Program:
        program = Bmv2Program(None, h={"x": 8}, out={"v": 48})
        program.state("start", extract("h"))
        program.order = ["out", "h"]
        program.call("report", *before, set_valid("out"), assign(field("out", "v"), standard(name)), pipeline=pipeline)
        return program

    def answer(self, program: Bmv2Program, packet: bytes = b"\x01..") -> int:
        ((_, content),) = run(program.engine(), packet, port=6, now=(3 << 48) + 1234)
        return int.from_bytes(content[:6], "big")

    @pytest.mark.parametrize(
        ("name", "expected"),
        [
            ("ingress_port", 6),
            ("packet_length", 3),
            ("ingress_global_timestamp", 1234),
            ("instance_type", 0),
            ("parser_error", 0),
            ("egress_spec", 0),
        ],
    )
    def test_in_ingress(self, name: str, expected: int) -> None:
        assert self.answer(self.reporting(name)) == expected

    @pytest.mark.parametrize(
        ("name", "expected"), [("ingress_port", 6), ("egress_port", 0), ("egress_global_timestamp", 1234)]
    )
    def test_in_egress(self, name: str, expected: int) -> None:
        assert self.answer(self.reporting(name, pipeline="egress")) == expected

    def test_in_egress_the_egress_spec_is_0(self) -> None:
        assert self.answer(self.reporting("egress_spec", pipeline="egress")) == 0

    @pytest.mark.parametrize(
        ("change", "expected"),
        [
            ((set_valid("out"),), 9),
            ((primitive("remove_header", header("h")),), 2),
            ((set_valid("h"),), 3),
            ((primitive("remove_header", header("out")),), 3),
        ],
    )
    def test_the_length_follows_added_and_removed_headers(self, change: tuple[Json, ...], expected: int) -> None:
        program = self.reporting("packet_length", pipeline="egress")
        program.call("change", *change)
        assert self.answer(program) == expected


class TestHeaders:
    """Headers that are added, removed and copied."""

    def test_an_added_header_is_zero_and_an_existing_one_is_unchanged(self) -> None:
        program = Bmv2Program(None, h={"x": 8}, g={"y": 16})
        program.state("start", extract("h"))
        program.call("add", set_valid("h"), set_valid("g"))
        assert run(program.engine(), b"\x05!") == [(0, b"\x05\x00\x00!")]

    def test_copying_a_header_copies_its_validity(self) -> None:
        program = Bmv2Program()
        program.stack("s", 3, v=8)
        program.state("start", extract("s[0]"), extract("s[2]"))
        program.call(
            "copy",
            primitive("assign_header", header("s[1]"), header("s[0]")),
            primitive("assign_header", header("s[0]"), header("s[2]")),
            primitive("remove_header", header("s[2]")),
            primitive("assign_header", header("s[0]"), header("s[2]")),
        )
        assert run(program.engine(), b"\x01\x02!") == [(0, b"\x01!")]

    def test_a_field_is_assigned_by_a_computed_index(self) -> None:
        program = Bmv2Program({"at": 32})
        program.stack("s", 3, v=8)
        program.state("start", *[extract("s", "stack")] * 3)
        target = operation("access_field", element("s", operation("access_field", element("s", constant(0)), 0)), 0)
        program.call("write", assign(target, constant(9)))
        assert run(program.engine(), b"\x02\x05\x07", b"\x04\x05\x07", b"\xff\x05\x07") == [
            (0, b"\x02\x05\x09"),
            (0, b"\x04\x05\x07"),
            (0, b"\xff\x05\x07"),
        ]


class TestRegisters:
    """State between packets."""

    def counting(self, width: int, size: int) -> Engine:
        """An engine that adds h.x to the cell h.i, and puts the sum in the packet."""
        program = Bmv2Program({"sum": width}, h={"i": 32, "x": width})
        register = program.register("sums", width, size)
        program.state("start", extract("h"))
        program.call(
            "add",
            primitive("register_read", meta("sum"), register, field("h", "i")),
            assign(field("h", "x"), operation("+", meta("sum"), field("h", "x"))),
            primitive("register_write", register, field("h", "i"), field("h", "x")),
        )
        return program.engine()

    @settings(max_examples=10)
    @given(width=st.sampled_from([8, 16, 32, 40, 64, 72, 1024]), data=st.data())
    def test_they_add_up_packets_in_order(self, width: int, data: st.DataObject) -> None:
        engine = self.counting(width, 4)
        values = data.draw(st.lists(st.tuples(st.integers(0, 3), st.integers(0, (1 << width) - 1)), max_size=20))
        model = [0, 0, 0, 0]
        expected = []
        for at, value in values:
            model[at] = (model[at] + value) % (1 << width)
            expected.append(at.to_bytes(4, "big") + model[at].to_bytes(width // 8, "big"))
        packets = [at.to_bytes(4, "big") + value.to_bytes(width // 8, "big") for at, value in values]
        assert [content for _, content in run(engine, *packets)] == expected
        assert engine.registers["sums"].snapshot() == model

    @pytest.mark.parametrize("index", [4, 5, 1 << 31, (1 << 32) - 1])
    def test_an_index_out_of_range_reads_and_writes_nothing(self, index: int) -> None:
        engine = self.counting(8, 4)
        assert run(engine, index.to_bytes(4, "big") + b"\x05") == [(0, index.to_bytes(4, "big") + b"\x05")]
        assert engine.registers["sums"].snapshot() == [0] * 4

    def test_python_reads_and_writes_them(self) -> None:
        engine = self.counting(1024, 2)
        register = engine.registers["sums"]
        register[1] = (1 << 1024) - 1
        run(engine, (1).to_bytes(4, "big") + (3).to_bytes(128, "big"))
        assert register[1] == 2
        register.reset()
        assert register.snapshot() == [0, 0]
        with pytest.raises(ValueError, match="does not fit the 1024 bits of sums"):
            register[0] = 1 << 1024
        for index in (2, -1):
            with pytest.raises(IndexError, match="sums has 2 cells"):
                register[index] = 0


def test_counters_count_packets_and_their_bytes_on_arrival() -> None:
    program = one_byte()
    counter = program.counter("c", 3)
    program.call("count", primitive("remove_header", header("h")), primitive("count", counter, field("h", "x")))
    engine = program.engine()
    run(engine, b"\x01..", b"\x02", b"\x01....", b"\x03", b"\xff")
    assert engine.counters["c"].packets.tolist() == [0, 2, 1]
    assert engine.counters["c"].bytes.tolist() == [0, 8, 1]
    engine.counters["c"].packets[0] = 7
    engine.counters["c"].reset()
    assert engine.counters["c"].packets.tolist() == [0, 0, 0]


class TestControl:
    """Conditions, loops and exits."""

    def test_a_condition_chooses(self) -> None:
        program = one_byte()
        program.condition("if", operation(">", field("h", "x"), constant(7)), "high", "low")
        program.call("high", send_to(2))
        program.call("low", send_to(1), following="after")
        program.call("after", assign(field("h", "x"), constant(0)))
        assert run(program.engine(), b"\x08", b"\x07") == [(2, b"\x08"), (1, b"\x00")]

    def test_exit_ends_the_pipeline_after_the_action_but_not_egress(self) -> None:
        program = one_byte()
        program.call("first", primitive("exit"), send_to(2), following="second")
        program.call("second", send_to(3))
        program.call("last", assign(field("h", "x"), constant(0)), pipeline="egress")
        assert run(program.engine(), b"\x08") == [(2, b"\x00")]

    def test_jumps_make_loops(self) -> None:
        program = one_byte()
        program.call(
            "sum",
            assign(meta("a"), field("h", "x")),
            primitive("_jump_if_zero", meta("a"), constant(5)),
            assign(meta("b"), operation("+", meta("b"), meta("a"))),
            assign(meta("a"), operation("-", meta("a"), constant(1))),
            primitive("_jump", constant(1)),
            assign(field("h", "x"), meta("b")),
        )
        assert run(program.engine(), b"\x00", b"\x01", b"\x0a") == [(0, b"\x00"), (0, b"\x01"), (0, b"\x37")]

    def test_a_jump_to_the_end_skips_the_rest(self) -> None:
        program = one_byte()
        program.call(
            "skip",
            primitive("_jump_if_zero", field("h", "x"), constant(3)),
            assign(field("h", "x"), constant(9)),
            primitive("_jump", constant(3)),
        )
        assert run(program.engine(), b"\x00", b"\x01") == [(0, b"\x00"), (0, b"\x09")]

    def test_a_jump_out_of_the_action_is_refused(self) -> None:
        program = one_byte()
        program.call("out", primitive("_jump", constant(2)))
        with pytest.raises(UnsupportedProgram, match=r"^test\.p4:7: a jump to Constant\(value=2\) is not supported$"):
            program.engine()

    def test_an_endless_loop_is_stopped(self) -> None:
        program = one_byte()
        program.call("for ever", primitive("_jump", constant(0)))
        assert run(program.engine(), b"\x08") == [(0, b"\x08")]

    def test_a_node_that_does_not_exist_is_refused(self) -> None:
        program = one_byte()
        program.call("first", following="nowhere")
        with pytest.raises(UnsupportedProgram, match="there is no node nowhere in ingress"):
            program.engine()

    def test_a_primitive_with_arguments_of_the_wrong_kind_is_refused(self) -> None:
        program = one_byte()
        program.call("first", primitive("push", header("h"), field("h", "x")))
        message = r"^test\.p4:7: the primitive push with these arguments is not supported$"
        with pytest.raises(UnsupportedProgram, match=message):
            program.engine()


class TestRandom:
    """The program's random numbers."""

    def engine(self, low: int, high: int, seed: int) -> Engine:
        program = Bmv2Program({"v": 64}, h={"v": 64})
        program.state("start", extract("h"))
        bounds = constant(low), constant(high)
        program.call("draw", primitive("modify_field_rng_uniform", field("h", "v"), *bounds))
        return program.engine(seed=seed)

    def draws(self, engine: Engine, count: int = 2000) -> list[int]:
        return [int.from_bytes(content, "big") for _, content in run(engine, *[bytes(8)] * count)]

    def test_every_value_in_the_range_occurs(self) -> None:
        assert set(self.draws(self.engine(3, 9, 1))) == set(range(3, 10))

    def test_the_whole_range_of_64_bits(self) -> None:
        draws = self.draws(self.engine(0, (1 << 64) - 1, 1))
        assert len(set(draws)) == len(draws)
        assert max(draws) > 1 << 63 > min(draws)

    def test_an_empty_range_leaves_the_field_unchanged(self) -> None:
        assert set(self.draws(self.engine(9, 3, 1), 5)) == {0}

    def test_the_seed_determines_the_numbers(self) -> None:
        one, again, other = (self.draws(self.engine(0, 1 << 32, seed), 20) for seed in (1, 1, 2))
        assert one == again != other


def ones_complement(content: bytes) -> int:
    content += b"\0" * (len(content) % 2)
    total: int = sum(struct.unpack(f">{len(content) // 2}H", content))
    while total >> 16:
        total = (total >> 16) + (total & 0xFFFF)
    return ~total & 0xFFFF


class TestChecksums:
    """16-bit one's complement checksums."""

    FIELDS = ("a", "b", "c", "d")

    def program(self, *, update: bool, condition: Json | None = None, extra: tuple[Json, ...] = ()) -> Bmv2Program:
        program = Bmv2Program(None, h={"a": 4, "b": 12, "sum": 16, "c": 24, "d": 8}, g={"y": 8})
        program.state("start", extract("h"), by=(field("h", "a"),), to=((15, "more"), (None, None)))
        program.state("more", extract("g"))
        inputs = (*(field("h", name) for name in self.FIELDS), *extra)
        program.checksum(field("h", "sum"), *inputs, condition=condition, update=update)
        return program

    @settings(max_examples=10)
    @given(st.lists(st.binary(min_size=9, max_size=9), min_size=1))
    def test_an_update_writes_it(self, packets: list[bytes]) -> None:
        left = run(self.program(update=True).engine(), *packets)
        for packet, (_, content) in zip(packets, left, strict=True):
            summed = struct.pack(">H", ones_complement(packet[:2] + packet[4:8]))
            assert content == packet[:2] + summed + packet[4:]

    @settings(max_examples=10)
    @given(st.lists(st.binary(min_size=9, max_size=9), min_size=1))
    def test_inputs_of_invalid_headers_do_not_count(self, packets: list[bytes]) -> None:
        extra = (field("g", "y"), {"type": "hexstr", "value": "0x123", "bitwidth": 12})
        left = run(self.program(update=True, extra=extra).engine(), *packets)
        for packet, (_, content) in zip(packets, left, strict=True):
            more = packet[8:] if packet[0] >> 4 == 15 else b""
            end = (0x123 << 4).to_bytes(2, "big")
            assert content[2:4] == struct.pack(">H", ones_complement(packet[:2] + packet[4:8] + more + end))

    def test_ingress_learns_of_a_wrong_one(self) -> None:
        program = self.program(update=False)
        program.call("report", assign(field("h", "d"), standard("checksum_error")))
        good = bytes([0x12, 0x34]) + struct.pack(">H", ones_complement(bytes([0x12, 0x34, 5, 6, 7, 8])))
        tail = bytes([5, 6, 7])
        assert run(program.engine(), good + tail + b"\x08", good + tail + b"\x09", b"short") == [
            (0, good + tail + b"\x00"),
            (0, good + tail + b"\x01"),
            (0, b"short"),
        ]

    def test_without_its_condition_nothing_is_verified_or_updated(self) -> None:
        condition = operation("==", field("h", "a"), constant(1))
        program = self.program(update=False, condition=condition)
        program.call("report", assign(field("h", "d"), standard("checksum_error")))
        assert [content[-1] for _, content in run(program.engine(), b"\x10" + bytes(7), b"\x20" + bytes(7))] == [1, 0]
        engine = self.program(update=True, condition=condition).engine()
        assert [content[2:4] for _, content in run(engine, b"\x10" + bytes(7), b"\x20" + bytes(7))] == [
            struct.pack(">H", ones_complement(b"\x10" + bytes(7))),
            bytes(2),
        ]


def test_an_action_gets_the_parameters_of_any_width() -> None:
    program = Bmv2Program(None, h={"a": 1000, "b": 24})
    program.state("start", extract("h"))
    program.action("put", assign(field("h", "a"), parameter(0)), assign(field("h", "b"), parameter(1)), x=1000, y=24)
    program.table("t", ["put"], default="put", data=(0, 0))
    engine = program.engine()
    engine.tables["t"].set_default("put", ((1 << 1000) - 5, 0xABCDEF))
    expected = ((1 << 1000) - 5 << 24 | 0xABCDEF).to_bytes(128, "big")
    assert run(engine, bytes(128)) == [(0, expected)]


def test_packets_may_lie_anywhere_in_the_buffer() -> None:
    data = np.frombuffer(b"..world..hello", dtype=np.uint8)
    frames = Frames(data, np.array([9, 2]), np.array([5, 5], dtype=np.int32), np.array([1, 1], dtype=np.int32))
    assert list(Bmv2Program().engine().process(frames, 0)) == [(0, b"hello"), (0, b"world")]


def test_an_empty_batch_sends_nothing() -> None:
    assert len(Bmv2Program().engine().process(Frames.of([]), 0)) == 0


def test_two_engines_of_one_program_share_no_state() -> None:
    program = one_byte()
    program.call("count", primitive("count", program.counter("c", 1), constant(0)))
    one, other = program.engine(), program.engine()
    run(one, b"\x01")
    assert (one.counters["c"].packets[0], other.counters["c"].packets[0]) == (1, 0)


def test_the_switch_program_floods_packets_that_are_not_for_it() -> None:
    engine = Engine(load_program(COMPILED / "dropzero.json"), seed=1)
    engine.tables["ingress.forward.station"].set_default("ingress.forward.flood", (1,))
    engine.multicast.set(1, [(port, 0) for port in range(1, 5)])
    packet = bytes.fromhex("ffffffffffff 080000000111 86dd") + bytes(46)
    assert run(engine, packet, port=2) == [(port, packet) for port in (1, 3, 4)]
    assert engine.counters["ingress.fate"].packets.sum() == 1


def test_timestamps_of_a_batch_are_its_own() -> None:
    program = Bmv2Program(None, h={"v": 48})
    program.state("start", extract("h"))
    program.call("report", assign(field("h", "v"), standard("ingress_global_timestamp")))
    engine = program.engine()
    times = [int.from_bytes(run(engine, bytes(6), now=now)[0][1], "big") for now in (1, 5, 9)]
    assert all(earlier < later for earlier, later in pairwise(times))


def test_a_field_of_an_invalid_header_is_0_in_a_key() -> None:
    """On BMv2, too, although other statements read the field's previous value."""
    program = Bmv2Program({"hit": 8}, h={"x": 8}, out={"x": 8})
    program.state("start", extract("h"))
    program.action("seen", assign(meta("hit"), constant(1)))
    program.call("remove", primitive("remove_header", header("h")), following="t")
    program.table("t", ["seen"], keys=(key(field("h", "x")),), following="report")
    shown = primitive("add_header", header("out")), assign(field("out", "x"), meta("hit"))
    program.call("report", *shown)
    engine = program.engine()
    engine.tables["t"].insert((Exact(0),), "seen")
    assert run(engine, b"\x07") == [(0, b"\x01")]
