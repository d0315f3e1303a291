"""A lock that no interrupt leaves taken."""

from __future__ import annotations

# The class itself, which threading.RLock is not.
from _thread import RLock
from typing import Literal


class Lock(RLock):  # type: ignore[misc]  # Its stub says that it is final.
    """A reentrant lock, free again after `with`, even if a signal handler raises an exception.

    Python 3.14 runs signal handlers between a lock's `__enter__` and the block. After an exception there, the lock
    would stay taken. So C code takes it and notes that it has; and nothing runs between a function in Python that
    returns and the block.
    """

    def __enter__(self) -> Literal[True]:  # type: ignore[override]  # The stub says that it is `acquire`.
        taken: list[bool] = []
        try:
            taken.extend(map(self.acquire, (True,)))
        except BaseException:
            if taken:
                self.release()
            raise
        return True
