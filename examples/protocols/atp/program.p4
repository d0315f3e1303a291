/* ATP (Lao et al., NSDI'21), one rack: packets name an aggregator by a hash. If another sequence number has taken it,
   the switch forwards the packet to the server unchanged. It sends each complete sum there, too. The server's result
   frees the aggregator. */

#define PORT  0xA790
#define CELLS 1024
#include "../udp.p4"

const bit<8> CONTRIBUTION = 0; /* a worker's elements                                           */
const bit<8> AGAIN        = 1; /* the same, sent again: the aggregator passes on what it has    */
const bit<8> RESULT       = 2; /* of the server: the sum of all workers' elements               */

header atp_h {
    bit<32> workers;    /* one bit for each: whose elements these are */
    bit<32> sequence;   /* the job's number in the top 8 bits */
    bit<16> aggregator;
    bit<8>  kind;
}

struct headers_t {
    outer_t  outer;
    atp_h    atp;
    vector_h vector;
}

struct metadata_t { }

parser PacketParser(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) {
    OuterParser() outer;

    state start {
        outer.apply(packet, hdr.outer);
        transition select(hdr.outer.udp.isValid()) {
            true:    atp;
            default: accept;
        }
    }

    state atp {
        packet.extract(hdr.atp);
        packet.extract(hdr.vector);
        transition accept;
    }
}

control ingress(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) {
    register<bit<32>>(CELLS) owner; /* the sequence number whose sum it has, plus 1; 0: it is free */
    register<bit<32>>(CELLS) seen;  /* whose elements are in the sum */
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
        if (hdr.vector.isValid() && (bit<32>)hdr.atp.aggregator < CELLS && sender.apply().hit) {
            bit<32> cell = (bit<32>)hdr.atp.aggregator;
            bit<32> mine = hdr.atp.sequence + 1;
            bit<32> held;
            bit<32> whose;
            bit<2>  verb = READ;
            owner.read(held, cell);
            seen.read(whose, cell);
            if (me == 0) {
                if (hdr.atp.kind == RESULT) {
                    if (held == mine) {
                        owner.write(cell, 0);
                    }
                    std.mcast_grp = 1 + (bit<16>)hdr.atp.sequence[31:24];
                }
            } else if (hdr.atp.kind != RESULT && hdr.atp.workers == me) {
                /* Who sends this has the result of a number that is so far behind: a late duplicate has taken the
                   aggregator for it. */
                if (mine[31:24] == held[31:24] && mine > held && mine - held >= window) {
                    held = 0;
                }
                if (held == mine || (held == 0 && hdr.atp.kind == CONTRIBUTION)) {
                    bool done = false;
                    if (held == 0) {
                        verb = REPLACE;
                        whose = me;
                        done = me == all;
                    } else if (whose & me == 0) {
                        verb = ADD;
                        whose = whose | me;
                        done = whose == all;
                    }
                    owner.write(cell, hdr.atp.kind == AGAIN ? 32w0 : mine);
                    seen.write(cell, whose);
                    vectors.apply(cell, verb, hdr.vector);
                    hdr.atp.workers = whose;
                    if (done || hdr.atp.kind == AGAIN) {
                        std.egress_spec = server;
                    }
                } else {
                    std.egress_spec = server;
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
        packet.emit(hdr.atp);
        packet.emit(hdr.vector);
    }
}

V1Switch(PacketParser(), Check(), ingress(), egress(), Checksum(), PacketDeparser()) main;
