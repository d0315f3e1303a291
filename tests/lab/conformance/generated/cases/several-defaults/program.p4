/* A select with a mask of 0, which p4c compiles to a default before the last one. */

#include <core.p4>
#include <v1model.p4>

header byte_t {
    bit<8> value;
}

struct headers_t {
    byte_t key;
    byte_t state;
}

struct meta_t {
    bit<8> state;
}

parser Parse(packet_in packet, out headers_t hdr, inout meta_t m, inout standard_metadata_t std) {
    state start {
        packet.extract(hdr.key);
        transition select(hdr.key.value) {
            1: one;
            5 &&& 0: masked;
            2: two;
            default: otherwise;
        }
    }
    state one {
        m.state = 1;
        transition accept;
    }
    state masked {
        m.state = 2;
        transition accept;
    }
    state two {
        m.state = 3;
        transition accept;
    }
    state otherwise {
        m.state = 4;
        transition accept;
    }
}

control Verify(inout headers_t hdr, inout meta_t m) {
    apply { }
}

control In(inout headers_t hdr, inout meta_t m, inout standard_metadata_t std) {
    apply {
        std.egress_spec = 1;
        hdr.state.setValid();
        hdr.state.value = m.state;
    }
}

control Out(inout headers_t hdr, inout meta_t m, inout standard_metadata_t std) {
    apply { }
}

control Update(inout headers_t hdr, inout meta_t m) {
    apply { }
}

control Deparse(packet_out packet, in headers_t hdr) {
    apply {
        packet.emit(hdr);
    }
}

V1Switch(Parse(), Verify(), In(), Out(), Update(), Deparse()) main;
