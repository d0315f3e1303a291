"""Takes the samples that a run's page shows: see dropzero.page.samples."""

from __future__ import annotations

import logging
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import astuple
from typing import Any

from rich.console import Console

from dropzero.controller.p4runtime.device import Device
from dropzero.controller.p4runtime.errors import SwitchError, UnsupportedError
from dropzero.controller.switches.switch import SlotState, Switch
from dropzero.page import standalone
from dropzero.page.samples import POINTS, SamplesFile
from dropzero.page.server import serving
from dropzero.topologies.networks.network import EmulatedNetwork
from dropzero.topologies.networks.switch import P4Switch
from dropzero.topologies.networks.traffic import Traffic
from dropzero.topologies.orchestration.board import Board
from dropzero.topologies.orchestration.plan import Plan
from dropzero.topologies.orchestration.plot import Kills
from dropzero.topologies.orchestration.team import Team
from dropzero.topologies.processes.errors import SetupError
from dropzero.topologies.processes.follower import Follower
from dropzero.topologies.processes.signals import undisturbed

LOG = logging.getLogger(__name__)

INTERVAL = 1.0
"""Seconds between two samples."""
SHARE = 0.1
"""The first samples follow faster: each after this share of the time since the first one."""
READING_SHARE = 0.02
"""Reading the switches takes at most this share of a core here, and about as much in the switches."""
MOST_CAPTURED = 32e6
"""The most bytes of captures that the page reads to show a lane: a second of one core."""
PATIENCE = 1.0
"""Seconds within which a switch must answer."""


@contextmanager
def recorded(plan: Plan, network: EmulatedNetwork, teams: Sequence[Team], console: Console) -> Iterator[Recorder]:
    """A context in which a run is recorded and its page served. If an error ends it, the record says so. Raises
    SetupError if the samples cannot be written."""
    with ExitStack() as opened:
        try:
            recorder = opened.enter_context(closing(Recorder(plan, network, teams)))
        except OSError as error:
            message = f"cannot record the run for its page: {error.strerror}; --no-page turns this off"
            raise SetupError(message) from error
        try:
            url = opened.enter_context(serving(plan.out, most_captured=MOST_CAPTURED))
            console.print(f"see it at {url}", highlight=False, soft_wrap=True)
            recorder.url = url
        except OSError as error:
            console.print(f"no page while it runs: {error.strerror}", soft_wrap=True)
        try:
            yield recorder
        except BaseException as error:
            if not recorder.ended:
                recorder.end({"error": str(error) or type(error).__name__})
            raise


class Recorder:
    """Appends samples of a run to its file, until `close`.

    Attributes:
        board: the latest samples, for a terminal.
        url: of the page; None if it is not served.
        ended: whether the record is complete.
    """

    def __init__(self, plan: Plan, network: EmulatedNetwork, teams: Sequence[Team]) -> None:
        """Begins when the network is up, before the workers start. Raises OSError."""
        self._network, self._teams, self._out = network, teams, plan.out
        self.url: str | None = None
        self.ended = False
        self._steps = [0] * len(teams)
        self._log = Follower(network.logs / "controller.log")
        self._controller = network.controller
        self._kills = 0
        self._began = time.monotonic()
        self._first: float | None = None
        self._due = self._reading_due = 0.0
        with ExitStack() as opened:
            self._traffic = opened.enter_context(closing(Traffic(network)))
            self._readers = {switch.name: _Reader(switch) for switch in network.switches}
            for reader in self._readers.values():
                opened.callback(reader.close)
            heading = self._heading(plan)
            self._file = opened.enter_context(SamplesFile(plan.out, heading))
            self.board = Board(heading)
            self.close = opened.pop_all().close

    def _heading(self, plan: Plan) -> dict[str, Any]:
        teams = enumerate(self._teams, 1)
        below = {lower.node.name for lower, _ in self._network.links}
        return {
            "run": self._network.name,
            "title": str(plan),
            "switch": self._network.kind,
            "steps": plan.steps,
            "began": round(time.time(), 3),
            "hosts": {host.name: [job, rank] for job, team in teams for rank, host in enumerate(team.hosts)},
            "links": [[end.node.name for end in ends] for ends in self._network.links],
            "switches": sorted(self._readers, key=lambda name: name not in below),
            "captured": plan.pcap,
        }

    def sample(self, kills: Kills) -> None:
        """Takes a sample, if one is due. kills: processes killed so far. Raises OSError."""
        now = time.monotonic()
        if now >= self._due:
            self._take(kills)
            self._first = self._first or now
            self._due = now + self._pause(now)

    def finish(self, kills: Kills) -> None:
        """Takes the last sample. Raises OSError."""
        self._take(kills, last=True)

    def end(self, outcome: dict[str, Any]) -> None:
        """Records how the run ended, and writes page.html."""
        self._file.add({"t": self._time(), "over": outcome})
        self.ended = True
        try:
            standalone.write(self._out)
        except OSError as error:
            LOG.warning("cannot write %s: %s", standalone.NAME, error.strerror)

    def _take(self, kills: Kills, *, last: bool = False) -> None:
        gone = [host.name for team in self._teams for rank, host in enumerate(team.hosts) if rank not in team.workers]
        sample = {
            "t": self._time(),
            "links": self._traffic.read(),
            "jobs": [self._standings(job) for job in range(len(self._teams))],
            "workers": [team.metrics.workers() for team in self._teams],
            "gone": gone,
            "switches": self._read(last),
            "events": self._events(kills),
        }
        self._file.add(sample)
        self.board.take(sample)

    def _read(self, last: bool) -> dict[str, Any]:
        """The switches as in a sample; empty if reading them is not due yet."""
        now, before = time.monotonic(), time.thread_time()
        if now < self._reading_due and not last:
            return {}
        # gRPC waits forever for a call that an exception has cut short.
        with undisturbed():
            found = {name: reader.read() for name, reader in self._readers.items()}
        self._reading_due = now + max(self._pause(now), (time.thread_time() - before) / READING_SHARE)
        return found

    def _pause(self, now: float) -> float:
        """Seconds until the next sample."""
        return min(INTERVAL, SHARE * (now - (self._first or now)))

    def _time(self) -> float:
        return round(time.monotonic() - self._began, 3)

    def _standings(self, job: int) -> list[tuple[Any, ...]]:
        """At most POINTS of a job's standings since the last sample, always with the latest one."""
        metrics, before = self._teams[job].metrics, self._steps[job]
        new = metrics.steps - before
        count = min(new, POINTS)
        steps = [before + new * part // count for part in range(1, count + 1)]
        self._steps[job] += new
        return [astuple(metrics.standing(step)) for step in steps]

    def _events(self, kills: Kills) -> list[tuple[str, str]]:
        if self._network.controller is not self._controller:
            # It was restarted, and writes a new log.
            self._controller = self._network.controller
            self._log = Follower(self._log.path)
        fresh = [("kill", f"{name} was killed after step {step}") for step, name in kills[self._kills :]]
        self._kills = len(kills)
        return [*fresh, *(("controller", line) for line in self._log.new())]


class _Reader:
    """Reads one switch."""

    def __init__(self, switch: P4Switch) -> None:
        self._address, self._number = switch.address, switch.device
        self._switch: Switch | None = None
        self._serves_registers = True

    def read(self) -> dict[str, Any]:
        """Slots and counters, as in a sample."""
        try:
            if self._switch is None:
                self._switch = Switch(Device(self._address, self._number, timeout=PATIENCE))
            fates, deliveries = self._switch.fates(), self._switch.deliveries()
            found: dict[str, Any] = {name: deliveries[name] for name in ("delivered", "lost")}
            found["fates"] = {fate.name.lower(): count.packets for fate, count in fates.items() if count.packets}
            if self._serves_registers:
                try:
                    found["slots"] = list(map(_row, self._switch.slots().values()))
                except UnsupportedError:
                    self._serves_registers = False
        except SwitchError as error:
            return {"error": str(error)}
        return found

    def close(self) -> None:
        if self._switch is not None:
            self._switch.device.close()


def _row(state: SlotState) -> list[int]:
    seen = state.here.bitmap if state.fresh else 0
    missing = sum(1 << rank for rank in state.missing)
    congested = state.fresh and (state.here.congested or state.other.congested)
    return [state.slot, state.job or 0, state.epoch, state.round, seen, missing, int(congested)]
