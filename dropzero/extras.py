"""Optional dependencies of some commands."""

from __future__ import annotations

from importlib.util import find_spec

from typer.exceptions import TyperException

EXTRAS = {
    "experiments": {
        "matplotlib": "matplotlib",
        "scikit-learn": "sklearn",
        "scipy": "scipy",
        "threadpoolctl": "threadpoolctl",
    },
    "metrics": {"prometheus_client": "prometheus_client"},
    "traces": {"scapy": "scapy"},
    "train": {
        "matplotlib": "matplotlib",
        "scikit-learn": "sklearn",
        "tensorboardX": "tensorboardX",
        "threadpoolctl": "threadpoolctl",
    },
}
"""The distributions of each extra, and a module to detect each of them."""


def need(command: str, extra: str) -> None:
    """Raises TyperException, which ends the command with one line, unless the extra is completely installed."""
    missing = [name for name, module in EXTRAS[extra].items() if find_spec(module) is None]
    if missing:
        raise TyperException(f"{command} needs {' and '.join(missing)}: pip install 'dropzero[{extra}]'")
