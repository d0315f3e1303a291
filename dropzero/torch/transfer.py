"""Sends and receives, which Gloo carries out from one rank to another, one at a time."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Future
from datetime import timedelta
from threading import Thread
from typing import Any

from torch import Tensor
from torch.distributed import Work

from dropzero.torch.line import NOW
from dropzero.torch.profiling import profiled
from dropzero.torch.staging import Staging


class Transfer(Work):
    """A send or a receive that Gloo has begun."""

    def __init__(self, name: str, tensors: Sequence[Tensor], work: Any, stage: Staging) -> None:
        """name: for the profiler. stage: the memory into which Gloo receives."""
        super().__init__()
        self._work, self._finish = work, stage.around(lambda: None)
        self._over = False
        self._outcome: Future[None] | None = None
        gloos = work.wait
        wait = profiled(name, tensors, gloos)
        if wait is not gloos:
            # The range ends when the transfer does, not when somebody waits for it.
            self._outcome = Future()
            Thread(target=_make, args=(wait, self._outcome), name=name, daemon=True).start()

    def wait(self, timeout: timedelta = NOW) -> bool:
        # Gloo's own would wait for another message.
        if not self._over:
            if self._outcome is not None:
                self._outcome.result(timeout.total_seconds() if timeout > NOW else None)
            elif timeout > NOW:
                self._work.wait(timeout)
            else:
                self._work.wait()
            self._finish()
            self._over = True
        return True

    def is_completed(self) -> bool:
        return self._over or bool(self._work.is_completed())

    def source_rank(self) -> int:
        return int(self._work._source_rank())

    _source_rank = source_rank


def _make(wait: Any, outcome: Future[None]) -> None:
    try:
        wait()
    except BaseException as error:
        outcome.set_exception(error)
    else:
        outcome.set_result(None)
