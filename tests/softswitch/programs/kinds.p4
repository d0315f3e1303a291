/* One of everything that P4Runtime addresses: every match kind, both kinds of counters, registers narrow and wide, a
   multicast group, a constant default, constant entries, and a CPU port with headers for the controller. */

#include <core.p4>
#include <v1model.p4>

const bit<9> CPU_PORT = 255;

header ethernet_t {
    bit<48> destination;
    bit<48> source;
    bit<16> type;
}

@controller_header("packet_out")
header packet_out_t {
    bit<9> egress_port;
    bit<7> unused;
}

@controller_header("packet_in")
header packet_in_t {
    bit<9> ingress_port;
    bit<7> reason;
}

struct headers_t {
    packet_out_t packet_out;
    packet_in_t packet_in;
    ethernet_t ethernet;
}

struct metadata_t {
}

parser Read(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) {
    state start {
        transition select(std.ingress_port) {
            CPU_PORT: from_controller;
            default: ethernet;
        }
    }
    state from_controller {
        packet.extract(hdr.packet_out);
        transition ethernet;
    }
    state ethernet {
        packet.extract(hdr.ethernet);
        transition accept;
    }
}

control Check(inout headers_t hdr, inout metadata_t meta) {
    apply { }
}

control In(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) {
    register<bit<32>>(16) last_type;
    register<bit<256>>(4) wide;
    counter(16, CounterType.packets_and_bytes) received;
    direct_counter(CounterType.packets_and_bytes) hits;

    action drop() {
        mark_to_drop(std);
    }
    action send_to(bit<9> port) {
        std.egress_spec = port;
    }
    action flood(bit<16> group) {
        std.mcast_grp = group;
    }
    action to_controller(bit<7> reason) {
        hdr.packet_in.setValid();
        hdr.packet_in.ingress_port = std.ingress_port;
        hdr.packet_in.reason = reason;
        std.egress_spec = CPU_PORT;
    }

    table station {
        key = { hdr.ethernet.destination: exact; }
        actions = { send_to; flood; to_controller; @defaultonly drop; }
        default_action = drop();
        counters = hits;
        size = 8;
    }
    table prefix {
        key = { hdr.ethernet.destination: lpm; }
        actions = { send_to; @tableonly drop; NoAction; }
        default_action = NoAction();
    }
    table rule {
        key = {
            hdr.ethernet.source: ternary;
            hdr.ethernet.type: range;
            std.ingress_port: optional;
        }
        actions = { drop; NoAction; }
        default_action = NoAction();
    }
    table fixed_default {
        key = { hdr.ethernet.type: exact; }
        actions = { drop; NoAction; }
        const default_action = NoAction();
    }
    table fixed_entries {
        key = { hdr.ethernet.type: exact; }
        actions = { send_to; drop; NoAction; }
        default_action = NoAction();
        const entries = {
            0x7777: send_to(2);
            0x9999: drop();
        }
    }

    apply {
        if (hdr.packet_out.isValid()) {
            std.egress_spec = hdr.packet_out.egress_port;
            hdr.packet_out.setInvalid();
        } else {
            received.count((bit<32>)std.ingress_port);
            last_type.write((bit<32>)std.ingress_port, (bit<32>)hdr.ethernet.type);
            wide.write(0, (bit<256>)hdr.ethernet.source << 200);
            station.apply();
            prefix.apply();
            rule.apply();
            fixed_default.apply();
            fixed_entries.apply();
        }
    }
}

control Out(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) {
    apply { }
}

control Sum(inout headers_t hdr, inout metadata_t meta) {
    apply { }
}

control Write(packet_out packet, in headers_t hdr) {
    apply {
        packet.emit(hdr.packet_in);
        packet.emit(hdr.ethernet);
    }
}

V1Switch(Read(), Check(), In(), Out(), Sum(), Write()) main;
