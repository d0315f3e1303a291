"""The command line and environment of the torchrun agent on each host."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from enum import StrEnum
from importlib.util import find_spec

from dropzero.topologies.processes.errors import SetupError
from dropzero.torch.registration import SERVE_GLOO_VARIABLE

BACKEND_VARIABLE = "DROPZERO_BACKEND"
PORT = 29400
"""The port of the first host's agent, where the others meet."""


class Backend(StrEnum):
    """What adds up the gradients: the hosts themselves, or the switch."""

    GLOO = "gloo"
    DROPZERO = "dropzero"


def agent(script: Sequence[str], hosts: int, restarts: int) -> list[str]:
    """Returns the command that runs one process of the script on each host.

    Args:
        script: a Python script and its arguments.
        hosts: the number of hosts.
        restarts: how many times to restart all processes when one fails.

    Raises:
        SetupError: PyTorch is not installed, or there is no such script.
    """
    if find_spec("torch") is None:
        raise SetupError(
            "torchrun comes with PyTorch, which is not installed: "
            "pip install torch --index-url https://download.pytorch.org/whl/cpu"
        )
    if not (script[0].startswith("-") or os.path.isfile(script[0])):
        raise SetupError(f"there is no script {script[0]}")
    return [
        *(sys.executable, "-m", "torch.distributed.run"),
        *("--nnodes", str(hosts), "--nproc-per-node", "1", "--max-restarts", str(restarts)),
        *("--rdzv-backend", "c10d", "--rdzv-endpoint", f"h1:{PORT}"),
        # If the agent is killed, its script dies too.
        *("--no-python", "setpriv", "--pdeathsig", "KILL", sys.executable, *script),
    ]


def variables(backend: Backend, serve_gloo: bool = False) -> dict[str, str]:
    """Returns the additions to the scripts' environment. serve_gloo: the switch also serves scripts that ask for Gloo,
    if that is the backend."""
    return {
        BACKEND_VARIABLE: backend,
        SERVE_GLOO_VARIABLE: str(int(serve_gloo and backend is Backend.DROPZERO)),
        "GLOO_SOCKET_IFNAME": "eth0",
        # In the agents' store, restarted scripts would find the addresses of the earlier ones.
        "TORCH_DISABLE_SHARE_RDZV_TCP_STORE": "1",
    }
