"""Lower bounds on the time of an all-reduce, from sizes and rates alone.

S: bytes of gradient on each of N workers. B: rate of links in each direction, bytes per second; a share eta of it
carries gradient. D_w: fraction of a worker's blocks that are not zero. D_u: fraction of blocks that are not zero on
some worker.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import StrEnum

from dropzero.protocol.wire import OUTER_BYTES, blocks_per_packet, payload_bytes

TCP_EFFICIENCY = 1448 / 1514
"""Payload of a full segment with timestamps, divided by its bytes from the Ethernet header on."""


class Scheme(StrEnum):
    """A way to all-reduce."""

    DROPZERO = "dropzero"
    RING = "ring"
    HALVING_DOUBLING = "halving-doubling"
    PARAMETER_SERVER = "parameter server"
    AGSPARSE = "AGsparse"
    SPARCML = "SparCML"
    GLOO = "Gloo"


BASELINES: Mapping[Scheme, Callable[[int], int]] = {
    Scheme.RING: lambda workers: 2 * (workers - 1),
    Scheme.HALVING_DOUBLING: lambda workers: 2 * (workers - 1).bit_length(),
    Scheme.PARAMETER_SERVER: lambda workers: 2 * (workers > 1),
}
"""Schemes for dense tensors that need no switch program, and how many messages follow each other in each [MPICH]."""


class Overlap(StrEnum):
    """Where the workers' non-zero blocks are."""

    FULL = "full"
    RANDOM = "random"
    NONE = "none"


def union(density: float, overlap: Overlap, workers: int) -> float:
    """Return the fraction of blocks that are not zero on some worker, if each worker has that density."""
    if overlap is Overlap.FULL:
        return density
    return min(1.0, workers * density) if overlap is Overlap.NONE else 1 - (1 - density) ** workers


def efficiency(block: int) -> float:
    """Return the share of gradient in the bytes of a full packet. block: elements."""
    columns = blocks_per_packet(block)
    data = columns * block * 4
    return data / (OUTER_BYTES + payload_bytes(columns, data // 128))


def wire_bytes(size: int, share: float, density: float) -> float:
    """Return the bytes, from the Ethernet header on, of full packets with that share of a gradient's `size` bytes.

    Dense tensors are sent in the largest blocks; density: as for `seconds`.
    """
    return share * size / efficiency(256 if density == 1 else 32)


def seconds(
    scheme: Scheme, size: int, workers: int, rate: float, *, density: float = 1.0, overlap: Overlap = Overlap.FULL
) -> float:
    """Return the least seconds that `scheme` takes, without latency.

    Args:
        size: of the gradient, bytes.
        workers: how many.
        rate: of each link and direction, bits a second.
        density: of the non-zero blocks of each worker.
        overlap: of theirs.

    References: [MPICH] (ring, halving-doubling), [SwitchML], [OmniReduce], [SparCML].
    """
    wire = size / (rate / 8 * TCP_EFFICIENCY)
    share = (workers - 1) / workers
    pairs = 2 * density * wire
    either = union(density, overlap, workers)
    match scheme:
        case Scheme.DROPZERO:
            return wire_bytes(size, max(density, either), density) / (rate / 8)
        case Scheme.PARAMETER_SERVER:
            return workers * wire
        case Scheme.AGSPARSE:
            return (workers - 1) * pairs
        case Scheme.SPARCML:
            # Shares to their owners, then each owner's sums to all.
            return share * pairs + share * 2 * either * wire
        case Scheme.RING | Scheme.HALVING_DOUBLING | Scheme.GLOO:
            return 2 * share * wire


def baselines(size: int, workers: int, rate: float, latency: float) -> dict[Scheme, float]:
    """Return the least seconds of each of BASELINES: its messages' latency, and its bytes.

    latency: seconds of an empty message between two workers; otherwise as for `seconds`. Links between switches are
    taken to be no bottleneck.
    """
    return {
        scheme: messages(workers) * latency + seconds(scheme, size, workers, rate)
        for scheme, messages in BASELINES.items()
    }
