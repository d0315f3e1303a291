/* What PSA adds to the language, for psa_switch: the ways of packets through the replication engine, and its externs. A
   packet names an operation, and carries home what the switch has told it. */

#include <core.p4>
#include <bmv2/psa.p4>

header ethernet_t {
    bit<48> destination;
    bit<48> source;
    bit<16> type;
}

header report_t {
    bit<8> operation;
    bit<8> parser_error;
    bit<8> way;           // the packet path
    bit<32> ways;         // the packet path at each control, four bits each
    bit<32> ingress_port;
    bit<32> egress_port;
    bit<16> instance;
    bit<8> class_of_service;
    bit<8> color;
    bit<32> seen;
    bit<32> crc32;
    bit<16> crc16;
    bit<16> checksum;
}

header extra_t {
    bit<16> a;
    bit<8> b;
    bit<8> c;
}

struct headers_t {
    ethernet_t ethernet;
    report_t report;
    extra_t extra;
}

struct empty_t {}

parser InParser(packet_in packet, out headers_t hdr, inout empty_t meta,
                     in psa_ingress_parser_input_metadata_t input, in empty_t resubmitted, in empty_t recirculated) {
    value_set<bit<16>>(4) extra_types;

    state start {
        packet.extract(hdr.ethernet);
        packet.extract(hdr.report);
        transition select(hdr.ethernet.type) {
            extra_types: extra;
            default: accept;
        }
    }
    state extra {
        packet.extract(hdr.extra);
        transition accept;
    }
}

control In(inout headers_t hdr, inout empty_t meta, in psa_ingress_input_metadata_t input,
                inout psa_ingress_output_metadata_t output) {
    Register<bit<32>, bit<8>>(16) seen;
    Counter<bit<32>, bit<8>>(16, PSA_CounterType_t.PACKETS_AND_BYTES) operations;
    Meter<bit<8>>(16, PSA_MeterType_t.PACKETS) rate;
    Hash<bit<32>>(PSA_HashAlgorithm_t.CRC32) crc32;
    Hash<bit<16>>(PSA_HashAlgorithm_t.CRC16) crc16;

    action send(PortId_t port) {
        send_to_port(output, port);
    }
    action multicast_to(MulticastGroup_t group, ClassOfService_t class_of_service) {
        multicast(output, group);
        output.class_of_service = class_of_service;
    }
    action clone_and_send(CloneSessionId_t session, PortId_t port) {
        output.clone = true;
        output.clone_session_id = session;
        send_to_port(output, port);
    }
    action clone_only(CloneSessionId_t session) {
        output.clone = true;
        output.clone_session_id = session;
        ingress_drop(output);
    }
    action again() {
        output.drop = false;
        output.resubmit = true;
    }
    action around() {
        send_to_port(output, PSA_PORT_RECIRCULATE);
    }
    action discard() {
        ingress_drop(output);
    }
    table steer {
        key = { hdr.report.operation : exact; hdr.report.way : ternary; }
        actions = { send; multicast_to; clone_and_send; clone_only; again; around; discard; NoAction; }
        default_action = NoAction;
    }

    apply {
        hdr.report.way = 0;
        if (input.packet_path == PSA_PacketPath_t.RESUBMIT) { hdr.report.way = 5; }
        if (input.packet_path == PSA_PacketPath_t.RECIRCULATE) { hdr.report.way = 6; }
        hdr.report.ways = (hdr.report.ways << 4) | (bit<32>) hdr.report.way;
        // Not of packets that pass again: on psa_switch, others overtake them.
        if (hdr.report.way == 0) {
            hdr.report.seen = seen.read(hdr.report.operation & 15);
            seen.write(hdr.report.operation & 15, hdr.report.seen + 1);
        }
        operations.count(hdr.report.operation & 15);
        if (hdr.report.operation == 9) {
            PSA_MeterColor_t color = rate.execute(hdr.report.operation);
            hdr.report.color = 3;
            if (color == PSA_MeterColor_t.GREEN) { hdr.report.color = 1; }
            if (color == PSA_MeterColor_t.YELLOW) { hdr.report.color = 2; }
        }
        hdr.report.ingress_port = (bit<32>) (PortIdUint_t) input.ingress_port;
        if (input.parser_error != error.NoError) { hdr.report.parser_error = 1; }
        hdr.report.crc32 = crc32.get_hash({ hdr.ethernet.source, hdr.report.way[2:0] });
        hdr.report.crc16 = crc16.get_hash((bit<16>) 7, { hdr.ethernet.source, hdr.report.operation }, (bit<16>) 1000);
        if (hdr.extra.isValid() && hdr.extra.a == 0xdead) { hdr.extra.setInvalid(); }
        steer.apply();
    }
}

control InDeparser(packet_out packet, out empty_t cloned, out empty_t resubmitted, out empty_t normal,
                        inout headers_t hdr, in empty_t meta, in psa_ingress_output_metadata_t output) {
    InternetChecksum() sum;

    apply {
        sum.clear();
        sum.add({ hdr.ethernet.destination, hdr.report.seen, hdr.report.crc16 });
        sum.subtract({ hdr.ethernet.source, hdr.report.ingress_port });
        hdr.report.checksum = sum.get();
        packet.emit(hdr);
    }
}

parser OutParser(packet_in packet, out headers_t hdr, inout empty_t meta,
                    in psa_egress_parser_input_metadata_t input, in empty_t normal, in empty_t cloned,
                    in empty_t cloned_again) {
    state start {
        packet.extract(hdr.ethernet);
        packet.extract(hdr.report);
        transition accept;
    }
}

control Out(inout headers_t hdr, inout empty_t meta, in psa_egress_input_metadata_t input,
               inout psa_egress_output_metadata_t output) {
    action copy_to(CloneSessionId_t session) {
        output.clone = true;
        output.clone_session_id = session;
    }
    action copy_only(CloneSessionId_t session) {
        output.clone = true;
        output.clone_session_id = session;
        egress_drop(output);
    }
    action discard() {
        egress_drop(output);
    }
    table leave {
        key = { hdr.report.operation : exact; hdr.report.way : ternary; }
        actions = { copy_to; copy_only; discard; NoAction; }
        default_action = NoAction;
    }

    apply {
        hdr.report.egress_port = (bit<32>) (PortIdUint_t) input.egress_port;
        hdr.report.instance = (bit<16>) (EgressInstanceUint_t) input.instance;
        hdr.report.class_of_service = (bit<8>) (ClassOfServiceUint_t) input.class_of_service;
        if (input.packet_path == PSA_PacketPath_t.NORMAL_UNICAST) { hdr.report.way = 1; }
        if (input.packet_path == PSA_PacketPath_t.NORMAL_MULTICAST) { hdr.report.way = 2; }
        if (input.packet_path == PSA_PacketPath_t.CLONE_I2E) { hdr.report.way = 3; }
        if (input.packet_path == PSA_PacketPath_t.CLONE_E2E) { hdr.report.way = 4; }
        hdr.report.ways = (hdr.report.ways << 4) | (bit<32>) hdr.report.way;
        leave.apply();
    }
}

control OutDeparser(packet_out packet, out empty_t cloned, out empty_t recirculated, inout headers_t hdr,
                       in empty_t meta, in psa_egress_output_metadata_t output,
                       in psa_egress_deparser_input_metadata_t input) {
    // No checksum: the threads of psa_switch's egress share its sum.
    apply {
        packet.emit(hdr);
    }
}

IngressPipeline(InParser(), In(), InDeparser()) ingress;
EgressPipeline(OutParser(), Out(), OutDeparser()) egress;
PSA_Switch(ingress, PacketReplicationEngine(), egress, BufferingQueueingEngine()) main;
