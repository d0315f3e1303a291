/* The rules of a slot. In every round of a lane, each worker contributes once. When the round is complete
   (completion.p4), its result goes to all workers, without its data to those that decline them. docs/protocol.md says
   why this is safe under loss, duplication, reordering and delays of any length.

   The slot collects one round at a time, `round`, in one half. The other half holds the previous round, which is complete,
   and which is replayed to workers that ask again. A packet is classified by the two halves (classify.p4), its data are
   added (contribute.p4, column.p4), and it becomes its own answer (answer.p4, reply.p4).

   On a leaf, when a round is complete the rack's sum goes up to the parent, and the parent's answer is the round's
   result. Until it comes, the lowest worker's queries go up, too, and the parent's reports down to that worker. */

control Slot(inout headers_t hdr, inout metadata_t meta, in bit<1> from_parent) {
    register<bit<32>>(SLOTS) epoch;
    register<bit<32>>(SLOTS) round;
    register<bit<32>>(HALVES) seen;
    register<bit<8>>(HALVES)  filled;
    register<bit<32>>(HALVES) call;
    register<bit<32>>(HALVES) conflict;
    register<bit<32>>(HALVES) declined;
    register<bit<1>>(HALVES)  answered;
    register<bit<1>>(HALVES)  congested;

    /* The epoch, and the number of chunks that the job's columns have been assigned in it. Index: the job's first slot. */
    register<bit<64>>(SLOTS) chunks;

    Classify() classify;
    Contribute() contribute;
    Answer() answer;
#define COLUMN(I) Column() column##I;
    EACH_COLUMN(COLUMN)
#undef COLUMN

    bit<32> collecting;
    half_t here;
    bit<32> other_seen;
    bit<1>  other_answered;

    /* The first packet of a new epoch empties the slot, so that no one else has to. */
    action enter_epoch() {
        epoch.write(meta.slot, meta.epoch);
        round.write(meta.slot, 0);
        seen.write(meta.slot << 1, 0);
        seen.write((meta.slot << 1) + 1, 0);
        answered.write(meta.slot << 1, 0);
        answered.write((meta.slot << 1) + 1, 0);
    }

    action load() {
        meta.half = (meta.slot << 1) + (hdr.dropzero.round & 1);
        seen.read(here.seen, meta.half);
        filled.read(here.filled, meta.half);
        call.read(here.call, meta.half);
        conflict.read(here.conflict, meta.half);
        declined.read(here.declined, meta.half);
        answered.read(here.answered, meta.half);
        congested.read(here.congested, meta.half);
        seen.read(other_seen, meta.half ^ 1);
        answered.read(other_answered, meta.half ^ 1);
    }

    action store() {
        seen.write(meta.half, here.seen);
        filled.write(meta.half, here.filled);
        call.write(meta.half, here.call);
        conflict.write(meta.half, here.conflict);
        declined.write(meta.half, here.declined);
        answered.write(meta.half, here.answered);
        congested.write(meta.half, here.congested);
    }

    action open_round() {
        round.write(meta.slot, hdr.dropzero.round);
        here.seen = 0;
    }

    /* Stores the parent's result as if it were the first and only contribution. */
    action settle() {
        meta.contribute = 1;
        meta.first = 1;
        here.filled = 0;
        here.conflict = (hdr.dropzero.kind == KIND_CONFLICT) ? hdr.dropzero.workers : 0;
        here.answered = 1;
        here.congested = hdr.dropzero.congested;
    }

    apply {
        bit<32> slot_epoch;
        bit<8>  fate;
        bit<8>  before;
        bit<64> counted;
        bit<32> lowest;
        bit<32> assigned = 0;
        bit<1>  report = (hdr.dropzero.kind == KIND_MISSING || hdr.dropzero.kind == KIND_WAITING) ? 1w1 : 1w0;

        epoch.read(slot_epoch, meta.slot);
        if (slot_epoch != meta.epoch) {
            enter_epoch();
        }
        if (hdr.ipv4.ecn == CE) {
            hdr.dropzero.marked = 1;
        }
        round.read(collecting, meta.slot);
        if (collecting - hdr.dropzero.round - 1 < MAX_LAG) {
            /* A worker that is behind gets the latest result. */
            hdr.dropzero.round = collecting - 1;
        }
        load();

        lowest = here.seen & -here.seen;
        classify.apply(hdr.dropzero, meta, from_parent, collecting, here, lowest, other_seen, other_answered, fate);

        before = here.filled;
        if (fate == FATE_ABSORBED || (fate == FATE_RELAYED && report == 0)) {
            if (fate == FATE_RELAYED) {
                settle();
            } else {
                if (hdr.dropzero.round != collecting) {
                    open_round();
                }
                contribute.apply(hdr.dropzero, meta, here, fate);
            }
            before = here.filled;
            if (meta.contribute == 1) {
                here.filled = before | hdr.dropzero.mask;
            }
            store();
        }
        if (fate == FATE_MISSING && hdr.dropzero.round == collecting + 1) {
            /* A query about a round that nobody has contributed to yet. */
            here.seen = 0;
        }
        meta.fate = fate;
        meta.filled = here.filled;

        answer.apply(hdr.dropzero, meta, here, lowest, fate, report);

        if (hdr.dropzero.width == WIDTH_32) {
            meta.top = TOP_32;
        } else if (hdr.dropzero.width == WIDTH_16) {
            meta.top = TOP_16;
        } else {
            meta.top = TOP_8;
        }
        if (fate == FATE_COMPLETED && meta.recall == 1) {
            meta.assign = 1;
            chunks.read(counted, meta.first_slot);
            if (counted[63:32] == meta.epoch) {
                assigned = counted[31:0];
            }
        }
#define COLUMN(I) column##I.apply(hdr.column[I], hdr.data[I], hdr.dropzero, meta, before[I:I], meta.filled[I:I], assigned);
        EACH_COLUMN(COLUMN)
#undef COLUMN
        if (meta.assign == 1) {
            chunks.write(meta.first_slot, meta.epoch ++ assigned);
        }
    }
}
