/* The headers of a packet with one block, and its metadata. ../headers.p4 has what both programs share. */

/* The words of a block: 32, or 64. */
#ifndef WORDS
#define WORDS 32
#endif

/* The slots of the switch are 2^SLOT_BITS. */
#ifndef SLOT_BITS
#define SLOT_BITS 12
#endif
#undef SLOTS
#undef HALVES
#define SLOTS  (1 << SLOT_BITS)
#define HALVES (2 << SLOT_BITS)

#define WORDS_0(DO) \
    DO(0) DO(1) DO(2) DO(3) DO(4) DO(5) DO(6) DO(7) DO(8) DO(9) DO(10) DO(11) DO(12) DO(13) DO(14) DO(15) \
    DO(16) DO(17) DO(18) DO(19) DO(20) DO(21) DO(22) DO(23) DO(24) DO(25) DO(26) DO(27) DO(28) DO(29) DO(30) DO(31)
#define WORDS_1(DO) \
    DO(32) DO(33) DO(34) DO(35) DO(36) DO(37) DO(38) DO(39) DO(40) DO(41) DO(42) DO(43) DO(44) DO(45) DO(46) DO(47) \
    DO(48) DO(49) DO(50) DO(51) DO(52) DO(53) DO(54) DO(55) DO(56) DO(57) DO(58) DO(59) DO(60) DO(61) DO(62) DO(63)
#if WORDS == 64
#define EACH_WORD(DO) WORDS_0(DO) WORDS_1(DO)
const bit<8> ALL_COLUMNS = 0b11;
#else
#define EACH_WORD(DO) WORDS_0(DO)
const bit<8> ALL_COLUMNS = 0b1;
#endif

/* The UDP lengths of a header alone, with a descriptor, and with a block. */
const bit<16> BARE      = 32;
const bit<16> DESCRIBED = 41;
const bit<16> FULL      = 41 + 4 * WORDS;

/* The half of the packet's slot, and its job. */
#define HALF (meta.slot[SLOT_BITS - 1:0] ++ hdr.dropzero.round[0:0])
#define JOB  (1w0 ++ meta.first_slot[SLOT_BITS - 1:0])

typedef bit<(SLOT_BITS + 1)> index_t;

struct pair_t {
    bit<32> lo;
    bit<32> hi;
}

#define WORD(I) bit<32> w##I;
header block_h { EACH_WORD(WORD) }
#undef WORD

/* From ingress to egress. answer: to a worker. copy: the packet is a copy of a result, and its replica id the worker. */
header bridge_h {
    bit<6> unused;
    bit<1> answer;
    bit<1> copy;
}

struct packet_t {
    bridge_h   bridge;
    ethernet_h ethernet;
    ipv4_h     ipv4;
    udp_h      udp;
    dropzero_h dropzero;
    column_h   column;
    block_h    block;
}

/* What a packet is. */
const bit<3> SHAPE_NONE   = 0; /* not a packet for a slot                        */
const bit<3> SHAPE_BLOCK  = 1; /* a contribution with a block                    */
const bit<3> SHAPE_BARE   = 2; /* a contribution without one                     */
const bit<3> SHAPE_RESULT = 3; /* a query that asks for the result, if there is one */
const bit<3> SHAPE_REPORT = 4; /* a query that asks only who is missing          */

/* What a packet does to its half. */
const bit<2> STEP_READ  = 1;
const bit<2> STEP_JOIN  = 2;
const bit<2> STEP_BEGIN = 3;

struct state_t {
    bit<8>  fate;
    bit<3>  shape;
    bit<1>  admitted;

    /* The job's row. elsewhere, other_epoch and those of the worker's row: 0, or what differs. room: 0: no such lane. */
    bit<32> elsewhere;
    bit<1>  has_job;
    bit<32> epoch;
    bit<32> other_epoch;
    bit<32> members;
    bit<16> first_slot;
    bit<16> slot;
    bit<16> room;
    bit<16> group;
    bit<1>  has_worker;
    bit<16> wrong_port;
    bit<32> wrong_address;
    bit<16> wrong_udp_port;
    bit<32> wrong_secret;

    /* The worker's bit, and the half's state: see half.p4. */
    bit<32> me;
    bit<32> fresh;
    bit<32> current;
    bit<2>  step;
    bit<32> before;
    bit<32> already;
    bit<32> seen;
    bit<32> missing;
    bit<32> conflict;
    bit<32> next;
    bit<32> announced;
    bit<32> exponent;
    bit<32> mine;
    bit<32> flags;
    bit<1>  assigns;
    bit<1>  recalls;
    bit<32> chunk;
}

/* What a Tofino does not start with. */
#define EMPTY_STATE \
    meta.fate = FATE_MALFORMED; \
    meta.shape = SHAPE_NONE; \
    meta.admitted = 0; \
    meta.has_job = 0; \
    meta.has_worker = 0; \
    meta.room = 0; \
    meta.fresh = 0; \
    meta.current = 0; \
    meta.step = 0; \
    meta.before = 0; \
    meta.conflict = 0; \
    meta.flags = 0; \
    meta.assigns = 0; \
    meta.recalls = 0;
