/* An IPv4 router with two ports, which needs no control plane: a longest prefix match, the next MAC addresses, TTL and
   checksum. */

#include <core.p4>
#include <v1model.p4>

header ethernet_t {
    bit<48> destination;
    bit<48> source;
    bit<16> type;
}

header ipv4_t {
    bit<4> version;
    bit<4> words;
    bit<8> service;
    bit<16> length;
    bit<16> identification;
    bit<3> flags;
    bit<13> offset;
    bit<8> ttl;
    bit<8> protocol;
    bit<16> checksum;
    bit<32> source;
    bit<32> destination;
}

struct headers_t {
    ethernet_t ethernet;
    ipv4_t ipv4;
}

struct metadata_t {
}

parser Read(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) {
    state start {
        packet.extract(hdr.ethernet);
        transition select(hdr.ethernet.type) {
            0x0800: ipv4;
            default: accept;
        }
    }
    state ipv4 {
        packet.extract(hdr.ipv4);
        transition accept;
    }
}

control Check(inout headers_t hdr, inout metadata_t meta) {
    apply { }
}

control In(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) {
    action drop() {
        mark_to_drop(std);
    }
    action forward(bit<48> destination, bit<9> port) {
        std.egress_spec = port;
        hdr.ethernet.source = hdr.ethernet.destination;
        hdr.ethernet.destination = destination;
        hdr.ipv4.ttl = hdr.ipv4.ttl - 1;
    }
    table route {
        key = { hdr.ipv4.destination: lpm; }
        actions = { forward; drop; }
        default_action = drop();
        const entries = {
            0x0A000001 &&& 0xFFFFFFFF: forward(0x080000000001, 1);
            0x0A000002 &&& 0xFFFFFFFF: forward(0x080000000002, 2);
        }
    }

    apply {
        if (hdr.ipv4.isValid()) {
            route.apply();
        } else {
            drop();
        }
    }
}

control Out(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) {
    apply { }
}

control Sum(inout headers_t hdr, inout metadata_t meta) {
    apply {
        update_checksum(
            hdr.ipv4.isValid(),
            { hdr.ipv4.version, hdr.ipv4.words, hdr.ipv4.service, hdr.ipv4.length, hdr.ipv4.identification,
              hdr.ipv4.flags, hdr.ipv4.offset, hdr.ipv4.ttl, hdr.ipv4.protocol, hdr.ipv4.source,
              hdr.ipv4.destination },
            hdr.ipv4.checksum, HashAlgorithm.csum16);
    }
}

control Write(packet_out packet, in headers_t hdr) {
    apply {
        packet.emit(hdr);
    }
}

V1Switch(Read(), Check(), In(), Out(), Sum(), Write()) main;
