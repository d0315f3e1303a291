"""Checks each packet of a run, and each worker's sum, against the tensors."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from dropzero.ina.protocol import Claim, Protocol, ProtocolError, Tensor, Worker


class AuditError(ProtocolError):
    """A sum is wrong, or missing."""


class Audit:
    """The reference: numpy's sums of the tensors.

    Attributes:
        tensors: of the workers, shape (workers, elements).
        packets: checked.
        sums: those of them that claimed a sum of several workers.
    """

    def __init__(self, protocol: Protocol, tensors: Sequence[Tensor]) -> None:
        self.tensors = np.stack(tensors)
        self._protocol, self._sent = protocol, np.stack([protocol.encode(each) for each in tensors])
        self.packets = self.sums = 0

    def packet(self, payload: bytes, where: str) -> None:
        """Checks what a packet claims. where: it was seen, in words. Raises AuditError."""
        self.packets += 1
        claim = self._protocol.claim(payload)
        if claim is not None:
            self._check(claim, f"{where}, packet {self.packets}")
            self.sums += claim.workers.bit_count() > 1

    def worker(self, worker: Worker) -> None:
        """Checks the sum that a worker has. Raises AuditError if an element is not the sum of its contributors, or if a
        contributor is missing and the protocol allows none to be missing."""
        name = f"worker {worker.rank}"
        if not worker.finished:
            raise AuditError(f"{name} has not received all sums")
        edges = np.flatnonzero(np.diff(worker.contributors)) + 1
        for start, end in zip([0, *edges], [*edges, len(worker.total)], strict=True):
            workers = int(worker.contributors[start])
            self._check(Claim(workers, start, worker.total[start:end]), name)
            if workers != self._protocol.team(worker.rank) and not self._protocol.partial:
                raise AuditError(f"{name}: elements {start} to {end - 1} are the sum of workers {_named(workers)} only")

    def _check(self, claim: Claim, where: str) -> None:
        ranks = _ranks(claim.workers)
        if ranks and ranks[-1] >= len(self._sent):
            raise AuditError(f"{where}: there is no worker {ranks[-1]}")
        # Columns first: they are a view.
        given = self._sent[:, claim.where][ranks]
        expected = np.zeros(len(claim.values), np.int32)
        expected[: given.shape[1]] = given.sum(0, dtype=np.int32)
        expected = self._protocol.rounded(expected, len(ranks))
        wrong = np.flatnonzero(claim.values != expected)
        if len(wrong):
            at = int(wrong[0])
            place = claim.start + at if claim.places is None else claim.places[at]
            raise AuditError(
                f"{where}: element {place} is {claim.values[at]}, but the sum of workers "
                f"{_named(claim.workers)} is {expected[at]}"
            )


def _ranks(workers: int) -> list[int]:
    return [rank for rank in range(workers.bit_length()) if workers >> rank & 1]


def _named(workers: int) -> str:
    return ", ".join(map(str, _ranks(workers))) or "none"
