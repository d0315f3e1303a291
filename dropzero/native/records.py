"""Structures that Python shares with compiled code."""

from __future__ import annotations

from typing import Any

import numpy as np


def record(*fields: str | tuple[Any, ...]) -> np.dtype[np.void]:
    """A structure, laid out as C does it. A field is the name of a signed 64-bit number or address, or of several,
    separated by spaces; or (names, type), or (names, type, shape)."""
    described = [(field, np.int64) if isinstance(field, str) else field for field in fields]
    return np.dtype([(name, *of) for names, *of in described for name in names.split()], align=True)
