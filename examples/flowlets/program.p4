/* A switch that spreads flows over two paths, ports 2 and 3. A packet that follows the one before it in its flow within
   `gap` microseconds takes the same path; any other one begins a flowlet, whose path is drawn at random. With a gap of 0,
   each packet has its own path, and with the longest, each flow. */

#include <core.p4>
#include <v1model.p4>

header ethernet_h {
    bit<48> destination;
    bit<48> source;
    bit<16> type;
}

header ipv4_h {
    bit<72> version_to_ttl;
    bit<8>  protocol;
    bit<16> checksum;
    bit<32> source;
    bit<32> destination;
}

header ports_h {
    bit<16> source;
    bit<16> destination;
}

struct headers_t {
    ethernet_h ethernet;
    ipv4_h     ipv4;
    ports_h    ports;
}

struct metadata_t { }

const bit<32> FLOWS = 1024;

parser PacketParser(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) {
    state start {
        packet.extract(hdr.ethernet);
        packet.extract(hdr.ipv4);
        packet.extract(hdr.ports);
        transition accept;
    }
}

control Check(inout headers_t hdr, inout metadata_t meta) { apply { } }

control ingress(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) {
    register<bit<48>>(FLOWS) last;
    register<bit<9>>(FLOWS) path;
    bit<48> longest = 0;

    action to(bit<9> port) { std.egress_spec = port; }
    action spread(bit<48> gap) { longest = gap; }
    action drop() { mark_to_drop(std); }

    table route {
        key = { hdr.ipv4.destination: exact; }
        actions = { to; spread; drop; }
        const default_action = drop;
    }

    apply {
        switch (route.apply().action_run) {
            spread: {
                bit<32> flow;
                bit<48> before;
                bit<9> port;
                hash(flow, HashAlgorithm.crc32, 32w0,
                    { hdr.ipv4.source, hdr.ipv4.destination, hdr.ipv4.protocol, hdr.ports.source, hdr.ports.destination },
                    FLOWS);
                last.read(before, flow);
                last.write(flow, std.ingress_global_timestamp);
                path.read(port, flow);
                if (port == 0 || std.ingress_global_timestamp - before >= longest) {
                    random(port, 2, 3);
                    path.write(flow, port);
                }
                std.egress_spec = port;
            }
        }
    }
}

control egress(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) { apply { } }

control Checksum(inout headers_t hdr, inout metadata_t meta) { apply { } }

control PacketDeparser(packet_out packet, in headers_t hdr) {
    apply {
        packet.emit(hdr.ethernet);
        packet.emit(hdr.ipv4);
        packet.emit(hdr.ports);
    }
}

V1Switch(PacketParser(), Check(), ingress(), egress(), Checksum(), PacketDeparser()) main;
