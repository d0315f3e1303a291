/* What the programs in this folder share: Ethernet, IPv4 and UDP around their packets, delivery to hosts, and sums of
   vectors. A program first defines PORT, the UDP port of its packets, and CELLS, how many vectors it holds. */

#include <core.p4>
#include <v1model.p4>

header ethernet_h {
    bit<48> destination;
    bit<48> source;
    bit<16> type;
}

header ipv4_h {
    bit<16> version_ihl_tos;
    bit<16> length;
    bit<32> identification_flags_offset;
    bit<8>  ttl;
    bit<8>  protocol;
    bit<16> checksum;
    bit<32> source;
    bit<32> destination;
}

header udp_h {
    bit<16> source;
    bit<16> destination;
    bit<16> length;
    bit<16> checksum;
}

/* 256 int32, in four words, the widest that p4c allows. */
header vector_h {
    bit<2048> a;
    bit<2048> b;
    bit<2048> c;
    bit<2048> d;
}

struct outer_t {
    ethernet_h ethernet;
    ipv4_h     ipv4;
    udp_h      udp;
}

/* Extracts the three headers of a UDP packet to PORT over IPv4 without options. Other packets have no UDP header. */
parser OuterParser(packet_in packet, out outer_t outer) {
    state start {
        packet.extract(outer.ethernet);
        transition select(outer.ethernet.type) {
            0x0800:  ipv4;
            default: accept;
        }
    }

    state ipv4 {
        packet.extract(outer.ipv4);
        transition select(outer.ipv4.version_ihl_tos, outer.ipv4.protocol, packet.lookahead<bit<32>>()[15:0]) {
            (0x4500 &&& 0xFF00, 17, PORT): udp;
            default:                       accept;
        }
    }

    state udp {
        packet.extract(outer.udp);
        transition accept;
    }
}

/* Addresses a packet to the host at its egress port: the controller writes a row for each. */
control Deliver(inout outer_t outer, inout standard_metadata_t std) {
    action to(bit<48> mac, bit<32> ip) {
        outer.ethernet.source = outer.ethernet.destination;
        outer.ethernet.destination = mac;
        outer.ipv4.source = outer.ipv4.destination;
        outer.ipv4.destination = ip;
        outer.udp.source = PORT;
        outer.udp.checksum = 0;
    }

    action unknown() { mark_to_drop(std); }

    table host {
        key = { std.egress_port: exact; }
        actions = { to; unknown; }
        const default_action = unknown;
        size = 64;
    }

    apply { host.apply(); }
}

/* The top bit of each int32. */
const bit<64>   TOP_2  = 32w0x80000000 ++ 32w0x80000000;
const bit<128>  TOP_4  = TOP_2 ++ TOP_2;
const bit<256>  TOP_8  = TOP_4 ++ TOP_4;
const bit<512>  TOP_16 = TOP_8 ++ TOP_8;
const bit<1024> TOP_32 = TOP_16 ++ TOP_16;
const bit<2048> TOP    = TOP_32 ++ TOP_32;

/* What to do with a cell: read it, replace it, add to it, or replace it and take away what it held. */
const bit<2> READ    = 0;
const bit<2> REPLACE = 1;
const bit<2> ADD     = 2;
const bit<2> SWAP    = 3;

/* A quarter of each cell. The packet leaves with what the cell then holds. */
control Quarter(in bit<32> cell, in bit<2> verb, inout bit<2048> elements) {
    register<bit<2048>>(CELLS) held;

    apply {
        bit<2048> sum;
        held.read(sum, cell);
        if (verb == REPLACE) {
            sum = elements;
        } else if (verb == ADD) {
            /* Without the top bits, no carry leaves its element. */
            sum = ((sum & ~TOP) + (elements & ~TOP)) ^ ((sum ^ elements) & TOP);
        }
        held.write(cell, verb == SWAP ? elements : sum);
        elements = sum;
    }
}

/* CELLS vectors. */
control Vectors(in bit<32> cell, in bit<2> verb, inout vector_h vector) {
    Quarter() a;
    Quarter() b;
    Quarter() c;
    Quarter() d;

    apply {
        a.apply(cell, verb, vector.a);
        b.apply(cell, verb, vector.b);
        c.apply(cell, verb, vector.c);
        d.apply(cell, verb, vector.d);
    }
}

#define IPV4_FIELDS(ipv4)                                                                                          \
    { ipv4.version_ihl_tos, ipv4.length, ipv4.identification_flags_offset, ipv4.ttl, ipv4.protocol,      \
      ipv4.source, ipv4.destination }
