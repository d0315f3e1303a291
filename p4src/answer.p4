/* Turns the packet's header into the answer's, and decides whether the answer carries the half's columns. */

control Answer(inout dropzero_h packet, inout metadata_t meta, in half_t half, in bit<8> fate) {
    apply {
        if (fate == FATE_COMPLETED || fate == FATE_REPLAYED || fate == FATE_PASSED_UP || fate == FATE_RELAYED) {
            if (half.conflict != 0) {
                packet.kind = KIND_CONFLICT;
                packet.workers = half.conflict;
            } else {
                meta.recall = 1;
                packet.congested = half.congested;
                if (fate != FATE_RELAYED) {
                    packet.marked = 0;
                }
                if (fate != FATE_PASSED_UP) {
                    packet.kind = KIND_RESULT;
                    packet.workers = half.seen;
                }
            }
        } else if (fate == FATE_MISSING) {
            packet.kind = KIND_MISSING;
            packet.workers = meta.members & ~half.seen;
        }
    }
}
