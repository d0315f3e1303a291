"""Sets up all switches of a controller, and sets each one up again when it comes back."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from ipaddress import IPv4Address

from dropzero.controller.jobs.jobs import HOST
from dropzero.controller.jobs.roster import Roster
from dropzero.controller.p4runtime.errors import NotPrimaryError, SwitchError
from dropzero.controller.switches.fabric import Aggregator, Fabric
from dropzero.controller.switches.session import FIRST_PAUSE, SwitchSession
from dropzero.controller.switches.switch import Program, Settings
from dropzero.controller.switches.topology import Topology
from dropzero.controller.switches.view import SwitchView
from dropzero.membership.access import Tls


class SwitchManager(Fabric):
    """The fabric of a controller's switches, each through a session that survives the switch."""

    def __init__(
        self,
        topology: Topology,
        addresses: Mapping[str, tuple[str, int]],
        program: Program,
        settings: Settings,
        report: Callable[[str], None],
        host: Aggregator | None = None,
        tls: Tls | None = None,
    ) -> None:
        """Does not connect yet.

        Args:
            addresses: the P4Runtime server and device id of each switch, and of HOST if there is a `host`.
            settings: those of the root switch.
            host: the host that aggregates for jobs without slots.
            tls: for connections to the switches.
        """
        self.settings = settings
        self._sessions = {
            name: SwitchSession(*at, program, topology.views[name], _own(name, topology, settings), report, tls)
            for name, at in addresses.items()
            if name != HOST
        }
        if host is not None:
            own = Settings(IPv4Address(host.ip))
            self._sessions[HOST] = SwitchSession(*addresses[HOST], program, SwitchView(HOST, {}), own, report)
        super().__init__(topology, self._sessions, host)

    async def connect(self, timeout: float = 5) -> None:
        """Becomes primary on all switches. If another controller is primary, retries for up to `timeout` seconds: the
        switch may not have noticed yet that it died. Raises SwitchError."""
        give_up = time.monotonic() + timeout
        for session in self._sessions.values():
            while True:
                try:
                    session.use(await session.connect())
                    break
                except NotPrimaryError:
                    if time.monotonic() > give_up:
                        raise
                    await asyncio.sleep(FIRST_PAUSE)

    async def lost(self) -> SwitchError:
        """Waits until a switch goes away. Returns the error."""
        waiting = [asyncio.ensure_future(session.lost()) for session in self._sessions.values()]
        try:
            done, _ = await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
            return done.pop().result()
        finally:
            for each in waiting:
                each.cancel()

    async def keep(self, roster: Roster) -> None:
        """Runs forever: when a switch goes away, waits until it is back, and lets the roster restore it."""
        async with asyncio.TaskGroup() as group:
            for session in self._sessions.values():
                group.create_task(session.keep(roster.restore))

    def change(self, settings: Settings) -> None:
        """Changes the switches' settings, now and after their restarts. Raises SwitchError."""
        address = (settings.ip, settings.mac)
        if address != (self.settings.ip, self.settings.mac):
            if len(self.topology.views) > 1:
                raise SwitchError("with several switches, addresses can only be set when the controller starts")
            if settings.ip in self.topology.homes:
                raise SwitchError(f"a host has the address {settings.ip}")
            if settings.ip.is_unspecified or settings.ip.is_multicast or settings.ip.is_reserved:
                raise SwitchError(f"workers cannot send to {settings.ip}")
            self.topology = replace(self.topology, addresses={self.topology.root: address})
        for name in self.topology.views:
            self._sessions[name].change(_own(name, self.topology, settings))
        self.settings = settings

    def reset_counters(self) -> None:
        for session in self._sessions.values():
            session.reset_counters()

    def close(self) -> None:
        for session in self._sessions.values():
            session.close()


def _own(name: str, topology: Topology, settings: Settings) -> Settings:
    """The settings of one switch. Only switches with hosts lose packets: links between switches lose none."""
    ip, mac = topology.addresses[name]
    own = replace(settings, ip=ip, mac=mac)
    return own if name in topology.homes.values() else replace(own, uplink_loss=0, downlink_loss=0)
