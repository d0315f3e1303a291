/* Dropzero: a switch that adds up gradient blocks, and skips blocks of zeros.

   Ingress makes all decisions and uses all state, because in v1model ingress processes one packet at a time, and egress
   may not. Egress only addresses the copies of a result, and emulates loss and marks congestion on the way down. */

#include <core.p4>
#include <v1model.p4>

#include "headers.p4"
#include "parser.p4"
#include "length.p4"
#include "loss.p4"
#include "mark.p4"
#include "admission.p4"
#include "combine.p4"
#include "column.p4"
#include <completion.p4>
#include "classify.p4"
#include "contribute.p4"
#include "answer.p4"
#include "slot.p4"
#include "reply.p4"
#include "host.p4"
#include "guard.p4"
#include "forward.p4"
#include "replica.p4"

control ingress(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) {
    counter(FATES, CounterType.packets_and_bytes) fate;

    /* The switch's own address. epochs: the first epoch that no controller has used yet. Only controllers read it; it is
       stored here because the switch outlives them. */
    @noWarn("unused")
    action set_address(bit<48> mac, bit<32> ip, bit<32> epochs) {
        meta.switch_mac = mac;
        meta.switch_ip = ip;
    }

    table address {
        actions = { set_address; }
        default_action = set_address(0, 0, 0);
    }

    Loss() uplink;
    Admission() admission;
    Slot() slot;
    Reply() reply;
    Host() host;
    Guard() guard;
    Forward() forward;

    apply {
        bit<1> lost;
        bit<1> admitted;
        bit<1> from_parent;
        bit<1> forged;

        mark_to_drop(std);
        address.apply();
        uplink.apply(lost);
        if (lost == 1) {
            meta.fate = FATE_LOST;
        } else if (std.checksum_error == 1) {
            meta.fate = FATE_IP_CHECKSUM;
        } else if (hdr.udp.isValid() && hdr.udp.destination == DROPZERO_PORT && hdr.ipv4.destination == meta.switch_ip) {
            admission.apply(hdr, meta, std, admitted, from_parent);
            if (from_parent == 1 && hdr.dropzero.epoch != meta.epoch) {
                meta.fate = FATE_STALE;
            } else if (admitted == 1 || from_parent == 1) {
                if (hdr.dropzero.epoch != meta.epoch) {
                    hdr.dropzero.kind = KIND_EPOCH;
                    hdr.dropzero.epoch = meta.epoch;
                    hdr.dropzero.workers = meta.members;
                    meta.fate = FATE_EPOCH;
                } else {
                    slot.apply(hdr, meta, from_parent);
                }
                if (meta.fate != FATE_ABSORBED && meta.fate != FATE_STALE) {
                    reply.apply(hdr, meta, std);
                }
            }
        } else {
            meta.fate = FATE_FLOODED;
            guard.apply(hdr, std, forged);
            if (forged == 1) {
                meta.fate = FATE_FORGED;
            } else {
                host.apply(hdr, meta, std);
                if (meta.fate == FATE_FLOODED) {
                    forward.apply(hdr, meta, std);
                }
            }
        }
        fate.count((bit<32>)meta.fate);
    }
}

control egress(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) {
    /* Index 0: delivered. 1: lost on the way down. 2: a copy of a result without a known receiver. */
    counter(3, CounterType.packets) delivery;

    Loss() downlink;
    Mark() mark;
    Replica() replica;

    apply {
        bit<1> lost;
        bit<1> wanted = 1;
        bit<1> known = 1;

        if (meta.fate == FATE_FLOODED && std.egress_port == std.ingress_port) {
            wanted = 0;
        } else if (meta.copies == 1) {
            replica.apply(hdr, meta, std, wanted, known);
        }
        if (wanted == 0) {
            mark_to_drop(std);
        } else {
            downlink.apply(lost);
            if (known == 0) {
                delivery.count(2);
                mark_to_drop(std);
            } else if (lost == 1) {
                delivery.count(1);
                mark_to_drop(std);
            } else {
                delivery.count(0);
                mark.apply(hdr, meta, std);
            }
        }
    }
}

V1Switch(PacketParser(), CheckIpChecksum(), ingress(), egress(), WriteIpChecksum(), PacketDeparser()) main;
