"""The replicas of a multicast group or a clone session."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from dropzero.softswitch.p4runtime.pipeline.refusal import invalid, unimplemented

# The limits of BMv2's replication engine.
REPLICA_PORTS = 512
INSTANCES = 1 << 16


def arranged(replicas: Iterable[Any]) -> list[Any]:
    """Sorts replicas by instance and then by port: the order of storage and of copies. Raises Refusal."""
    ordered = sorted(replicas, key=lambda replica: (replica.instance, port(replica)))
    pairs = [(port(replica), replica.instance) for replica in ordered]
    if len(set(pairs)) < len(pairs):
        raise invalid("Duplicate replica in multicast group")
    if any(number >= REPLICA_PORTS or instance >= INSTANCES for number, instance in pairs):
        raise invalid(f"A replica's port is below {REPLICA_PORTS} and its instance below {INSTANCES}")
    return ordered


def pairs(replicas: Iterable[Any]) -> list[tuple[int, int]]:
    """The (port, instance) of each replica."""
    return [(port(replica), int(replica.instance)) for replica in replicas]


def port(replica: Any) -> int:
    form = replica.WhichOneof("port_kind")
    if form == "egress_port":
        return int(replica.egress_port)
    if form is None:
        raise invalid("Missing port in multicast group replica")
    if not replica.port:
        raise invalid("Port must not be the empty string")
    if len(replica.port) > 4:
        raise unimplemented(f"Got port of {len(replica.port)} bytes, but only 4 bytes are supported")
    return int.from_bytes(replica.port, "big")
