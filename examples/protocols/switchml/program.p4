/* SwitchML (Sapio et al., NSDI'21, algorithm 3): a pool of slots, each with two halves, which the versions 0 and 1 of a
   packet use in turn. A half keeps a sum until all workers have begun the next one, for those that lost the result. */

#define PORT  0xBEE0
#define CELLS 1024
#include "../udp.p4"

const bit<32> SLOTS = CELLS / 2;

header switchml_h {
    bit<8>  worker;
    bit<8>  version; /* 0 or 1 */
    bit<16> slot;
    bit<32> offset;  /* of the first element in the worker's tensor; the switch does not read it */
    bit<8>  result;  /* 0: a worker's elements; 1: the sum of all workers' */
}

struct headers_t {
    outer_t    outer;
    switchml_h switchml;
    vector_h   vector;
}

struct metadata_t { }

parser PacketParser(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) {
    OuterParser() outer;

    state start {
        outer.apply(packet, hdr.outer);
        transition select(hdr.outer.udp.isValid()) {
            true:    switchml;
            default: accept;
        }
    }

    state switchml {
        packet.extract(hdr.switchml);
        packet.extract(hdr.vector);
        transition accept;
    }
}

control ingress(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) {
    register<bit<32>>(CELLS) seen;  /* one bit for each worker: whose elements a half has */
    register<bit<8>>(CELLS)  count; /* how many that is; 0: all */
    Vectors() vectors;
    bit<32> me = 0;
    bit<8>  workers = 0;
    bit<16> group = 0;

    /* The controller writes a row for each worker. mask: its bit. of: how many its job has. to: the job's group. */
    action found(bit<32> mask, bit<8> of, bit<16> to) {
        me = mask;
        workers = of;
        group = to;
    }

    table worker {
        key = { hdr.switchml.worker: exact; std.ingress_port: exact; }
        actions = { found; @defaultonly NoAction; }
        const default_action = NoAction;
        size = 32;
    }

    apply {
        mark_to_drop(std);
        if (hdr.vector.isValid() && hdr.switchml.result == 0 && (bit<32>)hdr.switchml.slot < SLOTS
            && worker.apply().hit) {
            bit<32> cell = (bit<32>)hdr.switchml.slot;
            bit<32> other = cell;
            if (hdr.switchml.version == 0) {
                other = cell + SLOTS;
            } else {
                cell = cell + SLOTS;
            }
            bit<32> here;
            bit<32> there;
            bit<8> number;
            bit<2> verb = READ;
            seen.read(here, cell);
            seen.read(there, other);
            count.read(number, cell);
            bool again = here & me != 0;
            if (!again) {
                seen.write(cell, here | me);
                seen.write(other, there & ~me);
                verb = number == 0 ? REPLACE : ADD;
                number = number + 1 == workers ? 8w0 : number + 1;
                count.write(cell, number);
            }
            vectors.apply(cell, verb, hdr.vector);
            if (number == 0) {
                hdr.switchml.result = 1;
                if (again) {
                    std.egress_spec = std.ingress_port;
                } else {
                    std.mcast_grp = group;
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
        packet.emit(hdr.switchml);
        packet.emit(hdr.vector);
    }
}

V1Switch(PacketParser(), Check(), ingress(), egress(), Checksum(), PacketDeparser()) main;
