"""All-reduces of dense vectors along rings, and between partners."""

from __future__ import annotations

from collections.abc import Generator, Sequence

import numpy as np

from dropzero.simulator.collectives.mesh import Bytes, Mesh, Steps, Vector


def ring(mesh: Mesh, vector: Vector) -> Steps:
    """Reduce-scatter, then all-gather, each with N-1 messages of S/N bytes to the next host in the ring."""
    result = vector.copy()
    yield from _all_reduce(mesh, range(mesh.size), result)
    return result


def hierarchical_ring(mesh: Mesh, vector: Vector) -> Steps:
    """Reduce-scatter in each rack, all-reduce of each part between racks, all-gather in each rack: all in rings. Raises
    ValueError if the racks are not equally large."""
    if mesh.size % mesh.racks:
        raise ValueError(
            f"a hierarchical ring is for racks of equal size: {mesh.racks} cannot share {mesh.size} workers"
        )
    result = vector.copy()
    members = mesh.size // mesh.racks
    rack, place = divmod(mesh.rank, members)
    neighbours = range(rack * members, (rack + 1) * members)
    parts = np.array_split(result, members)
    yield from _reduce_scatter(mesh, neighbours, parts)
    yield from _all_reduce(mesh, range(place, mesh.size, members), parts[(place + 1) % members])
    yield from _all_gather(mesh, neighbours, parts)
    return result


def halving_doubling(mesh: Mesh, vector: Vector) -> Steps:
    """Recursive halving with ever nearer partners, then doubling [MPICH]. Raises ValueError if the number of hosts is
    not a power of two."""
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
        result[mine] += (yield partner).view(np.float32)
        mesh.flush()
        halves.append((partner, mine, theirs))
        first, last = (middle, last) if upper else (first, middle)
    for partner, mine, theirs in reversed(halves):
        mesh.send(partner, result[mine])
        result[theirs] = (yield partner).view(np.float32)
        mesh.flush()
    return result


def _all_reduce(mesh: Mesh, members: Sequence[int], vector: Vector) -> Generator[int, Bytes]:
    """All-reduce in place between the hosts `members`, in a ring of that order."""
    parts = np.array_split(vector, len(members))
    yield from _reduce_scatter(mesh, members, parts)
    yield from _all_gather(mesh, members, parts)


def _reduce_scatter(mesh: Mesh, members: Sequence[int], parts: list[Vector]) -> Generator[int, Bytes]:
    """Leaves the sum of the part after its own place to each host."""
    size, place = len(members), members.index(mesh.rank)
    for step in range(size - 1):
        mesh.send(members[(place + 1) % size], parts[(place - step) % size])
        parts[(place - step - 1) % size] += (yield members[place - 1]).view(np.float32)
        mesh.flush()


def _all_gather(mesh: Mesh, members: Sequence[int], parts: list[Vector]) -> Generator[int, Bytes]:
    """Gives all parts to each host, which begins with the one after its own place."""
    size, place = len(members), members.index(mesh.rank)
    for step in range(size - 1):
        mesh.send(members[(place + 1) % size], parts[(place - step + 1) % size])
        parts[(place - step) % size][:] = (yield members[place - 1]).view(np.float32)
        mesh.flush()
