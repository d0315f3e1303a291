"""The switch object, which connects its ports with its P4Runtime and Thrift servers."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext

from dropzero.softswitch.engine.engine import Engine
from dropzero.softswitch.engine.queues import Queues
from dropzero.softswitch.program.model import Program, UnsupportedProgram
from dropzero.softswitch.state.reports import Digest, Report

log = logging.getLogger(__name__)


class Switch:
    """Holds the running engine.

    Attributes:
        engine: the running engine; None without a program. Replaced as a whole, so a thread that has read it keeps a
            consistent object
        staged: the engine that swap() will run; None if there is none. Tables can be filled before the swap
        queues: the queues of the ports, which stay when the program changes
    """

    def __init__(
        self,
        device_id: int = 0,
        *,
        cpu_port: int | None = None,
        drop_port: int = 511,
        seed: int | None = None,
        priority_queues: int = 1,
        strict: bool = False,
        follow: Callable[[Report], object] | None = None,
    ) -> None:
        """strict: follow the specifications where BMv2 deviates from them. follow: see Engine."""
        self.device_id = device_id
        self.cpu_port = cpu_port
        self.drop_port = drop_port
        self.seed = seed
        self.strict = strict
        self.follow = follow
        self.queues = Queues(priority_queues, without=[] if cpu_port is None else [cpu_port])
        self.engine: Engine | None = None
        self.staged: Engine | None = None
        self.packet_in: Callable[[bytes], object] = lambda packet: None
        """Called in the loop's thread with each packet that leaves by the CPU port."""
        self.ports_down: frozenset[int] = frozenset()
        """The ports that are down."""
        self.ports_changed: Callable[[frozenset[int]], None] = lambda down: None
        """Called when the set of ports that are down changes."""
        self.swapped: Callable[[], None] = lambda: None
        """Called by swap(), with the lock of the old engine held."""
        self.learn: Callable[[Digest], object] = lambda digest: None
        """Called in the loop's thread with each digest message."""
        self.begin = time.monotonic_ns()
        """time.monotonic_ns() when the switch's time began."""

    def now(self) -> int:
        """The switch's time: microseconds since it was created, which programs read as timestamps."""
        return (time.monotonic_ns() - self.begin) // 1000

    def set_port_status(self, port: int, up: bool) -> None:
        """Sets whether a port is up; members of action profiles may watch it."""
        self.ports_down = self.ports_down - {port} if up else self.ports_down | {port}
        self.ports_changed(self.ports_down)

    def compile(self, program: Program) -> Engine:
        """Compiles a program. Raises UnsupportedProgram if it cannot be compiled."""
        try:
            return Engine(
                program.strictly() if self.strict else program,
                cpu_port=self.cpu_port,
                drop_port=self.drop_port,
                seed=self.seed,
                queues=self.queues,
                traced=log.isEnabledFor(logging.DEBUG),
                follow=self.follow,
            )
        except MemoryError:
            raise UnsupportedProgram("there is no memory for its tables and arrays") from None

    @contextmanager
    def held_engine(self) -> Iterator[Engine | None]:
        """Holds the running engine's lock in the block, so that no other engine replaces it. Yields None if there is no
        engine."""
        while (engine := self.engine) is not None:
            with engine.lock:
                # The engine may have been replaced while this thread waited.
                if self.engine is engine:
                    yield engine
                    return
        yield None

    def replace(self, engine: Engine) -> None:
        """Runs packets through this engine from now on."""
        # Waits until no thread holds the old engine's lock.
        with nullcontext() if self.engine is None else self.engine.lock:
            self.engine = engine

    def swap(self) -> None:
        """Runs packets through the staged engine, which must exist, from now on."""
        assert self.staged is not None
        with self.held_engine():
            self.swapped()
            self.replace(self.staged)
            self.staged = None
