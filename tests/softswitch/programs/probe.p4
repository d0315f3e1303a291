/* Everything that P4Runtime can read or write, for the probe that compares the switch with BMv2: ageing entries with a
   counter and a meter, every match kind, action profiles with and without a selector, meters, digests, clones, a value
   set, and a CPU port with headers for the controller. */

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

struct sighting_t {
    bit<48> source;
    bit<9> port;
}

struct metadata_t {
    @field_list(1)
    bit<9> came_from;
    bit<2> color;
    bit<1> is_special;
}

parser Read(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) {
    value_set<bit<16>>(4) special;

    state start {
        meta.came_from = std.ingress_port;
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
        transition select(hdr.ethernet.type) {
            special: is_special;
            default: accept;
        }
    }
    state is_special {
        meta.is_special = 1;
        transition accept;
    }
}

control Check(inout headers_t hdr, inout metadata_t meta) {
    apply { }
}

control In(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) {
    register<bit<32>>(8) seen;
    counter(16, CounterType.packets_and_bytes) received;
    meter(8, MeterType.packets) police;
    direct_counter(CounterType.packets_and_bytes) hits;
    direct_meter<bit<2>>(MeterType.bytes) rate;
    action_profile(8) plain;
    @max_group_size(8) action_selector(HashAlgorithm.crc16, 16, 8) balanced;

    action drop() {
        mark_to_drop(std);
    }
    action send_to(bit<9> port) {
        std.egress_spec = port;
    }
    action flood(bit<16> group) {
        std.mcast_grp = group;
    }
    action mirror(bit<9> port) {
        clone_preserving_field_list(CloneType.I2E, 5, 1);
        std.egress_spec = port;
    }
    action sight(bit<9> port) {
        digest<sighting_t>(1, { hdr.ethernet.source, std.ingress_port });
        std.egress_spec = port;
    }
    action measured_send_to(bit<9> port) {
        rate.read(meta.color);
        std.egress_spec = port;
    }
    action measured_drop() {
        rate.read(meta.color);
        mark_to_drop(std);
    }

    table station {
        key = { hdr.ethernet.destination: exact; }
        actions = { send_to; flood; mirror; sight; @defaultonly drop; }
        default_action = drop();
        counters = hits;
        support_timeout = true;
        size = 64;
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
    table measured {
        key = { hdr.ethernet.source: exact; }
        actions = { measured_send_to; measured_drop; NoAction; }
        default_action = NoAction();
        meters = rate;
        size = 16;
    }
    table indirect {
        key = { hdr.ethernet.type: exact; }
        actions = { send_to; drop; NoAction; }
        implementation = plain;
        size = 16;
    }
    table selected {
        key = {
            hdr.ethernet.type: exact;
            hdr.ethernet.source: selector;
        }
        actions = { send_to; drop; NoAction; }
        implementation = balanced;
        size = 16;
    }

    apply {
        if (hdr.packet_out.isValid()) {
            std.egress_spec = hdr.packet_out.egress_port;
            hdr.packet_out.setInvalid();
        } else {
            received.count((bit<32>)std.ingress_port);
            seen.write(0, (bit<32>)hdr.ethernet.type);
            police.execute_meter((bit<32>)std.ingress_port, meta.color);
            station.apply();
            prefix.apply();
            rule.apply();
            fixed_default.apply();
            fixed_entries.apply();
            measured.apply();
            indirect.apply();
            selected.apply();
            seen.write(1, (bit<32>)meta.color);
            seen.write(2, (bit<32>)meta.is_special);
        }
    }
}

control Out(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) {
    apply {
        if (std.egress_port == CPU_PORT) {
            hdr.packet_in.setValid();
            hdr.packet_in.ingress_port = meta.came_from;
            hdr.packet_in.reason = (bit<7>)std.instance_type;
        }
    }
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
