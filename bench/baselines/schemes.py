"""The schemes that others use to add gradients up without the switch's help, over TCP.

Each is written for what is measured, the bytes on the links: big messages, straight from and into numpy arrays.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from bench.baselines.formulas import Scheme
from bench.baselines.mesh import Bytes, Mesh

Vector = NDArray[np.float32]

ENTRY = np.dtype([("index", np.uint32), ("value", np.float32)])
Entries = NDArray[np.void]

PARTS = 64
"""In which a parameter server's vectors travel, so that sums go out while gradients still come in."""


def ring(mesh: Mesh, vector: Vector) -> Vector:
    """Reduce-scatter, then all-gather, each N-1 messages of S/N bytes to the next in the ring."""
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
    """Exchanges half of what is left with ever nearer partners, then the other way round; N is a power of two."""
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
    """The last host adds up and sends the sum back, part by part; it has no gradient of its own."""
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
    """All-gathers (index, value) pairs round a ring, and everybody adds them up."""
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
    """SparCML's split all-gather: pairs go to the owner of their part, whose sums all others get as pairs."""
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
    """(k,) the elements that are not zero, with their index counted from `offset`."""
    index = np.flatnonzero(vector)
    entries = np.empty(len(index), ENTRY)
    entries["index"] = index + offset
    entries["value"] = vector[index]
    return entries


def _bytes(entries: Entries) -> Bytes:
    return entries.view(np.uint8)


def _add(result: Vector, entries: Entries) -> None:
    # No index comes twice.
    result[entries["index"]] += entries["value"]


SCHEMES: dict[Scheme, Callable[[Mesh, Vector], Vector]] = {
    Scheme.RING: ring,
    Scheme.HALVING_DOUBLING: halving_doubling,
    Scheme.PARAMETER_SERVER: parameter_server,
    Scheme.AGSPARSE: agsparse,
    Scheme.SPARCML: sparcml,
}
