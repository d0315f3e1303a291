"""The PyTorch backend: process groups of torch.distributed whose tensors are added up in the switch.

torch.distributed.init_process_group("dropzero")

PyTorch finds the backend by itself if both are installed. See docs/pytorch.md.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dropzero.torch.compression import Compressed, compress_hook
    from dropzero.torch.meter import Meter, Step
    from dropzero.torch.options import Options
    from dropzero.torch.rules import explain
    from dropzero.torch.scattering import CompressedReduceScatter

_HOMES = {
    "Compressed": "compression",
    "CompressedReduceScatter": "scattering",
    "Meter": "meter",
    "Options": "options",
    "Step": "meter",
    "compress_hook": "compression",
    "explain": "rules",
}
__all__ = ["Compressed", "CompressedReduceScatter", "Meter", "Options", "Step", "compress_hook", "explain"]


def __getattr__(name: str) -> object:
    # Only when it is used: `import torch` loads this package, and most programs do not need it.
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    try:
        return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    except ModuleNotFoundError as error:
        if error.name != "torch":
            raise
        raise ImportError(
            f"dropzero.torch.{name} needs PyTorch: pip install torch --index-url https://download.pytorch.org/whl/cpu",
            name="torch",
        ) from error
