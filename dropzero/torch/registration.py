"""Registers the backend in PyTorch."""

from __future__ import annotations

import os
from typing import Any

SERVE_GLOO_VARIABLE = "DROPZERO_SERVE_GLOO"
"""Set to 1 by `dropzero torchrun`, for programs that ask for Gloo."""


def register() -> None:
    """Makes "dropzero" a backend of torch.distributed. `import torch` calls this: it is an entry point of the group
    torch.backends."""
    from torch import distributed

    if distributed.is_available():
        distributed.Backend.register_backend("dropzero", _create, extended_api=True, devices=["cpu", "cuda"])
        if os.environ.get(SERVE_GLOO_VARIABLE) == "1":
            from dropzero.torch.names import serve_gloo

            serve_gloo()


def _create(place: Any, options: Any) -> Any:
    # Only now: they load compiled code.
    from dropzero.torch.names import SERVED, allow_monitored_barrier, warn_of_ignite
    from dropzero.torch.process_group import Group, create
    from dropzero.worker.environment import JOB_VARIABLE

    allow_monitored_barrier(Group)
    if options is not SERVED:
        warn_of_ignite()
        return create(place, options)
    group = create(place, None)
    # It is this group's. Processes that the program starts make groups of their own.
    os.environ.pop(JOB_VARIABLE, None)
    return group
