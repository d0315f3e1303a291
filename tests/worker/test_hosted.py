"""Jobs without slots on the switch run on a host."""

from __future__ import annotations

from pathlib import Path

import numpy as np

import dropzero
from dropzero.controller.jobs.slots import SLOTS
from dropzero.membership.operator_client import Operator
from tests.support.loopback import AGGREGATOR, HOST, at_once, loopback, running


def test_a_job_without_slots_gets_the_same_sums_on_a_host_and_can_be_moved_to_the_switch(tmp_path: Path) -> None:
    """One job has all the switch's slots, another runs on the host, and then moves."""
    server = f"unix:{tmp_path}/host.sock"
    arrays = np.random.default_rng(0).standard_normal((3, 2, 5000)).astype(np.float32)
    with (
        running("aggregator", AGGREGATOR, "--listen", server),
        loopback(tmp_path, "--aggregator", f"{AGGREGATOR}={server}", "--max-lanes-per-job", str(SLOTS)) as controller,
        Operator(controller) as operator,
    ):
        first = dropzero.connect(controller, 1, 1, ip=HOST, lanes=SLOTS)

        def state(job: int) -> str:
            return next(each.state for each in operator.jobs() if each.job == job)

        def work(rank: int) -> list[np.ndarray[tuple[int], np.dtype[np.float32]]]:
            with dropzero.connect(controller, 2, 2, rank=rank, ip=HOST, when_full="host") as network:
                sums = [network.all_reduce(arrays[0, rank])]
                if rank == 0:
                    assert (state(1), state(2)) == ("running", "hosted")
                    first.close()
                    operator.resize(2, 32)
                    assert state(2) == "running"
                return [*sums, *(network.all_reduce(array) for array in arrays[1:, rank])]

        for total in zip(arrays, *at_once(lambda: work(0), lambda: work(1)), strict=True):
            pair, *sums = total
            np.testing.assert_array_equal(*sums)
            np.testing.assert_allclose(sums[0], pair.sum(axis=0), atol=1e-6)
