"""Measures the communication of a training loop: the bytes and seconds of each step."""

from __future__ import annotations

from time import monotonic
from typing import Any, NamedTuple, Protocol

from torch import distributed

from dropzero.simulator.formulas import Scheme, bus_bandwidth


class Writer(Protocol):
    """Takes the numbers, as torch.utils.tensorboard.SummaryWriter does."""

    def add_scalar(self, tag: str, scalar_value: float, global_step: int) -> object: ...


class Step(NamedTuple):
    """One step on this rank.

    Attributes:
        seconds: since the end of the step before.
        bytes_sent, bytes_received: between this rank and the switch, with all headers, without those from host to host.
        retransmissions: packets that were sent again.
        communication: the seconds in which at least one call of the group was under way.
        exposed: the part of them after the step's last call was added, for which the program waits after DDP's backward
            pass.
    """

    seconds: float
    bytes_sent: int
    bytes_received: int
    retransmissions: int
    communication: float
    exposed: float

    @property
    def overlap(self) -> float:
        """The share of the communication that the program's computation hid, from 0 to 1; 0 without calls."""
        return 1 - self.exposed / self.communication if self.communication else 0.0

    @property
    def bus_bandwidth(self) -> float:
        """What this rank's link to the switch carried in its busier direction while calls were under way, with headers,
        bits a second; 0 without calls."""
        carried = max(self.bytes_sent, self.bytes_received)
        if not self.communication:
            return 0.0
        # The switch adds up, so that the number of ranks does not matter.
        return bus_bandwidth(Scheme.DROPZERO, carried, 1, self.communication) or 0.0


class Meter:
    """Measures steps.

    meter = Meter(writer=SummaryWriter("runs/log"))
    for batch in batches:
        train(batch)
        print(meter.step())

    Args:
        group: with the backend dropzero; None: the default group.
        writer: gets the numbers of each step, as `tag`/bytes_sent and so on, `tag`/overlap and `tag`/bus_bandwidth
            among them.

    Raises:
        TypeError: the group has another backend.
    """

    def __init__(self, group: Any = None, *, writer: Writer | None = None, tag: str = "dropzero") -> None:
        own = group or distributed.group.WORLD
        if not hasattr(own, "line"):
            raise TypeError("Meter needs a process group of the backend dropzero")
        self._line: Any = own.line
        self._writer, self._tag, self._steps = writer, tag, 0
        self._before = self._totals()

    def step(self) -> Step:
        """Ends a step, and returns its measurements. It includes the elapsed part of calls that are still under way."""
        now = self._totals()
        past = {name: now[name] - self._before[name] for name in now}
        self._before = now
        step = Step(**past, exposed=min(self._line.busy.seconds[1], past["communication"]))
        if self._writer is not None:
            for name, value in {**step._asdict(), "overlap": step.overlap, "bus_bandwidth": step.bus_bandwidth}.items():
                self._writer.add_scalar(f"{self._tag}/{name}", value, self._steps)
        self._steps += 1
        return step

    def _totals(self) -> dict[str, Any]:
        statistics = self._line.statistics
        return {
            "seconds": monotonic(),
            **{name: statistics[name] for name in ("bytes_sent", "bytes_received", "retransmissions")},
            "communication": self._line.busy.seconds[0],
        }
