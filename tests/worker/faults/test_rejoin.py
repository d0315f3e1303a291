"""Workers that leave a job because of a fault join the next job of the same number, which loses none of them."""

from __future__ import annotations

import subprocess
import sys

from tests.worker.faults.rejoin import FAULTS


def test_after_a_fault_all_workers_meet_in_a_new_job_of_the_same_number() -> None:
    command = [sys.executable, "-m", "tests.worker.faults.rejoin", "--rounds", str(len(FAULTS)), "--sizes", "3"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count("round") == 3 * len(FAULTS)
