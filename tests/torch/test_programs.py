"""Programs of several processes, each on a host of a rack."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.support.on_hosts import hosts

PROGRAMS = Path(__file__).parent / "programs"


@pytest.mark.skipif(os.geteuid() != 0, reason="network namespaces need root")
def test_a_model_trains_as_with_gloo(tmp_path: Path) -> None:
    with hosts(tmp_path / "net", 4) as rack:
        # Before it come PyTorch's warnings of what will have another name.
        found = rack.run(PROGRAMS / "training.py", str(tmp_path / "store"))
        assert found
        for said in found:
            assert said.endswith("ok\n")
