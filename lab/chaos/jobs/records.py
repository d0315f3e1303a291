"""A worker's records: a line when a call begins, a line when it has ended, and each result, stored once for all workers
with the same one."""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from lab.chaos.jobs.calls import Array

now = time.monotonic
"""Seconds on the clock of records, the same for all processes of the machine."""


@dataclass(frozen=True)
class Record:
    """The outcome of one call for one worker.

    Attributes:
        began, ended: on the clock of `now`; ended is None until the call has ended.
        digest: of the result.
        error: the name of its class; empty for a result.
        text: the error's message.
        timeout: of the call, seconds.
        last: whether the worker made no call after it.
    """

    index: int
    kind: str
    began: float
    ended: float | None = None
    contributors: tuple[int, ...] = ()
    digest: str = ""
    error: str = ""
    text: str = ""
    timeout: float | None = None
    last: bool = False


def digest(arrays: Sequence[Array]) -> str:
    """Return a digest of types, shapes and bits."""
    made = hashlib.blake2b(digest_size=16)
    for array in arrays:
        made.update(f"{array.dtype.str}{array.shape}".encode())
        made.update(np.ascontiguousarray(array).tobytes())
    return made.hexdigest()


class Results:
    """Arrays in a folder, by their digest."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def add(self, arrays: Sequence[Array]) -> str:
        """Store arrays. Returns their digest."""
        name = digest(arrays)
        path = self._folder / f"{name}.npz"
        if not path.exists():
            partial = path.with_name(f"{name}-{os.getpid()}")
            with partial.open("wb") as file:
                np.savez(file, *arrays)
            partial.replace(path)
        return name

    def __getitem__(self, name: str) -> list[Array]:
        with np.load(self._folder / f"{name}.npz", allow_pickle=False) as loaded:
            return [loaded[key] for key in loaded.files]


def note(journal: Path, record: Record) -> None:
    """Append a worker's record to its journal, which has it even if the worker is killed."""
    with journal.open("a") as file:
        file.write(json.dumps(asdict(record)) + "\n")


def read(path: Path) -> Iterator[Record]:
    """Yield a worker's records in order, each call once; the last may not have ended. Skips incomplete lines."""
    pending: Record | None = None
    for line in path.read_bytes().splitlines() if path.exists() else []:
        try:
            fields = json.loads(line)
        except ValueError:
            continue
        record = Record(**fields | {"contributors": tuple(fields["contributors"])})
        if pending is not None and record.ended is None:
            yield pending
        pending = record if record.ended is None else None
        if record.ended is not None:
            yield record
    if pending is not None:
        yield pending
