"""The base of services whose functions address the switch's program."""

from __future__ import annotations

from dropzero.softswitch.engine.engine import Engine
from dropzero.softswitch.engine.switch import Switch


class EngineService:
    """Addresses the staged engine if there is one, as BMv2 does between load and swap."""

    needs_engine = True

    def __init__(self, switch: Switch) -> None:
        self._switch = switch

    @property
    def engine(self) -> Engine:
        engine = self._switch.staged or self._switch.engine
        assert engine is not None
        return engine
