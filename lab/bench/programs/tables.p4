/* A large table of each match kind; a packet says which one it is looked up in. */

#include <core.p4>
#include <v1model.p4>

header query_t {
    bit<8> kind;
    bit<32> destination;
    bit<32> source;
    bit<16> port;
}

struct headers_t {
    query_t query;
}

struct metadata_t {
}

parser Read(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) {
    state start {
        packet.extract(hdr.query);
        transition accept;
    }
}

control Check(inout headers_t hdr, inout metadata_t meta) {
    apply { }
}

control In(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) {
    action send_to(bit<9> port) {
        std.egress_spec = port;
    }

    table exact_table {
        key = { hdr.query.destination: exact; }
        actions = { send_to; NoAction; }
        size = 100000;
    }
    table ternary_table {
        key = {
            hdr.query.destination: ternary;
            hdr.query.source: ternary;
            hdr.query.port: ternary;
        }
        actions = { send_to; NoAction; }
        size = 10000;
    }
    table lpm_table {
        key = { hdr.query.destination: lpm; }
        actions = { send_to; NoAction; }
        size = 100000;
    }
    table range_table {
        key = {
            hdr.query.destination: ternary;
            hdr.query.port: range;
        }
        actions = { send_to; NoAction; }
        size = 10000;
    }

    apply {
        if (hdr.query.kind == 0) {
            exact_table.apply();
        } else if (hdr.query.kind == 1) {
            ternary_table.apply();
        } else if (hdr.query.kind == 2) {
            lpm_table.apply();
        } else if (hdr.query.kind == 3) {
            range_table.apply();
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
        packet.emit(hdr.query);
    }
}

V1Switch(Read(), Check(), In(), Out(), Sum(), Write()) main;
