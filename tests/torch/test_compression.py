"""Compressed gradients: what the hook makes of buckets."""

from __future__ import annotations

import copy
from dataclasses import dataclass
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
import pytest
import torch
from torch import nn
from torch.nn.parallel import DistributedDataParallel

import dropzero
from dropzero.compressors.compression import Compression
from dropzero.compressors.in_process import InProcessNetwork
from dropzero.compressors.rules import Parameter
from dropzero.compressors.spec import SpecError
from dropzero.torch import Compressed, compress_hook
from dropzero.torch.compression import seed_of
from dropzero.torch.process_group import Group
from tests.torch.groups import in_group

SIZE, ELEMENTS, STEPS = 3, 1000, 3
SPECS = (
    "none",
    "topk(0.1,block=32)+ef",
    "gaussiank(0.05)+ef+fixed16",
    "randk(0.1,block=32,shared)+diana",
    "threshold(0.5,block=32)+ef",
    "dgc(0.1)+momentum",
    "gtopk(0.1)+ef",
    "cltk(0.1,block=32)+ef",
    "permk(32)",
    "cat+ef",
    "dynamic+ef",
    "blockcat(32,overhead=64)+ef",
    "none+fixed8+ef",
    "qsgd(7)",
    "terngrad+diana",
    "quant(2)",
    "int",
    "onebit+ef",
    "natural",
    "atomo(2)",
    "powersgd(2,width=16)+ef",
    "topk(0.1)+ef+warmup(0.5,0.2,every=1)",
)


@dataclass
class Bucket:
    """One of DDP's, as far as a hook needs it."""

    gradient: torch.Tensor
    weights: torch.Tensor
    number: int = 0
    last: bool = True

    def buffer(self) -> torch.Tensor:
        return self.gradient

    def parameters(self) -> list[torch.Tensor]:
        return [self.weights]

    def index(self) -> int:
        return self.number

    def is_last(self) -> bool:
        return self.last


def gradient(rank: int, step: int, elements: int = ELEMENTS) -> torch.Tensor:
    return torch.randn(elements, generator=torch.Generator().manual_seed(100 * step + rank))


MODELS: WeakKeyDictionary[Compressed, dict[int, torch.Tensor]] = WeakKeyDictionary()
"""The parameter of each bucket."""


def mean(state: Compressed, own: torch.Tensor, number: int = 0, last: bool = True) -> torch.Tensor:
    weights = MODELS.setdefault(state, {}).setdefault(number, torch.zeros_like(own))
    bucket: Any = Bucket(own.clone(), weights, number, last)
    return compress_hook(state, bucket).wait()


def test_all_compressors_give_the_bits_that_they_give_in_one_process(controller: str) -> None:
    def work(group: Group) -> list[list[torch.Tensor]]:
        found = []
        for spec in SPECS:
            state = Compressed(spec, group, seed=5)
            mean(state, torch.ones(ELEMENTS))
            found.append([mean(state, gradient(group.rank(), step)) for step in range(STEPS)])
        return found

    everyone = in_group(controller, work)
    for spec, *by_rank in zip(SPECS, *everyone, strict=True):
        right = Compression(spec, InProcessNetwork(SIZE), [Parameter("", (ELEMENTS,))], seed=seed_of(5, 0))
        for step in range(STEPS):
            together = np.stack([gradient(rank, step).numpy() for rank in range(SIZE)])
            wanted = torch.from_numpy(right.aggregate(together).total / np.float32(SIZE))
            assert all(torch.equal(steps[step], wanted) for steps in by_rank), spec


def test_the_first_step_is_sent_in_full_and_buckets_are_compressed_each_for_itself(controller: str) -> None:
    def work(group: Group) -> None:
        state, me = Compressed("topk(0.1,block=32)+ef", group), group.rank()
        for number, elements in enumerate((320, 640)):
            full = mean(state, gradient(me, 0, elements), number, last=number == 1)
            everyone = sum(gradient(rank, 0, elements) for rank in range(SIZE))
            torch.testing.assert_close(full, everyone / SIZE)
        for step in range(3):
            for number, elements in enumerate((320, 640)):
                some = mean(state, gradient(me, step, elements), number, last=number == 1)
                kept = some.view(-1, 32).any(1).sum()
                assert 0 < kept <= SIZE * elements // 320

    in_group(controller, work)


def test_buckets_draw_blocks_of_their_own(controller: str) -> None:
    def work(group: Group) -> None:
        state = Compressed("randk(0.1,block=32,shared)", group)
        for step in range(2):
            some, other = (mean(state, torch.ones(ELEMENTS), number, last=number == 1) for number in (0, 1))
            assert torch.equal(some, other) == (step == 0)

    in_group(controller, work)


def test_what_error_feedback_holds_back_keeps_the_step_size_of_its_own_time(controller: str) -> None:
    def work(group: Group) -> None:
        state = Compressed("topk(0.5)+ef", group)
        mean(state, torch.ones(2))
        assert mean(state, torch.tensor([1.0, 0.5])).tolist() == [1.0, 0.0]
        state.rate = 0.25
        assert mean(state, torch.tensor([1.0, 0.5])).tolist() == [0.0, 2.5]

    in_group(controller, work)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float64])
def test_gradients_of_other_types(controller: str, dtype: torch.dtype) -> None:
    def work(group: Group) -> None:
        state = Compressed("none", group)
        for _ in range(2):
            total = mean(state, torch.full((64,), group.rank() + 1.0, dtype=dtype))
            assert torch.equal(total, torch.full((64,), 2.0, dtype=dtype))

    in_group(controller, work)


def test_a_mean_may_be_as_large_as_the_type_allows(controller: str) -> None:
    """The sum is larger."""

    def work(group: Group) -> None:
        state, largest = Compressed("none", group), torch.full((64,), torch.finfo(torch.float16).max)
        for _ in range(2):
            assert torch.equal(mean(state, largest.half()), largest.half())

    in_group(controller, work)


def test_a_rank_that_leaves_is_an_error_and_not_a_smaller_mean(controller: str) -> None:
    def work(group: Group) -> None:
        state = Compressed("topk(0.1,block=32)+ef", group)
        for step in range(2):
            mean(state, gradient(group.rank(), step))
        if group.rank() != 1:
            with pytest.raises(RuntimeError, match="WorkerLost: rank 1 of this group has left it"):
                mean(state, gradient(group.rank(), 2))

    in_group(controller, work)


@pytest.mark.parametrize("spec", ["topk(0.1,block=32)+ef", "qsgd(127)+diana", "randk(0.1,block=32,shared)"])
@pytest.mark.parametrize("size", [2, 4])
def test_what_one_rank_saved_goes_on_in_a_group_of_any_size(
    controller: str, spec: str, size: int, tmp_path: Any
) -> None:
    def save(group: Group) -> None:
        state = Compressed(spec, group)
        for step in range(3):
            mean(state, gradient(group.rank(), step))
        torch.save(state.state_dict(), tmp_path / f"{group.rank()}.pt")

    def load(group: Group) -> torch.Tensor:
        state, me = Compressed(spec, group), group.rank()
        file = tmp_path / f"{me}.pt"
        state.load_state_dict(torch.load(file if file.exists() else tmp_path / "0.pt"))
        for _ in range(30):
            found = mean(state, gradient(me, 0))
        (bucket,) = state._buckets.values()
        assert bucket.compression is not None
        assert bucket.compression.step == 2 + 30
        if spec.endswith("diana"):
            # Its shifts have learnt what does not change, with nothing left of who is gone.
            torch.testing.assert_close(found, sum(gradient(rank, 0) for rank in range(size)) / size, rtol=0, atol=0.01)
        return found

    in_group(controller, save)
    first, *others = in_group(controller, load, size)
    assert all(torch.equal(first, other) for other in others)


@pytest.mark.parametrize(("spec", "seed"), [("randk(0.2,block=32,shared)", 0), ("randk(0.1,block=32,shared)", 1)])
def test_another_spec_or_seed_on_one_rank_is_named(controller: str, spec: str, seed: int) -> None:
    """They would add up other blocks."""

    def work(group: Group) -> str:
        odd = group.rank() == 1
        state = Compressed(spec if odd else "randk(0.1,block=32,shared)", group, seed=seed if odd else 0)
        mean(state, torch.ones(ELEMENTS))
        with pytest.raises(RuntimeError, match="Disagreement") as error:
            mean(state, torch.ones(ELEMENTS))
        return str(error.value)

    for said in in_group(controller, work):
        assert f"worker 1 at call 0: gradients by {spec}, seed {seed}, after 0 steps" in said


def test_a_state_of_another_spec_is_refused() -> None:
    with pytest.raises(ValueError, match=r"the saved compression has the spec none, not int"):
        Compressed("int").load_state_dict(Compressed("none").state_dict())
    with pytest.raises(SpecError, match="there is no 'topp'"):
        Compressed("topp(1)")


def test_a_gradient_that_is_not_finite_is_an_error_on_all_ranks_and_leaves_no_trace(controller: str) -> None:
    def work(group: Group) -> str:
        state = Compressed("topk(0.1,block=32)+ef", group)
        mean(state, torch.zeros(64))
        broken = torch.ones(64)
        if group.rank() == 1:
            broken[7] = torch.nan
        with pytest.raises(RuntimeError) as error:
            mean(state, broken)
        total = mean(state, torch.full((64,), 3.0))
        assert set(total.tolist()) <= {0.0, 3.0}
        return str(error.value)

    first, own, third = in_group(controller, work)
    assert "FloatingPointError: gradient element 7 of 64 is nan" in own
    for said in (first, third):
        assert "Aborted" in said
        assert "worker 1" in said
        assert "gradient element 7 of 64 is nan" in said


class Layers(nn.Module):  # type: ignore[misc]
    def __init__(self) -> None:
        super().__init__()
        self.first, self.second = nn.Linear(40, 30), nn.Linear(30, 20)

    def forward(self, images: torch.Tensor) -> torch.Tensor:
        outcome: torch.Tensor = self.second(self.first(images).tanh())
        return outcome


RULES = "topk(0.1,block=32)+ef; bias: none; second: powersgd(2)+ef"


def trained(group: Group, spec: str, steps: int, *, broken: str = "") -> Compressed:
    """Trains with small buckets. broken: the parameter whose last gradient on rank 1 is not a number."""
    torch.manual_seed(0)
    model = Layers()
    state = Compressed(spec, group, parameters=model.named_parameters())
    replica = DistributedDataParallel(model, process_group=group, bucket_cap_mb=0.003)
    replica.register_comm_hook(state, compress_hook)
    for step in range(steps):
        model.zero_grad()
        if broken and step == steps - 1 and group.rank() == 1:
            dict(model.named_parameters())[broken].register_hook(lambda found: found * torch.nan)
        replica(torch.randn(8, 40, generator=torch.Generator().manual_seed(step))).square().sum().backward()
    return state


def test_rules_compress_parameters_by_name_and_the_report_tells_what_each_of_them_lost(controller: str) -> None:
    def work(group: Group) -> None:
        assert trained(group, RULES, 1).report() == []
        report = trained(group, RULES, 4).report()
        assert [(each.name, each.shape, each.spec) for each in report] == [
            ("first.weight", (30, 40), "topk(0.1,block=32)+ef"),
            ("first.bias", (30,), "none"),
            ("second.weight", (20, 30), "powersgd(2)+ef"),
            ("second.bias", (20,), "none"),
        ]
        weight, _, factors, bias = report
        assert 0 < weight.error < 1
        assert 0 < factors.error < 1
        assert (bias.error, bias.omega) == (0.0, 0.0)
        # Two factors of 32 bits for each row and column; their packets are not full.
        assert 4 * 2 * 50 < factors.bytes < 4 * 20 * 30

    in_group(controller, work)


def test_rules_that_name_no_parameter_are_refused_with_the_nearest_names() -> None:
    names = list(Layers().named_parameters())
    with pytest.raises(SpecError, match=r"no parameter has 'sekond' in its name; the nearest are second"):
        Compressed("none; sekond: int", parameters=names)
    with pytest.raises(SpecError, match=r"names parameters: it needs parameters=model\.named_parameters\(\)"):
        Compressed("none; second: int")
    assert Compressed("none; 1d: int").spec == "none;1d:int"


def test_the_copy_of_a_state_before_its_first_step_does_not_know_the_names(controller: str) -> None:
    def work(group: Group) -> None:
        state = copy.deepcopy(Compressed(RULES, parameters=Layers().named_parameters()))
        state.group = group
        with pytest.raises((RuntimeError, ValueError), match="a copy of its state does not know their names"):
            mean(state, torch.ones(ELEMENTS))

    in_group(controller, work)


@pytest.mark.parametrize("name", ["second.weight", "first.bias"])
def test_a_gradient_that_is_not_finite_is_named(controller: str, name: str) -> None:
    def work(group: Group) -> str:
        with pytest.raises(RuntimeError) as error:
            trained(group, RULES, 3, broken=name)
        return str(error.value)

    for said in in_group(controller, work):
        assert f"is nan: element 0 of {name}" in said


def test_another_backend_is_refused() -> None:
    with pytest.raises(TypeError, match="need a process group of the backend dropzero"):
        _ = Compressed("none", object()).group
    assert issubclass(dropzero.Aborted, dropzero.ProtocolError)
