/* After ESA (arXiv 2201.06398), one rack: as ATP, but a packet of a higher priority takes an aggregator from a lower one,
   whose sum so far leaves for its server in the packet's place. Each packet that does not get an aggregator lowers the
   priority of the one that has it. */

#define PORT  0xE5A0
#define CELLS 1024
#include "../udp.p4"

const bit<8> CONTRIBUTION = 0; /* a worker's elements                                           */
const bit<8> AGAIN        = 1; /* the same, sent again: the aggregator passes on what it has    */
const bit<8> RESULT       = 2; /* of the server: the sum of all workers' elements               */
const bit<8> REMINDER     = 3; /* of the server: the aggregator sends it what it has            */

header esa_h {
    bit<32> workers;    /* one bit for each: whose elements these are */
    bit<32> sequence;   /* the job's number in the top 8 bits */
    bit<16> aggregator;
    bit<8>  kind;
    bit<8>  priority;
}

struct headers_t {
    outer_t  outer;
    esa_h    esa;
    vector_h vector;
}

struct metadata_t { }

parser PacketParser(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) {
    OuterParser() outer;

    state start {
        outer.apply(packet, hdr.outer);
        transition select(hdr.outer.udp.isValid()) {
            true:    esa;
            default: accept;
        }
    }

    state esa {
        packet.extract(hdr.esa);
        packet.extract(hdr.vector);
        transition accept;
    }
}

control ingress(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) {
    register<bit<32>>(CELLS) owner; /* the sequence number whose sum it has, plus 1; 0: it is free */
    register<bit<32>>(CELLS) seen;  /* whose elements are in the sum */
    register<bit<8>>(CELLS)  rank;  /* its priority */
    register<bit<9>>(CELLS)  home;  /* the port of its server */
    Vectors() vectors;
    bit<32> me = 0;
    bit<32> all = 0;
    bit<32> window = 0;
    bit<9>  server = 0;

    /* The controller writes a row for each host. mask: the worker's bit. of: the bits of its job. in_flight: the most
       packets that a worker has in flight. to: the port of the job's server. */
    action worker(bit<32> mask, bit<32> of, bit<32> in_flight, bit<9> to) {
        me = mask;
        all = of;
        window = in_flight;
        server = to;
    }

    action is_server() { }

    table sender {
        key = { std.ingress_port: exact; }
        actions = { worker; is_server; @defaultonly NoAction; }
        const default_action = NoAction;
        size = 64;
    }

    apply {
        mark_to_drop(std);
        if (hdr.vector.isValid() && (bit<32>)hdr.esa.aggregator < CELLS && sender.apply().hit) {
            bit<32> cell = (bit<32>)hdr.esa.aggregator;
            bit<32> mine = hdr.esa.sequence + 1;
            bit<32> held;
            bit<32> whose;
            bit<2>  verb = READ;
            bool    here = false;
            owner.read(held, cell);
            seen.read(whose, cell);
            if (me == 0) {
                if (hdr.esa.kind == RESULT) {
                    if (held == mine) {
                        owner.write(cell, 0);
                    }
                    std.mcast_grp = 1 + (bit<16>)hdr.esa.sequence[31:24];
                } else if (hdr.esa.kind == REMINDER && held == mine) {
                    here = true;
                    owner.write(cell, 0);
                    hdr.esa.workers = whose;
                    hdr.esa.kind = CONTRIBUTION;
                    std.egress_spec = std.ingress_port;
                }
            } else if (hdr.esa.kind != RESULT && hdr.esa.workers == me) {
                /* Who sends this has the result of a number that is so far behind: a late duplicate has taken the
                   aggregator for it. */
                if (mine[31:24] == held[31:24] && mine > held && mine - held >= window) {
                    held = 0;
                }
                if (held == mine || (held == 0 && hdr.esa.kind == CONTRIBUTION)) {
                    bool done = false;
                    here = true;
                    if (held == 0) {
                        verb = REPLACE;
                        whose = me;
                        done = me == all;
                    } else if (whose & me == 0) {
                        verb = ADD;
                        whose = whose | me;
                        done = whose == all;
                    }
                    owner.write(cell, hdr.esa.kind == AGAIN ? 32w0 : mine);
                    seen.write(cell, whose);
                    hdr.esa.workers = whose;
                    if (verb == REPLACE) {
                        rank.write(cell, hdr.esa.priority);
                        home.write(cell, server);
                    }
                    if (done || hdr.esa.kind == AGAIN) {
                        std.egress_spec = server;
                    }
                } else {
                    bit<8> other;
                    std.egress_spec = server;
                    rank.read(other, cell);
                    if (held != 0 && hdr.esa.kind == CONTRIBUTION && hdr.esa.priority > other) {
                        here = true;
                        verb = SWAP;
                        owner.write(cell, mine);
                        seen.write(cell, me);
                        rank.write(cell, hdr.esa.priority);
                        home.read(std.egress_spec, cell);
                        home.write(cell, server);
                        hdr.esa.workers = whose;
                        hdr.esa.sequence = held - 1;
                        hdr.esa.kind = CONTRIBUTION;
                    } else {
                        rank.write(cell, other |-| 1);
                    }
                }
            }
            if (here) {
                vectors.apply(cell, verb, hdr.vector);
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
        packet.emit(hdr.esa);
        packet.emit(hdr.vector);
    }
}

V1Switch(PacketParser(), Check(), ingress(), egress(), Checksum(), PacketDeparser()) main;
