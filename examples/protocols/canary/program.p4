/* Canary (De Sensi et al., FGCS'24): packets of a block go towards the block's leader by any path. A switch adds up what
   comes within a time, and passes the sum on; what comes later it only passes on. It notes from which ports packets of the
   block came: the result goes back there. */

#define PORT  0xCA4A
#define CELLS 1024
#include "../udp.p4"

const bit<8> CONTRIBUTION = 0; /* some workers' elements, to be added up                            */
const bit<8> COLLIDED     = 1; /* the same, to be passed on only: a switch had no descriptor for it */
const bit<8> RESULT       = 2; /* the sum of all workers' elements, from the leader                 */
const bit<8> ASK          = 3; /* a worker's elements, with the question for the sum                */
const bit<8> AGAIN        = 4; /* the leader wants the block sent again, as another attempt         */
const bit<8> TICK         = 5; /* zeros: lets a switch look at the time, with room for a sum        */

/* The group of all ports to switches above. Group 1 + N: all hosts, and the switches in the bitmap N. */
const bit<16> UP = 0x4000;

header canary_h {
    bit<32> workers; /* one bit for each: whose elements these are */
    bit<8>  attempt;
    bit<24> block;
    bit<16> to;      /* the host that this goes to */
    bit<8>  kind;
}

struct headers_t {
    outer_t  outer;
    canary_h canary;
    vector_h vector;
}

struct metadata_t {
    bit<64> ports; /* a copy to any other port is dropped */
}

/* By port, the packets that wait: as many as when one left last, and those chosen for the port since. */
register<bit<19>>(64) waiting;

parser PacketParser(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) {
    OuterParser() outer;

    state start {
        outer.apply(packet, hdr.outer);
        transition select(hdr.outer.udp.isValid()) {
            true:    canary;
            default: accept;
        }
    }

    state canary {
        packet.extract(hdr.canary);
        transition select(hdr.canary.kind) {
            AGAIN:   accept;
            default: vector;
        }
    }

    state vector {
        packet.extract(hdr.vector);
        transition accept;
    }
}

control ingress(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) {
    /* The descriptors. */
    register<bit<32>>(CELLS) owner;    /* the attempt and the block, plus 1; 0: it is free */
    register<bit<32>>(CELLS) seen;     /* whose elements have come */
    register<bit<64>>(CELLS) children; /* the ports that they came from, one bit for each */
    register<bit<16>>(CELLS) switches; /* those of them that lead to switches, numbered from 0 on */
    register<bit<16>>(CELLS) leader;
    register<bit<48>>(CELLS) since;    /* when the first packet came, microseconds */
    register<bit<1>>(CELLS)  passed;   /* 1: the sum has been passed on */
    Vectors() vectors;
    /* The descriptors in the order of their times: the cell and its owner then. */
    register<bit<64>>(CELLS) line;
    register<bit<32>>(2)     ends;

    bit<32> all = 0;
    bit<32> cell = 0;
    bit<24> window = 0;
    bit<48> patience = 0;
    bit<16> from_switch = 0;
    bit<16> to_switch = 0;

    /* The controller writes a row for each host, and one for nobody. of: the workers whose packets to that host can pass
       here. mask: descriptors, minus 1. in_flight: the most blocks that a worker has in flight. patience_: how long the
       switch adds up, microseconds. */
    action settings(bit<32> of, bit<24> mask, bit<24> in_flight, bit<48> patience_) {
        all = of;
        cell = (bit<32>)(hdr.canary.block & mask);
        window = in_flight;
        patience = patience_;
    }

    table job {
        key = { hdr.canary.to: exact; }
        actions = { settings; @defaultonly NoAction; }
        const default_action = NoAction;
        size = 64;
    }

    /* A row for each port to a switch. */
    action above(bit<16> bitmap) { from_switch = bitmap; }

    table entrance {
        key = { std.ingress_port: exact; }
        actions = { above; @defaultonly NoAction; }
        const default_action = NoAction;
        size = 64;
    }

    /* One of `ports` ports from `first` on, a power of two: the one that the block's number names, or the next one, if its
       queue is shorter by more than `margin` packets. bitmap: of the first one, if these lead to switches. */
    action way(bit<9> first, bit<24> ports, bit<19> margin, bit<16> bitmap) {
        bit<9>  named = first + (bit<9>)(hdr.canary.block & (ports - 1));
        bit<9>  next = first + (bit<9>)((hdr.canary.block + 1) & (ports - 1));
        bit<19> here;
        bit<19> there;
        waiting.read(here, (bit<32>)named);
        waiting.read(there, (bit<32>)next);
        if (here > there + margin) {
            named = next;
            here = there;
        }
        waiting.write((bit<32>)named, here + 1);
        std.egress_spec = named;
        to_switch = bitmap << (bit<8>)(named - first);
    }

    table route {
        key = { hdr.canary.to: exact; }
        actions = { way; @defaultonly NoAction; }
        const default_action = NoAction;
        size = 64;
    }

    apply {
        mark_to_drop(std);
        meta.ports = ~64w0;
        if (hdr.canary.isValid() && job.apply().hit) {
            bit<48> now = std.ingress_global_timestamp;
            bit<32> mine = hdr.canary.attempt ++ (hdr.canary.block + 1);
            bit<64> from_port = 64w1 << (bit<8>)std.ingress_port;
            bit<32> held;
            bit<32> whose;
            bit<64> below;
            bit<16> below_switches;
            bit<1>  is_passed;
            bit<2>  verb = READ;
            bool    spare = false; /* its content is in a descriptor: it can carry another sum */
            bool    goes = false;
            entrance.apply();
            owner.read(held, cell);
            seen.read(whose, cell);
            children.read(below, cell);
            switches.read(below_switches, cell);
            passed.read(is_passed, cell);
            if (hdr.canary.kind == CONTRIBUTION) {
                bool newer = mine[23:0] == held[23:0] && mine[31:24] - held[31:24] - 1 < 127;
                /* Who sends this has the sums of all blocks that are so far behind. */
                bool later = mine[23:0] > held[23:0] && mine[23:0] - held[23:0] >= window;
                if (held == 0 || newer || later) {
                    verb = REPLACE;
                    held = mine;
                    whose = hdr.canary.workers;
                    below = from_port;
                    below_switches = from_switch;
                    is_passed = 0;
                    leader.write(cell, hdr.canary.to);
                    since.write(cell, now);
                    bit<32> last;
                    ends.read(last, 1);
                    line.write(last & (CELLS - 1), cell ++ mine);
                    ends.write(1, last + 1);
                    spare = true;
                } else if (held == mine) {
                    below = below | from_port;
                    below_switches = below_switches | from_switch;
                    if (whose & hdr.canary.workers == hdr.canary.workers) {
                        /* It has come before. */
                        spare = true;
                    } else if (is_passed == 1) {
                        whose = whose | hdr.canary.workers;
                        goes = true;
                    } else if (whose & hdr.canary.workers == 0) {
                        verb = ADD;
                        whose = whose | hdr.canary.workers;
                        spare = true;
                    } else {
                        goes = true;
                    }
                } else {
                    hdr.canary.kind = COLLIDED;
                    goes = true;
                }
                if (verb != READ) {
                    vectors.apply(cell, verb, hdr.vector);
                    if (whose == all) {
                        is_passed = 1;
                        hdr.canary.workers = whose;
                        spare = false;
                        goes = true;
                    }
                }
                if (held == mine) {
                    owner.write(cell, held);
                    seen.write(cell, whose);
                    children.write(cell, below);
                    switches.write(cell, below_switches);
                    passed.write(cell, is_passed);
                }
            } else if (hdr.canary.kind == TICK) {
                std.mcast_grp = UP;
                spare = true;
            } else {
                goes = true;
            }
            if (spare) {
                bit<32> first;
                bit<32> last;
                bit<64> oldest;
                bit<48> begun;
                ends.read(first, 0);
                ends.read(last, 1);
                line.read(oldest, first & (CELLS - 1));
                cell = oldest[63:32];
                owner.read(held, cell);
                passed.read(is_passed, cell);
                since.read(begun, cell);
                if (first != last) {
                    if (held != oldest[31:0] || is_passed == 1) {
                        ends.write(0, first + 1);
                    } else if (now - begun >= patience) {
                        ends.write(0, first + 1);
                        passed.write(cell, 1);
                        hdr.canary.kind = CONTRIBUTION;
                        hdr.canary.attempt = held[31:24];
                        hdr.canary.block = held[23:0] - 1;
                        seen.read(hdr.canary.workers, cell);
                        leader.read(hdr.canary.to, cell);
                        vectors.apply(cell, READ, hdr.vector);
                        std.mcast_grp = 0;
                        goes = true;
                    }
                }
            }
            if (goes) {
                bool known = route.apply().hit;
                /* Whatever the attempt, its packets came from workers that need the result. */
                if (hdr.canary.kind == RESULT && held[23:0] == mine[23:0]) {
                    owner.write(cell, 0);
                    meta.ports = below | (known ? 64w1 << (bit<8>)std.egress_spec : 0);
                    std.mcast_grp = 1 + (below_switches | to_switch);
                }
            }
        }
    }
}

control egress(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) {
    Deliver() deliver;

    apply {
        waiting.write((bit<32>)std.egress_port, std.deq_qdepth);
        if (meta.ports >> (bit<8>)std.egress_port & 1 == 0) {
            mark_to_drop(std);
        } else {
            deliver.apply(hdr.outer, std);
        }
    }
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
        packet.emit(hdr.canary);
        packet.emit(hdr.vector);
    }
}

V1Switch(PacketParser(), Check(), ingress(), egress(), Checksum(), PacketDeparser()) main;
