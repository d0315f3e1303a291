"""Repeated calls of short tensors, and of dense ones, send data with the exponents of the last call. Those of long
tensors also guess the block size."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dropzero.protocol.lanes.call import Call
from dropzero.protocol.lanes.errors import Disagreement
from dropzero.protocol.lanes.lanes import Lanes
from dropzero.protocol.tensor.arrays import Source, Tensor
from dropzero.protocol.wire import PACKET_ELEMENTS, Operation, Width, block_sizes
from dropzero.simulator.tree import Shape
from dropzero.worker.blocks import chosen, dense, held
from tests.support.network import Fabric, make, members, members_of_tree, model, model_tree, shapes

LANES = 4
BLOCKS = 9 * LANES
LENGTH = BLOCKS * PACKET_ELEMENTS - 7
SHORT = 3 * PACKET_ELEMENTS - 7
"""Elements of a tensor with a lane for each packet."""


def summed(
    workers: list[Lanes],
    fabric: Fabric,
    tensors: list[Tensor],
    trouble: float = 0.0,
    seed: int = 0,
    **options: Any,
) -> tuple[list[Tensor], bool]:
    """All workers' sums, in blocks that they guess or choose, and whether they did not have to choose. Those of short
    tensors end with the exponents."""
    sources = [Source.of(tensor) for tensor in tensors]
    results: list[Any] = [np.empty_like(tensor) for tensor in tensors]
    if len(tensors[0]) == SHORT:
        call = Call.of(tensors[0], **options, block=block_sizes(options.get("width", Width.BITS_32))[0], scaled=True)
        results = [np.resize(tensor, call.signature.words) for tensor in tensors]
        make(workers, fabric, [call] * len(workers), sources, results, trouble, seed)
        return results, False
    call = Call.of(tensors[0], **options, block=0)
    guesses = [guess for worker in workers if (guess := worker.guess(call))]
    assert len(guesses) in (0, len(workers))
    if guesses:
        make(workers, fabric, guesses, sources, results, trouble, seed)
        (wrong,) = {worker.wrong for worker in workers}
        if not wrong:
            return results, True
    union = np.bitwise_or.reduce([held(source, call.signature.width, workers[0].lanes) for source in sources])
    choice = chosen(call, union, len(workers))
    for worker in workers:
        worker.remember(call, choice, dense(union))
    make(workers, fabric, [choice] * len(workers), sources, results, trouble, seed)
    return results, False


def rounds_of(workers: list[Lanes], fabric: Fabric, tensors: list[Tensor]) -> int:
    """The rounds that a call takes, over all lanes."""
    rounds = workers[0]._state.lanes["round"]
    before = rounds.astype(np.int32)
    summed(workers, fabric, tensors)
    return int((rounds.astype(np.int32) - before).sum())


forms = st.sampled_from(["the same", "one block larger", "all smaller", "random", "a hole", "sparse", "not finite"])


@settings(max_examples=40)
@given(
    st.lists(st.tuples(forms, st.integers(0, 99)), min_size=2, max_size=6),
    st.sampled_from([(np.float32, Width.BITS_32), (np.float32, Width.BITS_16), (np.int32, Width.BITS_32)]),
    st.sampled_from([Operation.SUM, Operation.MAX]),
    st.sampled_from([LENGTH, SHORT]),
    st.sampled_from([0.0, 0.1]),
    shapes(3, 4),
)
def test_what_earlier_calls_have_shown_changes_no_sum(
    calls: list[tuple[str, int]],
    kind: tuple[Any, Width],
    operation: Operation,
    length: int,
    trouble: float,
    shape: Shape,
) -> None:
    """Repeated calls give the same results as first calls, to the last bit, whatever changes on any worker."""
    dtype, options = kind[0], {"width": kind[1], "operation": operation}
    workers, fabric, size = members_of_tree(shape, LANES), model_tree(shape, LANES), len(shape.homes)
    for form, seed in calls:
        draw = np.random.default_rng(seed)
        tensors: list[Tensor] = [(draw.uniform(1, 2, length) * 1000 * (1 + each)).astype(dtype) for each in range(size)]
        changed = tensors[draw.integers(size)]
        first = 32 * int(draw.integers(length // 32))
        if form == "one block larger":
            changed[first : first + 32] *= dtype(64)
        if form == "all smaller":
            tensors = [(tensor / 16).astype(dtype) for tensor in tensors]
        if form == "random":
            tensors = [(tensor * draw.exponential(1, length) + 1).astype(dtype) for tensor in tensors]
        if form == "a hole":
            changed[first : first + 32] = 0
        if form == "sparse":
            tensors = [tensor * (draw.random(length) < 0.01).astype(dtype) for tensor in tensors]
        if form == "not finite" and dtype is np.float32:
            changed[first] = np.inf
        alone, _ = summed(members(size, LANES), model(size, LANES), tensors, **options)
        results, _ = summed(workers, fabric, tensors, trouble, seed, **options)
        for result in results:
            assert np.array_equal(result.view(np.uint32), alone[0].view(np.uint32))


@pytest.mark.parametrize("dtype", [np.float32, np.int32])
def test_a_repeated_dense_call_takes_a_round_for_each_block(dtype: type) -> None:
    """The first one announces the first block of each lane, and has to choose the block size before."""
    workers, fabric = members(2, LANES), model(2, LANES)
    tensors: list[Tensor] = [np.full(LENGTH, worker + 1, dtype) for worker in range(2)]
    assert [rounds_of(workers, fabric, tensors) for _ in range(3)] == [BLOCKS + LANES, BLOCKS, BLOCKS]


@pytest.mark.parametrize("dtype", [np.float32, np.int32])
def test_a_repeated_call_of_a_short_tensor_takes_a_round(dtype: type) -> None:
    """Also if many blocks are zero, as long as they are the same."""
    workers, fabric, lanes = members(2, LANES), model(2, LANES), SHORT // PACKET_ELEMENTS + 1
    tensors: list[Tensor] = [
        np.repeat(np.arange(SHORT // 32 + 1) % 3 == worker, 32)[:SHORT].astype(dtype) for worker in (0, 1)
    ]
    rounds = [rounds_of(workers, fabric, tensors) for _ in range(4)]
    assert rounds == [2 * lanes, lanes, lanes, lanes]


def test_a_block_whose_exponent_has_changed_takes_another_round() -> None:
    workers, fabric = members(2, LANES), model(2, LANES)
    one, other = (np.ones(LENGTH, np.float32) for _ in range(2))
    summed(workers, fabric, [one, other])
    for factor, rounds in ((1, BLOCKS), (64, BLOCKS + 1), (1 / 64, BLOCKS + 1), (1, BLOCKS)):
        other[5 * PACKET_ELEMENTS] *= np.float32(factor)
        assert rounds_of(workers, fabric, [one, other]) == rounds


def test_while_many_exponents_change_data_follows_announcements() -> None:
    """Otherwise many blocks would be sent twice."""
    workers, fabric = members(2, LANES), model(2, LANES)
    tensor = np.ones(LENGTH, np.float32)
    summed(workers, fabric, [tensor, tensor])
    rounds = []
    for factor in (8, 8, 1, 1):
        tensor *= np.float32(factor)
        rounds.append(rounds_of(workers, fabric, [tensor, tensor]))
    assert rounds == [BLOCKS + LANES, BLOCKS + LANES, BLOCKS + LANES, BLOCKS]


def test_workers_choose_again_when_a_guess_was_wrong_and_guess_no_more() -> None:
    workers, fabric = members(2, LANES), model(2, LANES)
    whole = np.ones(LENGTH, np.float32)
    hole = whole.copy()
    hole[4960:4992] = 0
    guessed = [summed(workers, fabric, [whole, other])[1] for other in (whole, whole, whole, hole, whole, whole)]
    assert guessed == [False, True, True, False, False, False]


@pytest.mark.parametrize("hole", [slice(32, 64), slice(10, None)])
def test_calls_with_zero_blocks_do_not_guess(hole: slice) -> None:
    """Even if large blocks are the cheapest, and none of these is zero."""
    workers, fabric = members(2, LANES), model(2, LANES)
    whole, other = (np.ones(LENGTH, np.float32) for _ in range(2))
    other[hole] = 0
    guessed = [summed(workers, fabric, [whole, each])[1] for each in (other, other, whole, whole)]
    assert guessed == [False, False, False, True]


def test_a_new_epoch_guesses_nothing() -> None:
    workers, fabric = members(2, LANES), model(2, LANES)
    tensor = np.ones(LENGTH, np.float32)
    summed(workers, fabric, [tensor, tensor])
    for worker in workers:
        worker.enter(2, 2, LANES)
        assert worker.guess(Call.of(tensor, block=0)) is None


def test_workers_that_remember_different_exponents_get_an_error() -> None:
    workers, fabric = members(2, LANES), model(2, LANES)
    tensor = np.ones(LENGTH, np.float32)
    summed(workers, fabric, [tensor, tensor])
    memory = workers[1]._last[Call.of(tensor, block=0).signature.text]
    assert memory is not None
    memory.agreed[-1] += 1
    with pytest.raises(Disagreement):
        summed(workers, fabric, [tensor, tensor])
