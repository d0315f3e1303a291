/* The rules of a slot. In every round of a lane each worker contributes once; the round's result goes to all when the last
   of them has. docs/protocol.md says why this is safe under loss, duplication, reordering and delay of any length.

   The slot collects one round at a time, `round`; the half that is not collecting holds the round before, which everybody
   has contributed to, and which is replayed to whoever asks again.

   A leaf's slot is the same, but when the last worker of the rack has contributed the rack's share goes up to the parent,
   and what comes back is the round's result. */

control Slot(inout headers_t hdr, inout metadata_t meta, in bit<1> from_parent) {
    register<bit<32>>(SLOTS) epoch;
    register<bit<32>>(SLOTS) round;
    register<bit<32>>(HALVES) seen;     /* one bit a worker: has contributed to this half             */
    register<bit<8>>(HALVES)  filled;   /* one bit a column: somebody's data is in it                 */
    register<bit<32>>(HALVES) call;     /* the digest of the first contribution's call                */
    register<bit<32>>(HALVES) conflict; /* one bit a worker: made another call than the first         */
    register<bit<1>>(HALVES)  answered; /* the half holds the result, not only this switch's share    */
    register<bit<1>>(HALVES)  congested; /* a contribution was marked                                 */

    /* How many strips a job's columns have been dealt, behind the epoch that this is of. Index: the job's first slot. */
    register<bit<64>>(SLOTS) strips;

    Column() column0;
    Column() column1;
    Column() column2;
    Column() column3;
    Column() column4;
    Column() column5;
    Column() column6;
    Column() column7;

    apply {
        bit<32> collecting;
        bit<32> slot_epoch;
        bit<32> here;
        bit<32> other;
        bit<8>  before;
        bit<32> conflicting;
        bit<1>  here_answered;
        bit<1>  other_answered;
        bit<1>  congestion;
        bit<64> counted;
        bit<32> dealt = 0;

        epoch.read(slot_epoch, meta.slot);
        if (slot_epoch != meta.epoch) {
            /* The first packet of a new epoch finds the slot empty: nobody else has to clean it. */
            epoch.write(meta.slot, meta.epoch);
            round.write(meta.slot, 0);
            seen.write(meta.slot << 1, 0);
            seen.write((meta.slot << 1) + 1, 0);
            answered.write(meta.slot << 1, 0);
            answered.write((meta.slot << 1) + 1, 0);
        }

        meta.half = (meta.slot << 1) + (hdr.dropzero.round & 1);
        round.read(collecting, meta.slot);
        seen.read(here, meta.half);
        seen.read(other, meta.half ^ 1);
        filled.read(before, meta.half);
        conflict.read(conflicting, meta.half);
        answered.read(here_answered, meta.half);
        answered.read(other_answered, meta.half ^ 1);
        congested.read(congestion, meta.half);
        if (hdr.ipv4.ecn == CE) {
            hdr.dropzero.marked = 1;
        }

        meta.fate = FATE_STALE;
        if (from_parent == 1) {
            if (hdr.dropzero.round == collecting && here == meta.members && here_answered == 0) {
                /* Stored as if it were the first and only share. */
                meta.fate = FATE_RELAYED;
                meta.contribute = 1;
                meta.first = 1;
                before = 0;
                conflicting = 0;
                if (hdr.dropzero.kind == KIND_CONFLICT) {
                    conflicting = hdr.dropzero.workers;
                }
                here_answered = 1;
                congestion = hdr.dropzero.congested;
            }
        } else if (hdr.dropzero.round == collecting) {
            if (here & meta.me == 0) {
                meta.fate = FATE_ABSORBED;
            } else if (here != meta.members) {
                meta.fate = FATE_MISSING;
            } else if (here_answered == 1) {
                meta.fate = FATE_REPLAYED;
            } else {
                /* A leaf whose parent has not answered: one of the two has lost a packet. */
                meta.fate = FATE_PASSED_UP;
            }
        } else if (hdr.dropzero.round == collecting + 1 && other == meta.members && other_answered == 1) {
            round.write(meta.slot, hdr.dropzero.round);
            here = 0;
            meta.fate = FATE_ABSORBED;
        } else if (hdr.dropzero.round + 1 == collecting && here == meta.members) {
            meta.fate = FATE_REPLAYED;
        }

        if (meta.fate == FATE_ABSORBED) {
            meta.contribute = 1;
            if (here == 0) {
                meta.first = 1;
                before = 0;
                conflicting = 0;
                here_answered = 0;
                congestion = 0;
                call.write(meta.half, hdr.dropzero.workers);
            }
            bit<32> first_call;
            call.read(first_call, meta.half);
            if (first_call != hdr.dropzero.workers || hdr.dropzero.kind == KIND_CONFLICT) {
                /* What it carries is of another tensor. Its sender is counted, so that the round ends and all hear of it. */
                meta.contribute = 0;
                if (hdr.dropzero.kind == KIND_CONFLICT && hdr.dropzero.workers != 0) {
                    /* A leaf knows who it was. */
                    conflicting = conflicting | hdr.dropzero.workers;
                } else {
                    conflicting = conflicting | meta.me;
                }
            }
            here = here | meta.me;
            congestion = congestion | hdr.dropzero.marked | hdr.dropzero.congested;
            if (here == meta.members) {
                if (meta.leaf == 1) {
                    meta.fate = FATE_PASSED_UP;
                } else {
                    meta.fate = FATE_COMPLETED;
                    here_answered = 1;
                }
            }
        }

        meta.filled = before;
        if (meta.fate == FATE_ABSORBED || meta.fate == FATE_COMPLETED || meta.fate == FATE_PASSED_UP
            || meta.fate == FATE_RELAYED) {
            if (meta.contribute == 1) {
                meta.filled = before | hdr.dropzero.mask;
            }
            seen.write(meta.half, here);
            filled.write(meta.half, meta.filled);
            conflict.write(meta.half, conflicting);
            answered.write(meta.half, here_answered);
            congested.write(meta.half, congestion);
        }

        if (meta.fate == FATE_COMPLETED || meta.fate == FATE_REPLAYED || meta.fate == FATE_PASSED_UP
            || meta.fate == FATE_RELAYED) {
            if (conflicting != 0) {
                hdr.dropzero.kind = KIND_CONFLICT;
                hdr.dropzero.workers = conflicting;
            } else {
                meta.recall = 1;
                hdr.dropzero.congested = congestion;
                if (meta.fate != FATE_RELAYED) {
                    hdr.dropzero.marked = 0;
                }
                if (meta.fate != FATE_PASSED_UP) {
                    hdr.dropzero.kind = KIND_RESULT;
                    hdr.dropzero.workers = here;
                }
            }
        } else if (meta.fate == FATE_MISSING) {
            hdr.dropzero.kind = KIND_MISSING;
            hdr.dropzero.workers = meta.members & ~here;
        }

        if (hdr.dropzero.width == WIDTH_32) {
            meta.top = TOP_32;
        } else if (hdr.dropzero.width == WIDTH_16) {
            meta.top = TOP_16;
        } else {
            meta.top = TOP_8;
        }
        if (meta.fate == FATE_COMPLETED && meta.recall == 1) {
            meta.deal = 1;
            strips.read(counted, meta.first_slot);
            if (counted[63:32] == meta.epoch) {
                dealt = counted[31:0];
            }
        }
        column0.apply(hdr.column[0], hdr.data[0], hdr.dropzero, meta, before[0:0], meta.filled[0:0], dealt);
        column1.apply(hdr.column[1], hdr.data[1], hdr.dropzero, meta, before[1:1], meta.filled[1:1], dealt);
        column2.apply(hdr.column[2], hdr.data[2], hdr.dropzero, meta, before[2:2], meta.filled[2:2], dealt);
        column3.apply(hdr.column[3], hdr.data[3], hdr.dropzero, meta, before[3:3], meta.filled[3:3], dealt);
        column4.apply(hdr.column[4], hdr.data[4], hdr.dropzero, meta, before[4:4], meta.filled[4:4], dealt);
        column5.apply(hdr.column[5], hdr.data[5], hdr.dropzero, meta, before[5:5], meta.filled[5:5], dealt);
        column6.apply(hdr.column[6], hdr.data[6], hdr.dropzero, meta, before[6:6], meta.filled[6:6], dealt);
        column7.apply(hdr.column[7], hdr.data[7], hdr.dropzero, meta, before[7:7], meta.filled[7:7], dealt);
        if (meta.deal == 1) {
            strips.write(meta.first_slot, meta.epoch ++ dealt);
        }
    }
}
