"""Ranks that abort and begin again meet in new groups of the same numbers, without a wait and without a loss."""

from __future__ import annotations

from pathlib import Path

from tests.support.loopback import loopback
from tests.torch.groups import in_processes

PATIENT = "import dropzero.controller.jobs.roster as roster; roster.HOLD = 1e6"
"""For a controller that waits for the answers of members without end: who waits for one that is gone never starts."""


def test_ranks_that_abort_with_their_sub_groups_meet_at_once_in_new_ones(tmp_path: Path) -> None:
    with loopback(tmp_path, "--patience", "1e6", before=PATIENT) as controller:
        in_processes(Path(__file__).parent / "programs/restarting.py", controller, 3, str(tmp_path))
