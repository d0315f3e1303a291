"""Kills programs of a run with SIGKILL, to show that the others continue."""

from __future__ import annotations

import signal
from collections.abc import Sequence

from dropzero.topologies.networks.network import EmulatedNetwork
from dropzero.topologies.orchestration.kill_target import KillTarget
from dropzero.topologies.orchestration.team import Team
from dropzero.topologies.processes.process import Process


class FaultInjection:
    """Kills its targets one by one, after equal parts of the training.

    Attributes:
        kills: (step, name) of each process killed so far.
    """

    def __init__(
        self, targets: Sequence[KillTarget], steps: int, loss: float, network: EmulatedNetwork, team: Team
    ) -> None:
        """steps: the training steps of the run. loss: as for the controller. team: that of the first job."""
        self._due = [(steps * part // (len(targets) + 1), target) for part, target in enumerate(targets, 1)]
        self._loss, self._network, self._team = loss, network, team
        self.kills: list[tuple[int, str]] = []

    def after(self, step: int) -> None:
        """Kills the targets that are due after `step` steps. Restarts a killed switch or controller at once."""
        while self._due and self._due[0][0] <= step:
            _, target = self._due.pop(0)
            if target is KillTarget.WORKER:
                rank = max(self._team.workers)
                self._kill(step, self._team.workers[rank])
                self._team.lose(rank)
            elif target is KillTarget.SWITCH:
                switch = self._network.switches[0]
                assert switch.process is not None
                self._kill(step, switch.process)
                self._network.start_switches([switch])
            else:
                assert self._network.controller is not None
                self._kill(step, self._network.controller)
                self._network.start_controller(self._loss)

    def _kill(self, step: int, process: Process) -> None:
        self.kills.append((step, process.name))
        process.signal(signal.SIGKILL)
        process.reap()
        self._network.processes.remove(process)
