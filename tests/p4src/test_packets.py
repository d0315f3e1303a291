"""The switch program, packet by packet: real frames into the ports of a real switch, and the frames that leave.

Every test runs on the embedded switch, and on BMv2 if that is installed.
"""

from __future__ import annotations

from dataclasses import replace
from ipaddress import IPv4Address
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scapy.layers.inet import ICMP, IP, UDP
from scapy.layers.l2 import ARP, Ether
from scapy.packet import Raw

from dropzero.controller.switches.switch import DEFAULT_IP, DEFAULT_MAC
from dropzero.controller.switches.view import format_mac
from dropzero.protocol.packet import Column, Packet
from dropzero.protocol.wire import ASSIGNED, HEADROOM, NO_BLOCK, UDP_PORT, Fate, Kind, Operation, Width
from tests.p4src.bench import (
    FIRST_SLOT,
    JOB,
    LANES,
    PORTS,
    WORKERS,
    Bench,
    Frames,
    ip_of,
    mac_of,
    secret_of,
    udp_port_of,
)

COLUMNS = tuple(Column(i, 100 + i, i) for i in range(8))
SWITCH_MAC, SWITCH_IP = format_mac(DEFAULT_MAC), str(DEFAULT_IP)


def block(seed: int) -> NDArray[np.int32]:
    """32 elements that overflow when added."""
    return np.random.default_rng(seed).integers(-(2**31), 2**31, 32, np.int32)


def contribution(bench: Bench, worker: int, round_number: int = 0, **fields: Any) -> Packet:
    """A contribution; by default with one column that announces nothing, and without data."""
    plain: dict[str, Any] = {"kind": Kind.CONTRIBUTION, "job": JOB, "lane": 0, "epoch": bench.epoch}
    plain |= {"columns": (Column(),), "data": {}}
    return Packet(worker=worker, round=round_number, **(plain | fields))


def query(bench: Bench, worker: int, round_number: int = 0, **fields: Any) -> Packet:
    """A query; by default without columns, so that it does not ask for the result."""
    return contribution(bench, worker, round_number, kind=Kind.QUERY, **({"columns": ()} | fields))


def play_round(bench: Bench, round_number: int, **fields: Any) -> dict[int, Packet]:
    """Makes a round with equal contributions. Returns the results."""
    for worker in (0, 1):
        assert bench.contribute(contribution(bench, worker, round_number, **fields)) == {}
    return bench.contribute(contribution(bench, 2, round_number, **fields))


class TestRounds:
    def test_the_last_contribution_sends_the_sum_to_all_workers(self, bench: Bench) -> None:
        data = [{0: block(worker), 5: block(worker + 10)} for worker in range(3)]
        columns = (Column(),) * 8
        assert bench.contribute(contribution(bench, 0, columns=columns, data=data[0])) == {}
        assert bench.contribute(contribution(bench, 1, columns=columns, data=data[1])) == {}
        results = bench.contribute(contribution(bench, 2, columns=columns, data=data[2]))
        assert sorted(results) == list(WORKERS)
        for result in results.values():
            assert (result.kind, result.workers, result.mask) == (Kind.RESULT, 0b111, 0b100001)
            for column in (0, 5):
                total = np.sum([each[column].astype(np.int64) for each in data], 0)
                assert np.array_equal(result.data[column], total.astype(np.int32))

    def test_each_copy_is_addressed_to_its_worker(self, bench: Bench) -> None:
        for worker in (0, 1):
            bench.contribute(contribution(bench, worker))
        found = bench.exchange(3, bench.frame(contribution(bench, 2)))
        assert found
        for port, frame in found:
            seen = Ether(frame)
            assert (seen.src, seen.dst) == (SWITCH_MAC, mac_of(port))
            assert (seen[IP].src, seen[IP].dst) == (SWITCH_IP, ip_of(port))
            assert (seen[UDP].sport, seen[UDP].dport) == (UDP_PORT, udp_port_of(port))
            written = seen[IP].chksum
            del seen[IP].chksum
            assert Ether(bytes(seen))[IP].chksum == written
            assert seen[IP].len == len(frame) - 14
            assert seen[UDP].len == len(frame) - 34

    def test_the_result_names_the_smallest_next_block_and_the_largest_exponent_announced_for_it(
        self, bench: Bench
    ) -> None:
        announced = [(Column(7, 900, 3), Column(8, NO_BLOCK, 5)), (Column(7, 12, -4), Column(8, 40, 9)),
                     (Column(7, 12, -2), Column(8, 40, -126))]  # fmt: skip
        for worker in (0, 1):
            bench.contribute(contribution(bench, worker, columns=announced[worker]))
        results = bench.contribute(contribution(bench, 2, columns=announced[2]))
        assert results[1].columns == (Column(7, 12, -2), Column(8, 40, 9))

    def test_a_worker_without_the_block_answers_with_the_header_alone(self, bench: Bench) -> None:
        bench.contribute(contribution(bench, 0))
        bench.contribute(contribution(bench, 1, data={3: block(1)}))
        result = bench.contribute(contribution(bench, 2))[2]
        assert list(result.data) == [3]
        assert np.array_equal(result.data[3], block(1))

    def test_old_contents_of_a_slot_never_reappear(self, bench: Bench) -> None:
        """The half that round 2 uses still contains round 0's data and announcements."""
        play_round(bench, 0, columns=(Column(0, 5, 9),), data={0: block(1), 2: block(2)})
        play_round(bench, 1, data={1: block(3)})
        result = play_round(bench, 2, columns=(Column(0, 8, -9),), data={2: block(4)})[1]
        assert result.columns == (Column(0, 8, -9),)
        assert list(result.data) == [2]
        assert np.array_equal(result.data[2], block(4) * np.int32(3))

    @pytest.mark.parametrize("blocks", [1, 2, 4, 8])
    def test_a_block_is_a_group_of_columns(self, bench: Bench, blocks: int) -> None:
        """256 elements in a packet, as 8 blocks of 32, 4 of 64, 2 of 128 or one of 256."""
        data = {column: block(column) for column in range(8)}
        columns = tuple(Column(i, 100 + i, i) for i in range(blocks))
        result = play_round(bench, 0, columns=columns, data=data)[1]
        assert result.columns == columns
        for column in range(8):
            assert np.array_equal(result.data[column], block(column) * np.int32(3))

    def test_lanes_are_independent(self, bench: Bench) -> None:
        for worker in range(3):
            for lane in range(LANES):
                results = bench.contribute(contribution(bench, worker, lane=lane, data={0: block(lane)}))
        assert results[1].lane == LANES - 1
        assert np.array_equal(results[1].data[0], block(LANES - 1) * np.int32(3))

    @pytest.mark.parametrize("width", Width)
    @pytest.mark.parametrize("operation", Operation)
    def test_elements_of_every_width_are_combined_each_on_its_own(
        self, bench: Bench, operation: Operation, width: Width
    ) -> None:
        """All pairs of numbers at which a carry, a borrow or a sign could go wrong."""
        limit = 2 ** (width.bits - 1)
        edges = np.array([0, 1, -1, 2, -2, limit - 1, -limit, 1 - limit, limit // 2, -limit // 2, 5, -7])
        pairs = np.array(np.meshgrid(edges, edges)).reshape(2, -1)
        padded = np.resize(pairs, (2, 256 * 32 // width.bits)).astype(width.dtype.newbyteorder(">"))
        a, b = (dict(enumerate(row.view(">i4").astype(np.int32).reshape(8, 32))) for row in padded)
        form: dict[str, Any] = {"operation": operation, "width": width, "columns": (Column(),) * 8}
        bench.contribute(contribution(bench, 0, data=a, **form))
        bench.contribute(contribution(bench, 1, data=b, **form))
        result = bench.contribute(contribution(bench, 2, data=b, **form))[1]
        combine = {"sum": np.add, "max": np.maximum, "min": np.minimum, "or": np.bitwise_or}[operation.name.lower()]
        x, y = padded.astype(width.dtype)
        expected = combine(combine(x, y), y).astype(width.dtype.newbyteorder(">")).view(">i4")
        assert np.array_equal(np.concatenate([result.data[column] for column in range(8)]), expected)


class TestSplitResults:
    """On BMv2, a packet can grow by at most 512 bytes: a result that would grow by more is split in two."""

    @pytest.mark.parametrize(("held", "parts"), [(0, 2), (3, 2), (4, 1), (8, 1)])
    def test_the_packet_that_completes_a_round_may_be_short(self, bench: Bench, held: int, parts: int) -> None:
        data = {column: block(column) for column in range(8)}
        bench.contribute(contribution(bench, 0, columns=COLUMNS, data=data))
        bench.contribute(contribution(bench, 1, columns=COLUMNS))
        last = contribution(bench, 2, columns=COLUMNS, data={column: data[column] for column in range(held)})
        left = bench.exchange(3, bench.frame(last))
        assert sorted(port for port, _ in left) == sorted(WORKERS * parts)
        for port in WORKERS:
            packets = [Packet.decode(bytes(Ether(frame)[UDP].payload)) for to, frame in left if to == port]
            assert sorted(column for packet in packets for column in packet.data) == list(range(8))
            for packet in packets:
                assert (packet.worker, packet.columns) == (port - 1, COLUMNS)
                for column, elements in packet.data.items():
                    assert np.array_equal(elements, data[column] * np.int32(2 if column < held else 1))
        for port, frame in left:
            seen = Ether(frame)
            assert (seen.dst, seen[IP].dst, seen[IP].len) == (mac_of(port), ip_of(port), len(frame) - 14)

    def test_a_switch_that_lets_packets_grow_splits_nothing(self, bench: Bench) -> None:
        """The embedded switch."""
        data = {column: block(column) for column in range(8)}
        bench.switch.set_growth(bench.grows)
        bench.contribute(contribution(bench, 0, columns=COLUMNS, data=data))
        bench.contribute(contribution(bench, 1, columns=COLUMNS))
        last = bench.frame(contribution(bench, 2, columns=COLUMNS))
        left = bench.exchange(3, last)
        query_answers = bench.exchange(2, bench.frame(query(bench, 1, columns=COLUMNS)))
        bench.switch.set_growth(HEADROOM)
        parts = 2 if bench.grows == HEADROOM else 1
        assert sorted(port for port, _ in left) == sorted(WORKERS * parts)
        assert len(query_answers) == parts
        if parts == 1:
            found = [Packet.decode(bytes(Ether(frame)[UDP].payload)) for _, frame in left + query_answers]
            assert all(np.array_equal(packet.data[column], data[column]) for packet in found for column in range(8))

    def test_a_replay_in_parts_is_for_the_sender_alone(self, bench: Bench) -> None:
        data = {column: block(column) for column in range(8)}
        short = contribution(bench, 1, columns=COLUMNS)
        bench.contribute(short)
        for worker in (0, 2):
            bench.contribute(contribution(bench, worker, columns=COLUMNS, data=data))
        left = bench.exchange(2, bench.frame(short))
        assert [port for port, _ in left] == [2, 2]
        again = bench.contribute(short)
        assert list(again) == [2]
        assert all(np.array_equal(again[2].data[column], data[column] * np.int32(2)) for column in range(8))


class TestDeclining:
    """A worker that declines a result's data gets its header. Here, worker 1 does."""

    def send(self, bench: Bench, *, held: int) -> dict[int, list[Packet]]:
        """Makes a round with eight data columns; the last worker holds only the first `held` of them. Returns the
        packets for each port."""
        data = {column: block(column) for column in range(8)}
        for worker in (0, 1):
            bench.contribute(contribution(bench, worker, columns=COLUMNS, data=data, declines=worker == 1))
        last = contribution(bench, 2, columns=COLUMNS, data={column: data[column] for column in range(held)})
        return self.parts(bench.exchange(3, bench.frame(last)))

    @staticmethod
    def parts(frames: Frames) -> dict[int, list[Packet]]:
        found: dict[int, list[Packet]] = {}
        for port, frame in frames:
            seen = Ether(frame)
            assert (seen[IP].len, seen[UDP].len) == (len(frame) - 14, len(frame) - 34)
            found.setdefault(port, []).append(Packet.decode(bytes(seen[UDP].payload)))
        return found

    @pytest.mark.parametrize(("held", "parts"), [(8, 1), (0, 2)])
    def test_the_data_go_to_the_others_only(self, bench: Bench, held: int, parts: int) -> None:
        """Also if their result takes two packets."""
        found = self.send(bench, held=held)
        assert {port: len(packets) for port, packets in found.items()} == {1: parts, 2: 1, 3: parts}
        (header,) = found[2]
        assert (header.kind, header.declines, header.worker, header.columns, header.data) == (
            *(Kind.RESULT, True, 1, COLUMNS),
            {},
        )
        for port in (1, 3):
            assert sorted(column for packet in found[port] for column in packet.data) == list(range(8))
            assert not any(packet.declines for packet in found[port])

    def test_a_replay_follows_the_same_rule(self, bench: Bench) -> None:
        """Whatever the repeated packet says: the first one counted."""
        self.send(bench, held=8)
        for declines in (False, True):
            (again,) = bench.contribute(contribution(bench, 1, columns=COLUMNS, declines=declines)).values()
            assert (again.declines, again.columns, again.data) == (True, COLUMNS, {})
            found = self.parts(bench.exchange(1, bench.frame(query(bench, 0, columns=COLUMNS, declines=declines))))
            # BMv2 sends the two copies in another order.
            assert sorted(sorted(packet.data) for packet in found[1]) == [[0, 1, 2, 3], [4, 5, 6, 7]]

    def test_the_slots_next_rounds_do_not_know_of_it(self, bench: Bench) -> None:
        self.send(bench, held=8)
        for round_number in (1, 2):
            results = play_round(bench, round_number, data={0: block(1)})
            assert all(list(result.data) == [0] for result in results.values())


class TestDealing:
    """A column without any announced block continues with the job's next chunk."""

    def chunks(self, packets: dict[int, Packet]) -> list[int]:
        """The chunk numbers in all packets, for columns that were assigned a chunk."""
        (columns,) = {packet.columns for packet in packets.values()}
        assert all(column.next & ASSIGNED for column in columns)
        return [column.next - ASSIGNED for column in columns]

    def test_chunks_are_assigned_one_after_the_other_over_all_lanes(self, bench: Bench) -> None:
        two = (Column(), Column())
        assert self.chunks(play_round(bench, 0, columns=two)) == [0, 1]
        assert self.chunks(play_round(bench, 0, lane=3, columns=two)) == [2, 3]
        assert self.chunks(play_round(bench, 1, columns=two)) == [4, 5]

    def test_a_column_with_a_block_ahead_is_assigned_none(self, bench: Bench) -> None:
        result = play_round(bench, 0, columns=(Column(), Column(1, 7, 2), Column(2, 8, 2), Column()))[1]
        assert [column.next for column in result.columns] == [ASSIGNED, 7, 8, ASSIGNED + 1]

    def test_a_replay_says_the_same(self, bench: Bench) -> None:
        play_round(bench, 0, columns=(Column(),))
        play_round(bench, 1, columns=(Column(),))
        for round_number in (0, 1, 0):
            again = bench.contribute(contribution(bench, 1, round_number))
            assert self.chunks(again) == [round_number]

    def test_a_new_epoch_deals_from_the_first_one_on(self, bench: Bench) -> None:
        play_round(bench, 0)
        bench.fresh()
        assert self.chunks(play_round(bench, 0, lane=2)) == [0]

    def test_a_conflict_deals_nothing(self, bench: Bench) -> None:
        for worker in range(3):
            bench.contribute(contribution(bench, worker, workers=worker))
        assert self.chunks(play_round(bench, 1)) == [0]


class TestCongestion:
    """Marks on arriving packets. (For the switch's own marks see tests/p4src/test_mark.py.)"""

    def test_one_marked_contribution_makes_the_result_congested_for_all_and_for_ever(self, bench: Bench) -> None:
        bench.contribute(contribution(bench, 0))
        bench.contribute(contribution(bench, 1, marked=True))
        results = bench.contribute(contribution(bench, 2))
        assert {(result.congested, result.marked) for result in results.values()} == {(True, False)}
        (again,) = bench.contribute(contribution(bench, 0)).values()
        assert (again.congested, again.marked) == (True, False)

    def test_later_rounds_are_not_congested(self, bench: Bench) -> None:
        play_round(bench, 0, marked=True)
        for round_number in (1, 2):
            assert not play_round(bench, round_number)[1].congested

    def test_a_mark_in_the_ip_header_counts_and_goes_no_further(self, bench: Bench) -> None:
        for worker in (0, 1):
            bench.contribute(contribution(bench, worker))
        left = bench.exchange(3, bench.frame(contribution(bench, 2), tos=3))
        assert left
        for _, frame in left:
            assert Packet.decode(bytes(Ether(frame)[UDP].payload)).congested
            assert Ether(frame)[IP].tos == 2


class TestDuplicates:
    def test_of_a_running_round_are_not_added_but_told_who_is_missing(self, bench: Bench) -> None:
        first = contribution(bench, 1, data={0: block(1)})
        bench.contribute(first)
        answers = bench.contribute(first)
        assert list(answers) == [2]
        assert (answers[2].kind, answers[2].workers) == (Kind.MISSING, 0b101)
        assert (answers[2].columns, answers[2].data) == ((), {})
        bench.contribute(contribution(bench, 0))
        assert np.array_equal(bench.contribute(contribution(bench, 2))[1].data[0], block(1))

    def test_of_a_finished_round_get_its_result_alone(self, bench: Bench) -> None:
        results = play_round(bench, 0, columns=(Column(3, 9, 1),), data={0: block(1)})
        again = bench.contribute(contribution(bench, 1, columns=(Column(3, 9, 1),), data={0: block(1)}))
        assert list(again) == [2]
        assert again[2].encode() == replace(results[2], worker=1).encode()

    def test_of_the_round_before_get_that_rounds_result(self, bench: Bench) -> None:
        """While round 1 runs, and when it is complete."""
        play_round(bench, 0, data={0: block(1)})
        for worker in range(3):
            bench.contribute(contribution(bench, worker, 1, data={0: block(2)}))
            late = bench.contribute(contribution(bench, 1, 0, data={0: block(1)}))
            assert np.array_equal(late[2].data[0], block(1) * np.int32(3))
            assert late[2].round == 0

    def test_of_a_round_long_past_are_dropped(self, bench: Bench) -> None:
        for round_number in range(3):
            play_round(bench, round_number)
        fate, left = bench.fate_of(1, bench.frame(contribution(bench, 0, 0)))
        assert (fate, left) == (Fate.STALE, [])

    def test_a_round_ahead_of_its_time_is_dropped(self, bench: Bench) -> None:
        """No worker can have the result that it needs for this round."""
        bench.contribute(contribution(bench, 0))
        for ahead in (1, 2, 2**32 - 1):
            fate, left = bench.fate_of(1, bench.frame(contribution(bench, 0, ahead)))
            assert (fate, left) == (Fate.STALE, [])


class TestConflicts:
    def test_a_worker_that_makes_another_call_is_named_to_all(self, bench: Bench) -> None:
        """Its data is not added, and there is no result, now or later."""
        bench.contribute(contribution(bench, 0, workers=7, data={0: block(1)}))
        bench.contribute(contribution(bench, 1, workers=8, data={0: block(2)}))
        answers = bench.contribute(contribution(bench, 2, workers=7, data={0: block(1)}))
        assert sorted(answers) == list(WORKERS)
        for answer in answers.values():
            assert (answer.kind, answer.workers, answer.columns, answer.data) == (Kind.CONFLICT, 0b10, (), {})
        again = bench.contribute(contribution(bench, 0, workers=7, data={0: block(1)}))
        assert [(port, answer.kind, answer.workers) for port, answer in again.items()] == [(1, Kind.CONFLICT, 0b10)]

    def test_a_conflict_that_a_leaf_reports_is_passed_on(self, bench: Bench) -> None:
        bench.set_leaf(1)
        bench.contribute(contribution(bench, 0, workers=7))
        bench.contribute(contribution(bench, 1, kind=Kind.CONFLICT, workers=0b110000))
        answers = bench.contribute(contribution(bench, 2, workers=8))
        assert {(answer.kind, answer.workers) for answer in answers.values()} == {(Kind.CONFLICT, 0b110100)}

    def test_the_next_round_forgets_it(self, bench: Bench) -> None:
        for worker in range(3):
            bench.contribute(contribution(bench, worker, workers=worker))
        play_round(bench, 1)
        result = play_round(bench, 2, workers=9, data={0: block(1)})[1]
        assert result.kind is Kind.RESULT


class TestEpochs:
    def test_another_epoch_is_answered_with_the_current_one(self, bench: Bench) -> None:
        for epoch in (0, bench.epoch - 1, bench.epoch + 1):
            answers = bench.contribute(contribution(bench, 2, epoch=epoch))
            assert list(answers) == [3]
            assert (answers[3].kind, answers[3].epoch, answers[3].workers) == (Kind.EPOCH, bench.epoch, 0b111)

    def test_a_new_epoch_finds_its_slots_empty(self, bench: Bench) -> None:
        """Here the old epoch left round 1 half done."""
        play_round(bench, 0, data={0: block(1)})
        bench.contribute(contribution(bench, 0, 1, data={0: block(1)}))
        bench.fresh()
        result = play_round(bench, 0, data={0: block(2)})[1]
        assert np.array_equal(result.data[0], block(2) * np.int32(3))


SECRET = 0xFEEDBEEF
"""The leaf's."""


class TestLeaf:
    """The program on a leaf that is worker 9 of its parent, the host on port 4."""

    @pytest.fixture(autouse=True)
    def parent(self, bench: Bench) -> None:
        row = bench.device.entries("admission.job")[0]
        parent = {
            "parent_port": 4,
            "parent_mac": 0x0400,
            "parent_ip": int(IPv4Address(ip_of(4))),
            "rank": 9,
            "own_secret": SECRET,
        }
        bench.device.modify(replace(row, action="found_leaf", parameters={**row.parameters, **parent}))

    def up(self, bench: Bench, left: Frames) -> Packet:
        """The only packet that left, to the parent."""
        ((port, frame),) = left
        seen = Ether(frame)
        assert (port, seen.dst, seen.src) == (4, "00:00:00:00:04:00", SWITCH_MAC)
        assert (seen[IP].src, seen[IP].dst, seen[UDP].sport, seen[UDP].dport) == (
            SWITCH_IP,
            ip_of(4),
            UDP_PORT,
            UDP_PORT,
        )
        return Packet.decode(bytes(seen[UDP].payload))

    def down(self, bench: Bench, packet: Packet, port: int = 4, secret: int = SECRET) -> tuple[Fate, Frames]:
        return bench.fate_of(port, bench.frame(packet, 4, secret))

    def share(self, bench: Bench) -> tuple[Packet, Packet]:
        """A round with contributions of the whole rack. Returns the last contribution, and the share sent to the
        parent."""
        data = {column: block(column) for column in range(4)}
        for worker in (0, 1):
            bench.contribute(contribution(bench, worker, columns=(Column(1, 5 + worker, 3),), data=data))
        last = contribution(bench, 2, workers=0, columns=(Column(1, 5, 4),), data=data)
        return last, self.up(bench, bench.exchange(3, bench.frame(last)))

    def test_the_racks_share_goes_up_as_one_contribution(self, bench: Bench) -> None:
        _, share = self.share(bench)
        assert (share.kind, share.worker, share.columns) == (Kind.CONTRIBUTION, 9, (Column(1, 5, 4),))
        for column in range(4):
            assert np.array_equal(share.data[column], block(column) * np.int32(3))

    def test_a_duplicate_sends_it_up_again_until_there_is_a_result(self, bench: Bench) -> None:
        last, share = self.share(bench)
        assert self.up(bench, bench.exchange(3, bench.frame(last))).encode() == share.encode()
        self.down(bench, replace(share, kind=Kind.RESULT))
        assert bench.fate_of(3, bench.frame(last))[0] is Fate.REPLAYED

    def test_the_parents_result_goes_to_the_whole_rack_and_is_kept(self, bench: Bench) -> None:
        last, share = self.share(bench)
        total = {column: block(column + 50) for column in range(8)}
        result = replace(share, kind=Kind.RESULT, columns=(Column(1, 4, 9),), data=total)
        fate, left = self.down(bench, result)
        assert (fate, [port for port, _ in left]) == (Fate.RELAYED, list(WORKERS))
        for frames in (left, bench.exchange(3, bench.frame(last))):
            held = [Packet.decode(bytes(Ether(frame)[UDP].payload)) for port, frame in frames if port == 3]
            assert {packet.columns for packet in held} == {(Column(1, 4, 9),)}
            data = {column: elements for packet in held for column, elements in packet.data.items()}
            assert all(np.array_equal(data[column], total[column]) for column in range(8))
        assert self.down(bench, result) == (Fate.STALE, [])

    def test_the_next_round_waits_for_the_result(self, bench: Bench) -> None:
        _, share = self.share(bench)
        ahead = bench.frame(contribution(bench, 0, 1))
        assert bench.fate_of(1, ahead) == (Fate.STALE, [])
        self.down(bench, replace(share, kind=Kind.RESULT))
        assert bench.fate_of(1, ahead) == (Fate.ABSORBED, [])

    def test_results_from_any_other_port_change_nothing(self, bench: Bench) -> None:
        _, share = self.share(bench)
        forged = replace(share, kind=Kind.RESULT)
        assert bench.fate_of(1, bench.frame(forged, port=1)) == (Fate.NOT_PARENT, [])
        assert bench.fate_of(1, bench.frame(forged, port=4)) == (Fate.NOT_PARENT, [])
        assert self.down(bench, replace(forged, epoch=bench.epoch - 1)) == (Fate.STALE, [])
        assert self.down(bench, replace(forged, round=1)) == (Fate.STALE, [])
        assert self.down(bench, forged, secret=SECRET ^ 1) == (Fate.SECRET, [])
        assert self.down(bench, forged)[0] is Fate.RELAYED

    def test_marks_go_up_and_come_down(self, bench: Bench) -> None:
        bench.contribute(contribution(bench, 0, marked=True))
        bench.contribute(contribution(bench, 1))
        last = contribution(bench, 2)
        share = self.up(bench, bench.exchange(3, bench.frame(last)))
        assert share.congested
        _, left = self.down(bench, replace(share, kind=Kind.RESULT, marked=True))
        results = [Packet.decode(bytes(Ether(frame)[UDP].payload)) for _, frame in left]
        assert [(result.congested, result.marked) for result in results] == [(True, True)] * 3
        (again,) = bench.contribute(last).values()
        assert (again.congested, again.marked) == (True, False)

    def test_what_the_parent_deals_comes_down_and_a_leaf_deals_nothing(self, bench: Bench) -> None:
        for worker in (0, 1):
            bench.contribute(contribution(bench, worker))
        last = contribution(bench, 2)
        share = self.up(bench, bench.exchange(3, bench.frame(last)))
        assert share.columns == (Column(),)
        assigned = (Column(next=ASSIGNED | 9),)
        _, left = self.down(bench, replace(share, kind=Kind.RESULT, columns=assigned))
        assert {Packet.decode(bytes(Ether(frame)[UDP].payload)).columns for _, frame in left} == {assigned}
        assert bench.contribute(last)[3].columns == assigned

    def test_a_conflict_in_the_rack_goes_up_and_one_from_above_comes_down(self, bench: Bench) -> None:
        for worker in (0, 1):
            bench.contribute(contribution(bench, worker, workers=worker))
        share = self.up(bench, bench.exchange(3, bench.frame(contribution(bench, 2))))
        assert (share.kind, share.worker, share.workers) == (Kind.CONFLICT, 9, 0b10)
        fate, left = self.down(bench, replace(share, workers=0x200))
        assert (fate, len(left)) == (Fate.RELAYED, 3)
        answer = Packet.decode(bytes(Ether(left[0][1])[UDP].payload))
        assert (answer.kind, answer.workers) == (Kind.CONFLICT, 0x200)

    def test_of_the_queries_about_a_share_on_its_way_those_of_the_lowest_worker_go_up(self, bench: Bench) -> None:
        self.share(bench)
        for columns in ((), (Column(),)):
            asked = self.up(bench, bench.exchange(1, bench.frame(query(bench, 0, columns=columns))))
            assert (asked.kind, asked.worker, asked.columns, asked.data) == (Kind.QUERY, 9, (), {})
            for worker in (1, 2):
                ((port, answer),) = bench.contribute(query(bench, worker, columns=columns)).items()
                assert (port, answer.kind, answer.workers, answer.columns) == (worker + 1, Kind.WAITING, 0, ())

    @pytest.mark.parametrize(
        ("above", "workers", "expected"),
        [
            pytest.param(Kind.MISSING, 1 << 9 | 1, (Kind.MISSING, 0b001), id="the parent lacks the rack's share"),
            pytest.param(Kind.MISSING, 0, (Kind.MISSING, 0b001), id="the parent has sent the result"),
            pytest.param(Kind.MISSING, 0b110, (Kind.WAITING, 0), id="the parent waits for others"),
            pytest.param(Kind.WAITING, 0, (Kind.WAITING, 0), id="the parent's parent waits for others"),
        ],
    )
    def test_the_parents_report_goes_to_the_lowest_worker_and_is_not_kept(
        self, bench: Bench, above: Kind, workers: int, expected: tuple[Kind, int]
    ) -> None:
        """It names that worker if the share has to go up again."""
        last, share = self.share(bench)
        report = replace(share, kind=above, workers=workers, columns=(), data={})
        for _ in range(2):
            fate, left = self.down(bench, report)
            assert (fate, [port for port, _ in left]) == (Fate.RELAYED, [1])
            told = Packet.decode(bytes(Ether(left[0][1])[UDP].payload))
            assert (told.worker, told.kind, told.workers, told.columns, told.data) == (0, *expected, (), {})
        assert self.up(bench, bench.exchange(3, bench.frame(last))).encode() == share.encode()
        self.down(bench, replace(share, kind=Kind.RESULT))
        assert self.down(bench, report) == (Fate.STALE, [])

    def test_a_packet_too_short_for_the_racks_share_is_dropped_and_counted(self, bench: Bench) -> None:
        data = {column: block(column) for column in range(8)}
        for worker in (0, 1):
            bench.contribute(contribution(bench, worker, data=data))
        assert bench.fate_of(3, bench.frame(contribution(bench, 2))) == (Fate.SHORT, [])
        long = contribution(bench, 2, data={column: block(0) for column in range(4)})
        assert list(self.up(bench, bench.exchange(3, bench.frame(long))).data) == list(range(8))


class TestQueries:
    def test_a_worker_that_has_not_contributed_is_told_so_and_not_counted(self, bench: Bench) -> None:
        bench.contribute(contribution(bench, 0))
        for _ in range(2):
            (answer,) = bench.contribute(query(bench, 1)).values()
            assert (answer.kind, answer.workers, answer.columns) == (Kind.MISSING, 0b110, ())
        assert bench.contribute(contribution(bench, 1)) == {}
        assert len(bench.contribute(contribution(bench, 2))) == 3

    def test_of_a_round_that_nobody_has_contributed_to_all_are_missing(self, bench: Bench) -> None:
        play_round(bench, 0)
        play_round(bench, 1)
        (answer,) = bench.contribute(query(bench, 1, 2)).values()
        assert (answer.kind, answer.workers) == (Kind.MISSING, 0b111)
        play_round(bench, 2)

    @pytest.mark.parametrize("rounds_after", [0, 1], ids=["the last round", "the round before"])
    def test_of_a_complete_round_are_answered_as_they_ask(self, bench: Bench, rounds_after: int) -> None:
        columns = (Column(3, 9, 1),)
        results = play_round(bench, 0, columns=columns, data={0: block(1), 7: block(2)})
        if rounds_after:
            bench.contribute(contribution(bench, 0, 1))
        (answer,) = bench.contribute(query(bench, 1)).values()
        assert (answer.kind, answer.workers) == (Kind.MISSING, 0)
        ((port, result),) = bench.contribute(query(bench, 1, columns=columns)).items()
        assert port == 2
        assert result.encode() == results[2].encode()

    def test_the_result_is_split_if_it_is_much_longer_than_the_query(self, bench: Bench) -> None:
        data = {column: block(column) for column in range(8)}
        play_round(bench, 0, data=data)
        frames = bench.exchange(2, bench.frame(query(bench, 1, columns=(Column(),))))
        parts = [Packet.decode(bytes(Ether(frame)[UDP].payload)) for _, frame in frames]
        assert sorted(column for part in parts for column in part.data) == list(range(8))
        assert {part.kind for part in parts} == {Kind.RESULT}


class TestRefusals:
    """Packets that change no slot, and are counted."""

    @pytest.fixture(autouse=True)
    def slots_are_as_they_were(self, bench: Bench) -> Any:
        """Worker 0 contributes before each test and the others after it; the sum must not be affected."""
        bench.contribute(contribution(bench, 0, data={0: block(1)}))
        yield
        bench.contribute(contribution(bench, 1))
        result = bench.contribute(contribution(bench, 2))[1]
        assert (result.mask, result.workers) == (1, 0b111)
        assert np.array_equal(result.data[0], block(1))

    @pytest.mark.parametrize(
        ("fate", "change"),
        [
            (Fate.JOB, {"job": JOB + 1}),
            (Fate.LANE, {"lane": LANES}),
            (Fate.LANE, {"lane": 65535}),
            (Fate.KIND, {"kind": Kind.EPOCH}),
            *((Fate.NOT_PARENT, {"kind": kind}) for kind in (Kind.RESULT, Kind.MISSING, Kind.WAITING)),
        ],
    )
    def test_a_wrong_job_lane_or_kind(self, bench: Bench, fate: Fate, change: dict[str, Any]) -> None:
        forged = replace(contribution(bench, 1, data={0: block(9)}), **change)
        assert bench.fate_of(2, bench.frame(forged)) == (fate, [])

    @pytest.mark.parametrize("worker", [3, 31, 32, 255])
    def test_a_worker_that_the_job_does_not_have(self, bench: Bench, worker: int) -> None:
        forged = contribution(bench, worker, data={0: block(9)})
        assert bench.fate_of(2, bench.frame(forged, port=2)) == (Fate.WORKER, [])

    def test_a_worker_on_a_port_that_is_not_its_own(self, bench: Bench) -> None:
        forged = bench.frame(contribution(bench, 1, data={0: block(9)}))
        for port in (1, 3, 4):
            assert bench.fate_of(port, forged) == (Fate.PORT, [])

    def test_a_worker_with_an_address_that_is_not_its_own(self, bench: Bench) -> None:
        forged = bench.frame(contribution(bench, 1, data={0: block(9)}), port=4)
        assert bench.fate_of(2, forged) == (Fate.ADDRESS, [])

    def test_a_worker_from_a_udp_port_that_is_not_its_own(self, bench: Bench) -> None:
        """Another process on its host."""
        forged = bench.frame(contribution(bench, 1, data={0: block(9)}), sport=udp_port_of(1))
        assert bench.fate_of(2, forged) == (Fate.UDP_PORT, [])

    def test_a_worker_without_its_secret(self, bench: Bench) -> None:
        for secret in (0, secret_of(0), secret_of(1) ^ 1 << 31):
            forged = bench.frame(contribution(bench, 1, data={0: block(9)}), secret=secret)
            assert bench.fate_of(2, forged) == (Fate.SECRET, [])

    def test_the_epoch_is_not_revealed_without_a_secret(self, bench: Bench) -> None:
        asked = bench.frame(contribution(bench, 1, epoch=0), secret=0)
        assert bench.fate_of(2, asked) == (Fate.SECRET, [])

    def test_a_conflict_from_a_worker_that_is_no_switch(self, bench: Bench) -> None:
        forged = replace(contribution(bench, 1), kind=Kind.CONFLICT, columns=(), workers=0b111)
        assert bench.fate_of(2, bench.frame(forged)) == (Fate.KIND, [])

    @pytest.mark.parametrize("kept", [0, 1, 23, 24, 32, 33, 64, 160])
    def test_a_truncated_packet(self, bench: Bench, kept: int) -> None:
        """Truncated anywhere after the UDP header, with or without matching lengths."""
        whole = bench.frame(contribution(bench, 1, data={0: block(9)}))
        assert len(whole) == 42 + 161
        assert bench.fate_of(2, whole[: 42 + kept]) == (Fate.MALFORMED, [])
        fitted = Ether(whole[: 42 + kept])
        for layer, field in ((IP, "len"), (IP, "chksum"), (UDP, "len")):
            fitted[layer].delfieldval(field)
        assert bench.fate_of(2, bytes(fitted)) == (Fate.MALFORMED, [])

    def test_a_packet_with_trailing_bytes(self, bench: Bench) -> None:
        whole = bench.frame(contribution(bench, 1, data={0: block(9)}))
        assert bench.fate_of(2, whole + b"\0") == (Fate.MALFORMED, [])
        fitted = Ether(whole) / Raw(b"\0")
        for layer, field in ((IP, "len"), (IP, "chksum"), (UDP, "len")):
            fitted[layer].delfieldval(field)
        assert bench.fate_of(2, bytes(fitted)) == (Fate.MALFORMED, [])

    @pytest.mark.parametrize("columns", [3, 5, 7, 9, 15])
    def test_an_invalid_number_of_columns(self, bench: Bench, columns: int) -> None:
        frame = bytearray(bench.frame(contribution(bench, 1, data={0: block(9)})))
        frame[44] = columns << 4
        assert bench.fate_of(2, bytes(frame)) == (Fate.MALFORMED, [])

    def test_another_version(self, bench: Bench) -> None:
        frame = bytearray(bench.frame(contribution(bench, 1, data={0: block(9)})))
        frame[42] = 1 << 5
        assert bench.fate_of(2, bytes(frame)) == (Fate.VERSION, [])

    def test_a_wrong_ip_checksum(self, bench: Bench) -> None:
        forged = bench.frame(contribution(bench, 1, data={0: block(9)}), chksum=0x1234)
        assert bench.fate_of(2, forged) == (Fate.IP_CHECKSUM, [])


class TestHost:
    def test_the_switch_answers_arp(self, bench: Bench) -> None:
        request = Ether(src=mac_of(4), dst="ff:ff:ff:ff:ff:ff") / ARP(hwsrc=mac_of(4), psrc=ip_of(4), pdst=SWITCH_IP)
        fate, ((port, frame),) = bench.fate_of(4, bytes(request))
        answer = Ether(frame)
        assert (fate, port, answer.dst, answer[ARP].op) == (Fate.ARP, 4, mac_of(4), 2)
        assert (answer[ARP].hwsrc, answer[ARP].psrc) == (SWITCH_MAC, SWITCH_IP)
        assert (answer[ARP].hwdst, answer[ARP].pdst) == (mac_of(4), ip_of(4))

    @pytest.mark.parametrize("payload", [b"", b"ping" * 14, b"\xf7\xff" * 9])
    def test_the_switch_answers_ping(self, bench: Bench, payload: bytes) -> None:
        request = Ether(src=mac_of(1), dst=SWITCH_MAC) / IP(src=ip_of(1), dst=SWITCH_IP) / ICMP(id=7, seq=9) / payload
        fate, ((port, frame),) = bench.fate_of(1, bytes(request))
        answer = Ether(frame)
        assert (fate, port) == (Fate.PING, 1)
        assert (answer[IP].src, answer[IP].dst, answer[ICMP].type) == (SWITCH_IP, ip_of(1), 0)
        assert bytes(answer[ICMP].payload)[: len(payload)] == payload
        for layer in (IP, ICMP):
            written = answer[layer].chksum
            del answer[layer].chksum
            assert Ether(bytes(answer))[layer].chksum in (written, written ^ 0xFFFF)


class TestForwarding:
    def test_a_frame_goes_to_the_port_of_its_address_unchanged(self, bench: Bench) -> None:
        frame = bytes(Ether(src=mac_of(1), dst=mac_of(4)) / IP(src=ip_of(1), dst=ip_of(4)) / UDP() / (b"x" * 900))
        assert bench.fate_of(1, frame) == (Fate.FORWARDED, [(4, frame)])

    def test_a_packet_for_an_aggregator_elsewhere_is_forwarded_like_any_other(self, bench: Bench) -> None:
        frame = bytearray(bench.frame(contribution(bench, 0, data={0: block(1)}), dst=ip_of(4)))
        frame[:6] = bytes.fromhex(mac_of(4).replace(":", ""))
        assert bench.fate_of(1, bytes(frame)) == (Fate.FORWARDED, [(4, bytes(frame))])

    def test_broadcasts_and_unknown_addresses_reach_all_other_ports(self, bench: Bench) -> None:
        for address in ("ff:ff:ff:ff:ff:ff", "02:00:00:00:00:77"):
            frame = bytes(Ether(src=mac_of(2), dst=address, type=0x1234) / Raw(b"y" * 60))
            fate, left = bench.fate_of(2, frame)
            assert fate is Fate.FLOODED
            assert left == [(port, frame) for port in PORTS if port != 2]

    @pytest.mark.parametrize("port", PORTS)
    def test_a_host_cannot_send_as_the_switch(self, bench: Bench, port: int) -> None:
        """Neither forged results and messages, nor ARP answers that redirect packets."""
        to = port % len(PORTS) + 1
        outer = Ether(src=SWITCH_MAC, dst=mac_of(to)) / IP(src=SWITCH_IP, dst=ip_of(to))
        forged = Packet(Kind.RESULT, JOB, 0, bench.epoch, 0, to - 1).encode()
        answer = ARP(op=2, hwsrc=mac_of(port), psrc=SWITCH_IP, hwdst=mac_of(to), pdst=ip_of(to))
        for frame in (
            outer / UDP(sport=UDP_PORT, dport=udp_port_of(to)) / forged,
            outer / ICMP(type=3, code=4, nexthopmtu=68) / bytes(28),
            Ether(src=mac_of(port), dst=mac_of(to)) / answer,
        ):
            assert bench.fate_of(port, bytes(frame).ljust(60, b"\0")) == (Fate.FORGED, [])

    def test_a_packet_with_ip_options_is_forwarded(self, bench: Bench) -> None:
        frame = bytes(
            Ether(src=mac_of(1), dst=mac_of(3)) / IP(dst=ip_of(3), options=b"\x01\x01\x01\x00") / UDP() / b"z"
        )
        assert bench.fate_of(1, frame) == (Fate.FORWARDED, [(3, frame)])


def test_the_slots_registers_show_who_has_contributed(bench: Bench) -> None:
    """On switches with readable registers; BMv2 answers that it has none."""
    from dropzero.controller.p4runtime.errors import UnsupportedError

    bench.contribute(contribution(bench, 1, lane=2))
    try:
        state = bench.switch.slots()[FIRST_SLOT + 2]
    except UnsupportedError as error:
        pytest.skip(str(error))
    assert (state.epoch, state.round, state.here.seen, state.missing) == (bench.epoch, 0, (1,), (0, 2))
