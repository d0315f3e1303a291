"""What a run may do to itself: kill -9 of one of its programs, to show that the others go on."""

from __future__ import annotations

import signal
from collections.abc import Sequence

from dropzero.topologies.networks.network import Network
from dropzero.topologies.orchestration.kill_target import Victim
from dropzero.topologies.orchestration.team import Team
from dropzero.topologies.processes.process import Process


class Mishaps:
    """Kills one after the other, when equal parts of the training are over."""

    def __init__(self, victims: Sequence[Victim], steps: int, loss: float, network: Network, team: Team) -> None:
        """`steps`: of the training; `loss`: as the controller was started with; `team`: of the first job."""
        self._due = [(steps * part // (len(victims) + 1), victim) for part, victim in enumerate(victims, 1)]
        self._loss, self._network, self._team = loss, network, team

    def after(self, step: int) -> None:
        """Does what is due after so many steps. The switch and the controller are started again at once."""
        while self._due and self._due[0][0] <= step:
            _, victim = self._due.pop(0)
            if victim is Victim.WORKER:
                self._kill(self._team.bury(max(self._team.workers)))
            elif victim is Victim.SWITCH:
                switch = self._network.switches[0]
                assert switch.process is not None
                self._kill(switch.process)
                self._network.start_switches([switch])
            else:
                assert self._network.controller is not None
                self._kill(self._network.controller)
                self._network.start_controller(self._loss)

    def _kill(self, process: Process) -> None:
        process.signal(signal.SIGKILL)
        process.reap()
        self._network.processes.remove(process)
