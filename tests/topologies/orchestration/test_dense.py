"""The bytes that dense training would send."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from dropzero.protocol.lanes.call import Call
from dropzero.protocol.lanes.lanes import Lanes
from dropzero.protocol.tensor.arrays import Source, Target
from dropzero.protocol.wire import BLOCK_WORDS, Kind
from dropzero.topologies.orchestration.run import dense_uplink_bytes


@settings(max_examples=60)
@given(st.integers(0, 6000), st.integers(1, 20), st.sampled_from(BLOCK_WORDS))
def test_dense_bytes_are_those_of_a_worker_without_zero_blocks(elements: int, lanes: int, block: int) -> None:
    worker = Lanes(job=1, worker=0, workers=1, epoch=1, lanes=lanes)
    gradient = np.ones(elements, np.float32)
    total = np.zeros_like(gradient)
    worker.begin(Call.of(gradient, block=block), Source.of(gradient), Target.around(total), now=0.0)
    while not worker.done:
        # The result of a single worker is its own contribution.
        payloads, rows, lengths = worker.outgoing()
        results = payloads[rows].copy()
        results[:, 0] = Kind.RESULT.first_byte
        worker.receive(results, lengths.copy(), now=0.0)
    assert (total == gradient).all()
    assert worker.statistics["bytes_sent"] == dense_uplink_bytes(elements, lanes, block)


def test_every_header_is_counted() -> None:
    # 9 blocks in 2 lanes of 8 columns: lane 0 opens and sends 8 blocks, lane 1 opens and sends the ninth.
    headers = 14 + 20 + 8 + 24 + 8 * 9
    assert dense_uplink_bytes(9 * 32, lanes=2, block=32) == 4 * headers + 9 * 32 * 4
