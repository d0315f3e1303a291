"""The collectives that Dropzero is compared with, as what each host sends and awaits."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from dropzero.protocol.tensor.shards import shards
from dropzero.simulator.formulas import Kind, Scheme

Vector = NDArray[np.float32]
Bytes = NDArray[np.uint8]


class Mesh(Protocol):
    """One host's connections to all others. Neighbouring ranks share a rack."""

    @property
    def rank(self) -> int: ...

    @property
    def size(self) -> int:
        """How many hosts."""

    @property
    def racks(self) -> int: ...

    def send(self, peer: int, content: NDArray[np.generic]) -> None:
        """Send an array, which must not change until `flush`. Does not wait."""

    def flush(self) -> None:
        """Wait until all sent arrays may change."""


Steps = Generator[int, Bytes, Vector]
"""A host's part in a call: yields the rank of the host whose next message it needs, is given that message, and returns
the result; where this host needs none, it may have anything."""
Collective = Callable[[Mesh, Vector], Steps]
"""A call with each host's float32 vector, shape (elements,)."""


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


def reduce_scatter(mesh: Mesh, vector: Vector) -> Steps:
    """The first half of a ring: rank r gets the sum of part r of N."""
    result = vector.copy()
    yield from _reduce_scatter(mesh, range(mesh.size), _after_own(mesh, result))
    return result


def all_gather(mesh: Mesh, vector: Vector) -> Steps:
    """The second half of a ring: rank r gives part r of N."""
    result = vector.copy()
    yield from _all_gather(mesh, range(mesh.size), _after_own(mesh, result))
    return result


def _after_own(mesh: Mesh, vector: Vector) -> list[Vector]:
    """The parts of a vector, as halves of a ring need them: each rank's own comes after its place."""
    parts = [vector[part] for part in shards(len(vector), mesh.size, 1)]
    return [parts[-1], *parts[:-1]]


def broadcast(mesh: Mesh, vector: Vector) -> Steps:
    """From rank 0 along the ring, part by part."""
    result = vector.copy()
    for part in _parts(result):
        if mesh.rank:
            part[:] = (yield mesh.rank - 1).view(np.float32)
        if mesh.rank + 1 < mesh.size:
            mesh.send(mesh.rank + 1, part)
    mesh.flush()
    return result


def reduce(mesh: Mesh, vector: Vector) -> Steps:
    """From rank 1 along the ring to rank 0, part by part."""
    result = vector.copy()
    for part in _parts(result):
        if mesh.rank != 1 % mesh.size:
            part += (yield mesh.rank - 1 if mesh.rank else mesh.size - 1).view(np.float32)
        if mesh.rank:
            mesh.send((mesh.rank + 1) % mesh.size, part)
    mesh.flush()
    return result


def barrier(mesh: Mesh, vector: Vector) -> Steps:
    """Twice around the ring, as an all-reduce of nothing."""
    for _ in range(2 * (mesh.size - 1)):
        mesh.send((mesh.rank + 1) % mesh.size, vector[:0])
        yield (mesh.rank - 1) % mesh.size
    mesh.flush()
    return vector


def all_to_all(mesh: Mesh, vector: Vector) -> Steps:
    """Part s of rank r, of N equal ones, becomes part r of rank s; in step d, each rank sends to the one d places
    further."""
    result = vector.copy()
    parts, own = (np.array_split(each, mesh.size) for each in (result, vector))
    for distance in range(1, mesh.size):
        peer = (mesh.rank + distance) % mesh.size
        mesh.send(peer, own[peer])
        source = (mesh.rank - distance) % mesh.size
        parts[source][:] = (yield source).view(np.float32)
    mesh.flush()
    return result


def gather(mesh: Mesh, vector: Vector) -> Steps:
    """Rank r sends its part r to rank 0."""
    result = vector.copy()
    for rank, part in enumerate(np.array_split(result, mesh.size)):
        if rank and not mesh.rank:
            part[:] = (yield rank).view(np.float32)
        elif rank == mesh.rank != 0:
            mesh.send(0, part)
    mesh.flush()
    return result


def scatter(mesh: Mesh, vector: Vector) -> Steps:
    """Rank 0 sends part r to rank r."""
    result = vector.copy()
    for rank, part in enumerate(np.array_split(result, mesh.size)):
        if rank and not mesh.rank:
            mesh.send(rank, part)
        elif rank == mesh.rank != 0:
            part[:] = (yield 0).view(np.float32)
    mesh.flush()
    return result


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


PARTS = 64
"""The most parts of a vector, so that sums move on while the rest still arrives."""
LEAST = 362
"""Elements of a part, at least: a packet's."""


class _Tree(NamedTuple):
    """A host's place in a tree: its edges to the root, and its neighbours; the root has no parent."""

    depth: int
    parent: int | None
    children: list[int]


def double_binary_tree(mesh: Mesh, vector: Vector) -> Steps:
    """Half of the vector along each of two binary trees, up and down again; a host inside one is a leaf of the other
    [TwoTrees].

    In each step every host handles a part of each half. Parts follow each other at a distance of one step, and take one
    for each edge, so that no tree waits for the other.
    """
    result = vector.copy()
    trees = [_tree(mesh.rank, mesh.size, mirrored) for mirrored in (False, True)]
    halves = [_parts(half) for half in np.array_split(result, 2)]
    parts = [(number, which, part) for which, half in enumerate(halves) for number, part in enumerate(half)]
    for _, which, part in sorted(parts, key=lambda each: (each[0] - trees[each[1]].depth, each[1])):
        for child in trees[which].children:
            part += (yield child).view(np.float32)
        if (parent := trees[which].parent) is not None:
            mesh.send(parent, part)
    mesh.flush()
    for _, which, part in sorted(parts, key=lambda each: (each[0] + trees[each[1]].depth, each[1])):
        if (parent := trees[which].parent) is not None:
            part[:] = (yield parent).view(np.float32)
        for child in trees[which].children:
            mesh.send(child, part)
    mesh.flush()
    return result


def parameter_server(mesh: Mesh, vector: Vector) -> Steps:
    """The last host, which has no gradient, adds up all gradients and sends the sum back, part by part."""
    server = mesh.size - 1
    result = np.zeros_like(vector)
    if mesh.rank == server:
        for part in _parts(result):
            for worker in range(server):
                part += (yield worker).view(np.float32)
            for worker in range(server):
                mesh.send(worker, part)
    else:
        for own in _parts(vector):
            mesh.send(server, own)
        for part in _parts(result):
            part[:] = (yield server).view(np.float32)
    mesh.flush()
    return result


def _parts(vector: Vector) -> list[Vector]:
    return np.array_split(vector, min(PARTS, -(-len(vector) // LEAST) or 1))


def _tree(rank: int, size: int, mirrored: bool) -> _Tree:
    """A host's place in a binary tree over all ranks in order, whose leaves are the odd ranks; mirrored (or shifted, if
    `size` is odd), they are the even ones."""

    def place(rank: int) -> int:
        return rank if not mirrored else (rank + 1) % size if size % 2 else size - 1 - rank

    ranks = {place(each): each for each in range(size)}
    own = place(rank)
    above = [own]
    while (parent := _parent(above[-1], size)) is not None:
        above.append(parent)
    children = [ranks[each] for each in range(size) if _parent(each, size) == own]
    return _Tree(len(above) - 1, ranks[above[1]] if own else None, children)


def _parent(place: int, size: int) -> int | None:
    """The parent of node `place` (0 is the root). A node's height is the index of its lowest set bit."""
    if not place:
        return None
    bit = place & -place
    above = (place ^ bit) | (bit << 1)
    return above if above < size else place ^ bit


SCHEMES: Mapping[Scheme, Collective] = {
    Scheme.RING: ring,
    Scheme.HIERARCHICAL_RING: hierarchical_ring,
    Scheme.HALVING_DOUBLING: halving_doubling,
    Scheme.DOUBLE_BINARY_TREE: double_binary_tree,
    Scheme.PARAMETER_SERVER: parameter_server,
    Scheme.AGSPARSE: agsparse,
    Scheme.SPARCML: sparcml,
}
RING: Mapping[Kind, Collective] = {
    Kind.ALL_REDUCE: ring,
    Kind.REDUCE_SCATTER: reduce_scatter,
    Kind.REDUCE: reduce,
    Kind.ALL_GATHER: all_gather,
    Kind.BROADCAST: broadcast,
    Kind.BARRIER: barrier,
}
"""What a ring can do."""
