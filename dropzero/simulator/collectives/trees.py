"""All-reduces of dense vectors along trees: two binary trees, or a star around a parameter server."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dropzero.simulator.collectives.mesh import Mesh, Steps, Vector

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
