"""Compressed reduce-scatters, as FSDP2 makes them."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from torch.distributed import ReduceOp

from dropzero.compressors.compression import Compression
from dropzero.compressors.in_process import InProcessNetwork
from dropzero.compressors.rules import Parameter
from dropzero.compressors.spec import SpecError
from dropzero.torch import CompressedReduceScatter
from dropzero.torch.process_group import Group
from tests.torch.groups import in_group

SIZE, STEPS = 3, 3
ELEMENTS = SIZE * 1000
"""The shards' bounds are within blocks."""
SPECS = "none+fixed16", "none+fixed8+ef", "topk(0.1,block=32)+ef", "threshold(0.5,block=32)+ef+fixed16"


def gradient(rank: int, step: int, elements: int = ELEMENTS) -> torch.Tensor:
    return torch.randn(elements, generator=torch.Generator().manual_seed(100 * step + rank))


def scattered(call: CompressedReduceScatter, group: Group, own: torch.Tensor, op: ReduceOp) -> torch.Tensor:
    shard = call.allocate((len(own) // group.size(),), dtype=own.dtype, device=own.device)
    call(output_tensor=shard, input_tensor=own, group=group, op=op)
    return shard


@pytest.mark.parametrize("spec", SPECS)
def test_each_rank_gets_its_shard_of_what_all_ranks_get_in_one_process(controller: str, spec: str) -> None:
    def work(group: Group) -> list[torch.Tensor]:
        call = CompressedReduceScatter(spec)
        return [scattered(call, group, gradient(group.rank(), step), ReduceOp.AVG) for step in range(STEPS)]

    by_rank = in_group(controller, work)
    whole = Compression(spec, InProcessNetwork(SIZE), [Parameter("", (ELEMENTS,))])
    for step in range(STEPS):
        together = np.stack([gradient(rank, step).numpy() for rank in range(SIZE)])
        mean = torch.from_numpy(whole.aggregate(together).total / np.float32(SIZE))
        assert torch.equal(torch.cat([steps[step] for steps in by_rank]), mean)


def test_eight_bits_take_a_quarter_of_the_bytes(controller: str) -> None:
    def work(group: Group) -> list[int]:
        sent = []
        for spec in ("none", "none+fixed8+ef"):
            before = group.line.statistics["bytes_sent"]
            scattered(CompressedReduceScatter(spec), group, gradient(group.rank(), 0, 300_000), ReduceOp.SUM)
            sent.append(group.line.statistics["bytes_sent"] - before)
        return sent

    for full, few in in_group(controller, work):
        assert 0 < few < 0.32 * full


def test_what_was_held_back_is_in_the_saved_state(controller: str) -> None:
    def work(group: Group) -> None:
        first, later = CompressedReduceScatter(), CompressedReduceScatter()
        scattered(first, group, gradient(group.rank(), 0), ReduceOp.SUM)
        later.load_state_dict(first.state_dict())
        ways = [scattered(each, group, gradient(group.rank(), 1), ReduceOp.SUM) for each in (first, later)]
        assert torch.equal(*ways)
        forgetful = scattered(CompressedReduceScatter(), group, gradient(group.rank(), 1), ReduceOp.SUM)
        assert not torch.equal(forgetful, ways[0])

    in_group(controller, work)
    with pytest.raises(ValueError, match=r"the saved compression has the spec none\+fixed8\+ef"):
        CompressedReduceScatter("none").load_state_dict(CompressedReduceScatter().state_dict())
    with pytest.raises(ValueError, match="not the state of a CompressedReduceScatter: it has no spec"):
        CompressedReduceScatter().load_state_dict({"state": None})


@pytest.mark.parametrize("spec", ["gtopk(0.1)+ef", "none+diana", "qsgd(7)", "topk(0.1)+ef+warmup(0.5,every=1)"])
def test_a_spec_that_needs_the_whole_sum_is_refused(spec: str) -> None:
    with pytest.raises(SpecError, match="may need the whole sum on each rank"):
        CompressedReduceScatter(spec)


def test_modules_do_not_share_one(controller: str) -> None:
    def work(group: Group) -> None:
        shared, size = CompressedReduceScatter(), group.size()
        shared(torch.empty(4), torch.ones(4 * size), group, ReduceOp.SUM)
        with pytest.raises(ValueError, match="of 12 elements, not 24: each module needs its own"):
            shared(torch.empty(8), torch.ones(8 * size), group, ReduceOp.SUM)

    in_group(controller, work)


def test_other_operations_and_backends_are_refused(controller: str) -> None:
    def work(group: Group) -> None:
        with pytest.raises(TypeError, match="have no MAX"):
            scattered(CompressedReduceScatter(), group, gradient(0, 0), ReduceOp.MAX)

    in_group(controller, work)
    with pytest.raises(TypeError, match="backend dropzero"):
        CompressedReduceScatter()(torch.empty(1), torch.empty(1), None, ReduceOp.SUM)
