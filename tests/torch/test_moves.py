"""What is not added up arrives bit for bit, whatever its type."""

from __future__ import annotations

from typing import Any

import torch
from torch.distributed import BroadcastOptions, GatherOptions, ScatterOptions

from dropzero.torch.process_group import Group
from tests.torch.groups import DTYPES, in_group, tensors

SIZE = 3
ALL = [*DTYPES, torch.float8_e4m3fn]


def same(found: Any, right: Any) -> bool:
    return bool(torch.equal(found.contiguous().view(torch.uint8), right.contiguous().view(torch.uint8)))


def test_every_type_arrives(controller: str) -> None:
    def work(group: Group) -> None:
        for number, dtype in enumerate(ALL):
            _moved(group, tensors(SIZE, (SIZE, 2), dtype, number))

    in_group(controller, work)


def _moved(group: Group, given: list[torch.Tensor]) -> None:
    me, dtype = group.rank(), given[0].dtype
    own, together = given[me], torch.stack(given)

    broadcast, root = own.clone(), BroadcastOptions()
    root.rootRank = 1
    group.broadcast([broadcast], root).wait()
    assert same(broadcast, given[1])

    rows = [torch.zeros_like(own) for _ in range(SIZE)]
    group.allgather([rows], [own]).wait()
    assert same(torch.stack(rows), together)
    whole = torch.zeros_like(together)
    group.all_gather_single(whole, own).wait()
    assert same(whole, together)
    lists = [[torch.zeros_like(own), torch.zeros_like(own[0])] for _ in range(SIZE)]
    group.allgather_coalesced(lists, [own, own[0]]).wait()
    assert all(same(first, each) and same(second, each[0]) for (first, second), each in zip(lists, given, strict=True))
    several = [torch.zeros_like(together), torch.zeros_like(together[:, 0])]
    group.all_gather_single_coalesced(several, [own, own[0]]).wait()
    assert same(several[0], together)
    assert same(several[1], together[:, 0])

    gathered, to = [torch.zeros_like(own) for _ in range(SIZE)] if me == 2 else [], GatherOptions()
    to.rootRank = 2
    group.gather([gathered] if me == 2 else [], [own], to).wait()
    assert me != 2 or same(torch.stack(gathered), together)
    part, source = torch.zeros_like(own), ScatterOptions()
    source.rootRank = 1
    group.scatter([part], [given] if me == 1 else [], source).wait()
    assert same(part, own)

    exchanged = torch.zeros_like(own)
    group.all_to_all_single(exchanged, own, [], []).wait()
    assert same(exchanged, together[:, me])
    # Rank r sends r + 1 rows to each; the last is its first again.
    mine, sizes = own[[0] * (me + 1) * SIZE], [rank + 1 for rank in range(SIZE)]
    uneven = torch.zeros((sum(sizes), 2), dtype=dtype)
    group.all_to_all_single(uneven, mine, sizes, [me + 1] * SIZE).wait()
    assert same(uneven, torch.cat([each[[0] * size] for each, size in zip(given, sizes, strict=True)]))
    outputs = [torch.zeros_like(each[: rank + 1]) for rank, each in enumerate(given)]
    group.alltoall(outputs, [own[: me + 1]] * SIZE).wait()
    assert all(same(output, each[: rank + 1]) for rank, (output, each) in enumerate(zip(outputs, given, strict=True)))

    if me == 0:
        group.send([own], 1, 7).wait()
        group.send([own.t()], 1, 8).wait()
    elif me == 1:
        received = torch.zeros_like(own)
        group.recv([received], 0, 7).wait()
        assert same(received, given[0])
        columns = torch.zeros(4, SIZE, dtype=dtype)[::2]
        from_any = group.recv_anysource([columns], 8)
        from_any.wait()
        assert from_any.source_rank() == 0
        assert same(columns, given[0].t())


def test_scalars_and_what_is_not_contiguous_arrive(controller: str) -> None:
    def work(group: Group) -> None:
        me = group.rank()
        scalar, rows = torch.tensor(float(me)), [torch.tensor(0.0) for _ in range(SIZE)]
        group.allgather([rows], [scalar]).wait()
        assert [row.item() for row in rows] == [0, 1, 2]
        table = torch.zeros(SIZE, 4)
        group.allgather([[table[:, ::2][rank] for rank in range(SIZE)]], [torch.full((2,), float(me))]).wait()
        assert torch.equal(table[:, ::2], torch.arange(3.0)[:, None].expand(3, 2))
        assert not table[:, 1::2].any()
        empty = torch.zeros(0, 3)
        group.broadcast([empty], BroadcastOptions()).wait()
        group.all_gather_single(torch.zeros(0, 3), empty).wait()

    in_group(controller, work)


def test_a_barrier_waits_for_all(controller: str) -> None:
    arrived: list[int] = []

    def work(group: Group) -> list[int]:
        arrived.append(group.rank())
        group.barrier().wait()
        return list(arrived)

    assert all(sorted(each) == [0, 1, 2] for each in in_group(controller, work))
