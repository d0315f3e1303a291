"""Code is compiled before other workers wait for it."""

from __future__ import annotations

import subprocess
import sys

import pytest

CALL = """
import numpy as np
from dropzero.protocol.lanes import chunks
from dropzero.protocol.tensor import arrays
from dropzero.protocol.lanes.call import Call
from dropzero.protocol.wire import Width
from dropzero.worker import blocks
from dropzero.worker.pump import rehearse

modules = arrays, chunks, blocks
compiled = [each for module in modules for each in vars(module).values() if hasattr(each, "signatures")]
rehearse()
before = [list(each.signatures) for each in compiled]
array = np.zeros(100 * arrays.GRANULE, np.OF)
array[0] = 1
source, target = arrays.Source.of(array), arrays.Target.new(len(array))
call = blocks.chosen(Call.of(array, block=0), blocks.held(source, Width.BITS_32, 1), 1)
assert len(chunks.cut_chunks(call.signature.blocks, 1, 8, call.expected, call.union).first) == 8
for out in (None, np.zeros_like(array), array):
    target.copy(out, source)
assert [list(each.signatures) for each in compiled] == before
"""


@pytest.mark.parametrize("kind", ["float32", "int32"])
def test_after_a_rehearsal_a_large_call_compiles_nothing(kind: str) -> None:
    """In a new process, because this one may already have compiled it."""
    ended = subprocess.run(
        [sys.executable, "-c", CALL.replace("OF", kind)], capture_output=True, text=True, check=False
    )
    assert ended.returncode == 0, ended.stderr
