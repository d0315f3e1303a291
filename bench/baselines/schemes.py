"""All-reduce schemes that need no switch program, over TCP.

They exchange large messages directly from and into numpy arrays, so that only the links limit them. Each takes and
returns a float32 vector, shape (elements,).
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from bench.baselines.mesh import Bytes, Mesh
from dropzero.simulator.formulas import Scheme

Vector = NDArray[np.float32]

ENTRY = np.dtype([("index", np.uint32), ("value", np.float32)])
Entries = NDArray[np.void]

PARTS = 64
"""The number of parts of a parameter server's vectors, so that it sends sums while gradients still arrive."""


def ring(mesh: Mesh, vector: Vector) -> Vector:
    """Reduce-scatter, then all-gather, each with N-1 messages of S/N bytes to the next host in the ring."""
    result = vector.copy()
    parts = np.array_split(result, mesh.size)
    following, previous = (mesh.rank + 1) % mesh.size, (mesh.rank - 1) % mesh.size
    for step in range(mesh.size - 1):
        mesh.send(following, parts[(mesh.rank - step) % mesh.size])
        parts[(mesh.rank - step - 1) % mesh.size] += mesh.receive(previous).view(np.float32)
        mesh.flush()
    for step in range(mesh.size - 1):
        mesh.send(following, parts[(mesh.rank - step + 1) % mesh.size])
        parts[(mesh.rank - step) % mesh.size][:] = mesh.receive(previous).view(np.float32)
        mesh.flush()
    return result


def halving_doubling(mesh: Mesh, vector: Vector) -> Vector:
    """Recursive halving with ever nearer partners, then doubling (Thakur et al. 2005). N must be a power of two."""
    if mesh.size & (mesh.size - 1):
        raise ValueError(f"halving-doubling is for 2, 4, 8, ... workers, not {mesh.size}")
    result = vector.copy()
    parts = np.array_split(result, mesh.size)
    bounds = np.cumsum([0, *(len(part) for part in parts)])
    first, last = 0, mesh.size
    halves: list[tuple[int, slice, slice]] = []
    while last - first > 1:
        middle = (first + last) // 2
        distance = (last - first) // 2
        low, high = slice(bounds[first], bounds[middle]), slice(bounds[middle], bounds[last])
        upper = mesh.rank >= middle
        partner = mesh.rank - distance if upper else mesh.rank + distance
        mine, theirs = (high, low) if upper else (low, high)
        mesh.send(partner, result[theirs])
        result[mine] += mesh.receive(partner).view(np.float32)
        mesh.flush()
        halves.append((partner, mine, theirs))
        first, last = (middle, last) if upper else (first, middle)
    for partner, mine, theirs in reversed(halves):
        mesh.send(partner, result[mine])
        result[theirs] = mesh.receive(partner).view(np.float32)
        mesh.flush()
    return result


def parameter_server(mesh: Mesh, vector: Vector) -> Vector:
    """The last host, which has no gradient, adds up all gradients and sends the sum back, part by part."""
    server = mesh.size - 1
    result = np.zeros_like(vector)
    parts = np.array_split(result, PARTS)
    if mesh.rank == server:
        for part in parts:
            for worker in range(server):
                part += mesh.receive(worker).view(np.float32)
            for worker in range(server):
                mesh.send(worker, part)
    else:
        for own in np.array_split(vector, PARTS):
            mesh.send(server, own)
        for part in parts:
            part[:] = mesh.receive(server).view(np.float32)
    mesh.flush()
    return result


def agsparse(mesh: Mesh, vector: Vector) -> Vector:
    """All-gather (index, value) pairs in a ring; each host adds them up."""
    result = vector.copy()
    travelling = _bytes(_entries(vector, 0))
    for _ in range(mesh.size - 1):
        mesh.send((mesh.rank + 1) % mesh.size, travelling)
        received = mesh.receive((mesh.rank - 1) % mesh.size)
        mesh.flush()
        _add(result, received.view(ENTRY))
        travelling = received
    return result


def sparcml(mesh: Mesh, vector: Vector) -> Vector:
    """SparCML's split all-gather (SC'19): pairs go to the owner of their part, which sends its sums to all as pairs."""
    bounds = np.linspace(0, len(vector), mesh.size + 1).astype(int)
    parts = [vector[first:last] for first, last in pairwise(bounds)]
    others = [(mesh.rank + step) % mesh.size for step in range(1, mesh.size)]
    for peer in others:
        mesh.send(peer, _bytes(_entries(parts[peer], int(bounds[peer]))))
    result = np.zeros_like(vector)
    result[bounds[mesh.rank] : bounds[mesh.rank + 1]] = parts[mesh.rank]
    for peer in reversed(others):
        _add(result, mesh.receive(peer).view(ENTRY))
    mesh.flush()
    own = _bytes(_entries(result[bounds[mesh.rank] : bounds[mesh.rank + 1]], int(bounds[mesh.rank])))
    for peer in others:
        mesh.send(peer, own)
    for peer in reversed(others):
        _add(result, mesh.receive(peer).view(ENTRY))
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


SCHEMES: dict[Scheme, Callable[[Mesh, Vector], Vector]] = {
    Scheme.RING: ring,
    Scheme.HALVING_DOUBLING: halving_doubling,
    Scheme.PARAMETER_SERVER: parameter_server,
    Scheme.AGSPARSE: agsparse,
    Scheme.SPARCML: sparcml,
}
