"""Reads what a launcher puts into a worker's environment: the controller's address, the job, and the worker's rank."""

from __future__ import annotations

import os
from pathlib import Path
from typing import NamedTuple

from dropzero.membership.access import CONTROLLER_VARIABLE, Tls

JOB_VARIABLE = "DROPZERO_JOB"
RANK_VARIABLE = "DROPZERO_RANK"
SIZE_VARIABLE = "DROPZERO_SIZE"
RINGS_VARIABLE = "DROPZERO_RINGS"
IP_VARIABLE = "DROPZERO_IP"
TLS_VARIABLES = ("DROPZERO_TLS_CERT", "DROPZERO_TLS_KEY", "DROPZERO_TLS_CA")


class Rendezvous(NamedTuple):
    """Where a worker joins, and as which rank: the arguments of `connect` with these names."""

    controller: str
    job: int
    size: int
    rank: int | None


def rendezvous(controller: str | None, job: int | None, size: int | None, rank: int | None) -> Rendezvous:
    """Replaces arguments that are None by DROPZERO_CONTROLLER, DROPZERO_JOB, DROPZERO_SIZE (or torchrun's WORLD_SIZE)
    and, if the size comes from the environment, DROPZERO_RANK (or torchrun's RANK).

    Raises:
        ValueError: a value is neither given nor in the environment, or is not a number.
    """
    found = os.environ.get(CONTROLLER_VARIABLE) or None if controller is None else controller
    job = job_number() if job is None else job
    # A rank belongs to a size.
    if size is None:
        size = _number(SIZE_VARIABLE, "WORLD_SIZE")
        rank = _number(RANK_VARIABLE, "RANK") if rank is None else rank
    if found is None or job is None or size is None:
        wanted = {CONTROLLER_VARIABLE: found, JOB_VARIABLE: job, SIZE_VARIABLE: size}
        absent = " and ".join(name for name, value in wanted.items() if value is None)
        raise ValueError(
            f"connect needs a controller, a job and a size: pass them, or start the program with `dropzero launch`, "
            f"which sets them in the environment; not set: {absent}"
        )
    return Rendezvous(found, job, size, rank)


def job_number() -> int | None:
    """Returns DROPZERO_JOB; None if it is not set. Raises ValueError if it is not a number."""
    return _number(JOB_VARIABLE)


def ip() -> str | None:
    """Returns DROPZERO_IP, this host's address in the network; None if it is not set."""
    return os.environ.get(IP_VARIABLE) or None


def rings() -> tuple[Path, int] | None:
    """Returns the folder and the port that DROPZERO_RINGS names, of a switch that offers rings; None if it is not set.

    Raises:
        ValueError: it is not FOLDER:PORT.
    """
    given = os.environ.get(RINGS_VARIABLE)
    if not given:
        return None
    folder, _, port = given.rpartition(":")
    if not (folder and port.isdecimal()):
        raise ValueError(f"{RINGS_VARIABLE} in the environment must be FOLDER:PORT, of a switch, not {given!r}")
    return Path(folder), int(port)


def tls() -> Tls | None:
    """Returns the files that DROPZERO_TLS_CERT, DROPZERO_TLS_KEY and DROPZERO_TLS_CA name; None if none is set. Raises
    ValueError if only some are."""
    given = [Path(path) for name in TLS_VARIABLES if (path := os.environ.get(name))]
    if not given:
        return None
    if len(given) < len(TLS_VARIABLES):
        raise ValueError(f"TLS needs three files: {', '.join(TLS_VARIABLES)}")
    return Tls(*given)


def _number(*names: str) -> int | None:
    """Returns the first of these variables that is set."""
    for name in names:
        if text := os.environ.get(name):
            if not text.isdecimal():
                raise ValueError(f"{name} in the environment must be a number, 0 or larger, not {text!r}")
            return int(text)
    return None
