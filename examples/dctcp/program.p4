/* A switch that marks packets, as DCTCP asks (section 3.1): those that find a queue of at least `threshold` packets leave
   with "congestion experienced" in their IP header. Packets of protocol 253, which is for experiments, also record the
   queue that they found. */

#include <core.p4>
#include <v1model.p4>

header ethernet_h {
    bit<48> destination;
    bit<48> source;
    bit<16> type;
}

header ipv4_h {
    bit<8>  version_ihl;
    bit<6>  dscp;
    bit<2>  ecn;
    bit<16> length;
    bit<32> identification_flags_offset;
    bit<8>  ttl;
    bit<8>  protocol;
    bit<16> checksum;
    bit<32> source;
    bit<32> destination;
}

header record_h {
    bit<32> queue;
}

struct headers_t {
    ethernet_h ethernet;
    ipv4_h     ipv4;
    record_h   record;
}

struct metadata_t { }

const bit<2> NOT_CAPABLE = 0;
const bit<2> CONGESTION_EXPERIENCED = 3;

parser PacketParser(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) {
    state start {
        packet.extract(hdr.ethernet);
        transition select(hdr.ethernet.type) {
            0x0800:  ipv4;
            default: accept;
        }
    }

    state ipv4 {
        packet.extract(hdr.ipv4);
        transition select(hdr.ipv4.protocol) {
            253:     record;
            default: accept;
        }
    }

    state record {
        packet.extract(hdr.record);
        transition accept;
    }
}

control Check(inout headers_t hdr, inout metadata_t meta) { apply { } }

control ingress(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) {
    action to(bit<9> port) { std.egress_spec = port; }
    action drop() { mark_to_drop(std); }

    table route {
        key = { hdr.ipv4.destination: exact; }
        actions = { to; drop; }
        const default_action = drop;
    }

    apply { route.apply(); }
}

control egress(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) {
    bit<19> from = 20;

    action mark_from(bit<19> threshold) { from = threshold; }

    table queue {
        actions = { mark_from; }
        default_action = mark_from(20);
    }

    apply {
        queue.apply();
        if (hdr.ipv4.ecn != NOT_CAPABLE && std.enq_qdepth >= from) {
            hdr.ipv4.ecn = CONGESTION_EXPERIENCED;
        }
        hdr.record.queue = (bit<32>)std.enq_qdepth;
    }
}

control Checksum(inout headers_t hdr, inout metadata_t meta) {
    apply {
        update_checksum(hdr.ipv4.isValid(),
            { hdr.ipv4.version_ihl, hdr.ipv4.dscp, hdr.ipv4.ecn, hdr.ipv4.length, hdr.ipv4.identification_flags_offset,
              hdr.ipv4.ttl, hdr.ipv4.protocol, hdr.ipv4.source, hdr.ipv4.destination },
            hdr.ipv4.checksum, HashAlgorithm.csum16);
    }
}

control PacketDeparser(packet_out packet, in headers_t hdr) {
    apply {
        packet.emit(hdr.ethernet);
        packet.emit(hdr.ipv4);
        packet.emit(hdr.record);
    }
}

V1Switch(PacketParser(), Check(), ingress(), egress(), Checksum(), PacketDeparser()) main;
