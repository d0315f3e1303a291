"""The forms in which PyTorch's backends take a call's arguments, and what they refuse."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
import torch
from torch.distributed import BroadcastOptions, GatherOptions, ReduceOp, ReduceOptions, ScatterOptions

import dropzero
from dropzero.torch.process_group import Group
from tests.torch.groups import in_group

SIZE = 3


def test_several_tensors_of_a_rank_are_reduced_to_one(controller: str) -> None:
    expected = {ReduceOp.SUM: 15, ReduceOp.PRODUCT: 0, ReduceOp.MIN: 0, ReduceOp.MAX: 5, ReduceOp.AVG: 5}
    bits = {ReduceOp.BAND: 0, ReduceOp.BOR: 7, ReduceOp.BXOR: 1}

    def work(group: Group) -> None:
        for (op, right), dtype in [
            *((each, torch.float32) for each in expected.items()),
            *((each, torch.int32) for each in bits.items()),
        ]:
            mine = [torch.full((2,), 2 * group.rank() + index, dtype=dtype) for index in range(2)]
            group.allreduce(mine, op).wait()
            assert [tensor.tolist() for tensor in mine] == [[right] * 2] * 2, op

    in_group(controller, work)


def test_several_tensors_get_the_one_that_the_root_chose(controller: str) -> None:
    def work(group: Group) -> None:
        opts = BroadcastOptions()
        opts.rootRank, opts.rootTensor = 2, 1
        mine = [torch.full((2,), 10 * group.rank() + index) for index in range(2)]
        group.broadcast(mine, opts).wait()
        assert [tensor.tolist() for tensor in mine] == [[21, 21]] * 2
        group.broadcast([torch.zeros(0)]).wait()

    in_group(controller, work)


def test_several_tensors_of_each_rank_are_gathered(controller: str) -> None:
    def work(group: Group) -> None:
        mine = [torch.tensor([2 * group.rank() + index]) for index in range(2)]
        rows = [[torch.tensor([-1]) for _ in range(2 * SIZE)] for _ in range(2)]
        found = group.allgather(rows, mine).get_future().wait()
        assert [[int(each) for each in row] for row in found] == [list(range(2 * SIZE))] * 2

    in_group(controller, work)


def test_a_tensor_alone_needs_no_list_and_no_options(controller: str) -> None:
    def work(group: Group) -> None:
        me, minute = group.rank(), timedelta(minutes=1)
        mine = torch.tensor([me])
        group.broadcast(mine, root=1).wait()
        assert int(mine) == 1
        group.reduce(mine, 0, ReduceOp.MAX, minute).wait()
        group.allreduce(mine, ReduceOp.SUM, minute).wait()
        rows = [torch.zeros_like(mine) for _ in range(SIZE)]
        group.allgather(rows, torch.tensor([me]), timeout=minute).wait()
        assert [int(row) for row in rows] == [0, 1, 2]
        group.gather([row.zero_() for row in rows] if me == 2 else [], torch.tensor([me]), 2).wait()
        assert me != 2 or [int(row) for row in rows] == [0, 1, 2]
        group.scatter(mine, [torch.tensor([rank]) for rank in range(SIZE)] if me == 0 else [], root=0).wait()
        assert int(mine) == me
        group.reduce_scatter(mine, [torch.tensor([rank]) for rank in range(SIZE)], ReduceOp.SUM).wait()
        assert int(mine) == SIZE * me
        group.barrier(timeout=minute).wait()

    in_group(controller, work)


def test_sparse_tensors_have_any_number_of_sparse_dimensions(controller: str) -> None:
    def work(group: Group) -> None:
        me = group.rank()
        indices = torch.tensor([[me, 4], [0, 1]])
        mine = [torch.sparse_coo_tensor(indices, torch.tensor([1.0, 2.0]), (5, 2)) for _ in range(2)]
        group.allreduce(mine).wait()
        right = torch.zeros(5, 2)
        right[:SIZE, 0], right[4, 1] = 2, 4 * SIZE
        assert all(torch.equal(each.to_dense(), right) for each in mine)

    in_group(controller, work)


def rooted(kind: type[Any], root: int, tensor: int = 0) -> Any:
    opts = kind()
    opts.rootRank = root
    if kind in (BroadcastOptions, ReduceOptions):
        opts.rootTensor = tensor
    return opts


ONE, DOUBLE, TWO = torch.zeros(1), torch.zeros(1, dtype=torch.float64), torch.zeros(2)
SPARSE = torch.sparse_coo_tensor([[0]], [1.0], (1,))
QUANTIZED = torch._empty_affine_quantized([1], dtype=torch.quint8)
REFUSED: list[tuple[str, Callable[[Group], object]]] = [
    ("requires non-empty tensor list", lambda group: group.allreduce([])),
    ("invalid tensor type at index 1: torch.float64", lambda group: group.allreduce([ONE, DOUBLE])),
    (r"invalid tensor size at index 1: \[2\], where \[1\]", lambda group: group.allreduce([ONE, TWO])),
    ("invalid tensor layout", lambda group: group.allreduce([ONE, SPARSE])),
    ("unsupported reduction operation", lambda group: group.allreduce([SPARSE], ReduceOp.MAX)),
    ("requires non-empty tensor list", lambda group: group.allreduce_coalesced([])),
    ("tensors must all have the same type", lambda group: group.allreduce_coalesced([ONE, DOUBLE])),
    ("invalid tensor layout at index 1", lambda group: group.allreduce_coalesced([ONE, SPARSE])),
    ("unsupported layout", lambda group: group.allreduce_coalesced([SPARSE])),
    ("invalid root rank: 3, in a group of 3", lambda group: group.broadcast([ONE], rooted(BroadcastOptions, SIZE))),
    ("invalid root tensor: 1, of 1", lambda group: group.broadcast([ONE], rooted(BroadcastOptions, 0, 1))),
    ("invalid root rank", lambda group: group.reduce([ONE], rooted(ReduceOptions, -1))),
    ("requires a single-element tensor list", lambda group: group.reduce([ONE, ONE], rooted(ReduceOptions, 0))),
    ("requires non-empty input tensor list", lambda group: group.allgather([], [])),
    ("lists to have the same length", lambda group: group.allgather([], [ONE])),
    ("invalid output tensor list at index 0: 2 tensors", lambda group: group.allgather([[ONE] * 2], [ONE])),
    ("invalid tensor size", lambda group: group.allgather([[ONE, TWO, ONE]], [ONE])),
    ("output lists should be equal to world size, 3", lambda group: group.allgather_coalesced([[ONE]], [ONE])),
    ("invalid tensor type at index 0", lambda group: group.allgather_coalesced([[DOUBLE]] * SIZE, [ONE])),
    ("requires a single-element output list", lambda group: group.gather([], [ONE], rooted(GatherOptions, 1))),
    (
        "Incorrect output list size 2. Output list size should be 3",
        lambda group: group.gather([[ONE] * 2], [ONE], rooted(GatherOptions, 1)),
    ),
    (
        "requires empty output on non-root",
        lambda group: group.gather([[ONE] * SIZE], [ONE], rooted(GatherOptions, 0)),
    ),
    ("requires a single-element input list", lambda group: group.scatter([ONE], [], rooted(ScatterOptions, 1))),
    (
        "invalid tensor type",
        lambda group: group.scatter([ONE], [[DOUBLE] * SIZE], rooted(ScatterOptions, 1)),
    ),
    ("invalid root tensor: 0, of 0", lambda group: group.broadcast([])),
    ("unsupported layout: torch.sparse_csr", lambda group: group.allreduce([torch.eye(2).to_sparse_csr()])),
    ("share memory: clone it first", lambda group: group.allreduce([ONE.expand(2)])),
    ("unsupported device: meta", lambda group: group.broadcast([torch.empty(1, device="meta")])),
    ("unsupported type: torch.quint8", lambda group: group.allgather([[QUANTIZED] * SIZE], [QUANTIZED])),
    ("invalid input tensor list of 2, in a group of 3", lambda group: group.reduce_scatter([ONE], [[ONE] * 2])),
    ("an input list for each output, not 1 for 2", lambda group: group.reduce_scatter([ONE] * 2, [[ONE] * SIZE])),
    ("output tensor size: 2 elements, where 1", lambda group: group.reduce_scatter([TWO], [[ONE] * SIZE])),
    ("2 elements is not divisible by 3 ranks", lambda group: group.reduce_scatter_single(ONE, TWO)),
    ("an output for each input, not 0 for 1", lambda group: group.all_gather_single_coalesced([], [ONE])),
    ("output tensor size: 1 elements, where 3", lambda group: group.all_gather_single(ONE, ONE)),
    ("output tensor type: torch.float64", lambda group: group.all_gather_single(torch.zeros(3).double(), ONE)),
    ("invalid tensor type", lambda group: group.all_to_all_single(ONE, DOUBLE, [], [])),
    ("2 rows is not divisible by 3 ranks", lambda group: group.all_to_all_single(TWO, TWO, [], [])),
    ("without dimensions has no rows", lambda group: group.all_to_all_single(ONE[0], ONE[0], [], [])),
    ("a split size for each of 3 ranks, not 2", lambda group: group.all_to_all_single(TWO, TWO, [1, 1], [1, 1])),
    ("do not add up to the 2 rows", lambda group: group.all_to_all_single(TWO, TWO, [1, 1, 1], [1, 1, 0])),
    ("invalid output tensor list of 2", lambda group: group.alltoall([ONE] * 2, [ONE] * SIZE)),
    ("invalid input tensor list of 2", lambda group: group.alltoall([ONE] * SIZE, [ONE] * 2)),
    ("invalid tensor type", lambda group: group.alltoall([ONE] * SIZE, [DOUBLE] * SIZE)),
]


# PyTorch's own.
@pytest.mark.filterwarnings("ignore:Sparse CSR tensor support is in beta:UserWarning")
def test_what_is_refused_on_one_rank_is_an_error_on_all(controller: str) -> None:
    def work(group: Group) -> None:
        for text, call in REFUSED:
            if group.rank() == 1:
                with pytest.raises(RuntimeError, match=text):
                    call(group)
            else:
                with pytest.raises(dropzero.Aborted, match=f"worker 1 gave up call .*{text}"):
                    group.barrier().wait()
        mine = torch.ones(2)
        group.allreduce([mine]).wait()
        assert mine.tolist() == [SIZE] * 2

    in_group(controller, work)


def test_there_is_nobody_beyond_the_group(controller: str) -> None:
    def work(group: Group) -> None:
        for rank in (-1, 2):
            with pytest.raises(RuntimeError, match=f"invalid destination rank: {rank}, in a group of 2"):
                group.send([ONE], rank, 0)
            with pytest.raises(RuntimeError, match=f"invalid source rank: {rank}, in a group of 2"):
                group.recv([ONE], rank, 0)

    in_group(controller, work, 2)


@pytest.mark.parametrize("timeout", [timedelta(0), timedelta(seconds=30)])
def test_a_transfer_may_be_waited_for_twice(controller: str, timeout: timedelta) -> None:
    def work(group: Group) -> None:
        mine = torch.full((3,), float(group.rank()))
        transfer = group.send([mine], 1, 7) if group.rank() == 0 else group.recv([mine], 0, 7)
        for _ in range(2):
            assert transfer.wait(timeout)
        assert transfer.is_completed()
        assert mine.tolist() == [0.0] * 3

    in_group(controller, work, 2)
