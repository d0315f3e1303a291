/* Quantization in the switch, after SCIN (Jiang et al., arXiv 2603.28239): workers send elements of 8 bits, and the switch
   rounds their sum to 8 bits before it sends it. Slots are SwitchML's, each with two halves, which the versions 0 and 1 of
   a packet use in turn. */

#define PORT  0x5C10
#define CELLS 1024
#include "../udp.p4"

const bit<32> SLOTS = CELLS / 2;

/* The lower byte of each 16 bits, and its lowest bit. */
const bit<128>  BYTE_8  = 128w0x00FF00FF00FF00FF00FF00FF00FF00FF;
const bit<512>  BYTE_32 = BYTE_8 ++ BYTE_8 ++ BYTE_8 ++ BYTE_8;
const bit<2048> BYTE    = BYTE_32 ++ BYTE_32 ++ BYTE_32 ++ BYTE_32;
const bit<128>  ONE_8   = 128w0x00010001000100010001000100010001;
const bit<512>  ONE_32  = ONE_8 ++ ONE_8 ++ ONE_8 ++ ONE_8;
const bit<2048> ONE     = ONE_32 ++ ONE_32 ++ ONE_32 ++ ONE_32;

/* In each cell 128 sums of 16 bits, of bytes that are 16 bits apart. They leave divided by two to the power of `shift`,
   and rounded. */
control Sums(in bit<32> cell, in bit<2> verb, in bit<8> shift, inout bit<2048> bytes) {
    register<bit<2048>>(CELLS) held;

    apply {
        bit<2048> sum;
        held.read(sum, cell);
        if (verb == REPLACE) {
            sum = bytes;
        } else if (verb == ADD) {
            sum = sum + bytes;
        }
        held.write(cell, sum);
        bit<2048> half = ((ONE << shift) >> 1) & BYTE;
        bytes = ((sum + half) >> shift) & BYTE;
    }
}

/* 256 sums of bytes. */
control Part(in bit<32> cell, in bit<2> verb, in bit<8> shift, inout bit<2048> bytes) {
    Sums() even;
    Sums() odd;

    apply {
        bit<2048> low = bytes & BYTE;
        bit<2048> high = (bytes >> 8) & BYTE;
        even.apply(cell, verb, shift, low);
        odd.apply(cell, verb, shift, high);
        bytes = low | (high << 8);
    }
}

header scin_h {
    bit<8>  worker;
    bit<8>  version; /* 0 or 1 */
    bit<16> slot;
    bit<32> offset;  /* of the first element in the worker's tensor; the switch does not read it */
    bit<8>  result;  /* 0: a worker's elements; 1: the sum of all workers', rounded */
}

struct headers_t {
    outer_t  outer;
    scin_h   scin;
    vector_h vector; /* of 1,024 bytes: each an element, plus 128 */
}

struct metadata_t { }

parser PacketParser(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) {
    OuterParser() outer;

    state start {
        outer.apply(packet, hdr.outer);
        transition select(hdr.outer.udp.isValid()) {
            true:    scin;
            default: accept;
        }
    }

    state scin {
        packet.extract(hdr.scin);
        packet.extract(hdr.vector);
        transition accept;
    }
}

control ingress(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) {
    register<bit<32>>(CELLS) seen;  /* one bit for each worker: whose elements a half has */
    register<bit<8>>(CELLS)  count; /* how many that is; 0: all */
    Part() a;
    Part() b;
    Part() c;
    Part() d;
    bit<32> me = 0;
    bit<8>  workers = 0;
    bit<8>  shift = 0;

    /* The controller writes a row for each worker. mask: its bit. of: how many there are, at most two to the power of
       `by`. */
    action found(bit<32> mask, bit<8> of, bit<8> by) {
        me = mask;
        workers = of;
        shift = by;
    }

    table worker {
        key = { hdr.scin.worker: exact; std.ingress_port: exact; }
        actions = { found; @defaultonly NoAction; }
        const default_action = NoAction;
        size = 32;
    }

    apply {
        mark_to_drop(std);
        if (hdr.vector.isValid() && hdr.scin.result == 0 && (bit<32>)hdr.scin.slot < SLOTS
            && worker.apply().hit) {
            bit<32> cell = (bit<32>)hdr.scin.slot;
            bit<32> other = cell;
            if (hdr.scin.version == 0) {
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
            a.apply(cell, verb, shift, hdr.vector.a);
            b.apply(cell, verb, shift, hdr.vector.b);
            c.apply(cell, verb, shift, hdr.vector.c);
            d.apply(cell, verb, shift, hdr.vector.d);
            if (number == 0) {
                hdr.scin.result = 1;
                if (again) {
                    std.egress_spec = std.ingress_port;
                } else {
                    std.mcast_grp = 1;
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
        packet.emit(hdr.scin);
        packet.emit(hdr.vector);
    }
}

V1Switch(PacketParser(), Check(), ingress(), egress(), Checksum(), PacketDeparser()) main;
