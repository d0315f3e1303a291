"""Registers the backend in PyTorch."""

from __future__ import annotations

from typing import Any


def register() -> None:
    """Makes "dropzero" a backend of torch.distributed. `import torch` calls this: it is an entry point of the group
    torch.backends."""
    from torch import distributed

    if distributed.is_available():
        distributed.Backend.register_backend("dropzero", _create, extended_api=True, devices=["cpu", "cuda"])


def _create(place: Any, options: Any) -> Any:
    # Only now: it loads compiled code.
    from dropzero.torch.process_group import create

    return create(place, options)
