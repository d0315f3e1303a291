"""Programs that name another backend, or none, and libraries that go by the name."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
import torch

from dropzero.torch.names import warn_of_ignite
from dropzero.torch.registration import SERVE_GLOO_VARIABLE
from tests.support.loopback import HOST
from tests.torch.groups import JOBS

PROGRAM = Path(__file__).parent / "programs" / "names.py"


def said(controller: str, store: Path, served: str, *names: str) -> list[str]:
    """What both ranks print."""
    environment = {
        **os.environ,
        "DROPZERO_CONTROLLER": controller,
        "DROPZERO_IP": HOST,
        "DROPZERO_JOB": str(next(JOBS)),
        # Gloo's own groups crash with these checks.
        "TORCH_DISTRIBUTED_DEBUG": "DETAIL" if served == "1" else "OFF",
        SERVE_GLOO_VARIABLE: served,
    }
    processes = [
        subprocess.Popen(
            [sys.executable, "-m", "tests.torch.programs.names", str(rank), str(store), *names],
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for rank in range(2)
    ]
    outputs = [process.communicate() for process in processes]
    assert [process.returncode for process in processes] == [0, 0], outputs
    first, second = (output.splitlines() for output, _ in outputs)
    assert first == second
    return first


def test_the_switch_serves_all_names_that_stand_for_gloo(controller: str, tmp_path: Path) -> None:
    """Also for several groups one after the other, and with PyTorch's checks of all calls."""
    names = ["gloo", "None", "cpu:gloo" if torch.cuda.is_available() else "cpu:gloo,cuda:nccl"]
    own = ["gloo", "undefined", names[2]]
    assert said(controller, tmp_path / "store", "1", *names) == [
        f"{name}, Group {own}, Group {own}, Group gloo, Group {own}" for name, own in zip(names, own, strict=True)
    ]


def test_a_program_that_names_dropzero_has_gloo_where_it_asks_for_it(controller: str, tmp_path: Path) -> None:
    line = "dropzero, Group dropzero, Group dropzero, ProcessGroup gloo, Group dropzero"
    assert said(controller, tmp_path / "store", "1", "dropzero") == [line]


def test_elsewhere_gloo_is_gloo(controller: str, tmp_path: Path) -> None:
    line = "gloo, ProcessGroup gloo, ProcessGroup gloo, ProcessGroup gloo, ProcessGroup gloo"
    assert said(controller, tmp_path / "store", "0", "gloo") == [line]


def test_a_program_with_ignite_is_warned_of_the_name_dropzero(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ignite.distributed", SimpleNamespace())
    with pytest.warns(UserWarning, match="each rank would train alone. Wrap the model yourself, or "):
        warn_of_ignite()
