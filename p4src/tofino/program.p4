/* The switch program for Tofino: the same packets, rules and rows as ../dropzero.p4, with one block in a packet, on one
   switch. docs/hardware.md says what it lacks.

   A stateful ALU reads and writes its register once per packet, so each register here has one action per packet
   (registers.p4), and each half of a slot knows its own round (half.p4). The same source also compiles for v1model, so
   that the embedded switch and BMv2 run it in tests. */

#include <core.p4>
#if __TARGET_TOFINO__ == 2
#include <t2na.p4>
#elif __TARGET_TOFINO__ == 1
#include <tna.p4>
#else
#include <v1model.p4>
#endif

#include "../headers.p4"
#include "packet.p4"
#if __TARGET_TOFINO__
#include "tna.p4"
#else
#include "v1model.p4"
#endif
#include "admission.p4"
#include "half.p4"
#include "sum.p4"
#include "answer.p4"
#include "forward.p4"
#include "replica.p4"

control ingress(inout packet_t hdr, inout state_t meta, INGRESS_PARAMETERS) {
    FATE_COUNTER(fate)

    /* The switch's own address. Only controllers read the others: see ../dropzero.p4. */
    @noWarn("unused")
    action set_address(bit<48> mac, bit<32> ip, bit<32> epochs) {
        meta.elsewhere = ip ^ hdr.ipv4.destination;
    }

    table address {
        actions = { set_address; }
        default_action = set_address(0, 0, 0);
    }

    Admission() admission;
    Half() half;
    Block() block;
    Answer() answer;
    Forward() forward;

    apply {
        START
        hdr.bridge.setValid();
        hdr.bridge.answer = 0;
        hdr.bridge.copy = 0;
        address.apply();
        if (IS_WHOLE && hdr.dropzero.isValid() && meta.elsewhere == 0) {
            if (hdr.ipv4.ecn == CE) {
                hdr.ipv4.ecn = ECT_0;
                hdr.dropzero.marked = 1;
            }
            admission.apply(hdr, meta, INGRESS_PORT);
            if (meta.admitted == 1) {
                half.apply(hdr, meta);
                block.apply(hdr, meta);
            }
            answer.apply(hdr, meta, INGRESS_PORT, OUTPUT);
        } else {
            forward.apply(hdr, meta, OUTPUT);
        }
        fate.count(FATE_INDEX);
    }
}

control egress(inout packet_t hdr, inout state_t meta, EGRESS_PARAMETERS) {
    Replica() replica;

    apply {
        bit<1> known = 1;
        if (hdr.bridge.answer == 1) {
            replica.apply(hdr, REPLICA_ID, known);
        }
        if (known == 0) {
            EGRESS_DROP;
        }
    }
}

MAIN
