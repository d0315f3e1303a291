"""What is compiled before others wait for it."""

from __future__ import annotations

import subprocess
import sys

import pytest

COPY = """
import numpy as np
from protocol import arrays
from worker.pump import rehearse

compiled = {name: each for name, each in vars(arrays).items() if hasattr(each, "signatures")}
rehearse()
before = {name: list(each.signatures) for name, each in compiled.items()}
array = np.zeros(100 * arrays.PART, np.OF)
array[0] = 1
source, target = arrays.Source.of(array), arrays.Target.new(len(array))
for out in (None, np.zeros_like(array), array):
    target.copy(out, source)
assert {name: list(each.signatures) for name, each in compiled.items()} == before
"""


@pytest.mark.parametrize("kind", ["float32", "int32"])
def test_after_a_rehearsal_no_copy_of_a_result_is_compiled(kind: str) -> None:
    """In a process of its own: in this one it may have been."""
    ended = subprocess.run(
        [sys.executable, "-c", COPY.replace("OF", kind)], capture_output=True, text=True, check=False
    )
    assert ended.returncode == 0, ended.stderr
