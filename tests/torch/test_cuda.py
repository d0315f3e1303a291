"""Tensors on a real GPU. Two ranks share one, as processes on the loopback: no root, no Mininet, no network."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from tests.torch.groups import in_processes

PROGRAM = Path(__file__).parent / "programs" / "on_gpu.py"
PARTS = ("reductions", "moves", "streams", "sparse", "ddp", "hook", "hook_with_sparse", "sharded", "errors")


@pytest.mark.skipif(not torch.cuda.is_available(), reason="there is no GPU")
@pytest.mark.parametrize("part", PARTS)
def test_on_a_gpu(controller: str, part: str, tmp_path: Path) -> None:
    in_processes(PROGRAM, controller, 2, str(tmp_path), part, "cuda")
