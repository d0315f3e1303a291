"""The worker's lanes with the model of the switch, over good and bad networks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from itertools import count, pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dropzero.protocol.lanes.call import Call
from dropzero.protocol.lanes.chunks import SHORTEST
from dropzero.protocol.lanes.errors import Disagreement, EpochChanged
from dropzero.protocol.lanes.lanes import Lanes
from dropzero.protocol.lanes.rounds import MANY, PROBES
from dropzero.protocol.lanes.timer import BACKOFF_AFTER, INITIAL_DRAIN, INITIAL_TIMEOUT, MAX_PROBE_BACKOFF
from dropzero.protocol.lanes.window import MIN_LANES
from dropzero.protocol.packet import Packet
from dropzero.protocol.tensor.arrays import Source, Target, Tensor, touched
from dropzero.protocol.tensor.fixedpoint import magnitude_bits, scale
from dropzero.protocol.wire import (
    BLOCK_WORDS,
    COLUMNS,
    EXPONENT_BIAS,
    MAX_PAYLOAD,
    NO_BLOCK,
    OUTER_BYTES,
    PACKET_ELEMENTS,
    Kind,
    Operation,
    Width,
    block_sizes,
    payload_bytes,
)
from dropzero.simulator.tree import EPOCH, JOB, Node, Shape
from tests.support.interrupted import Interrupted
from tests.support.links import Job, Port, World
from tests.support.network import Fabric, all_reduce, members, members_of_tree, model, model_tree, shapes

LANES = int(MIN_LANES) + 1
"""The last one begins a large call without a chunk."""


def sparse(kind: type, size: int, workers: int, density: float, seed: int) -> list[Tensor]:
    """A tensor for each worker, with about `density` of its elements non-zero."""
    draw = np.random.default_rng(seed)
    held = draw.random((workers, size)) < density
    if kind is np.int32:
        return list(np.where(held, draw.integers(-(2**31), 2**31, (workers, size)), 0).astype(np.int32))
    magnitudes = 10.0 ** draw.integers(-44, 36, (workers, size))
    return list((held * draw.uniform(-1, 1, (workers, size)) * magnitudes).astype(np.float32))


def wrapped_sum(tensors: list[Tensor]) -> Tensor:
    total: Tensor = np.sum([tensor.astype(np.int64) for tensor in tensors], 0).astype(np.int32)
    return total


sizes = st.one_of(st.integers(0, 300), st.sampled_from([1024, 4096, 5000]))
problems = st.fixed_dictionaries(
    {
        "workers": st.integers(1, 8),
        "lanes": st.integers(1, 5),
        "size": sizes,
        "block": st.sampled_from(BLOCK_WORDS),
        "density": st.sampled_from([0.0, 0.002, 0.05, 1.0]),
        "trouble": st.sampled_from([0.0, 0.2]),
        "seed": st.integers(0, 2**32 - 1),
    }
)


@settings(max_examples=30)
@given(problems, shapes())
def test_trees_add_as_exactly_as_one_switch(problem: dict[str, int], shape: Shape) -> None:
    """With workers on leaves, in the middle, and at the top."""
    lanes = problem["lanes"]
    tensors = sparse(np.int32, problem["size"], len(shape.homes), problem["density"], problem["seed"])
    results = all_reduce(
        members_of_tree(shape, lanes), model_tree(shape, lanes), tensors, block=problem["block"],
        trouble=problem["trouble"], seed=problem["seed"],
    )  # fmt: skip
    assert results
    for result in results:
        assert np.array_equal(result, wrapped_sum(tensors))


@settings(max_examples=60)
@given(problems)
def test_integers_add_exactly_on_any_network(problem: dict[str, int]) -> None:
    tensors = sparse(np.int32, problem["size"], problem["workers"], problem["density"], problem["seed"])
    workers, switch = members(problem["workers"], problem["lanes"]), model(problem["workers"], problem["lanes"])
    for _ in range(2):  # rounds continue from one tensor to the next
        for result in all_reduce(
            workers, switch, tensors, block=problem["block"], trouble=problem["trouble"], seed=problem["seed"]
        ):
            assert np.array_equal(result, wrapped_sum(tensors))


@settings(max_examples=60)
@given(problems, shapes(), st.sampled_from([np.int32, np.float32]), st.sampled_from(Operation))
def test_workers_that_want_parts_get_them_exactly(
    problem: dict[str, int], shape: Shape, kind: type, operation: Operation
) -> None:
    """Each worker wants any ranges of the result, which may overlap, or be wanted by no worker."""
    size, count, lanes, seed = problem["size"], len(shape.homes), problem["lanes"], problem["seed"]
    draw = np.random.default_rng(seed)
    ranges = [[slice(*sorted(draw.integers(0, size + 1, 2))) for _ in range(draw.integers(0, 3))] for _ in shape.homes]
    workers, fabric = members_of_tree(shape, lanes), model_tree(shape, lanes)
    others, another = members_of_tree(shape, lanes), model_tree(shape, lanes)
    for turn in range(2):
        tensors = sparse(kind, size, count, problem["density"], seed + turn)
        options: dict[str, Any] = {"block": problem["block"], "number": turn, "operation": operation}
        options |= {"trouble": problem["trouble"], "seed": seed}
        (whole, *_) = all_reduce(others, another, tensors, **options)
        found = all_reduce(workers, fabric, tensors, wanted=[touched(size, each) for each in ranges], **options)
        for part, wanted in zip(found, ranges, strict=True):
            for each in wanted:
                assert np.array_equal(part[each].view(np.int32), whole[each].view(np.int32))


@settings(max_examples=60)
@given(problems, shapes(), st.sampled_from([(np.int32, Width.BITS_32), *((np.float32, width) for width in Width)]))
def test_workers_that_add_their_own_part_themselves_get_the_same_bits(
    problem: dict[str, int], shape: Shape, kind: tuple[type, Width]
) -> None:
    """On switches that let packets grow, a worker does not send the part that only it wants."""
    size, count, lanes, seed = problem["size"], len(shape.homes), problem["lanes"], problem["seed"]
    bounds = [0, *sorted(np.random.default_rng(seed).integers(0, size + 1, count - 1)), size]
    parts = [slice(int(first), int(end)) for first, end in pairwise(bounds)]
    workers, fabric = members_of_tree(shape, lanes, limited=False), model_tree(shape, lanes, MAX_PAYLOAD)
    others, another = members_of_tree(shape, lanes), model_tree(shape, lanes)
    dtype, width = kind
    for turn in range(2):
        tensors = sparse(dtype, size, count, problem["density"], seed + turn)
        options: dict[str, Any] = {"block": problem["block"] * 32 // width.bits, "number": turn, "width": width}
        options |= {"trouble": problem["trouble"], "seed": seed, "few_bits": True}
        (whole, *_) = all_reduce(others, another, tensors, **options)
        wanted = [touched(size, [part]) for part in parts]
        found = all_reduce(workers, fabric, tensors, wanted=wanted, kept=parts, **options)
        for part, result in zip(parts, found, strict=True):
            assert np.array_equal(result[part].view(np.int32), whole[part].view(np.int32))
    sent, whole_sent = (sum(each.statistics["bytes_sent"] for each in group) for group in (workers, others))
    assert problem["trouble"] or sent <= whole_sent


@pytest.mark.parametrize(("block", "columns"), [(256, 1), (32, 8)])
def test_a_worker_that_wants_a_part_receives_only_that_part_and_headers(block: int, columns: int) -> None:
    count, lanes, rows = 4, 2, 10
    size = count * lanes * rows * PACKET_ELEMENTS
    parts = [slice(size // count * rank, size // count * (rank + 1)) for rank in range(count)]
    workers = members(count, lanes)
    tensors: list[Tensor] = [np.arange(1, size + 1, dtype=np.int32)] * count
    for worker in workers:
        worker._state.window["size"] = lanes
    found = all_reduce(
        workers, model(count, lanes), tensors, block=block, wanted=[touched(size, [part]) for part in parts]
    )
    packets = lanes * (rows * count + 1)
    headers = packets * (OUTER_BYTES + payload_bytes(columns, 0))
    for worker, part, result in zip(workers, parts, found, strict=True):
        assert np.array_equal(result[part], count * tensors[0][part])
        assert worker.statistics["bytes_received"] == headers + 4 * size // count


@settings(max_examples=12)
@given(st.sampled_from([1, 3, LANES]), st.sampled_from(BLOCK_WORDS), st.sampled_from([0.0, 0.1]), st.integers(0, 99))
def test_every_call_gets_the_chunks_that_the_switch_assigns_next(
    lanes: int, block: int, trouble: float, seed: int
) -> None:
    """Long columns get further chunks. All workers must count these alike, from call to call."""
    held = np.random.default_rng(seed).random((2, 4 * SHORTEST * lanes * PACKET_ELEMENTS + 1)) < 0.001
    held[:, 0] = True
    workers, switch = members(2, lanes), model(2, lanes)
    for _ in range(3):
        tensors: list[Tensor] = list(held.astype(np.float32))
        for result in all_reduce(workers, switch, tensors, block=block, trouble=trouble, seed=seed):
            assert np.array_equal(result, held.sum(0))


@settings(max_examples=40)
@given(problems, st.lists(st.integers(1, 5), min_size=8, max_size=8))
def test_workers_with_different_windows_still_finish(problem: dict[str, int], windows: list[int]) -> None:
    tensors = sparse(np.int32, problem["size"], problem["workers"], problem["density"], problem["seed"])
    workers, switch = members(problem["workers"], problem["lanes"]), model(problem["workers"], problem["lanes"])
    for worker, window in zip(workers, windows, strict=False):
        worker._state.window["size"] = window
        worker._state.window["period_began"] = 0.0
    found = all_reduce(workers, switch, tensors, trouble=problem["trouble"], seed=problem["seed"])
    assert found
    for result in found:
        assert np.array_equal(result, wrapped_sum(tensors))


def test_a_sum_with_few_bits_of_magnitude_needs_few_bits() -> None:
    tensors: list[Tensor] = [np.linspace(-1, 1, 300, dtype=np.float32)] * 9
    options: dict[str, Any] = {"width": Width.BITS_8, "block": 128}
    with pytest.raises(ValueError, match="elements of 8 bits have only 3 bits"):
        all_reduce(members(9, 1), model(9, 1), tensors, **options)
    for result in all_reduce(members(9, 1), model(9, 1), tensors, few_bits=True, **options):
        assert np.allclose(result, 9 * tensors[0], atol=9 / 8)


@settings(max_examples=80)
@given(problems, st.sampled_from(Width))
def test_float_sums_equal_the_sums_of_the_quantized_integers(problem: dict[str, int], width: Width) -> None:
    count, block = problem["workers"], problem["block"] * 32 // width.bits
    tensors = sparse(np.float32, problem["size"], count, problem["density"], problem["seed"])
    results = all_reduce(
        members(count, problem["lanes"]), model(count, problem["lanes"]), tensors, block=block, width=width,
        trouble=problem["trouble"], seed=problem["seed"],
    )  # fmt: skip
    bits = magnitude_bits(width.bits, count)
    expected = np.zeros(problem["size"], np.float32)
    for start in range(0, problem["size"], block):
        blocks = [tensor[start : start + block] for tensor in tensors]
        largest = max(float(np.abs(each).max()) for each in blocks)
        if largest:
            factor = scale(max(int(np.frexp(largest)[1]), -126) + EXPONENT_BIAS, bits)
            whole = [np.clip(np.rint(each.astype(np.float64) * factor), 1 - 2**bits, 2**bits - 1) for each in blocks]
            expected[start : start + block] = (np.sum(whole, 0) / factor).astype(np.float32)
    assert results
    for result in results:
        assert np.array_equal(result, expected)


@settings(max_examples=40)
@given(problems, st.sampled_from([Operation.MAX, Operation.MIN]))
def test_zeros_count_in_a_maximum_or_minimum(problem: dict[str, int], operation: Operation) -> None:
    """Also zeros in blocks that are zero on one worker only."""
    tensors = sparse(np.int32, problem["size"], problem["workers"], problem["density"], problem["seed"])
    results = all_reduce(
        members(problem["workers"], problem["lanes"]), model(problem["workers"], problem["lanes"]), tensors,
        block=problem["block"], operation=operation, trouble=problem["trouble"], seed=problem["seed"],
    )  # fmt: skip
    combine = np.maximum if operation is Operation.MAX else np.minimum
    assert results
    for result in results:
        assert np.array_equal(result, combine.reduce(tensors))


@given(st.integers(1, 8), st.integers(0, 2**32 - 1))
def test_padded_contributions_are_at_most_the_headroom_shorter_than_their_results(workers: int, seed: int) -> None:
    """So a leaf on BMv2 can forward them."""
    where: dict[str, Any] = {"job": JOB, "workers": workers, "epoch": EPOCH, "lanes": 2, "leaf": True, "limited": True}
    ends = [Lanes(worker=i, **where) for i in range(workers)]
    switch = model(workers, 2)

    def watched(sender: Node, payload: bytes) -> list[tuple[Node, bytes]]:
        answers = switch.switches["switch"](sender, payload)
        assert len({worker for worker, _ in answers}) == len(answers), "split"
        return answers

    tensors = sparse(np.int32, 3000, workers, 0.01, seed)
    for result in all_reduce(ends, Fabric({"switch": watched}, switch.homes), tensors):
        assert np.array_equal(result, wrapped_sum(tensors))


def test_a_loss_free_network_needs_no_retransmission_and_no_more_rounds_than_blocks() -> None:
    """One opening round, then one for each non-zero block of the fullest column."""
    tensor = np.zeros(8 * 32 * 10, np.int32)
    tensor[[0, 32 * 8, 32 * 8 * 9 + 5]] = 1  # column 0 has three blocks that are not zero
    workers = members(2, 1)
    all_reduce(workers, model(2, 1), [tensor, np.zeros_like(tensor)])
    for worker in workers:
        assert worker.statistics["packets_sent"] == 4
        assert worker.statistics["retransmissions"] == 0


def rounds_of(workers: list[Lanes]) -> int:
    """The rounds of each worker so far, over all lanes."""
    (packets,) = {worker.statistics["packets_sent"] for worker in workers}
    return packets


@pytest.mark.parametrize("kind", [np.float32, np.int32])
def test_a_repeated_small_call_takes_one_round(kind: type) -> None:
    workers, switch = members(3, 4), model(3, 4)
    tensors: list[Tensor] = [np.full(PACKET_ELEMENTS - 5, i + 1, kind) for i in range(3)]
    # The exponents of integers need no agreement.
    first = 1 if kind is np.int32 else 2
    for call in range(3):
        for result in all_reduce(workers, switch, tensors):
            assert (result == 6).all()
        assert rounds_of(workers) == first + call


def test_a_second_round_follows_when_exponents_change() -> None:
    workers, switch = members(2, 2), model(2, 2)
    one, other = (np.ones(PACKET_ELEMENTS, np.float32) for _ in range(2))
    all_reduce(workers, switch, [one, other])
    for factor, rounds in ((np.float32(4), 2), (np.float32(0.001), 2), (np.float32(1), 1)):
        before = rounds_of(workers)
        other[5] *= factor
        for result in all_reduce(workers, switch, [one, other]):
            assert np.array_equal(result, one + other)
        assert rounds_of(workers) - before == rounds


calls = st.lists(
    st.tuples(st.sampled_from([0.0, 0.1, 1.0]), st.sampled_from([0, 1, 30]), st.integers(0, 99)),
    min_size=2,
    max_size=5,
)


@settings(max_examples=60)
@given(problems, calls, st.sampled_from([Width.BITS_32, Width.BITS_16]))
def test_remembered_exponents_change_no_sum(
    problem: dict[str, int], calls: list[tuple[float, int, int]], width: Width
) -> None:
    """Repeated calls of one kind, large and small ones in turn, give the same results as first calls."""
    count, lanes = problem["workers"], problem["lanes"]
    block = problem["block"] * 32 // width.bits
    workers, switch = members(count, lanes), model(count, lanes)
    for density, smaller, seed in calls:
        tensors = sparse(np.float32, problem["size"], count, density, seed)
        for tensor in tensors:
            np.ldexp(tensor, -smaller, out=tensor)
        alone = all_reduce(members(count, lanes), model(count, lanes), tensors, block=block, width=width)
        results = all_reduce(
            workers, switch, tensors, block=block, width=width, trouble=problem["trouble"], seed=problem["seed"]
        )
        for result in results:
            assert np.array_equal(result, alone[0])


def test_a_block_that_has_become_zero_everywhere_is_no_longer_sent() -> None:
    workers, switch = members(2, 1), model(2, 1)
    ones, zeros = (np.full(PACKET_ELEMENTS, value, np.float32) for value in (1, 0))
    sent = []
    for tensor in (ones, ones, zeros, zeros):
        before = workers[0].statistics["bytes_sent"]
        all_reduce(workers, switch, [tensor, tensor])
        sent.append(workers[0].statistics["bytes_sent"] - before)
    assert sent[3] < sent[2]


def test_workers_with_different_remembered_exponents_get_an_error() -> None:
    workers, switch = members(2, 1), model(2, 1)
    tensor = np.ones(PACKET_ELEMENTS, np.float32)
    all_reduce(workers, switch, [tensor, tensor])
    workers[1].small(Call.of(tensor).signature).work.content.plan.agreed[:] += 1
    with pytest.raises(Disagreement):
        all_reduce(workers, switch, [tensor, tensor])


@pytest.mark.parametrize("block", BLOCK_WORDS)
def test_zero_blocks_are_not_sent(block: int) -> None:
    tensor = np.zeros(32 * 1024, np.float32)
    tensor[5 * block] = 1.0
    workers = members(2, 4)
    all_reduce(workers, model(2, 4), [tensor, np.zeros_like(tensor)], block=block)
    holder, other = (worker.statistics for worker in workers)
    assert holder["bytes_sent"] - other["bytes_sent"] == 4 * block


def test_no_column_delays_the_others() -> None:
    """Without assigned chunks, the fullest of 128 columns of random blocks would have far more than its share."""
    held = np.random.default_rng(0).random((256, 128)) < 0.3
    tensor = np.repeat(held.reshape(-1), 32).astype(np.int32)
    world = World([Port(2.5e6)])
    job = Job(world, 1, 16, [tensor], calls=1)
    world.run(60.0, lambda: job.done)
    assert np.array_equal(job.targets[0], tensor)
    rounds = job.lanes[0]._state.lanes["round"] + 1
    columns = held.sum(0)
    assert columns.max() >= 1.2 * columns.mean()
    assert rounds.max() <= 1.1 * rounds.mean()


def test_an_empty_array_needs_no_network() -> None:
    worker = members(4, 2)[0]
    start(worker, np.zeros(0, np.float32))
    assert worker.done
    assert len(worker.outgoing()[1]) == 0


@settings(max_examples=60)
@given(
    st.integers(1, 4),
    st.sampled_from([100, 700, 5000]),
    st.sampled_from(list(Width)),
    st.lists(st.tuples(st.integers(0, 3), st.integers(0, 4999), st.sampled_from([np.nan, -np.nan, np.inf, -np.inf]))),
    st.sampled_from([0.0, 0.2]),
    st.integers(0, 2**32 - 1),
)
def test_only_a_block_that_is_not_finite_on_some_worker_becomes_nan_on_all(
    size: int, length: int, width: Width, bad: list[tuple[int, int, float]], trouble: float, seed: int
) -> None:
    """Also in the second and third call, which begin with the previous exponents."""
    draw = np.random.default_rng(seed)
    held = draw.random((size, length)) < draw.choice([0.01, 0.5])
    clean = list((held * draw.standard_normal((size, length)) * 1e30).astype(np.float32))
    spoiled = [tensor.copy() for tensor in clean]
    block = block_sizes(width)[0]
    nan = np.zeros(length, bool)
    for worker, at, value in bad:
        first = at % length // block * block
        spoiled[worker % size][at % length] = value
        nan[first : first + block] = True
    # Finite blocks are the same as next to blocks of zeros.
    expected = all_reduce(
        members(size, 4), model(size, 4), [np.where(nan, np.float32(0), tensor) for tensor in clean],
        width=width, block=block,
    )  # fmt: skip
    workers, switch = members(size, 4), model(size, 4)
    for number, tensors in enumerate((spoiled, clean, spoiled)):
        totals = all_reduce(
            workers, switch, tensors, trouble=trouble, seed=seed, number=number, width=width, block=block
        )
        for lanes, total in zip(workers, totals, strict=True):
            where = nan if tensors is spoiled else np.zeros(length, bool)
            assert lanes.finite == (not where.any())
            assert np.array_equal(np.isnan(total), where)
            assert np.array_equal(total[~nan], expected[0][~nan])


def test_results_of_rounds_that_were_not_sent_are_ignored() -> None:
    """Results of forty rounds in one batch, which can only be forged."""
    worker, tensor = members(1, 1)[0], np.arange(40 * 256, dtype=np.int32)
    start(worker, tensor)
    payloads, rows, lengths = worker.outgoing()
    result = Packet.decode(payloads[rows[0], : lengths[0]].tobytes())
    batch = np.zeros((40, MAX_PAYLOAD), np.uint8)
    for number, row in enumerate(batch):
        forged = replace(result, kind=Kind.RESULT, round=number).encode()
        row[: len(forged)] = np.frombuffer(forged, np.uint8)
    worker.receive(batch, np.full(40, lengths[0], np.int32), 1.0)
    _, rows, _ = worker.outgoing()
    assert rows.tolist() == [0]
    assert worker.statistics["ignored"] == 39


def test_answers_without_the_workers_secret_are_ignored() -> None:
    worker = Lanes(job=JOB, worker=0, workers=1, epoch=EPOCH, lanes=1, secret=7)
    start(worker, np.ones(256, np.int32))
    payloads, rows, lengths = worker.outgoing()
    sent = Packet.decode(payloads[rows[0], : lengths[0]].tobytes())
    assert sent.secret == 7
    for kind, epoch in ((Kind.RESULT, EPOCH), (Kind.CONFLICT, EPOCH), (Kind.MISSING, EPOCH), (Kind.EPOCH, EPOCH + 1)):
        deliver(worker, replace(sent, kind=kind, epoch=epoch, secret=8))
    assert worker.statistics["ignored"] == 4
    assert worker.missing == 0
    with pytest.raises(EpochChanged):
        deliver(worker, replace(sent, kind=Kind.EPOCH, epoch=EPOCH + 1))


@pytest.mark.parametrize(
    "other", [{"job": JOB + 1}, {"epoch": EPOCH - 1}, {"epoch": EPOCH + 1}, {"round": 1}, {"lane": 1}]
)
@pytest.mark.parametrize("kind", [Kind.RESULT, Kind.CONFLICT, Kind.MISSING])
def test_answers_to_other_contributions_are_ignored(kind: Kind, other: dict[str, Any]) -> None:
    """Answers to another job, epoch, round or lane, with this worker's secret."""
    worker = Lanes(job=JOB, worker=0, workers=1, epoch=EPOCH, lanes=1, secret=7)
    start(worker, np.ones(256, np.int32))
    (contribution,) = sent(worker)
    deliver(worker, replace(contribution, kind=kind, workers=1, **other))
    assert worker.statistics["ignored"] == 1
    assert worker.missing == 0
    assert not worker.outgoing()[1].size


ALL = (1 << 32) - 1


@pytest.mark.parametrize(
    ("union", "column", "named"),
    [(0, 0, 1), (0, 0, 32), (0, 1, 0), (ALL, 0, 4), (ALL, 1, 3), (ALL, 1, 8)],
    ids=["off its step", "beyond it", "another column's", "the next chunk's", "before it", "beyond a later one"],
)
def test_a_result_that_names_a_block_outside_its_columns_chunk_ends_the_call(
    union: int, column: int, named: int
) -> None:
    """Columns have every eighth block, or four neighbouring ones."""
    worker = members(1, 1)[0]
    start(
        worker,
        np.ones(32 * 32, np.int32),
        expected=32 if union else 0,
        union=union.to_bytes(8, "little") if union else b"",
    )
    (contribution,) = sent(worker)
    columns = list(contribution.columns)
    columns[column] = replace(columns[column], next=named)
    with pytest.raises(Disagreement):
        deliver(worker, replace(contribution, kind=Kind.RESULT, columns=tuple(columns)))


def test_a_result_that_names_a_block_of_an_earlier_call_ends_the_call() -> None:
    """In a column that begins without a chunk."""
    worker, fabric = members(1, LANES)[0], model(1, LANES)
    tensor = np.ones(300_000, np.float32)
    all_reduce([worker], fabric, [tensor])
    earlier = int(worker._state.lanes["first"][-1, 0])
    start(worker, tensor)
    contribution = sent(worker)[-1]
    assert contribution.lane == LANES - 1
    assert contribution.columns[0].next == NO_BLOCK
    columns = replace(contribution.columns[0], next=earlier), *contribution.columns[1:]
    with pytest.raises(Disagreement):
        deliver(worker, replace(contribution, kind=Kind.RESULT, columns=columns))


def test_a_result_of_another_form_or_of_data_that_was_not_requested_ends_the_call() -> None:
    for wrong in ({"operation": Operation.MAX}, {"width": Width.BITS_16}, {"data": {0: np.ones(32, np.int32)}}):
        worker = members(1, 1)[0]
        start(worker, np.ones(64, np.float32))
        (contribution,) = sent(worker)
        with pytest.raises(Disagreement):
            deliver(worker, replace(contribution, kind=Kind.RESULT, **wrong))


@pytest.mark.parametrize("missing", [1, 1024, 1025])
def test_a_truncated_result_ends_the_call(missing: int) -> None:
    """In its data, and in its columns."""
    worker = members(1, 1)[0]
    start(worker, np.ones(32 * 32, np.int32))
    (contribution,) = sent(worker)
    deliver(worker, replace(contribution, kind=Kind.RESULT))
    (contribution,) = sent(worker)
    payload = replace(contribution, kind=Kind.RESULT).encode()
    row = np.zeros((1, MAX_PAYLOAD), np.uint8)
    row[0, : len(payload)] = np.frombuffer(payload, np.uint8)
    with pytest.raises(Disagreement):
        worker.receive(row, np.array([len(payload) - missing], np.int32), 0.0)
    assert not worker.done


@pytest.mark.parametrize("forged", [{"secret": 8}, {"epoch": EPOCH - 1}, {}], ids=["secret", "epoch", "none"])
def test_only_a_second_answer_to_the_worker_shows_that_it_was_impatient(forged: dict[str, Any]) -> None:
    worker = Lanes(job=JOB, worker=0, workers=1, epoch=EPOCH, lanes=1, secret=7)
    start(worker, np.ones(32 * 32, np.int32))
    (contribution,) = sent(worker)
    time_out(worker)
    result = replace(contribution, kind=Kind.RESULT)
    deliver(worker, result, worker.deadline)
    assert worker._state.lanes["maybe_spurious"][0]
    deliver(worker, replace(result, **forged), worker.deadline)
    assert worker._state.lanes["maybe_spurious"][0] == bool(forged)


def test_invalid_calls_are_refused() -> None:
    with pytest.raises(ValueError, match="float64"):
        Call.of(np.zeros(3))
    with pytest.raises(ValueError, match="int32 elements are always sent as 32 bits"):
        Call.of(np.zeros(3, np.int32), width=Width.BITS_8)
    with pytest.raises(ValueError, match=r"a block of 16-bit elements has one of \[64, 128, 256, 512\]"):
        Call.of(np.zeros(3, np.float32), width=Width.BITS_16, block=32)


@pytest.mark.parametrize(
    ("mine", "theirs"),
    [
        ({}, {"block": 64}),
        ({}, {"operation": Operation.MAX}),
        ({}, {"number": 1}),
        ({}, {"name": "broadcast from 0"}),
        ({"expected": 1, "union": b"\1" + bytes(7)}, {"expected": 2, "union": b"\1" + bytes(7)}),
        ({"expected": 1, "union": b"\1" + bytes(7)}, {"expected": 1, "union": b"\2" + bytes(7)}),
    ],
)
def test_workers_that_make_different_calls_all_get_an_error(mine: dict[str, Any], theirs: dict[str, Any]) -> None:
    workers, switch = members(2, 1), model(2, 1)
    tensor = np.ones(256, np.int32)
    heard: list[tuple[Node, bytes]] = []
    for worker, options in zip(workers, (mine, theirs), strict=True):
        start(worker, tensor, **options)
    for i, worker in enumerate(workers):
        payloads, rows, lengths = worker.outgoing()
        heard += switch.switches["switch"](i, payloads[rows[0], : lengths[0]].tobytes())
    assert {receiver for receiver, _ in heard} == {0, 1}
    for receiver, payload in heard:
        assert isinstance(receiver, int)
        with pytest.raises(Disagreement, match="1 made a different one") as caught:
            deliver(workers[receiver], Packet.decode(payload))
        assert caught.value.workers == 0b10


def test_a_rehearsal_needs_no_network() -> None:
    Lanes.rehearse()


def start(worker: Lanes, tensor: Tensor, **options: Any) -> None:
    worker.begin(Call.of(tensor, **options), Source.of(tensor), Target.new(len(tensor)), 0.0)


def time_out(worker: Lanes) -> float:
    """Lets the worker's next timeout pass, without probes before it. Returns the time."""
    worker._state.call["next_probe"] = np.inf
    worker.expire(now := worker.deadline)
    return now


def waiting_worker() -> Lanes:
    worker = members(2, 1)[0]
    start(worker, np.ones(64, np.int32))
    worker.outgoing()
    return worker


def deliver(worker: Lanes, packet: Packet, now: float = 0.0) -> None:
    deliver_all(worker, [packet], now)


def deliver_all(worker: Lanes, packets: list[Packet], now: float = 0.0) -> None:
    """Delivers packets that arrive together."""
    payloads = [packet.encode() for packet in packets]
    rows = np.zeros((len(payloads), MAX_PAYLOAD), np.uint8)
    for row, payload in zip(rows, payloads, strict=True):
        row[: len(payload)] = np.frombuffer(payload, np.uint8)
    worker.receive(rows, np.array([len(payload) for payload in payloads], np.int32), now)


def test_a_changed_epoch_ends_the_collective() -> None:
    with pytest.raises(EpochChanged, match="membership"):
        deliver(waiting_worker(), Packet(Kind.EPOCH, JOB, 0, EPOCH + 1, 0, 0))


def test_an_exception_at_any_function_call_while_lanes_enter_an_epoch_changes_nothing() -> None:
    (lanes,), fabric = members(1, LANES), model(1, LANES)
    tensor = np.ones(10, np.int32)
    for point in count(1):
        try:
            with Interrupted(point):
                lanes.enter(EPOCH + 1, 2, LANES)
        except TimeoutError:
            assert (lanes.epoch, lanes.workers) == (EPOCH, 1)
            assert all_reduce([lanes], fabric, [tensor])[0].tolist() == tensor.tolist()
        else:
            break
    assert (lanes.epoch, lanes.workers) == (EPOCH + 1, 2)
    assert point > 3


def test_a_late_packet_about_an_earlier_epoch_does_not() -> None:
    deliver(waiting_worker(), Packet(Kind.EPOCH, JOB, 0, EPOCH - 1, 0, 0))


def test_the_missing_worker_is_known() -> None:
    worker = waiting_worker()
    deliver(worker, Packet(Kind.MISSING, JOB, 0, EPOCH, 0, 0, workers=0b10))
    assert worker.missing == 0b10


def test_a_worker_that_only_a_higher_lane_waits_for_is_not_missing() -> None:
    """Its window may be smaller: it sends that lane later."""
    worker = Lanes(job=JOB, worker=0, workers=3, epoch=EPOCH, lanes=2)
    start(worker, np.ones(2 * 8 * 32 * 64, np.int32))
    worker.outgoing()
    worker._state.lanes["waiting"] = True
    deliver(worker, Packet(Kind.MISSING, JOB, 1, EPOCH, 0, 0, workers=0b110))
    assert worker.missing == 0
    deliver(worker, Packet(Kind.MISSING, JOB, 0, EPOCH, 0, 0, workers=0b010))
    assert worker.missing == 0b010


@given(st.binary(max_size=MAX_PAYLOAD))
def test_foreign_packets_are_ignored(noise: bytes) -> None:
    worker = waiting_worker()
    row = np.zeros((1, MAX_PAYLOAD), np.uint8)
    row[0, : len(noise)] = np.frombuffer(noise, np.uint8)
    worker.receive(row, np.array([len(noise)], np.int32), 0.0)
    assert not worker.done
    assert worker.statistics["ignored"] == 1


def test_retransmissions_back_off() -> None:
    worker = waiting_worker()
    waits = []
    for _ in range(BACKOFF_AFTER + 2):
        now = time_out(worker)
        payloads, rows, lengths = worker.outgoing()
        assert len(rows) == 1
        assert Packet.decode(payloads[rows[0], : lengths[0]].tobytes()).kind is Kind.CONTRIBUTION
        waits.append(worker.deadline - now)
    once = INITIAL_TIMEOUT + INITIAL_DRAIN * worker._state.call["in_flight"][0]
    assert waits == pytest.approx([*[once] * BACKOFF_AFTER, 2 * once, 3 * once])


def test_a_contribution_that_was_lost_does_not_back_off() -> None:
    """The others wait for it."""
    worker = waiting_worker()
    for _ in range(BACKOFF_AFTER + 3):
        now = time_out(worker)
        worker.outgoing()
    wait = worker.deadline - now
    tell(worker, Kind.MISSING, 0b01, now=now)
    now = time_out(worker)
    assert [packet.kind for packet in sent(worker)] == [Kind.CONTRIBUTION]
    assert worker.deadline - now < wait / 2


def test_retransmissions_do_not_back_off_while_results_arrive() -> None:
    worker, *_ = stalled(2)
    for _ in range(BACKOFF_AFTER + 3):
        now = time_out(worker)
        worker.outgoing()
    wait = worker.deadline - now
    worker._state.call["last_progress"] = worker.deadline - wait / 4
    now = time_out(worker)
    assert worker.deadline - now < wait / 2


def stalled(lanes: int) -> tuple[Lanes, Lanes, Fabric]:
    """A worker that has contributed to all lanes, another one that has not sent its contributions yet, and their
    switch. An earlier call has opened their windows."""
    workers, switch = members(2, lanes), model(2, lanes)
    tensor = np.ones(lanes * PACKET_ELEMENTS, np.float32)
    all_reduce(workers, switch, [tensor, tensor])
    for worker in workers:
        start(worker, tensor, number=1, name="another")
    assert repeated(workers[0], switch, 0.0) == list(range(lanes))
    return workers[0], workers[1], switch


def repeated(worker: Lanes, switch: Fabric, now: float) -> list[int]:
    """The lanes whose contributions the worker sends at that time, without probes. The switch answers at once with the
    missing workers."""
    worker._state.call["next_probe"] = np.inf
    return expired(worker, switch, now)


def expired(worker: Lanes, switch: Fabric, now: float) -> list[int]:
    """The lanes that the worker sends on when timers and probes are due. The switch answers at once."""
    worker.expire(now)
    payloads, rows, lengths = worker.outgoing()
    for row, length in zip(rows, lengths, strict=True):
        for _, answer in switch.switches["switch"](worker.worker, payloads[row, :length].tobytes()):
            deliver(worker, Packet.decode(answer), now)
    return [int(row) for row in rows]


@pytest.mark.parametrize("lanes", [PROBES + 1, 16])
def test_in_silence_of_contributions_the_switch_has_only_the_lowest_lanes_is_retransmitted(lanes: int) -> None:
    worker, _, switch = stalled(lanes)
    told: set[int] = set()
    now = 0.0
    while len(told) < lanes:
        now += 10.0
        lowest, *others = repeated(worker, switch, now)
        assert lowest == 0
        assert told.isdisjoint(others)
        assert 1 <= len({lowest, *others} - told) <= PROBES
        told |= {lowest, *others}
    assert repeated(worker, switch, now + 10.0) == [0]


@given(st.integers(PROBES + 1, 16), st.sets(st.integers(0, 15)))
def test_in_silence_only_a_few_unconfirmed_contributions_are_retransmitted(lanes: int, told: set[int]) -> None:
    worker, _, _ = stalled(lanes)
    told &= set(range(lanes))
    for lane in told:
        tell(worker, Kind.MISSING, 0b10, lane)
    worker._state.call["next_probe"] = np.inf
    worker.expire(10.0)
    sent = set(worker.outgoing()[1].tolist())
    assert sent & told <= {0} <= sent
    assert min(PROBES, lanes - len(told)) - 1 <= len(sent - told) <= PROBES


@pytest.mark.parametrize("lanes", range(1, PROBES + 1))
def test_a_job_of_few_lanes_retransmits_all(lanes: int) -> None:
    worker, _, switch = stalled(lanes)
    for now in (10.0, 20.0):
        assert repeated(worker, switch, now) == list(range(lanes))


def test_while_results_arrive_everything_overdue_is_retransmitted() -> None:
    """Also contributions that the switch has: the result may have been lost."""
    worker, other, switch = stalled(3)
    assert repeated(worker, switch, 10.0) == [0, 1, 2]
    payloads, _, lengths = other.outgoing()
    (_, result), _ = switch.switches["switch"](1, payloads[2, : lengths[2]].tobytes())
    deliver(worker, Packet.decode(result), 20.0)
    assert worker.outgoing()[1].tolist() == [2]
    assert repeated(worker, switch, 20.0) == [0, 1]


@pytest.mark.parametrize("made", [False, True])
def test_probes_in_silence_become_rare(made: bool) -> None:
    """Nothing was lost: another worker is slow. Until a result shows that it has made the call, only the lowest lane
    matters; then each lane, until the switch has reported to hold it."""
    worker, _, switch = stalled(16)
    worker._state.window["certain_rate"] = 1e6
    worker._state.call["made"], worker._state.call["next_probe"] = made, 0.0
    probes = []
    while True:
        worker._state.lanes["deadline"] = np.inf
        now = worker.deadline
        if now > 10.0:
            break
        probes.append(expired(worker, switch, now))
    assert probes[0] == (list(range(16)) if made else [0])
    assert probes[1:] == [[0]] * (len(probes) - 1)
    assert len(probes) < 20


def test_probes_that_find_no_loss_make_the_next_ones_wait_until_one_finds_a_loss() -> None:
    """Queries about what only waits for slow workers would slow these further."""
    worker, other, switch = stalled(16)
    payloads, rows, lengths = other.outgoing()

    def result(now: float) -> float:
        """The other worker contributes to one more lane. Returns the time from the result until the next probe."""
        lane = results.pop()
        worker._state.timer["median"] = 0.1
        (_, answer), _ = switch.switches["switch"](1, payloads[rows[lane], : lengths[lane]].tobytes())
        deliver(worker, Packet.decode(answer), now)
        worker._state.lanes["deadline"] = np.inf
        expired(worker, switch, now)
        return float(worker._state.call["next_probe"][0] - now)

    results = list(range(16))
    prompt = result(0.0)
    for factor in (2, 4, 8, MAX_PROBE_BACKOFF):
        now = float(worker._state.call["next_probe"][0])
        expired(worker, switch, now)
        assert result(now) == pytest.approx(factor * prompt)
    worker.expire(float(worker._state.call["next_probe"][0]))
    tell(worker, Kind.MISSING, 0b01)
    assert result(0.0) == pytest.approx(prompt)


def test_a_probe_asks_only_about_contributions_without_a_query_in_flight() -> None:
    """A slow link would carry the same query again and again, until the first answer."""
    worker, other, switch = stalled(16)
    worker._state.call["made"] = True
    worker.expire(float(worker._state.call["next_probe"][0]))
    assert worker.outgoing()[1].tolist() == list(range(16))
    payloads, rows, lengths = other.outgoing()
    (_, answer), _ = switch.switches["switch"](1, payloads[rows[15], : lengths[15]].tobytes())
    deliver(worker, Packet.decode(answer))
    assert worker.outgoing()[1].tolist() == [15]
    worker._state.lanes["deadline"] = np.inf
    worker.expire(float(worker._state.call["next_probe"][0]))
    assert worker.outgoing()[1].tolist() == [0, 15]


def test_lanes_above_the_window_are_not_retransmitted() -> None:
    """Other workers may not be active on them yet."""
    worker, _, _ = stalled(16)
    worker._state.call["active"] = 5
    worker._state.call["last_progress"] = 10.0
    worker.expire(10.0)
    assert worker.outgoing()[1].tolist() == [0, 1, 2, 3, 4]


def sent(worker: Lanes) -> list[Packet]:
    """The packets that the worker sends now."""
    payloads, rows, lengths = worker.outgoing()
    return [Packet.decode(payloads[row, :length].tobytes()) for row, length in zip(rows, lengths, strict=True)]


def story(*losses: Callable[[Packet], bool], lanes: int = 4 * MANY) -> list[list[tuple[Kind, int, int]]]:
    """Lets two workers reduce over a network on which no time passes, so that no timer goes off. It loses the first
    packet that fits each of `losses`, one after the other.

    Returns:
        For each worker, the packets from and to it on the lane and in the round of the first loss: the kind, the number
        of columns, and for a report the missing workers.
    """
    workers, switch = members(2, lanes), model(2, lanes)
    tensor = np.ones(lanes * PACKET_ELEMENTS * 8, np.int32)
    all_reduce(workers, switch, [tensor, tensor])
    for worker in workers:
        start(worker, tensor, number=1, name="another")
    left = list(losses)
    seen: list[tuple[int, Packet]] = []
    lost: list[Packet] = []

    def passes(packet: Packet) -> bool:
        seen.append((packet.worker, packet))
        if left and left[0](packet):
            left.pop(0)
            lost.append(packet)
            return False
        return True

    while not all(worker.done for worker in workers):
        packets = [packet for worker in workers for packet in sent(worker)]
        assert packets, "only a timer could go on"
        for packet in filter(passes, packets):
            for _, payload in switch.switches["switch"](packet.worker, packet.encode()):
                answer = Packet.decode(payload)
                if passes(answer):
                    deliver(workers[answer.worker], answer)
    assert not left
    place = lost[0].lane, lost[0].round
    about = [(worker, each) for worker, each in seen if (each.lane, each.round) == place]
    return [
        [
            (each.kind, len(each.columns), each.workers if each.kind is Kind.MISSING else 0)
            for worker, each in about
            if worker == own
        ]
        for own in range(2)
    ]


def has_data(kind: Kind, packet: Packet) -> bool:
    return packet.worker == 0 and packet.kind is kind and bool(packet.data) and packet.lane == 2


CONTRIBUTION, RESULT = (Kind.CONTRIBUTION, COLUMNS, 0), (Kind.RESULT, COLUMNS, 0)
ASKS_WHO_IS_MISSING, ASKS_FOR_THE_RESULT = (Kind.QUERY, 0, 0), (Kind.QUERY, COLUMNS, 0)


def test_a_lost_contribution_is_sent_again_as_soon_as_the_switch_misses_it() -> None:
    """Results of later contributions show the loss, without a timer. The others only ask."""
    loser, other = story(partial(has_data, Kind.CONTRIBUTION))
    assert loser == [CONTRIBUTION, ASKS_WHO_IS_MISSING, (Kind.MISSING, 0, 0b01), CONTRIBUTION, RESULT]
    assert other == [CONTRIBUTION, ASKS_WHO_IS_MISSING, (Kind.MISSING, 0, 0b01), RESULT]


def test_a_lost_result_is_asked_for_without_the_data() -> None:
    """It comes in two parts, because the query is short."""
    loser, other = story(partial(has_data, Kind.RESULT))
    asked = [ASKS_WHO_IS_MISSING, (Kind.MISSING, 0, 0), ASKS_FOR_THE_RESULT]
    assert loser == [CONTRIBUTION, RESULT, *asked, RESULT, RESULT]
    assert other == [CONTRIBUTION, RESULT]


@pytest.mark.parametrize("lost", [Kind.QUERY, Kind.MISSING])
def test_if_a_query_has_no_answer_the_contribution_is_sent_again(lost: Kind) -> None:
    loser, _ = story(partial(has_data, Kind.CONTRIBUTION), lambda each: each.worker == 0 and each.kind is lost)
    assert [kind for kind, *_ in loser if kind is not Kind.MISSING] == [
        Kind.CONTRIBUTION,
        Kind.QUERY,
        Kind.CONTRIBUTION,
        Kind.RESULT,
    ]


def test_the_order_of_answers_that_arrive_together_shows_no_loss() -> None:
    """Senders and receivers sort a batch, by length for example."""
    lanes = 4 * MANY
    (worker,), switch = members(1, lanes), model(1, lanes)
    start(worker, np.ones(lanes * PACKET_ELEMENTS * 8, np.int32))
    while not worker.done:
        answers = [answer for packet in sent(worker) for answer in switch.switches["switch"](0, packet.encode())]
        deliver_all(worker, [Packet.decode(payload) for _, payload in reversed(answers)])
    assert worker.statistics["queries"] + worker.statistics["retransmissions"] == 0


def overdue(worker: Lanes) -> list[Kind]:
    """What the worker sends when all its contributions are overdue, by lane."""
    worker._state.call["next_probe"] = np.inf
    worker.expire(now := 10.0 + float(worker._state.lanes["deadline"].max()))
    assert worker.deadline > now
    return [packet.kind for packet in sorted(sent(worker), key=lambda each: each.lane)]


def tell(worker: Lanes, kind: Kind, workers: int = 0, lane: int = 0, now: float = 0.0) -> None:
    """The switch answers about the lane's contribution."""
    packet = Packet(kind, JOB, lane, EPOCH, int(worker._state.lanes["round"][lane]), worker.worker, workers=workers)
    deliver(worker, packet, now)


def test_of_few_contributions_in_flight_one_is_sent_again_at_once() -> None:
    """A query would cost a round trip, and the link has room."""
    worker, *_ = stalled(MANY - 1)
    assert overdue(worker) == [Kind.CONTRIBUTION] * (MANY - 1)


def test_over_several_switches_a_query_always_comes_first() -> None:
    """For each contribution of a complete rack, a leaf sends the rack's share up again."""
    worker = Lanes(job=JOB, worker=0, workers=2, epoch=EPOCH, lanes=1, leaf=True)
    start(worker, np.ones(64, np.int32))
    sent(worker)
    assert overdue(worker) == [Kind.QUERY]
    assert overdue(worker) == [Kind.CONTRIBUTION]


def test_a_contribution_is_sent_again_once_answers_to_later_packets_show_that_its_query_was_lost() -> None:
    """Without any answer, all may be in a queue of a slow link. Only the lowest lane's is sent again: the switch does
    not answer about a round that no worker has reached."""
    worker, *_ = stalled(MANY)
    assert overdue(worker) == [Kind.QUERY] * MANY
    assert overdue(worker) == [Kind.CONTRIBUTION] + [Kind.QUERY] * (MANY - 1)
    tell(worker, Kind.WAITING, lane=2)
    worker._state.call["in_flight"] = MANY  # With fewer in flight, it sends each again at once.
    assert overdue(worker) == [Kind.QUERY, Kind.CONTRIBUTION, Kind.QUERY, Kind.QUERY]


@pytest.mark.parametrize("report", [(Kind.MISSING, 0b10), (Kind.WAITING, 0)], ids=["others", "other switches"])
def test_a_contribution_that_the_switch_has_is_only_asked_about(report: tuple[Kind, int]) -> None:
    """Even of few: only the result can have been lost."""
    worker, *_ = stalled(MANY - 1)
    tell(worker, *report, lane=1)
    for _ in range(3):
        assert overdue(worker) == [Kind.CONTRIBUTION, Kind.QUERY, Kind.CONTRIBUTION]


def test_a_leafs_worker_sends_its_contribution_again_when_the_rack_s_share_was_lost() -> None:
    worker, *_ = stalled(MANY - 1)
    tell(worker, Kind.WAITING)
    assert overdue(worker)[0] is Kind.QUERY
    tell(worker, Kind.MISSING, 0b01)
    assert [packet.kind for packet in sent(worker)] == [Kind.CONTRIBUTION]
    assert overdue(worker)[0] is Kind.QUERY


def test_what_waits_for_other_switches_names_no_missing_worker() -> None:
    worker = waiting_worker()
    tell(worker, Kind.MISSING, 0b10)
    tell(worker, Kind.WAITING)
    assert worker.missing == 0
