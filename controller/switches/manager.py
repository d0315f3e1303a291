"""All switches that a controller is in charge of."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from ipaddress import IPv4Address

from dropzero.controller.jobs.roster import Roster
from dropzero.controller.p4runtime.errors import NotPrimaryError, SwitchError
from dropzero.controller.rpc.membership_service import Aggregator
from dropzero.controller.switches.fabric import HOST, Fabric
from dropzero.controller.switches.session import FIRST_PAUSE, Keeper
from dropzero.controller.switches.switch import Program, Settings
from dropzero.controller.switches.topology import Network
from dropzero.controller.switches.view import Topology
from dropzero.membership.access import Tls


class Charge(Fabric):
    """A fabric of switches that are set up, and set up again whenever they come back."""

    def __init__(
        self,
        network: Network,
        addresses: Mapping[str, tuple[str, int]],
        program: Program,
        settings: Settings,
        report: Callable[[str], None],
        host: Aggregator | None = None,
        tls: Tls | None = None,
    ) -> None:
        """`addresses`: by switch, where its P4Runtime server is, and the device id there; also HOST's, if there is a
        `host` that adds up for jobs without slots. `settings`: the root's. `tls`: towards the switches."""
        self.settings = settings
        self._keepers = {
            name: Keeper(*at, program, network.views[name], _own(name, network, settings), report, tls)
            for name, at in addresses.items()
            if name != HOST
        }
        if host is not None:
            own = Settings(IPv4Address(host.ip))
            self._keepers[HOST] = Keeper(*addresses[HOST], program, Topology(HOST, {}), own, report)
        super().__init__(network, self._keepers, host)

    async def connect(self, timeout: float = 5) -> None:
        """Takes charge of all switches; if another controller is in charge, that one has `timeout` seconds to go: a
        switch may not have noticed yet that it died. Raises SwitchError."""
        give_up = time.monotonic() + timeout
        for keeper in self._keepers.values():
            while True:
                try:
                    keeper.use(await keeper.connect())
                    break
                except NotPrimaryError:
                    if time.monotonic() > give_up:
                        raise
                    await asyncio.sleep(FIRST_PAUSE)

    async def lost(self) -> SwitchError:
        """Waits until one of the switches is away."""
        waiting = [asyncio.ensure_future(keeper.lost()) for keeper in self._keepers.values()]
        try:
            done, _ = await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
            return done.pop().result()
        finally:
            for each in waiting:
                each.cancel()

    async def keep(self, roster: Roster) -> None:
        """For ever: whenever a switch goes away, waits until it is back and has the roster restore it."""
        async with asyncio.TaskGroup() as group:
            for keeper in self._keepers.values():
                group.create_task(keeper.keep(roster.restore))

    def change(self, settings: Settings) -> None:
        """Has the switches go by other settings, now and after their restarts. Raises SwitchError."""
        address = (settings.ip, settings.mac)
        if address != (self.settings.ip, self.settings.mac):
            if len(self.network.views) > 1:
                raise SwitchError("the addresses of several switches are those that the controller was started with")
            self.network = replace(self.network, addresses={self.network.root: address})
        for name in self.network.views:
            self._keepers[name].change(_own(name, self.network, settings))
        self.settings = settings

    def reset_counters(self) -> None:
        for keeper in self._keepers.values():
            keeper.reset_counters()

    def close(self) -> None:
        for keeper in self._keepers.values():
            keeper.close()


def _own(name: str, network: Network, settings: Settings) -> Settings:
    """One switch's settings. A link between switches loses nothing: only those with hosts lose packets."""
    ip, mac = network.addresses[name]
    own = replace(settings, ip=ip, mac=mac)
    return own if name in network.homes.values() else replace(own, uplink_loss=0, downlink_loss=0)
