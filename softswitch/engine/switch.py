"""The switch: what its ports, its P4Runtime server and its command line share."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext

from dropzero.softswitch.engine.engine import Engine, QueuedPacket
from dropzero.softswitch.engine.queues import Queues
from dropzero.softswitch.program.model import Program, UnsupportedProgram
from dropzero.softswitch.state.reports import Digest

log = logging.getLogger(__name__)


class Switch:
    """`engine` is what packets go through. It is replaced as a whole: whoever has read it keeps working on a consistent
    object. `queues` are of the ports and stay when the program changes. `staged` has been loaded to take the engine's
    place when somebody says so; until then it may be filled.
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
    ) -> None:
        """strict: where BMv2 does otherwise than the specifications say, this switch does not."""
        self.device_id = device_id
        self.cpu_port = cpu_port
        self.drop_port = drop_port
        self.seed = seed
        self.strict = strict
        self.queues: Queues[QueuedPacket] = Queues(priority_queues, without=[] if cpu_port is None else [cpu_port])
        self.engine: Engine | None = None
        self.staged: Engine | None = None
        self.packet_in: Callable[[bytes], object] = lambda packet: None
        """What to do with a packet that leaves by the CPU port; called in the loop's thread."""
        self.ports_down: frozenset[int] = frozenset()
        """The ports that somebody said are down."""
        self.ports_changed: Callable[[frozenset[int]], None] = lambda down: None
        """What to do when others are down."""
        self.swapped: Callable[[], None] = lambda: None
        """What to do when the staged engine takes over; called with the lock of the one before held."""
        self.learn: Callable[[Digest], object] = lambda digest: None
        """What to do with what a packet left for a digest; called in the loop's thread."""
        self.begin = time.monotonic_ns()
        """When it was made."""

    def now(self) -> int:
        """Microseconds since the switch was made: what programs read as timestamps."""
        return (time.monotonic_ns() - self.begin) // 1000

    def set_port_status(self, port: int, up: bool) -> None:
        """Says whether a port is up; members of action profiles may watch it."""
        self.ports_down = self.ports_down - {port} if up else self.ports_down | {port}
        self.ports_changed(self.ports_down)

    def compile(self, program: Program) -> Engine:
        """Raises UnsupportedProgram."""
        try:
            return Engine(
                program.strictly() if self.strict else program,
                cpu_port=self.cpu_port,
                drop_port=self.drop_port,
                seed=self.seed,
                queues=self.queues,
                traced=log.isEnabledFor(logging.DEBUG),
            )
        except (AssertionError, AttributeError, LookupError, StopIteration, TypeError) as error:
            # What p4c would not write is not looked for in advance.
            reason = f"{type(error).__name__}: {error}"
            raise UnsupportedProgram(f"not a program that p4c wrote for BMv2: {reason}") from error

    @contextmanager
    def held_engine(self) -> Iterator[Engine | None]:
        """In the block, the engine's lock is held, and no other engine takes its place; None while there is none."""
        while (engine := self.engine) is not None:
            with engine.lock:
                # Another may have taken over while this one's was waited for.
                if self.engine is engine:
                    yield engine
                    return
        yield None

    def replace(self, engine: Engine) -> None:
        """Packets go through this one from now on."""
        # Whoever has the old one notices when it lets it go.
        with nullcontext() if self.engine is None else self.engine.lock:
            self.engine = engine

    def swap(self) -> None:
        """Packets go through the staged engine from now on. There has to be one."""
        assert self.staged is not None
        with self.held_engine():
            self.swapped()
            self.replace(self.staged)
            self.staged = None
