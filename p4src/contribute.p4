/* Counts a contribution, and decides whether its data are added. */

control Contribute(in dropzero_h packet, inout metadata_t meta, inout half_t half, inout bit<8> fate) {
    Completion() completion;

    apply {
        bit<1> complete;

        meta.contribute = 1;
        if (half.seen == 0) {
            meta.first = 1;
            half.filled = 0;
            half.call = packet.workers;
            half.conflict = 0;
            half.declined = 0;
            half.answered = 0;
            half.congested = 0;
        }
        if (packet.workers != half.call || packet.kind == KIND_CONFLICT) {
            /* Its data belong to another call. The sender is counted, so that the round ends and all workers learn it. */
            meta.contribute = 0;
            if (packet.kind == KIND_CONFLICT && packet.workers != 0) {
                /* A leaf names the workers. */
                half.conflict = half.conflict | packet.workers;
            } else {
                half.conflict = half.conflict | meta.me;
            }
        }
        half.seen = half.seen | meta.me;
        if (packet.declines == 1) {
            half.declined = half.declined | meta.me;
        }
        half.congested = half.congested | packet.marked | packet.congested;
        completion.apply(half.seen, meta.members, complete);
        if (complete == 1) {
            if (meta.leaf == 1) {
                fate = FATE_PASSED_UP;
            } else {
                fate = FATE_COMPLETED;
                half.answered = 1;
            }
        }
    }
}
