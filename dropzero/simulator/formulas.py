"""Lower bounds on the time of an all-reduce, from sizes and rates alone.

S: bytes of gradient on each of N workers. B: rate of links in each direction, bytes per second; a share eta of it
carries gradient. D_w: fraction of a worker's blocks that are not zero. D_u: fraction of blocks that are not zero on
some worker.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum

from dropzero.protocol.wire import BLOCK_WORDS, OUTER_BYTES, PACKET_ELEMENTS, blocks_per_packet, payload_bytes

TCP_EFFICIENCY = 1448 / 1514
"""Payload of a full segment with timestamps, divided by its bytes from the Ethernet header on."""


class Scheme(StrEnum):
    """A way to all-reduce."""

    DROPZERO = "dropzero"
    RING = "ring"
    HIERARCHICAL_RING = "hierarchical ring"
    HALVING_DOUBLING = "halving-doubling"
    DOUBLE_BINARY_TREE = "double binary tree"
    PARAMETER_SERVER = "parameter server"
    AGSPARSE = "AGsparse"
    SPARCML = "SparCML"
    GLOO = "Gloo"


MESSAGES: Mapping[Scheme, Callable[[int, int], int]] = {
    Scheme.RING: lambda workers, _: 2 * (workers - 1),
    Scheme.HIERARCHICAL_RING: lambda workers, racks: 2 * (workers // racks - 1) + 2 * (racks - 1),
    Scheme.HALVING_DOUBLING: lambda workers, _: 2 * (workers - 1).bit_length(),
    Scheme.DOUBLE_BINARY_TREE: lambda workers, _: 2 * (workers - 1).bit_length(),
    Scheme.PARAMETER_SERVER: lambda workers, _: 2 * (workers > 1),
    Scheme.AGSPARSE: lambda workers, _: workers - 1,
    Scheme.SPARCML: lambda workers, _: 2 * (workers > 1),
}
"""How many messages follow each other, by workers and racks, in schemes that need no switch program: [MPICH],
[TwoTrees], [SparCML]."""
DENSE = (Scheme.RING, Scheme.HALVING_DOUBLING, Scheme.DOUBLE_BINARY_TREE, Scheme.PARAMETER_SERVER)
"""Those for dense tensors that know no racks."""


class Kind(StrEnum):
    """A call that the switch carries out."""

    ALL_REDUCE = "all-reduce"
    REDUCE_SCATTER = "reduce-scatter"
    REDUCE = "reduce"
    ALL_GATHER = "all-gather"
    BROADCAST = "broadcast"
    BARRIER = "barrier"

    @property
    def scatters(self) -> bool:
        """Whether each worker needs a part of the result, or nothing."""
        return self in (Kind.REDUCE_SCATTER, Kind.REDUCE)

    @property
    def gathers(self) -> bool:
        """Whether each element comes from one worker, which the others give zeros for."""
        return self in (Kind.ALL_GATHER, Kind.BROADCAST)


class Overlap(StrEnum):
    """Where the workers' non-zero blocks are."""

    FULL = "full"
    RANDOM = "random"
    NONE = "none"


def union(density: float, overlap: Overlap, workers: int) -> float:
    """Return the fraction of blocks that are not zero on some worker, if each worker has that density."""
    if overlap is Overlap.FULL:
        return density if workers else 0.0
    return min(1.0, workers * density) if overlap is Overlap.NONE else 1 - (1 - density) ** workers


def efficiency(block: int, room: int = PACKET_ELEMENTS) -> float:
    """Return the share of gradient in the bytes of a full packet. block: elements. room: words for which the switch has
    room in a packet."""
    columns = blocks_per_packet(block, room=room)
    data = columns * block * 4
    return data / (OUTER_BYTES + payload_bytes(columns, data // 128))


def block_size(density: float, row: int, room: int = PACKET_ELEMENTS) -> int:
    """Return the elements in a block of a sum. row: that are zero or not as a whole; the rest: as for `seconds`."""
    return room if density == 1 else max(each for each in BLOCK_WORDS if each <= max(min(row, room), BLOCK_WORDS[0]))


def wire_bytes(
    size: int, share: float, density: float, room: int = PACKET_ELEMENTS, row: int = BLOCK_WORDS[0]
) -> float:
    """Return the bytes, from the Ethernet header on, of full packets with that share of a gradient's `size` bytes.

    Dense tensors, and nearly dense ones, are sent in the largest blocks; density, room, row: as for `seconds`.
    """
    return size * min(share / efficiency(block_size(density, row, room), room), 1 / efficiency(room, room))


def all_wire_bytes(
    kind: Kind, size: int, shares: tuple[float, float], block: int, room: int, workers: int
) -> tuple[float, float]:
    """Return the bytes that all workers send together, and receive, from the Ethernet header on.

    shares: of the blocks that are not zero, on a worker and on any. block: elements. The rest: as for `seconds`; of an
    all-gather, `size` is that of the result.
    """
    if kind is Kind.BARRIER:
        alone = OUTER_BYTES + payload_bytes(blocks_per_packet(32, room=room), 1)
        return float(workers * alone), float(workers * alone)
    share, largest = efficiency(block, room), efficiency(room, room)
    if not kind.gathers and max(shares) * largest > share:
        # As in wire_bytes.
        share = largest
    up, down = (workers * size * some / share for some in shares)
    # One worker has the data of each element, or gets it, or keeps its own, or does not get it back: its other packets
    # have headers only.
    if kind.gathers:
        return up * (1 - share * (1 - 1 / workers)), down * (1 - share / workers)
    if kind.scatters:
        return up * (1 - share / workers), down * (1 - share * (1 - 1 / workers))
    return up, down


def seconds(
    scheme: Scheme,
    size: int,
    workers: int,
    rate: float,
    *,
    density: float = 1.0,
    overlap: Overlap = Overlap.FULL,
    racks: int = 1,
    latency: float = 0.0,
    room: int = PACKET_ELEMENTS,
    row: int = BLOCK_WORDS[0],
) -> float:
    """Return the least seconds that `scheme` takes.

    Args:
        size: of the gradient, bytes.
        workers: how many.
        rate: of each link and direction, bits a second.
        density: of the non-zero blocks of each worker.
        overlap: of theirs.
        racks: of the hierarchical ring, each with one link to the others. Other schemes share no links.
        latency: of an empty message between two workers, seconds; Dropzero's are not counted.
        room: words for which Dropzero's switch has room in a packet.
        row: elements that are zero or not as a whole.

    References: [MPICH] (ring, halving-doubling), [TwoTrees], [SwitchML], [OmniReduce], [SparCML].
    """
    messages = MESSAGES[scheme](workers, racks) * latency if scheme in MESSAGES else 0.0
    wire = size / (rate / 8 * TCP_EFFICIENCY)
    share = (workers - 1) / workers
    pairs = 2 * density * wire
    either = union(density, overlap, workers)
    match scheme:
        case Scheme.DROPZERO:
            transfer = wire_bytes(size, max(density, either), density, room, row) / (rate / 8)
        case Scheme.PARAMETER_SERVER:
            transfer = workers * wire
        case Scheme.AGSPARSE:
            transfer = (workers - 1) * pairs
        case Scheme.SPARCML:
            # Shares to their owners, then each owner's sums to all.
            transfer = share * pairs + share * 2 * either * wire
        case Scheme.RING | Scheme.HALVING_DOUBLING | Scheme.GLOO:
            transfer = 2 * share * wire
        case Scheme.DOUBLE_BINARY_TREE:
            # A host inside one tree has three neighbours there and one in the other; two or three hosts have fewer.
            transfer = min(2, workers / 2) * wire if workers > 1 else 0.0
        case Scheme.HIERARCHICAL_RING:
            members = workers // racks
            transfer = 2 * ((members - 1) / members + (racks - 1) / racks) * wire
    return messages + transfer


def together(scheme: Scheme, calls: Sequence[Kind], size: int, workers: int, rate: float) -> float:
    """Return the least seconds of dense reduce-scatters and all-gathers at once, in the switch or in a ring: of their
    bytes in the busier direction. Arguments: as for `bus_bandwidth`."""
    if scheme is not Scheme.DROPZERO:
        return len(calls) * (workers - 1) / workers * size / (rate / 8 * TCP_EFFICIENCY)
    room = PACKET_ELEMENTS
    each = [all_wire_bytes(call, size, (1.0, 1.0), room, room, workers) for call in calls]
    return max(map(sum, zip(*each, strict=True))) / workers / (rate / 8)


def bus_bandwidth(
    scheme: Scheme, size: int, workers: int, seconds: float, call: Kind = Kind.ALL_REDUCE
) -> float | None:
    """Return the bus bandwidth of a dense call in bits a second: what each worker's link carries in the busier
    direction, without headers. It compares with the rate of the links, whatever the number of workers. None for a
    barrier, which carries nothing.

    nccl-tests defines it as a factor times size / seconds: 2 (N - 1) / N for an all-reduce, because a worker of a ring
    sends its tensor 2 (N - 1) / N times. Where the network adds up, a worker's link carries the tensor once, and the
    factor is 1; in a reduce-scatter or an all-gather, it carries the others' parts. Arguments: as for `seconds`; `size`
    of a reduce-scatter or an all-gather is that of the whole.
    """
    factor = 1.0
    if call is Kind.BARRIER:
        return None
    if call in (Kind.REDUCE_SCATTER, Kind.ALL_GATHER):
        factor = (workers - 1) / workers
    elif call is Kind.ALL_REDUCE and scheme is not Scheme.DROPZERO:
        factor = 2 * (workers - 1) / workers
    return 8 * size / seconds * factor


def hosted_seconds(
    size: int, workers: int, rate: float, density: float, overlap: Overlap, row: int = BLOCK_WORDS[0]
) -> float:
    """Return the least seconds of a job on a host that adds up instead of a switch: all its packets share the host's
    link, N times those of a worker's. Arguments: as for `seconds`."""
    return workers * seconds(Scheme.DROPZERO, size, workers, rate, density=density, overlap=overlap, row=row)


def collective_seconds(name: str, size: int, workers: int, rate: float, latency: float) -> float:
    """Return the least seconds of a collective other than an all-reduce without a switch's help: around a ring, or from
    host to host.

    Args:
        name: as in Chakra. size: bytes that each worker gives; of REDUCE_SCATTER, ALL_TO_ALL and SCATTER, those of all
            parts together, and of a broadcast, the root's.
        workers, rate, latency: as for `seconds`.

    Raises:
        KeyError: it is none of these.
    """
    share = (workers - 1) / workers
    # Messages that follow each other, and how many times `size` passes the busiest link.
    messages, times = {
        "ALL_GATHER": (workers - 1, float(workers - 1)),
        "REDUCE_SCATTER": (workers - 1, share),
        "REDUCE_SCATTER_BLOCK": (workers - 1, share),
        "ALL_TO_ALL": (workers - 1, share),
        "GATHER": (1, float(workers - 1)),
        "SCATTER": (1, share),
        "BROADCAST": (workers - 1, 1.0),
        "REDUCE": (workers - 1, 1.0),
        "BARRIER": (2 * (workers - 1), 0.0),
    }[name]
    return messages * latency + times * size / (rate / 8 * TCP_EFFICIENCY) * (workers > 1)


def baselines(size: int, workers: int, rate: float, latency: float) -> dict[Scheme, float]:
    """Return the least seconds of each of DENSE: as for `seconds`. Links between switches are not a bottleneck."""
    return {scheme: seconds(scheme, size, workers, rate, latency=latency) for scheme in DENSE}
