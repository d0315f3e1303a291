"""What a launcher says in a worker's environment: where the controller is, which job, and the worker's place in it."""

from __future__ import annotations

import os
from pathlib import Path
from typing import NamedTuple

from dropzero.membership.access import CONTROLLER_VARIABLE, Tls

JOB_VARIABLE = "DROPZERO_JOB"
RANK_VARIABLE = "DROPZERO_RANK"
SIZE_VARIABLE = "DROPZERO_SIZE"
IP_VARIABLE = "DROPZERO_IP"
TLS_VARIABLES = ("DROPZERO_TLS_CERT", "DROPZERO_TLS_KEY", "DROPZERO_TLS_CA")


class Rendezvous(NamedTuple):
    """Where and as what a worker joins: the arguments of `connect` of these names."""

    controller: str
    job: int
    size: int
    rank: int | None


def rendezvous(controller: str | None, job: int | None, size: int | None, rank: int | None) -> Rendezvous:
    """Fill in what is None from the environment: DROPZERO_CONTROLLER, DROPZERO_JOB; DROPZERO_SIZE, or torchrun's
    WORLD_SIZE; and, if the size is from there too, DROPZERO_RANK, or torchrun's RANK.

    Raises:
        ValueError: something is neither given nor there, or is no number.
    """
    found = os.environ.get(CONTROLLER_VARIABLE) or None if controller is None else controller
    job = job_number() if job is None else job
    # A rank is one among that many.
    if size is None:
        size = _number(SIZE_VARIABLE, "WORLD_SIZE")
        rank = _number(RANK_VARIABLE, "RANK") if rank is None else rank
    if found is None or job is None or size is None:
        wanted = {CONTROLLER_VARIABLE: found, JOB_VARIABLE: job, SIZE_VARIABLE: size}
        absent = " and ".join(name for name, value in wanted.items() if value is None)
        raise ValueError(
            f"connect takes a controller, a job and a size: pass them, or start the program with `dropzero launch`, "
            f"which says them in its environment; there is no {absent}"
        )
    return Rendezvous(found, job, size, rank)


def job_number() -> int | None:
    """Return DROPZERO_JOB; None without it. Raises ValueError if it is no number."""
    return _number(JOB_VARIABLE)


def ip() -> str | None:
    """Return this host's address in the network, if DROPZERO_IP says it."""
    return os.environ.get(IP_VARIABLE) or None


def tls() -> Tls | None:
    """Return the certificate that DROPZERO_TLS_CERT, DROPZERO_TLS_KEY and DROPZERO_TLS_CA name; None without them.
    Raises ValueError for one or two of them."""
    given = [Path(path) for name in TLS_VARIABLES if (path := os.environ.get(name))]
    if not given:
        return None
    if len(given) < len(TLS_VARIABLES):
        raise ValueError(f"TLS takes three files: {', '.join(TLS_VARIABLES)}")
    return Tls(*given)


def _number(*names: str) -> int | None:
    """Return the first of these variables that is set."""
    for name in names:
        if text := os.environ.get(name):
            if not text.isdecimal():
                raise ValueError(f"{name} in the environment is a number from 0, not {text!r}")
            return int(text)
    return None
