/* v1model: its registers, its parser and deparser, and what packet.p4 says of an architecture. */

#define REGISTER(NAME, SIZE) register<bit<32>>(SIZE) NAME;
#define REGISTER_OF_PAIRS(NAME, SIZE) register<bit<32>>(SIZE) NAME##_lo; register<bit<32>>(SIZE) NAME##_hi;

#define UPDATE(ACTION, NAME, INDEX, RESULT, ...) \
    action ACTION() { \
        bit<32> value; \
        bit<32> result; \
        NAME.read(value, (bit<32>)INDEX); \
        __VA_ARGS__ \
        NAME.write((bit<32>)INDEX, value); \
        RESULT = result; \
    }
#define UPDATE_PAIR(ACTION, NAME, INDEX, RESULT, ...) \
    action ACTION() { \
        pair_t value; \
        bit<32> result; \
        NAME##_lo.read(value.lo, (bit<32>)INDEX); \
        NAME##_hi.read(value.hi, (bit<32>)INDEX); \
        __VA_ARGS__ \
        NAME##_lo.write((bit<32>)INDEX, value.lo); \
        NAME##_hi.write((bit<32>)INDEX, value.hi); \
        RESULT = result; \
    }

#define LARGER(A, B)       ((A) > (B) ? (A) : (B))
#define OUTPUT_TYPE        standard_metadata_t
#define OUTPUT             std
#define SEND(PORT)         output.egress_spec = PORT
#define MULTICAST(GROUP)   output.mcast_grp = GROUP
#define INGRESS_PORT       std.ingress_port
#define REPLICA_ID         std.egress_rid
#define EGRESS_DROP        mark_to_drop(std)
#define IS_WHOLE           std.parser_error == error.NoError
#define START              mark_to_drop(std);
#define FATE_COUNTER(NAME) counter(FATES, CounterType.packets_and_bytes) NAME;
#define FATE_INDEX         (bit<32>)meta.fate

#define INGRESS_PARAMETERS inout standard_metadata_t std
#define EGRESS_PARAMETERS  inout standard_metadata_t std
#define MAIN V1Switch(PacketParser(), Verify(), ingress(), egress(), Update(), PacketDeparser()) main;

parser PacketParser(packet_in packet, out packet_t hdr, inout state_t meta, inout standard_metadata_t std) {
    state start {
        transition ethernet;
    }

#include "states.p4"
}

control Verify(inout packet_t hdr, inout state_t meta) {
    apply {}
}

control Update(inout packet_t hdr, inout state_t meta) {
    apply {
        update_checksum(hdr.ipv4.isValid() && hdr.ipv4.ihl == 5,
            { hdr.ipv4.version, hdr.ipv4.ihl, hdr.ipv4.dscp, hdr.ipv4.ecn, hdr.ipv4.length, hdr.ipv4.identification,
              hdr.ipv4.flags, hdr.ipv4.offset, hdr.ipv4.ttl, hdr.ipv4.protocol, hdr.ipv4.source, hdr.ipv4.destination },
            hdr.ipv4.checksum, HashAlgorithm.csum16);
    }
}

control PacketDeparser(packet_out packet, in packet_t hdr) {
    apply {
        packet.emit(hdr.ethernet);
        packet.emit(hdr.ipv4);
        packet.emit(hdr.udp);
        packet.emit(hdr.dropzero);
        packet.emit(hdr.column);
        packet.emit(hdr.block);
    }
}
