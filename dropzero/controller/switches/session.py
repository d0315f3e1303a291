"""The controller's session with one switch, which survives the switch's restarts."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from functools import partial

from dropzero.controller.jobs.jobs import Job
from dropzero.controller.p4runtime.device import Device
from dropzero.controller.p4runtime.errors import SwitchError, UnreachableError
from dropzero.controller.switches.rows import Found, Parent
from dropzero.controller.switches.switch import Program, Settings, Switch
from dropzero.controller.switches.view import SwitchView
from dropzero.membership.access import Tls
from dropzero.protocol.wire import HEADROOM

ELECTION_ID = 2 << 64
"""Higher than the ids that people use (p4runtime-shell: 1 << 64, written `1,0`), so that they can read at the same
time."""

FIRST_PAUSE, LONGEST_PAUSE = 0.1, 2.0
"""Seconds between attempts to reach a switch that is away: the first pause and the longest."""


class SwitchSession:
    """Sets up a switch each time it comes back. While it is away, methods raise UnreachableError.

    Attributes:
        growth: see Switch; while the switch is away, what it was before.
    """

    def __init__(
        self,
        address: str,
        device_id: int,
        program: Program,
        view: SwitchView,
        settings: Settings,
        report: Callable[[str], None],
        tls: Tls | None = None,
    ) -> None:
        self.settings = settings
        self.growth = HEADROOM
        self._tls = tls
        self._address = address
        self._device_id = device_id
        self._program = program
        self._view = view
        self._report = report
        self._switch: Switch | None = None
        self._note: Callable[[SwitchError], None]
        self._losses: asyncio.Queue[SwitchError] = asyncio.Queue()

    async def connect(self, timeout: float = 10) -> Switch:
        """Becomes primary and configures the switch; `use` makes the session use it. Raises SwitchError."""
        # A new queue ignores reports of the previous connection.
        self._losses = asyncio.Queue()
        self._note = partial(_pass_on, asyncio.get_running_loop(), self._losses)
        return await asyncio.to_thread(self._connect, timeout)

    def _connect(self, timeout: float) -> Switch:
        device = Device(self._address, self._device_id, timeout=timeout, tls=self._tls)
        try:
            device.become_primary(ELECTION_ID, on_loss=self._note)
            switch = Switch(device)
            switch.prepare(self._program)
            switch.configure(self._view, self.settings)
        except BaseException:
            device.close()
            raise
        return switch

    def use(self, switch: Switch) -> None:
        self._switch = switch
        self.growth = switch.growth

    def close(self) -> None:
        if self._switch is not None:
            self._switch.device.close()
            self._switch = None

    # ---- for the fabric

    def learn(self) -> list[Found]:
        """See Switch."""
        with self._present() as switch:
            return switch.learn()

    def sync(self, number: int, job: Job | None, parent: Parent | None = None) -> None:
        """See Switch."""
        with self._present() as switch:
            switch.sync(number, job, parent)

    def taken(self) -> int:
        """See Switch."""
        with self._present() as switch:
            return switch.taken()

    def change(self, settings: Settings) -> None:
        """Changes the switch's settings, and keeps them for its restart."""
        with self._present() as switch:
            switch.set_address(settings.ip, settings.mac)
            switch.set_loss(settings.uplink_loss, settings.downlink_loss)
            switch.set_marking(settings.mark_from)
        self.settings = settings

    def reset_counters(self) -> None:
        """See Switch."""
        with self._present() as switch:
            switch.reset_counters()

    @contextmanager
    def _present(self) -> Iterator[Switch]:
        """Yields the switch. If it does not answer in time, it counts as away, even if the connection stands."""
        if self._switch is None:
            raise UnreachableError(f"the switch at {self._address} is away; it will be set up again when it is back")
        try:
            yield self._switch
        except UnreachableError as error:
            self._note(error)
            raise

    # ---- loss and return

    async def lost(self) -> SwitchError:
        """Waits until the switch goes away. Returns the error."""
        while True:
            error = await self._losses.get()
            if isinstance(error, UnreachableError):
                return error
            self._report(str(error))

    async def keep(self, restore: Callable[[Callable[[], None]], Awaitable[None]]) -> None:
        """Runs forever: when the switch goes away, waits until it is back, and calls `restore` with the function that
        makes the session use it."""
        while True:
            self._report(f"{await self.lost()}; waiting for it")
            self.close()
            pause = FIRST_PAUSE
            while self._switch is None:
                await asyncio.sleep(pause)
                pause = min(2 * pause, LONGEST_PAUSE)
                try:
                    await restore(partial(self.use, await self.connect(LONGEST_PAUSE)))
                except SwitchError as error:
                    if not isinstance(error, UnreachableError):
                        self._report(str(error))
                    self.close()


def _pass_on(loop: asyncio.AbstractEventLoop, losses: asyncio.Queue[SwitchError], error: SwitchError) -> None:
    # The loop is closed when the controller stops.
    if not loop.is_closed():
        loop.call_soon_threadsafe(losses.put_nowait, error)
