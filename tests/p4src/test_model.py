"""The compiled program compared with the model of a slot, and used by the workers' lanes."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from dropzero.files import COMPILED
from dropzero.protocol.completion import ALL, Completion
from dropzero.protocol.packet import Column, Packet
from dropzero.protocol.slot import ChunkAllocator, Slot
from dropzero.protocol.tensor.arrays import Tensor
from dropzero.protocol.wire import BLOCK_WORDS, Fate, Kind, Operation, Width
from dropzero.simulator.in_process import InProcessSwitch, ip
from dropzero.simulator.tree import EPOCH, JOB, Node, Shape
from tests.support.in_process import rack, tree
from tests.support.network import SPINE, all_reduce, members, members_of_tree, receivers_of, shapes

WORKERS = 3


def elements(seed: int) -> np.ndarray[tuple[int], np.dtype[np.int32]]:
    return np.random.default_rng(seed).integers(-(2**31), 2**31, 32, np.int32)


column = st.builds(
    Column, st.integers(0, 99), st.sampled_from([3, 4, 2**31, 2**32 - 1]), st.sampled_from([-126, -1, 0, 129])
)
columns = st.tuples(column, column)
contributions = st.builds(
    Packet,
    kind=st.sampled_from([Kind.CONTRIBUTION] * 9 + [Kind.CONFLICT]),
    job=st.just(JOB),
    lane=st.integers(0, 1),
    epoch=st.sampled_from([EPOCH] * 9 + [EPOCH - 1]),
    round=st.sampled_from([0, 0, 0, 1, 1, 1, 2, 2, 3, 2**32 - 1]),
    worker=st.integers(0, WORKERS - 1),
    workers=st.sampled_from([5] * 9 + [6]),
    operation=st.sampled_from(Operation),
    width=st.sampled_from(Width),
    columns=columns,
    marked=st.booleans(),
    congested=st.booleans(),
    declines=st.booleans(),
    data=st.dictionaries(st.integers(0, 7), st.integers(0, 2**32 - 1).map(elements), max_size=6),
)
# With and without columns: for a result, or for the missing workers only.
packets = st.one_of(
    contributions,
    contributions,
    contributions,
    st.builds(
        replace, contributions, kind=st.just(Kind.QUERY), columns=st.one_of(columns, st.just(())), data=st.just({})
    ),
)

RANK = 3
"""A leaf's number on its parent."""
FROM_PARENT = [
    *((Kind.RESULT, 0),) * 5,
    (Kind.CONFLICT, 0b1),
    (Kind.MISSING, 0),
    (Kind.MISSING, 0b101),
    (Kind.MISSING, 1 << RANK | 0b1),
    (Kind.WAITING, 0),
]
"""What a leaf gets from its parent: the kind, and the field `workers`."""


def compare(
    packets: list[Packet], workers: int = WORKERS, compiled: Path = COMPILED, completion: Completion = ALL
) -> None:
    """Checks that a compiled program and the model, with a completion rule, answer these packets equally."""
    switch = InProcessSwitch(list(range(workers)), lanes=2, compiled=compiled)
    allocator = ChunkAllocator()
    slots = [Slot(EPOCH, (1 << workers) - 1, allocator, completion=completion) for _ in range(2)]
    expected_fates: dict[Fate, int] = {}
    for packet in packets:
        fate, answers = slots[packet.lane].receive(packet)
        expected_fates[fate] = expected_fates.get(fate, 0) + 1
        receivers = range(workers) if fate is Fate.COMPLETED else [packet.worker]
        copies = slots[packet.lane].copies
        expected = [(to, answer.encode()) for to in receivers for answer in copies(answers, to)]
        assert switch.receive(packet.worker, packet.encode()) == expected
    assert switch.fates() == expected_fates


@settings(max_examples=150)
@given(st.lists(packets, max_size=60))
def test_the_program_follows_the_model_for_packets_in_any_order(packets: list[Packet]) -> None:
    """Well-formed packets of admitted workers, otherwise arbitrary."""
    compare(packets)


@settings(max_examples=150)
@given(st.lists(st.tuples(packets, st.none() | st.sampled_from(FROM_PARENT)), max_size=60))
def test_a_leaf_follows_the_model(turns: list[tuple[Packet, tuple[Kind, int] | None]]) -> None:
    """Arbitrary packets of its workers, and its parent's results and reports of any round."""
    peers: dict[Node, int] = {i: ip(i + 1) for i in range(WORKERS)}
    switch = InProcessSwitch(list(range(WORKERS)), 2, peers=peers | {SPINE: ip(200)}, parent=SPINE, rank=RANK)
    slots = [Slot(EPOCH, (1 << WORKERS) - 1, ChunkAllocator(), rank=RANK) for _ in range(2)]
    expected_fates: dict[Fate, int] = {}
    for packet, down in turns:
        slot = slots[packet.lane]
        if down is not None:
            kind, workers = down
            packet = replace(packet, kind=kind, workers=workers)
            if kind is not Kind.RESULT:
                packet = replace(packet, columns=(), data={})
            fate, answers = slot.relay(packet)
        else:
            fate, answers = slot.receive(packet)
        expected_fates[fate] = expected_fates.get(fate, 0) + 1
        if fate is Fate.PASSED_UP:
            expected: list[tuple[Node, bytes]] = [(SPINE, answer.encode()) for answer in answers]
        else:
            expected = [
                (to, answer.encode())
                for to in receivers_of(fate, answers, list(range(WORKERS)))
                for answer in slot.copies(answers, to)
            ]
        assert switch.receive(packet.worker if down is None else SPINE, packet.encode()) == expected
    assert switch.fates() == expected_fates


@settings(max_examples=40)
@given(
    workers=st.integers(1, 8),
    lanes=st.integers(1, 4),
    size=st.sampled_from([1, 100, 2000, 5000]),
    block=st.sampled_from(BLOCK_WORDS),
    density=st.sampled_from([0.0, 0.002, 0.05, 1.0]),
    trouble=st.sampled_from([0.0, 0.2]),
    seed=st.integers(0, 2**32 - 1),
)
def test_the_program_adds_what_numpy_adds(
    workers: int, lanes: int, size: int, block: int, density: float, trouble: float, seed: int
) -> None:
    """Two tensors in a row, over a network that loses, duplicates and reorders."""
    switch, ends = rack(workers, lanes), members(workers, lanes)
    for turn in range(2):
        draw = np.random.default_rng((seed, turn))
        values = draw.integers(-(2**31), 2**31, (workers, size)) * (draw.random((workers, size)) < density)
        tensors: list[Tensor] = list(values.astype(np.int32))
        for result in all_reduce(ends, switch, tensors, block=block, trouble=trouble, seed=seed):
            assert np.array_equal(result, values.sum(0).astype(np.int32))


@settings(max_examples=40)
@given(
    shape=shapes(workers=10),
    density=st.sampled_from([0.0, 0.005, 0.05, 1.0]),
    trouble=st.sampled_from([0.0, 0.2]),
    seed=st.integers(0, 2**32 - 1),
)
def test_trees_add_what_numpy_adds(shape: Shape, density: float, trouble: float, seed: int) -> None:
    """With workers on any of the switches; loss, duplicates and reordering on all links."""
    fabric, ends = tree(shape, 2), members_of_tree(shape, 2)
    for turn in range(2):
        draw = np.random.default_rng((seed, turn))
        size = (len(shape.homes), 2000)
        values = draw.integers(-(2**31), 2**31, size) * (draw.random(size) < density)
        for result in all_reduce(ends, fabric, list(values.astype(np.int32)), trouble=trouble, seed=seed):
            assert np.array_equal(result, values.sum(0).astype(np.int32))


def test_32_workers_fit() -> None:
    switch, ends = rack(32, 1), members(32, 1)
    tensors: list[Tensor] = list(np.random.default_rng(0).standard_normal((32, 300)).astype(np.float32))
    results = all_reduce(ends, switch, tensors)
    assert results
    for result in results:
        assert np.array_equal(result, results[0])
        assert np.allclose(result, np.sum(tensors, 0), atol=1e-5)


def test_a_new_epoch_forgets_the_old_one() -> None:
    """Round 1 is half done; the new epoch begins at round 0 without contributors."""
    switch = InProcessSwitch([0, 1], 1)
    packet = Packet(Kind.CONTRIBUTION, JOB, 0, EPOCH, 0, 0, columns=(Column(),), data={0: elements(1)})
    for worker, round_number in ((0, 0), (1, 0), (0, 1)):
        switch.receive(worker, replace(packet, worker=worker, round=round_number).encode())
    switch.enter(EPOCH + 1)
    fresh = replace(packet, epoch=EPOCH + 1)
    assert switch.receive(0, fresh.encode()) == []
    (_, payload), _ = switch.receive(1, replace(fresh, worker=1).encode())
    assert np.array_equal(Packet.decode(payload).data[0], elements(1) * np.int32(2))
