"""The command line of one torchrun agent a host, and what it needs in its environment."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from enum import StrEnum
from importlib.util import find_spec

from dropzero.topologies.processes.errors import SetupError

BACKEND_VARIABLE = "DROPZERO_BACKEND"
PORT = 29400
"""Where the first host's agent listens, for the others to meet."""


class Backend(StrEnum):
    """What adds up the gradients: the hosts among themselves, or the switch."""

    GLOO = "gloo"
    DROPZERO = "dropzero"


def agent(script: Sequence[str], hosts: int, restarts: int) -> list[str]:
    """Return the command that runs one process of the script on each host.

    Args:
        script: of Python, with its arguments.
        hosts: the number of hosts.
        restarts: how often all processes are started anew when one fails.

    Raises:
        SetupError: PyTorch is not installed.
    """
    if find_spec("torch") is None:
        raise SetupError(
            "torchrun comes with PyTorch, which is not installed: "
            "pip install torch --index-url https://download.pytorch.org/whl/cpu"
        )
    return [
        *(sys.executable, "-m", "torch.distributed.run"),
        *("--nnodes", str(hosts), "--nproc-per-node", "1", "--max-restarts", str(restarts)),
        *("--rdzv-backend", "c10d", "--rdzv-endpoint", f"h1:{PORT}"),
        # An agent that is killed takes its script with it.
        *("--no-python", "setpriv", "--pdeathsig", "KILL", sys.executable, *script),
    ]


def variables(backend: Backend) -> dict[str, str]:
    """Return what the scripts find in their environment."""
    return {
        BACKEND_VARIABLE: backend,
        "GLOO_SOCKET_IFNAME": "eth0",
        # Scripts that are started anew would find in the agents' store the addresses of those before them.
        "TORCH_DISABLE_SHARE_RDZV_TCP_STORE": "1",
    }
