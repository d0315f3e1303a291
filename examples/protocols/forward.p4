/* A program that only forwards, for protocols between hosts. A program first defines PORT, and includes udp.p4. Each packet
   says where to. */

header to_h {
    bit<16> to; /* the host, from 1 on */
}

struct headers_t {
    outer_t outer;
    to_h    to;
}

struct metadata_t { }

parser PacketParser(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) {
    OuterParser() outer;

    state start {
        outer.apply(packet, hdr.outer);
        transition select(hdr.outer.udp.isValid()) {
            true:    to;
            default: accept;
        }
    }

    state to {
        packet.extract(hdr.to);
        transition accept;
    }
}

control ingress(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) {
    /* One of `ports` ports from `first` on, a power of two: always the same one between two hosts. */
    action way(bit<9> first, bit<32> ports) {
        std.egress_spec = first + (bit<9>)(hdr.outer.ipv4.source + (bit<32>)hdr.to.to & ports - 1);
    }

    table route {
        key = { hdr.to.to: exact; }
        actions = { way; @defaultonly NoAction; }
        const default_action = NoAction;
        size = 64;
    }

    apply {
        mark_to_drop(std);
        if (hdr.to.isValid()) {
            route.apply();
        }
    }
}

control egress(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) {
    Deliver() deliver;

    apply { deliver.apply(hdr.outer, std); }
}

control Check(inout headers_t hdr, inout metadata_t meta) { apply { } }

control Checksum(inout headers_t hdr, inout metadata_t meta) {
    apply {
        update_checksum(hdr.outer.ipv4.isValid(), IPV4_FIELDS(hdr.outer.ipv4), hdr.outer.ipv4.checksum,
            HashAlgorithm.csum16);
    }
}

control PacketDeparser(packet_out packet, in headers_t hdr) {
    apply {
        packet.emit(hdr.outer.ethernet);
        packet.emit(hdr.outer.ipv4);
        packet.emit(hdr.outer.udp);
        packet.emit(hdr.to);
    }
}

V1Switch(PacketParser(), Check(), ingress(), egress(), Checksum(), PacketDeparser()) main;
