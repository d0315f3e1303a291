"""Compressed training that is saved and loaded continues to the bit, as if it had not stopped."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch.nn.parallel import DistributedDataParallel

import dropzero
from dropzero.compressors.spec import PARTS
from dropzero.torch import Compressed
from dropzero.torch.process_group import Group
from tests.compressors.test_switch import COMPOSED
from tests.torch.groups import in_group, in_processes
from tests.torch.programs.resuming import SPEC, SPECS, STEPS, Model, Recommender, Training, weights

SIZE = 2
RULES = "topk(0.1,block=32)+ef; bias: none; middle,table: powersgd(2)+ef"
PROGRAMS = Path(__file__).parent / "programs"


def resume(
    group: Group,
    spec: str,
    make: Callable[[], nn.Module] = Model,
    after: int = 3,
    before: dict[str, Any] | None = None,
    **options: Any,
) -> Training:
    """Trains in two ways, at once and with a new process's objects after some steps, and compares. Returns the
    training of the latter. before: DDP's options before these steps; `options`: after them."""

    def training(**options: Any) -> Training:
        model = make()
        return Training(group, model, Compressed(spec, group, parameters=model.named_parameters()), **options)

    steady = training(**options if before is None else before)
    steady.steps(range(after))
    steady.save(file := BytesIO())
    file.seek(0)
    steady.steps(range(after, STEPS))
    resumed = training(**options)
    resumed.load(file)
    resumed.steps(range(after, STEPS))
    assert weights(resumed.model) == weights(steady.model), spec
    return resumed


def test_every_compression_continues_to_the_bit(controller: str) -> None:
    """DDP has one bucket in the first step of a process, and others in later ones."""
    parts = {part.partition("(")[0] for spec in COMPOSED for part in spec.split("+")}
    assert {name for kind in PARTS.values() for name in list(kind)[1:]} <= parts

    def work(group: Group) -> None:
        for spec in ["none", "momentum", RULES.replace(",table", ""), *COMPOSED]:
            resumed = resume(group, spec)
            assert len(resumed.state._buckets) > 1

    in_group(controller, work, SIZE)


@pytest.mark.parametrize("after", [2, 3, STEPS - 1])
def test_it_may_stop_after_any_step_that_has_buckets(controller: str, after: int) -> None:
    in_group(controller, lambda group: resume(group, SPEC, after=after), 4)


@pytest.mark.parametrize("spec", [SPEC, RULES])
@pytest.mark.parametrize(
    ("make", "before", "after"),
    [
        (Model, {}, {"bucket_cap_mb": 1}),
        (Model, {}, {"bucket_cap_mb": 0.001}),
        (Model, {}, {"find_unused_parameters": True}),
        (Model, {"find_unused_parameters": True}, {}),
        (Model, {}, {"gradient_as_bucket_view": True}),
        (Model, {}, {"static_graph": True}),
        (lambda: Model(middle=torch.float64), {}, {}),
        (lambda: Model(middle=torch.bfloat16), {"find_unused_parameters": True, "bucket_cap_mb": 1e-6}, {}),
        (Recommender, {}, {}),
        (Recommender, {"find_unused_parameters": True}, {"bucket_cap_mb": 1}),
    ],
)
def test_it_continues_to_the_bit_in_other_buckets(
    controller: str, spec: str, make: Callable[[], nn.Module], before: dict[str, Any], after: dict[str, Any]
) -> None:
    spec = spec if make is Recommender else spec.replace(",table", "")
    in_group(controller, lambda group: resume(group, spec, make, before=before, **after), SIZE)


def test_training_stops_and_continues_twice(controller: str, tmp_path: Path) -> None:
    """The second time after a step of other buckets than the state's."""

    def work(group: Group) -> None:
        steady, file = Training(group, Model(), Compressed(SPEC, group)), tmp_path / str(group.rank())
        for steps in (range(3), range(3, 4), range(4, 8)):
            resumed = Training(group, Model(), Compressed(SPEC, group))
            if file.exists():
                resumed.load(file)
            steady.steps(steps)
            resumed.steps(steps)
            resumed.save(file)
            assert weights(resumed.model) == weights(steady.model)

    in_group(controller, work, SIZE)


def test_a_model_that_is_wrapped_again_continues_to_the_bit(controller: str) -> None:
    def work(group: Group) -> None:
        steady, wrapped = (Training(group, Model(), Compressed(SPEC, group)) for _ in range(2))
        steady.steps(range(STEPS))
        wrapped.steps(range(3))
        wrapped.wrap(group)
        wrapped.steps(range(3, STEPS))
        assert weights(wrapped.model) == weights(steady.model)

    in_group(controller, work, SIZE)


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda state: pickle.loads(pickle.dumps(state))])
def test_a_state_can_be_copied_and_pickled_without_its_group(
    controller: str, copied: Callable[[Compressed], Compressed]
) -> None:
    def work(group: Group) -> None:
        steady = Training(group, Model(), Compressed(SPEC, group, seed=7))
        steady.steps(range(3))
        state = copied(steady.state)
        with pytest.raises(TypeError, match="need a process group of the backend dropzero"):
            _ = state.group
        state.group = group
        assert (state.spec, state.seed, state.rate) == (SPEC, 7, steady.state.rate)
        resumed = Training(group, Model(), state)
        resumed.model.load_state_dict(steady.model.state_dict())
        resumed.optimizer.load_state_dict(copy.deepcopy(steady.optimizer.state_dict()))
        for training in (steady, resumed):
            training.steps(range(3, STEPS))
        assert weights(resumed.model) == weights(steady.model)

    in_group(controller, work, SIZE)


def test_the_state_of_another_model_is_an_error_on_all_ranks(controller: str) -> None:
    def load(group: Group) -> str:
        width = 25 if group.rank() == 1 else 24
        state = Compressed(SPEC, group)
        state.load_state_dict(states[width])
        with pytest.raises((dropzero.ProtocolError, RuntimeError, ValueError)) as error:
            Training(group, Model(), state).steps([2])
        return str(error.value)

    def save(group: Group) -> dict[int, Any]:
        found = {}
        for width in (24, 25):
            training = Training(group, Model(width), Compressed(SPEC, group))
            training.steps(range(2))
            found[width] = training.state.state_dict()
        return found

    states = in_group(controller, save, SIZE)[0]
    other, own = in_group(controller, load, SIZE)
    assert "a model with 6 parameters of 1627 elements, but this one has 6 parameters of 1589 elements" in own
    assert "worker 1" in other
    assert "6 parameters of 1627 elements" in other


class Broken(torch.autograd.Function):  # type: ignore[misc]
    """Fails in the backward pass."""

    @staticmethod
    def forward(context: Any, x: Tensor) -> Tensor:
        return x.clone()

    @staticmethod
    def backward(context: Any, gradient: Tensor) -> Tensor:
        raise ZeroDivisionError


@pytest.mark.parametrize("loaded", [False, True])
def test_a_step_that_fails_in_the_program_leaves_no_trace(controller: str, loaded: bool, tmp_path: Path) -> None:
    """When some gradients are summed already, in the second step; or wait for others, in the first one after
    loading."""

    def work(group: Group) -> None:
        before = 3 if loaded else 1
        steady = Training(group, Model(), Compressed(SPEC, group))
        steady.steps(range(before))
        steady.save(file := tmp_path / str(group.rank()))
        failing = Training(group, Model(), Compressed(SPEC, group), find_unused_parameters=True, bucket_cap_mb=0.001)
        if loaded:
            failing.load(file)
        else:
            failing.steps(range(before))
        failing.model.first.register_forward_hook(lambda *given: Broken.apply(given[-1]))
        with pytest.raises(ZeroDivisionError):
            failing.steps([before])
        # DDP is broken after this.
        again = Training(group, Model(), failing.state)
        again.model.load_state_dict(failing.model.state_dict())
        again.optimizer.load_state_dict(failing.optimizer.state_dict())
        again.steps([before])
        if loaded:
            steady.steps([before])
            assert weights(again.model) == weights(steady.model)
        again.steps(range(before + 1, STEPS))
        assert sorted(number for numbers in again.state._buckets for number in numbers) == list(range(6))

    in_group(controller, work, SIZE)


def test_sparse_gradients_are_those_without_a_hook(controller: str) -> None:
    def work(group: Group) -> None:
        with_hook, without = (Training(group, Recommender(), Compressed(SPEC, group)) for _ in range(2))
        without.replica = DistributedDataParallel(without.model, process_group=group)
        for step in range(3):
            without.model.load_state_dict(with_hook.model.state_dict())
            for training in (with_hook, without):
                training.steps([step])
            found, right = (training.model.table.weight.grad for training in (with_hook, without))
            assert found.is_sparse
            assert found.to_dense().any()
            assert torch.equal(found.to_dense(), right.to_dense())

    in_group(controller, work, SIZE)


@pytest.mark.parametrize("missing", ["rate", "parameters", "buckets"])
def test_what_is_not_a_state_is_refused(missing: str) -> None:
    state = Compressed("none").state_dict()
    del state[missing]
    with pytest.raises(ValueError, match=f"not the state of a Compressed: it has no {missing}"):
        Compressed("none").load_state_dict(state)


def test_new_processes_continue_to_the_bit(controller: str, tmp_path: Path) -> None:
    def save(group: Group) -> None:
        for number, spec in enumerate(SPECS):
            training = Training(group, Model(), Compressed(spec, group))
            training.steps(range(3))
            training.save(tmp_path / f"{number}-{group.rank()}.pt")
            training.steps(range(3, STEPS))
            (tmp_path / f"{number}.weights").write_bytes(weights(training.model))

    in_group(controller, save, SIZE)
    in_processes(PROGRAMS / "resuming.py", controller, SIZE, str(tmp_path))
