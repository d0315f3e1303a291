/* First come, first served slots with a timeout in the switch, after Trio-ML (Yang et al., SIGCOMM'22). */

#define PORT  0x7210
#define CELLS 1024
#include "../udp.p4"

header trio_h {
    bit<32> workers; /* one bit for each: whose elements these are */
    bit<32> block;
    bit<8>  result;  /* 0: a worker's elements; 1: the sum of those workers' */
}

struct headers_t {
    outer_t  outer;
    trio_h   trio;
    vector_h vector;
}

struct metadata_t { }

parser PacketParser(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) {
    OuterParser() outer;

    state start {
        outer.apply(packet, hdr.outer);
        transition select(hdr.outer.udp.isValid()) {
            true:    trio;
            default: accept;
        }
    }

    state trio {
        packet.extract(hdr.trio);
        packet.extract(hdr.vector);
        transition accept;
    }
}

control ingress(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) {
    register<bit<32>>(CELLS) taken;    /* by which block, plus 1; 0: by none yet */
    register<bit<32>>(CELLS) seen;     /* whose elements are in the sum */
    register<bit<48>>(CELLS) since;    /* when the block's first packet came, microseconds */
    register<bit<8>>(CELLS)  complete; /* 1: the sum has been sent, and does not change any more */
    Vectors() vectors;
    bit<32> me = 0;
    bit<32> all = 0;
    bit<32> slots = 0;
    bit<48> patience = 0;

    /* The controller writes a row for each worker: its bit, the bits of all, the job's slots (a power of two), and how
       many microseconds a block waits for a worker. */
    action worker(bit<32> mask, bit<32> of, bit<32> slots_, bit<48> patience_) {
        me = mask;
        all = of;
        slots = slots_;
        patience = patience_;
    }

    table sender {
        key = { std.ingress_port: exact; }
        actions = { worker; @defaultonly NoAction; }
        const default_action = NoAction;
        size = 32;
    }

    apply {
        mark_to_drop(std);
        if (hdr.vector.isValid() && hdr.trio.result == 0 && sender.apply().hit && hdr.trio.workers == me) {
            bit<32> cell = hdr.trio.block & (slots - 1);
            bit<32> mine = hdr.trio.block + 1;
            bit<48> now = std.ingress_global_timestamp;
            bit<32> holder;
            bit<32> whose;
            bit<48> first;
            bit<8>  done;
            bit<2>  verb = READ;
            taken.read(holder, cell);
            seen.read(whose, cell);
            since.read(first, cell);
            complete.read(done, cell);
            if (mine > holder && (holder == 0 || done == 1)) {
                /* First come, first served. */
                verb = REPLACE;
                holder = mine;
                whose = me;
                first = now;
                done = 0;
            } else if (mine == holder && done == 0) {
                if (whose & me == 0) {
                    verb = ADD;
                    whose = whose | me;
                }
            }
            if (mine <= holder) {
                hdr.trio.result = 1;
                if (mine < holder) {
                    /* Too late: the slot has gone on, and the sum of nobody is zero. */
                    hdr.trio.workers = 0;
                    hdr.vector = { 0, 0, 0, 0 };
                    std.egress_spec = std.ingress_port;
                } else {
                    vectors.apply(cell, verb, hdr.vector);
                    hdr.trio.workers = whose;
                    if (done == 1) {
                        std.egress_spec = std.ingress_port;
                    } else if (whose == all || now - first > patience) {
                        done = 1;
                        std.mcast_grp = 1;
                    }
                    taken.write(cell, holder);
                    seen.write(cell, whose);
                    since.write(cell, first);
                    complete.write(cell, done);
                }
            }
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
        packet.emit(hdr.trio);
        packet.emit(hdr.vector);
    }
}

V1Switch(PacketParser(), Check(), ingress(), egress(), Checksum(), PacketDeparser()) main;
