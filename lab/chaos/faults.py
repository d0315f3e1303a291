"""Inject faults of every kind into a running network, and undo them. A method that injects one yields until it is to
be undone."""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from functools import partial
from pathlib import Path

from dropzero.membership.operator_client import OperatorError
from dropzero.topologies.networks.switch import P4Switch
from dropzero.topologies.processes.process import Process
from lab.chaos.injection.attack import Attack
from lab.chaos.injection.proxy import Proxy
from lab.chaos.stage.crew import Crew
from lab.chaos.stage.report import Report
from lab.chaos.stage.schedule import PATIENCE, Fault
from lab.chaos.stage.system import SystemUnderTest

SMALL_MTU = 68, 600
"""Range of a small MTU, bytes."""
DAY = 86_400.0
SECOND_RUN = 180.0
"""Seconds that a second run at the same time may take."""


class FaultInjector:
    """Injects each fault when it is due, and undoes it when it is over, one at a time."""

    def __init__(self, system: SystemUnderTest, crews: list[Crew], report: Report, out: Path) -> None:
        """report: counts forged packets, and gets the failures of second runs. out: folder for their files."""
        self._system, self._crews, self._report, self._out = system, crews, report, out
        self._events = system.events
        self._due = list(system.stage.faults)
        self._active: Fault | None = None
        self._undoing = ExitStack()
        self._since = time.monotonic()
        self._second: Process | None = None
        self._attack: Attack | None = None
        self._injectors: dict[str, Callable[[Fault], Iterator[None]]] = {
            "stop-worker": self._stop_worker,
            "stop-all-workers": lambda fault: self._stopped(fault, [each for crew in crews for each in crew.processes]),
            "stop-switch": lambda fault: self._stopped(fault, [self._switch(fault).process]),
            "stop-controller": lambda fault: self._stopped(fault, [system.network.controller]),
            "kill-worker": lambda fault: self._signalled(fault, Crew.kill),
            "kill-switch": self._kill_switch,
            "kill-controller": lambda fault: self._meanwhile(
                fault, [], system.kill_controller, system.start_controller
            ),
            "host-link-down": lambda fault: self._link(fault, system.host_link, ("down",), ("up",)),
            "switch-port-down": lambda fault: self._link(fault, system.port_link, ("down",), ("up",)),
            "host-mtu": lambda fault: self._link(fault, system.host_link, _mtu(fault), ("mtu", "1500")),
            "switch-port-mtu": lambda fault: self._link(fault, system.port_link, _mtu(fault), ("mtu", "1500")),
            "cut-workers-from-controller": self._cut_workers,
            "cut-controller-from-switch": self._cut_switch,
            "loss": self._loss,
            "clock": self._clock,
            "full-disk": lambda fault: self._meanwhile(fault, [], system.disk.fill, system.disk.clear),
            "second-run": self._second_run,
            "interrupt": lambda fault: self._signalled(fault, Crew.interrupt),
            "forgery": self._forgery,
        }

    def tick(self) -> None:
        if self._active is not None and time.monotonic() >= self._since + self._active.lasts:
            self.undo()
        if self._active is None and self._due and time.monotonic() >= self._since + self._due[0].after:
            fault = self._due.pop(0)
            self._undoing.enter_context(contextmanager(self._injectors[fault.kind])(fault))
            self._active = fault
            self._since = time.monotonic()
        if self._attack is not None:
            self._attack.send_volley()

    def undo(self) -> None:
        if (fault := self._active) is not None:
            self._active = None
            self._undoing.close()
            self._since = time.monotonic()
            if fault.lasts:
                self._events.add(f"{fault.kind}: over")

    def end(self) -> None:
        """Undo the active fault, and wait for a second run."""
        self.undo()
        if (second := self._second) is not None:
            deadline = time.monotonic() + SECOND_RUN
            while second.status is None and time.monotonic() < deadline:
                time.sleep(0.1)
            if second.status != 0:
                self._report.failed.append(second.failure_report())
                second.signal(signal.SIGTERM)
            second.reap()
            self._second = None

    def _switch(self, fault: Fault) -> P4Switch:
        switches = self._system.network.switches
        return switches[fault.target % len(switches)]

    def _worker(self, fault: Fault) -> tuple[Crew, int] | None:
        """Return a worker that makes calls, if there is one."""
        at_work = [(crew, rank) for crew in self._crews for rank in crew.at_work()]
        return at_work[fault.target % len(at_work)] if at_work else None

    def _stop_worker(self, fault: Fault) -> Iterator[None]:
        if (found := self._worker(fault)) is None:
            yield
        else:
            crew, rank = found
            yield from self._stopped(fault, [crew.workers[rank].process])

    def _stopped(self, fault: Fault, processes: list[Process | None]) -> Iterator[None]:
        running = [each for each in processes if each is not None and each.status is None]
        names = ", ".join(f"{each.name} ({each.pid})" for each in running)
        self._events.fault(fault.kind, f"{names}, for {fault.lasts:.1f} s")
        for each in running:
            os.kill(each.pid, signal.SIGSTOP)
        yield
        for each in running:
            with suppress(ProcessLookupError):
                each.signal(signal.SIGCONT)

    def _signalled(self, fault: Fault, act: Callable[[Crew, int], None]) -> Iterator[None]:
        """Do something to a worker that makes calls, if there is one."""
        if (found := self._worker(fault)) is not None:
            crew, rank = found
            process = crew.workers[rank].process
            self._events.fault(fault.kind, f"{process.name} ({process.pid})")
            act(crew, rank)
        yield

    def _meanwhile(
        self, fault: Fault, what: Sequence[str], do: Callable[[], None], undo: Callable[[], object]
    ) -> Iterator[None]:
        self._events.fault(fault.kind, ", ".join([*what, f"for {fault.lasts:.1f} s"]))
        do()
        yield
        undo()

    def _kill_switch(self, fault: Fault) -> Iterator[None]:
        switch, system = self._switch(fault), self._system
        kill = partial(system.kill, switch.process)
        return self._meanwhile(fault, [switch.name], kill, lambda: system.network.start_switches([switch]))

    def _link(
        self, fault: Fault, link: Callable[..., None], change: tuple[str, ...], restored: tuple[str, ...]
    ) -> Iterator[None]:
        hosts = self._system.hosts
        host = hosts[fault.target % len(hosts)]
        what = [" ".join([host.name, *change])]
        return self._meanwhile(fault, what, partial(link, host, *change), partial(link, host, *restored))

    def _cut_workers(self, fault: Fault) -> Iterator[None]:
        # A worker whose connection breaks is lost, unless the controller's patience exceeds the cut.
        hang_up = fault.strength < 0.5 and self._system.stage.patience >= PATIENCE
        return self._cut(fault, [], self._system.to_controller, hang_up)

    def _cut_switch(self, fault: Fault) -> Iterator[None]:
        name = self._switch(fault).name
        return self._cut(fault, [name], self._system.to_switches[name], fault.strength < 0.5)

    def _cut(self, fault: Fault, who: list[str], proxy: Proxy, hang_up: bool) -> Iterator[None]:
        what = [*who, "hung up" if hang_up else "silent"]
        return self._meanwhile(fault, what, partial(proxy.cut, hang_up=hang_up), proxy.heal)

    def _loss(self, fault: Fault) -> Iterator[None]:
        probability = fault.strength * 0.2

        def set_to(loss: float) -> None:
            try:
                self._system.set_loss(loss)
            except OperatorError as error:
                self._events.add(f"loss: {error}")

        before = self._system.stage.loss
        return self._meanwhile(fault, [f"{probability:.3f}"], partial(set_to, probability), partial(set_to, before))

    def _clock(self, fault: Fault) -> Iterator[None]:
        """Shift the clock; half of the times, also restart the controller."""
        step = (2 * fault.strength - 1) * DAY
        restart = fault.target % 2 == 0
        self._events.fault(fault.kind, f"{step:+.0f} s{', controller restarted' if restart else ''}")
        self._system.clock.write_text(str(step))
        if restart:
            self._system.kill_controller()
            self._system.start_controller()
        yield
        self._system.clock.unlink()

    def _second_run(self, fault: Fault) -> Iterator[None]:
        if self._second is None:
            out = self._out / f"second-run-{self._system.stage.number}"
            options = ["--workers", "2", "--steps", "60", "--switch", "softswitch", "--out", str(out)]
            self._events.fault(fault.kind, " ".join(options))
            command = [sys.executable, "-m", "dropzero", "run", *options]
            self._second = Process("the second run", command, self._out / f"second-run-{self._system.stage.number}.log")
        yield

    def _forgery(self, fault: Fault) -> Iterator[None]:
        *victims, other = self._system.hosts
        self._events.fault(fault.kind, f"by {other.name}, for {fault.lasts:.1f} s")
        with Attack(victims, other, fault.target, self._report.forged) as self._attack:
            yield
        self._attack = None


def _mtu(fault: Fault) -> tuple[str, str]:
    least, most = SMALL_MTU
    return "mtu", str(round(least + fault.strength * (most - least)))
