"""All-reduces of the elements that are not zero, as pairs of index and value."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from dropzero.simulator.collectives.mesh import Bytes, Mesh, Steps, Vector

ENTRY = np.dtype([("index", np.uint32), ("value", np.float32)])
Entries = NDArray[np.void]


def agsparse(mesh: Mesh, vector: Vector) -> Steps:
    """All-gather (index, value) pairs in a ring; each host adds them up."""
    result = vector.copy()
    travelling = _bytes(_entries(vector, 0))
    for _ in range(mesh.size - 1):
        mesh.send((mesh.rank + 1) % mesh.size, travelling)
        received = yield (mesh.rank - 1) % mesh.size
        mesh.flush()
        _add(result, received.view(ENTRY))
        travelling = received
    return result


def sparcml(mesh: Mesh, vector: Vector) -> Steps:
    """The split all-gather of [SparCML]: pairs go to the owner of their part, which sends its sums to all as pairs."""
    bounds = np.linspace(0, len(vector), mesh.size + 1).astype(int)
    parts = [vector[first:last] for first, last in pairwise(bounds)]
    others = [(mesh.rank + step) % mesh.size for step in range(1, mesh.size)]
    for peer in others:
        mesh.send(peer, _bytes(_entries(parts[peer], int(bounds[peer]))))
    result = np.zeros_like(vector)
    result[bounds[mesh.rank] : bounds[mesh.rank + 1]] = parts[mesh.rank]
    for peer in reversed(others):
        _add(result, (yield peer).view(ENTRY))
    mesh.flush()
    own = _bytes(_entries(result[bounds[mesh.rank] : bounds[mesh.rank + 1]], int(bounds[mesh.rank])))
    for peer in others:
        mesh.send(peer, own)
    for peer in reversed(others):
        _add(result, (yield peer).view(ENTRY))
    mesh.flush()
    return result


def _entries(vector: Vector, offset: int) -> Entries:
    """Return (k,) the non-zero elements with their indices, counted from `offset`."""
    index = np.flatnonzero(vector)
    entries = np.empty(len(index), ENTRY)
    entries["index"] = index + offset
    entries["value"] = vector[index]
    return entries


def _bytes(entries: Entries) -> Bytes:
    return entries.view(np.uint8)


def _add(result: Vector, entries: Entries) -> None:
    # Indices are unique.
    result[entries["index"]] += entries["value"]
