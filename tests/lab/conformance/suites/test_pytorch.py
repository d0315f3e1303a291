"""PyTorch's tests, as they are run on the backend."""

from __future__ import annotations

from pathlib import Path

import pytest

from lab.conformance.harness.scorecard import Expectations, Outcome
from lab.conformance.suites import pytorch


def test_the_backend_replaces_gloo() -> None:
    assert pytorch.renamed('backend="gloo", other="nccl"') == 'backend="dropzero", other="nccl"'
    assert pytorch.renamed('BACKEND != "mpi"') == 'BACKEND != "dropzero"'
    assert pytorch.renamed("{dist.Backend.GLOO, c10d.Backend.NCCL}") == '{"dropzero", c10d.Backend.NCCL}'
    made = pytorch.renamed("pg = c10d.ProcessGroupGloo(store, self.rank, self.world_size, opts)")
    assert made.endswith(".group(store, self.rank, self.world_size, opts)")
    assert "ProcessGroupGloo" not in made
    assert pytorch.renamed("c10d.ProcessGroupGloo._Options()") == "c10d.ProcessGroupGloo._Options()"


def test_the_tests_of_hooks_need_no_gpu() -> None:
    text = """
    @requires_nccl()
    @skip_if_lt_x_gpu(2)
    def test_hook(self):
        init_process_group(backend="nccl")
        device_id = gpus_for_rank(self.world_size)[self.rank][0]
        DDP(model.to(device_id), device_ids=[device_id], bucket_cap_mb=1)
"""
    assert (
        pytorch.on_cpu(text)
        == """
    def test_hook(self):
        init_process_group(backend="gloo")
        device_id = "cpu"
        DDP(model.to(device_id),  bucket_cap_mb=1)
"""
    )


def test_the_tests_of_sharded_models_run_on_cpus() -> None:
    text = """
    @property
    def world_size(self):
        return min(4, torch.cuda.device_count())

    @skip_if_lt_x_gpu(2)
    @unittest.skipIf(not TEST_CUDA, "no cuda")
    def test_shards(self):
        backend = "nccl" if torch.cuda.is_available() else "gloo"
        inp = torch.randn(4, device=f"cuda:{self.rank}")
        model = FSDP(MLP(dim=16).cuda(), device_id=torch.cuda.current_device())
        torch.cuda.set_device(self.rank)
"""
    assert (
        pytorch.on_cpu(text)
        == """
    @property
    def world_size(self):
        return min(4, 4)

    def test_shards(self):
        backend = "gloo" if torch.cuda.is_available() else "gloo"
        inp = torch.randn(4, device="cpu")
        model = FSDP(MLP(dim=16).cpu(), device_id=torch.device("cpu"))
        torch.cpu.set_device(self.rank)
"""
    )


@pytest.mark.parametrize(
    ("reason", "result"),
    [
        ("Need at least 2 CUDA devices", "not-applicable"),
        ("Need at least 2 accelerator devices", "not-applicable"),
        ("Only NCCL supports CUDA all_to_all", "not-applicable"),
        ("https://github.com/pytorch/pytorch/issues/77317", "not-applicable"),
        ("no controller", "skip"),
    ],
)
def test_tests_that_pytorch_skips_for_another_device_or_backend_are_not_applicable(reason: str, result: str) -> None:
    assert pytorch.judged(Outcome("a", "skip", reason)) == Outcome("a", result, reason)
    assert pytorch.judged(Outcome("a", "fail", reason)) == Outcome("a", "fail", reason)


def test_a_test_that_is_not_applicable_is_no_surprise() -> None:
    outcomes = [Outcome("a", "not-applicable"), Outcome("b", "skip"), Outcome("c", "fail")]
    assert Expectations.parse("c fail it wants a GPU").surprises(outcomes) == [Outcome("b", "skip")]


def test_the_versions_are_those_of_pytorch_and_of_the_checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pytorch, "version", lambda package: f"{package} 2.13")
    assert pytorch.versions(tmp_path) == {"torch": "torch 2.13", "tests": None}
    (tmp_path / "version.txt").write_text("2.6.0a0\n")
    assert pytorch.versions(tmp_path) == {"torch": "torch 2.13", "tests": "2.6.0a0"}
