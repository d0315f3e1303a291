/* The headers on the wire, and the metadata of a packet in the switch. */

#ifndef HEADERS_P4
#define HEADERS_P4

/* The UDP destination port of packets to an aggregator. */
const bit<16> DROPZERO_PORT = 0xD020;
const bit<3>  VERSION       = 3;

/* A packet carries the data of at most COLUMNS blocks of ELEMENTS int32 each. */
#define COLUMNS 8
#define ELEMENTS 32
#define EACH_COLUMN(DO) DO(0) DO(1) DO(2) DO(3) DO(4) DO(5) DO(6) DO(7)

/* The bytes by which a packet may leave longer than it came: BMv2 has no room for more. */
const bit<16> HEADROOM = 512;

/* column_h.next without a next block. A result always has a next block or chunk: see column.p4. */
const bit<32> NO_BLOCK = 0xFFFFFFFF;
/* column_h.next of a column that is assigned a chunk: this bit, and the chunk's number. */
const bit<32> ASSIGNED = 0x80000000;

/* metadata_t.receivers */
const bit<32> ALL_WORKERS = 0xFFFFFFFF;

/* ipv4_h.ecn (RFC 3168, section 5): the sender supports ECN; the packet met a long queue. */
const bit<2> ECT_0 = 2;
const bit<2> CE    = 3;

/* The slots of this switch, which are divided among the jobs. Each has a half for even rounds and one for odd rounds. */
#define SLOTS 4096
#define HALVES 8192

const bit<16> ETHERTYPE_IPV4 = 0x0800;
const bit<16> ETHERTYPE_ARP  = 0x0806;
const bit<8>  PROTOCOL_ICMP  = 1;
const bit<8>  PROTOCOL_UDP   = 17;

/* dropzero_h.kind */
const bit<3> KIND_CONTRIBUTION = 0; /* worker to switch: this worker's share of a round            */
const bit<3> KIND_RESULT       = 1; /* switch to worker: the round's sum, and what comes next       */
const bit<3> KIND_MISSING      = 2; /* switch to worker: the round waits for these workers          */
const bit<3> KIND_EPOCH        = 3; /* switch to worker: the job is in this epoch, yours is not it  */
const bit<3> KIND_CONFLICT     = 4; /* switch to worker: these workers made another call than the others */
const bit<3> KIND_QUERY        = 5; /* worker to switch: has my contribution arrived, is there a result? */
const bit<3> KIND_WAITING      = 6; /* leaf to worker: the round waits for workers of other switches */

/* dropzero_h.operation: how two elements are combined. */
const bit<2> OPERATION_SUM = 0;
const bit<2> OPERATION_MAX = 1;
const bit<2> OPERATION_MIN = 2;
const bit<2> OPERATION_OR = 3;

/* dropzero_h.width: the width of an element. */
const bit<2> WIDTH_32 = 0;
const bit<2> WIDTH_16 = 1;
const bit<2> WIDTH_8  = 2;

/* The fate of a packet, an index into the counter `fate`. Every packet that enters has exactly one. */
const bit<8> FATE_FORWARDED   = 0;  /* sent to the port its destination address was learnt for      */
const bit<8> FATE_FLOODED     = 1;  /* sent to all other ports                                      */
const bit<8> FATE_ARP         = 2;  /* an ARP request for the switch, answered                      */
const bit<8> FATE_PING        = 3;  /* a ping of the switch, answered                               */
const bit<8> FATE_ABSORBED    = 4;  /* added into its slot                                          */
const bit<8> FATE_COMPLETED   = 5;  /* added, and the last of its round: the result went to all     */
const bit<8> FATE_REPLAYED    = 6;  /* a duplicate, or a query, of a finished round: its result went to the sender */
const bit<8> FATE_MISSING     = 7;  /* a duplicate, or a query, of a running round: the sender was told who is missing */
const bit<8> FATE_EPOCH       = 8;  /* of another epoch: the sender was told the current one        */
const bit<8> FATE_STALE       = 9;  /* dropped: of a round long past                                */
const bit<8> FATE_LOST        = 10; /* dropped: by the emulated loss of the link                    */
const bit<8> FATE_MALFORMED   = 11; /* dropped: truncated, or its lengths disagree                  */
const bit<8> FATE_VERSION     = 12; /* dropped: another version of the protocol                     */
const bit<8> FATE_KIND        = 13; /* dropped: a kind that its sender must not send                */
const bit<8> FATE_JOB         = 14; /* dropped: no such job                                         */
const bit<8> FATE_WORKER      = 15; /* dropped: no such worker in the job                           */
const bit<8> FATE_PORT        = 16; /* dropped: that worker lives on another port of the switch     */
const bit<8> FATE_ADDRESS     = 17; /* dropped: that worker has another address                     */
const bit<8> FATE_LANE        = 18; /* dropped: the job has fewer lanes                             */
const bit<8> FATE_IP_CHECKSUM = 19; /* dropped: the IPv4 header's checksum is wrong                 */
const bit<8> FATE_PASSED_UP   = 20; /* the last of its rack: the rack's share went to the parent; or a query about that */
const bit<8> FATE_RELAYED     = 21; /* a parent's result, stored and sent to all workers of the rack; or its report */
const bit<8> FATE_NOT_PARENT  = 22; /* dropped: an answer, but not from this job's parent           */
const bit<8> FATE_SHORT       = 23; /* dropped: too short to carry the rack's share up              */
const bit<8> FATE_UDP_PORT    = 24; /* dropped: that worker sends from another UDP port             */
const bit<8> FATE_SECRET      = 25; /* dropped: without that worker's secret                        */
const bit<8> FATE_FORGED      = 26; /* dropped: a host that pretends to be a switch                 */
#define FATES 27

error { BadColumns }

header ethernet_h {
    bit<48> destination;
    bit<48> source;
    bit<16> type;
}

header arp_h {
    bit<16> hardware;
    bit<16> protocol;
    bit<8>  hardware_length;
    bit<8>  protocol_length;
    bit<16> operation;
    bit<48> sender_mac;
    bit<32> sender_ip;
    bit<48> target_mac;
    bit<32> target_ip;
}

header ipv4_h {
    bit<4>  version;
    bit<4>  ihl;
    bit<6>  dscp;
    bit<2>  ecn;
    bit<16> length;
    bit<16> identification;
    bit<3>  flags;
    bit<13> offset;
    bit<8>  ttl;
    bit<8>  protocol;
    bit<16> checksum;
    bit<32> source;
    bit<32> destination;
}

header icmp_h {
    bit<8>  type;
    bit<8>  code;
    bit<16> checksum;
}

header udp_h {
    bit<16> source;
    bit<16> destination;
    bit<16> length;
    bit<16> checksum;
}

/* protocol/wire.py describes the same header in Python; a test compares the two. */
header dropzero_h {
    bit<3>  version;
    bit<1>  marked;    /* the packet met a long queue; in a contribution: or the sender's last result did */
    bit<1>  congested; /* in a result, or a rack's sum: a contribution to the round was marked        */
    bit<3>  kind;
    bit<8>  mask;    /* bit i: the packet has data[i]                                               */
    bit<4>  columns; /* the number of column_h: 0, 1, 2, 4 or 8                                     */
    bit<2>  operation;
    bit<2>  width;
    bit<1>  declines; /* the sender needs no data of the result; in a result: it has no data for this reason */
    bit<7>  worker;  /* the sender of a contribution or a query; the receiver of an answer          */
    bit<16> job;
    bit<16> lane;
    bit<32> epoch;
    bit<32> round;
    bit<32> workers; /* one bit per worker: result: the contributors; missing: those awaited; conflict: those
                        that make another call. In a contribution or a query: the digest of the call */
    bit<32> secret;  /* the worker's, from the controller: in its packets, and in answers to it     */
}

/* One column of blocks. block: the block of the column's data in this round. next: the sender's next non-zero
   block (in a result: the smallest of all workers). exponent: that of the next block. */
header column_h {
    bit<32> block;
    bit<32> next;
    bit<8>  exponent;
}

/* 32 big-endian int32, as one wide field, so that one operation combines all of them: see combine.p4. */
header data_h {
    bit<1024> elements;
}

struct headers_t {
    ethernet_h          ethernet;
    arp_h               arp;
    ipv4_h              ipv4;
    icmp_h              icmp;
    udp_h               udp;
    dropzero_h          dropzero;
    column_h[COLUMNS]   column;
    data_h[COLUMNS]     data;
}

/* The state of a half of a slot. */
struct half_t {
    bit<32> seen;      /* one bit per worker: has contributed                               */
    bit<8>  filled;    /* one bit per column: has data                                      */
    bit<32> call;      /* the digest of the first contribution's call                       */
    bit<32> conflict;  /* one bit per worker: makes another call than the first             */
    bit<32> declined;  /* one bit per worker: needs no data of the result                   */
    bit<1>  answered;  /* the half holds the result, not only this switch's sum             */
    bit<1>  congested; /* a contribution was marked                                         */
}

struct metadata_t {
    bit<8>  fate;
    bit<48> switch_mac;
    bit<32> switch_ip;

    /* The job's row, and the worker's bit in `members`. */
    bit<32> epoch;
    bit<32> members;
    bit<32> first_slot;
    bit<32> slot;
    bit<16> lanes;
    bit<16> group;
    bit<32> me;

    /* On a leaf: where the rack's sums go, and as which worker. */
    bit<1>  leaf;
    bit<9>  parent_port;
    bit<48> parent_mac;
    bit<32> parent_ip;
    bit<7>  rank;
    bit<32> secret;

    /* What the columns do: see slot.p4. top: the top bit of each element. */
    bit<1>  contribute;
    bit<1>  first;
    bit<1>  recall;
    bit<1>  assign;
    bit<32> half;
    bit<8>  filled;
    bit<1024> top;

    /* Whether the packet leaves as copies for workers, for which ones, for which of them without data, and each copy in
       two parts: see reply.p4. */
    bit<1>  copies;
    bit<32> receivers;
    bit<32> declined;
    bit<1>  split;
}

#endif
