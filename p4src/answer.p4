/* Turns the packet's header into the answer's, and decides who gets it, and whether it carries the half's columns.
   lowest: the lowest worker in the half. report: the packet is a parent's report. */

control Answer(inout dropzero_h packet, inout metadata_t meta, in half_t half, in bit<32> lowest, in bit<8> fate,
               in bit<1> report) {
    apply {
        meta.receivers = (fate == FATE_REPLAYED) ? meta.me : ALL_WORKERS;
        if (fate == FATE_RELAYED && report == 1) {
            meta.receivers = lowest;
            if (packet.kind == KIND_MISSING
                && (packet.workers == 0 || packet.workers & ((bit<32>)1 << meta.rank) != 0)) {
                /* The parent lacks the rack's share, or has sent a result that was lost. The share goes up again in any
                   worker's contribution. */
                packet.workers = lowest;
            } else {
                packet.kind = KIND_WAITING;
                packet.workers = 0;
            }
        } else if (fate == FATE_COMPLETED || fate == FATE_REPLAYED || fate == FATE_PASSED_UP || fate == FATE_RELAYED) {
            if (half.conflict != 0) {
                packet.kind = KIND_CONFLICT;
                packet.workers = half.conflict;
            } else if (fate != FATE_PASSED_UP || packet.kind != KIND_QUERY) {
                meta.recall = 1;
                meta.declined = half.declined;
                packet.congested = half.congested;
                if (fate != FATE_RELAYED) {
                    packet.marked = 0;
                }
                if (fate != FATE_PASSED_UP) {
                    packet.kind = KIND_RESULT;
                    packet.workers = half.seen;
                } else {
                    /* A rack needs the data if any of its workers does. */
                    packet.declines = (half.declined == half.seen) ? 1w1 : 1w0;
                }
            }
        } else if (fate == FATE_MISSING) {
            packet.kind = KIND_MISSING;
            packet.workers = meta.members & ~half.seen;
            if (packet.workers == 0 && half.answered == 0) {
                packet.kind = KIND_WAITING;
            }
        }
    }
}
