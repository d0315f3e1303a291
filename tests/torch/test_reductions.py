"""What is added up, in the switch or on the hosts, against numpy."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from torch.distributed import AllreduceOptions, ReduceOp, ReduceOptions, ReduceScatterOptions

from dropzero.torch.options import Options
from dropzero.torch.process_group import Group
from dropzero.torch.rules import way
from tests.support.loopback import HOST
from tests.torch.groups import DTYPES, JOBS, in_group, tensors

SIZE = 3
NUMPY: dict[Any, Callable[..., Any]] = {
    ReduceOp.SUM: np.sum,
    ReduceOp.AVG: np.mean,
    ReduceOp.PRODUCT: np.prod,
    ReduceOp.MIN: np.min,
    ReduceOp.MAX: np.max,
    ReduceOp.BAND: np.bitwise_and.reduce,
    ReduceOp.BOR: np.bitwise_or.reduce,
    ReduceOp.BXOR: np.bitwise_xor.reduce,
}


def options(op: Any, kind: Any = AllreduceOptions, **others: Any) -> Any:
    made = kind()
    made.reduceOp = op if isinstance(op, ReduceOp) else ReduceOp(op)
    for name, value in others.items():
        setattr(made, name, value)
    return made


def expected(op: Any, given: list[torch.Tensor]) -> torch.Tensor:
    """In the type that numpy has for it, which is wide enough."""
    dtype = given[0].dtype
    if dtype.is_complex:
        return torch.view_as_complex(expected(op, [torch.view_as_real(each) for each in given]))
    wide = [each.to(torch.float64 if dtype.is_floating_point else torch.int64).numpy() for each in given]
    found = NUMPY[op](np.stack(wide), axis=0)
    if dtype == torch.bool:
        return torch.from_numpy(np.asarray(found)) != 0
    return torch.from_numpy(np.asarray(found)).to(dtype)


def possible() -> list[tuple[Any, torch.dtype]]:
    found = []
    for op in NUMPY:
        for dtype in DTYPES:
            try:
                way(ReduceOp(op), dtype)
            except TypeError:
                continue
            found.append((op, dtype))
    return found


def test_every_operation_of_every_type_is_what_numpy_says(controller: str) -> None:
    """All in one job: all_reduce, and the others with the same operation."""

    def work(group: Group) -> None:
        me = group.rank()
        for number, (op, dtype) in enumerate(possible()):
            what = f"{op} of {dtype}"
            given = tensors(SIZE, (2, SIZE, 5), dtype, number)
            right = expected(op, given)
            mine = given[me].clone()
            group.allreduce([mine], options(op)).wait()
            assert mine.dtype == dtype
            assert torch.equal(mine, right), what

            mine = given[me].clone()
            group.reduce([mine], options(op, ReduceOptions, rootRank=1)).wait()
            assert torch.equal(mine, right if me == 1 else given[me]), what

            mine, rows = torch.zeros(2, 5, dtype=dtype), given[me].transpose(0, 1)
            group.reduce_scatter([mine], [list(rows)], options(op, ReduceScatterOptions)).wait()
            assert torch.equal(mine, right[:, me]), what

            mine, whole = torch.zeros(2, 5, dtype=dtype), given[me].transpose(0, 1).contiguous()
            group.reduce_scatter_single(mine, whole, options(op, ReduceScatterOptions)).wait()
            assert torch.equal(mine, right[:, me]), what

    in_group(controller, work)
    assert len(possible()) == 8 * 12 - 3 * 4 - 2 * 6 - 1


def test_random_floats_are_rounded_and_the_same_bits_on_all_ranks(controller: str) -> None:
    given = [torch.randn(5000, generator=torch.Generator().manual_seed(rank)) for rank in range(SIZE)]

    def work(group: Group) -> list[torch.Tensor]:
        results = []
        for dtype in (torch.float32, torch.bfloat16, torch.float16, torch.float64):
            mine = given[group.rank()].to(dtype, copy=True)
            group.allreduce([mine], options(ReduceOp.SUM)).wait()
            results.append(mine)
        return results

    first, *others = in_group(controller, work)
    assert all(torch.equal(mine, theirs) for other in others for mine, theirs in zip(first, other, strict=True))
    for total, digits in zip(first, (1e-6, 4e-2, 4e-3, 1e-12), strict=True):
        right = sum(each.to(total.dtype).double() for each in given)
        torch.testing.assert_close(total.double(), right, rtol=digits, atol=digits)


def test_integers_wrap_around(controller: str) -> None:
    def work(group: Group) -> None:
        for dtype in (torch.int8, torch.uint8, torch.int16, torch.int32, torch.int64):
            largest = torch.full((3,), torch.iinfo(dtype).max, dtype=dtype)
            mine = largest.clone()
            group.allreduce([mine]).wait()
            assert torch.equal(mine, largest + largest + largest), dtype

    in_group(controller, work)


def test_premultiplied_sums(controller: str) -> None:
    def work(group: Group) -> None:
        for dtype in (torch.float32, torch.float16, torch.float64):
            for factor in (0.5, torch.tensor([0.5])):
                mine = torch.arange(6, dtype=dtype)
                op = torch.distributed._make_nccl_premul_sum(factor)
                group.allreduce([mine], options(op)).wait()
                assert torch.equal(mine, 1.5 * torch.arange(6, dtype=dtype))

    in_group(controller, work)


def test_several_tensors_in_one_call(controller: str) -> None:
    def work(group: Group) -> None:
        for dtype in (torch.float32, torch.bfloat16, torch.int64):
            several = [torch.full(shape, group.rank() + 1).to(dtype) for shape in ((3,), (2, 40), ())]
            group.allreduce_coalesced(several).wait()
            for each in several:
                assert torch.equal(each, torch.full_like(each, 6))

    in_group(controller, work)


def test_tensors_that_are_not_contiguous_or_empty_or_part_of_a_graph(controller: str) -> None:
    def work(group: Group) -> None:
        columns = torch.ones(4, 6)
        group.allreduce([columns[:, ::2]]).wait()
        assert torch.equal(columns, torch.tensor([3.0, 1.0] * 3).expand(4, 6))
        group.allreduce([torch.zeros(0)]).wait()
        leaf = torch.ones(3, requires_grad=True)
        group.allreduce([leaf]).wait()
        assert leaf.tolist() == [3.0] * 3

    in_group(controller, work)


def test_conjugates_and_what_is_negated_are_reduced_as_what_they_stand_for(controller: str) -> None:
    """PyTorch only marks them: their memory has the numbers themselves."""

    def work(group: Group) -> None:
        numbers = torch.tensor([1 + 2j, 3 - 1j])
        conjugates = numbers.conj()
        group.reduce_scatter([torch.zeros(2, dtype=numbers.dtype)], [[conjugates] * SIZE]).wait()
        group.allreduce([conjugates], options(ReduceOp.SUM)).wait()
        assert conjugates.tolist() == [3 - 6j, 9 + 3j]
        assert numbers.tolist() == [3 + 6j, 9 - 3j]
        negated = torch.tensor([1 + 2j]).conj().imag
        assert negated.is_neg()
        group.allreduce([negated], options(ReduceOp.SUM)).wait()
        group.broadcast(negated, root=1).wait()
        assert negated.tolist() == [-6.0]

    in_group(controller, work)


def test_what_was_reduced_may_still_be_resized(controller: str) -> None:
    """As FSDP frees its gathered parameters, and PyTorch's PowerSGD enlarges its buckets."""

    def work(group: Group) -> None:
        for call in (group.allreduce, group.broadcast):
            mine = torch.ones(3)
            call([mine]).wait()
            mine.resize_(1000)

    in_group(controller, work, 1)


def test_tensors_reduced_together_may_be_the_same(controller: str) -> None:
    def work(group: Group) -> None:
        for dtype in (torch.float32, torch.int64):
            mine = torch.full((3,), group.rank() + 1, dtype=dtype)
            group.allreduce_coalesced([mine, mine]).wait()
            assert mine.tolist() == [6] * 3

    in_group(controller, work)


def test_tensors_of_inference_mode_get_the_result(controller: str) -> None:
    def work(group: Group) -> None:
        with torch.inference_mode():
            mine = torch.ones(3, dtype=torch.bfloat16)
            group.allreduce([mine]).wait()
            rows = [[torch.zeros_like(mine) for _ in range(6)] for _ in range(2)]
            group.allgather(rows, [mine, mine]).wait()
        assert mine.tolist() == [3.0] * 3
        assert rows[1][5].tolist() == [3.0] * 3

    in_group(controller, work)


def test_sparse_tensors_are_added_up_row_by_row(controller: str) -> None:
    def work(group: Group) -> None:
        me = group.rank()
        for dtype in (torch.float32, torch.int32):
            mine = torch.sparse_coo_tensor(
                torch.tensor([[me, 5, me]]), torch.ones(3, 2, dtype=dtype), (8, 2), check_invariants=True
            )
            group.allreduce([mine]).wait()
            right = torch.zeros(8, 2, dtype=dtype)
            right[:3], right[5] = 2, 3
            assert torch.equal(mine.to_dense(), right)

    in_group(controller, work)


def test_sparse_tensors_are_added_up_in_the_order_of_the_calls(controller: str) -> None:
    """Each call sees what the one before it has made of the same tensor."""

    def work(group: Group) -> None:
        mine = torch.ones(3, 2).to_sparse(1)
        for call in [group.allreduce([mine]) for _ in range(5)]:
            call.wait()
        assert mine.to_dense().tolist() == [[float(SIZE**5)] * 2] * 3

    in_group(controller, work)


def test_sums_of_sparse_tensors_come_without_pytorchs_warnings(controller: str) -> None:
    def work(group: Group) -> None:
        mine = torch.ones(3, 2).to_sparse(1)
        group.allreduce([mine]).wait()
        assert mine._nnz() == 3

    torch.set_warn_always(True)
    try:
        with warnings.catch_warnings(action="error", category=UserWarning):
            in_group(controller, work)
    finally:
        torch.set_warn_always(False)


def test_a_call_is_over_when_its_future_is(controller: str) -> None:
    def work(group: Group) -> None:
        mine = torch.ones(4)
        call = group.allreduce([mine])
        (total,) = call.get_future().wait()
        assert total.data_ptr() == mine.data_ptr()
        assert mine.tolist() == [3.0] * 4
        assert call.is_completed()
        assert call.is_success()

    in_group(controller, work)


def test_calls_that_are_not_waited_for_are_made_in_their_order(controller: str) -> None:
    def work(group: Group) -> None:
        mine = torch.ones(1000, dtype=torch.float32)
        rows = [torch.zeros(1000) for _ in range(SIZE)]
        calls = [group.allreduce([mine]) for _ in range(5)] + [group.allgather([rows], [mine])]
        calls[-1].wait()
        assert all(call.is_completed() for call in calls)
        assert torch.equal(torch.stack(rows), torch.full((SIZE, 1000), float(SIZE**5)))

    in_group(controller, work)


def test_only_the_ranks_that_need_a_result_receive_its_data(controller: str) -> None:
    sizes = 20_000, 5_000, 15_000
    all_bytes = 4 * sum(sizes)

    def work(group: Group) -> None:
        me = group.rank()

        def received(call: Callable[..., Any], *arguments: Any) -> int:
            before = group.line.statistics["bytes_received"]
            call(*arguments).wait()
            return int(group.line.statistics["bytes_received"] - before)

        for dtype in (torch.float32, torch.complex64, torch.bfloat16):
            parts = [torch.full((size,), 1 + me, dtype=dtype) for size in sizes]
            mine, whole = torch.zeros_like(parts[me]), torch.cat(parts)
            # Complex numbers have twice as many bytes.
            most = 0.8 * all_bytes * (2 if dtype is torch.complex64 else 1)
            assert received(group.reduce_scatter, [mine], [parts]) < most
            assert torch.equal(mine, torch.full_like(mine, 6))
            got = received(group.reduce, [whole], options(ReduceOp.SUM, ReduceOptions, rootRank=1))
            assert me == 1 or got < most / 3
            assert torch.equal(whole, torch.full_like(whole, 6 if me == 1 else 1 + me))

    in_group(controller, work)


def test_what_a_call_reads_is_what_the_calls_before_it_wrote(controller: str) -> None:
    """Also where it needs a copy."""

    def work(group: Group) -> None:
        table, total, part = torch.ones(SIZE, 8)[:, ::2], torch.zeros(4), torch.zeros(4)
        to = options(ReduceOp.SUM, ReduceOptions, rootRank=1)
        row = table[0]
        calls = [
            group.allreduce([table]),
            group.reduce([row], to),
            group.reduce_scatter([part], [list(table)]),
            group.allreduce([total]),
        ]
        for call in calls:
            call.wait()
        assert row.tolist() == [9.0 if group.rank() == 1 else 3.0] * 4
        assert part.tolist() == [15.0 if group.rank() == 0 else 9.0] * 4

    in_group(controller, work)


@pytest.mark.parametrize("shape", [(20_000,), (2000, 64)])
def test_elements_take_as_few_bits_as_the_options_say(controller: str, shape: tuple[int, ...]) -> None:
    def sent(width: int) -> int:
        def work(group: Group) -> int:
            sent = []
            for _ in range(3):
                mine, before = torch.rand(shape), group.line.statistics["bytes_sent"]
                group.allreduce([mine.to_sparse(1) if len(shape) > 1 else mine]).wait()
                sent.append(group.line.statistics["bytes_sent"] - before)
            # On a busy machine, workers send some packets again.
            return min(sent)

        return in_group(controller, work, options=Options(controller, next(JOBS), HOST, width=width))[0]

    assert sent(16) < 0.6 * sent(32)


@pytest.mark.parametrize("dtype", [torch.float32, torch.bool, torch.int64])
def test_each_rank_sends_its_own_tensor_once(controller: str, dtype: torch.dtype) -> None:
    def work(group: Group) -> None:
        me, length = group.rank(), 100_000
        parts = [torch.randint(1, 100, (length,)).to(dtype) for _ in range(SIZE)]
        own, rows, one = parts[me], [torch.zeros(length, dtype=dtype) for _ in range(SIZE)], torch.zeros_like(parts[0])

        def sent(call: Callable[..., Any], *arguments: Any, **named: Any) -> float:
            before = group.line.statistics["bytes_sent"]
            call(*arguments, **named).wait()
            return float((group.line.statistics["bytes_sent"] - before) / own.nbytes)

        # Headers take up to a tenth of all data.
        assert sent(group.all_gather_single, torch.zeros(SIZE * length, dtype=dtype), own) < 1.5
        assert sent(group.allgather, [rows], [own]) < 1.5
        assert sent(group.gather, [rows] * (me == 1), [own], None, None, root=1) < 1.5
        assert sent(group.scatter, [one], [parts] * (me == 1), None, None, root=1) < (3.5 if me == 1 else 0.5)

    in_group(controller, work)
