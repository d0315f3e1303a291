/* Tofino: its registers, its parsers and deparsers, and what packet.p4 says of an architecture. */

#define REGISTER(NAME, SIZE) Register<bit<32>, index_t>(SIZE) NAME;
#define REGISTER_OF_PAIRS(NAME, SIZE) Register<pair_t, index_t>(SIZE) NAME;

#define UPDATE_OF(TYPE, ACTION, NAME, INDEX, RESULT, ...) \
    RegisterAction<TYPE, index_t, bit<32>>(NAME) ACTION##_##NAME = { \
        void apply(inout TYPE value, out bit<32> result) { __VA_ARGS__ } \
    }; \
    action ACTION() { RESULT = ACTION##_##NAME.execute(INDEX); }
#define UPDATE(ACTION, NAME, INDEX, RESULT, ...) UPDATE_OF(bit<32>, ACTION, NAME, INDEX, RESULT, __VA_ARGS__)
#define UPDATE_PAIR(ACTION, NAME, INDEX, RESULT, ...) UPDATE_OF(pair_t, ACTION, NAME, INDEX, RESULT, __VA_ARGS__)


#define LARGER(A, B)       max(A, B)
#define OUTPUT_TYPE        ingress_intrinsic_metadata_for_tm_t
#define OUTPUT             traffic
#define SEND(PORT)         output.ucast_egress_port = PORT
#define MULTICAST(GROUP)   output.mcast_grp_a = GROUP
#define INGRESS_PORT       intrinsic.ingress_port
#define REPLICA_ID         intrinsic.egress_rid
#define EGRESS_DROP        deparsed.drop_ctl = 1
#define IS_WHOLE           true /* Its parser drops truncated packets. */
#define START
#define FATE_COUNTER(NAME) Counter<bit<64>, bit<8>>(FATES, CounterType_t.PACKETS_AND_BYTES) NAME;
#define FATE_INDEX         meta.fate

#define INGRESS_PARAMETERS in ingress_intrinsic_metadata_t intrinsic, \
    in ingress_intrinsic_metadata_from_parser_t parsed, \
    inout ingress_intrinsic_metadata_for_deparser_t deparsed, \
    inout ingress_intrinsic_metadata_for_tm_t traffic
#define EGRESS_PARAMETERS in egress_intrinsic_metadata_t intrinsic, \
    in egress_intrinsic_metadata_from_parser_t parsed, \
    inout egress_intrinsic_metadata_for_deparser_t deparsed, \
    inout egress_intrinsic_metadata_for_output_port_t output
#define MAIN Pipeline(IngressParser(), ingress(), IngressDeparser(), EgressParser(), egress(), EgressDeparser()) pipe; \
    Switch(pipe) main;

parser IngressParser(packet_in packet, out packet_t hdr, out state_t meta, out ingress_intrinsic_metadata_t intrinsic) {
    state start {
        packet.extract(intrinsic);
        packet.advance(PORT_METADATA_SIZE);
        EMPTY_STATE
        transition ethernet;
    }

#include "states.p4"
}

control IngressDeparser(packet_out packet, inout packet_t hdr, in state_t meta,
                        in ingress_intrinsic_metadata_for_deparser_t deparsed) {
    apply {
        packet.emit(hdr);
    }
}

/* The descriptor and the block pass through egress as payload. */
parser EgressParser(packet_in packet, out packet_t hdr, out state_t meta, out egress_intrinsic_metadata_t intrinsic) {
    state start {
        packet.extract(intrinsic);
        packet.extract(hdr.bridge);
        transition ethernet;
    }

#define UP_TO_HEADER
#include "states.p4"
#undef UP_TO_HEADER
}

control EgressDeparser(packet_out packet, inout packet_t hdr, in state_t meta,
                       in egress_intrinsic_metadata_for_deparser_t deparsed) {
    Checksum() checksum;

    apply {
        if (hdr.ipv4.isValid()) {
            hdr.ipv4.checksum = checksum.update({
                hdr.ipv4.version, hdr.ipv4.ihl, hdr.ipv4.dscp, hdr.ipv4.ecn, hdr.ipv4.length, hdr.ipv4.identification,
                hdr.ipv4.flags, hdr.ipv4.offset, hdr.ipv4.ttl, hdr.ipv4.protocol, hdr.ipv4.source, hdr.ipv4.destination });
        }
        packet.emit(hdr.ethernet);
        packet.emit(hdr.ipv4);
        packet.emit(hdr.udp);
        packet.emit(hdr.dropzero);
    }
}
