"""Architectures: what surrounds the controls of a program. Here are the names that each gives its parts in the JSON;
compiler/forwarding/ has a module for what each does."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Architecture:
    """An architecture.

    target:    BMv2's switch for it, and the name of its Thrift service
    parsers:   the names of its parsers, in the order in which a packet passes them; none: the only one, of any name
    deparsers: the same for its deparsers
    errors:    for each parser, the full name of the field for its error
    recirculating: the primitives that make a packet pass more than once; None: every program may do it without
    arrival:   the full names of fields that may hold the packet's arrival time; the first that a program has does
    drop_reason: why a packet is dropped at the end of {control}, with the switch's {drop_port}
    numbers:   the full names of fields that hold numbers of ports and multicast groups, if they must fit in 16 bits
    fields:    the full names of fields that each program has
    externs:   the types of extern instances
    metadata:  the names of headers that are metadata even if the JSON does not say so
    """

    name: str
    target: str
    parsers: tuple[str, ...]
    deparsers: tuple[str, ...]
    errors: tuple[str, ...]
    recirculating: frozenset[str] | None
    arrival: tuple[str, ...]
    drop_reason: str
    numbers: tuple[str, ...] = ()
    fields: tuple[str, ...] = ()
    externs: frozenset[str] = frozenset()
    metadata: frozenset[str] = frozenset()


V1MODEL = Architecture(
    name="v1model",
    target="simple_switch",
    parsers=(),
    deparsers=(),
    errors=("standard_metadata.parser_error",),
    recirculating=frozenset({"clone_egress_pkt_to_egress", "recirculate", "resubmit"}),
    arrival=("standard_metadata.ingress_global_timestamp", "intrinsic_metadata.ingress_global_timestamp"),
    drop_reason="egress_spec is {drop_port}",
    numbers=tuple(
        f"{header}.{field}"
        for header in ("standard_metadata", "intrinsic_metadata")
        for field in ("ingress_port", "egress_spec", "egress_port", "mcast_grp")
    ),
)
PSA = Architecture(
    name="psa",
    target="psa_switch",
    parsers=("ingress_parser", "egress_parser"),
    deparsers=("ingress_deparser", "egress_deparser"),
    errors=("psa_ingress_input_metadata.parser_error", "psa_egress_input_metadata.parser_error"),
    recirculating=None,
    drop_reason="psa_{control}_output_metadata.drop is set",
    metadata=frozenset({"scalars"}),
    externs=frozenset({"Counter", "Meter", "Random", "Hash", "InternetChecksum"}),
    arrival=("psa_ingress_input_metadata.ingress_timestamp",),
    fields=tuple(
        f"psa_{header}_metadata.{field}"
        for header, fields in (
            ("ingress_parser_input", "ingress_port packet_path"),
            ("ingress_input", "ingress_port packet_path ingress_timestamp parser_error"),
            (
                "ingress_output",
                "class_of_service clone clone_session_id drop resubmit multicast_group egress_port",
            ),
            ("egress_parser_input", "egress_port packet_path"),
            ("egress_input", "class_of_service egress_port packet_path instance egress_timestamp parser_error"),
            ("egress_output", "clone clone_session_id drop"),
            ("egress_deparser_input", "egress_port"),
        )
        for field in fields.split()
    ),
)
