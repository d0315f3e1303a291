/* The rules of a slot. In every round of a lane each worker contributes once; the round's result goes to all when the last
   of them has. docs/protocol.md says why this is safe under loss, duplication, reordering and delay of any length.

   The slot collects one round at a time, `round`; the half that is not collecting holds the round before, which everybody
   has contributed to, and which is replayed to whoever asks again. */

control Slot(inout headers_t hdr, inout metadata_t meta) {
    register<bit<32>>(SLOTS) epoch;
    register<bit<32>>(SLOTS) round;
    register<bit<32>>(HALVES) seen;   /* one bit a worker: has contributed to this half */
    register<bit<8>>(HALVES)  filled; /* one bit a column: somebody's data is in it     */

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

        epoch.read(slot_epoch, meta.slot);
        if (slot_epoch != meta.epoch) {
            /* The first packet of a new epoch finds the slot empty: nobody else has to clean it. */
            epoch.write(meta.slot, meta.epoch);
            round.write(meta.slot, 0);
            seen.write(meta.slot << 1, 0);
            seen.write((meta.slot << 1) + 1, 0);
        }

        meta.half = (meta.slot << 1) + (hdr.dropzero.round & 1);
        round.read(collecting, meta.slot);
        seen.read(here, meta.half);
        seen.read(other, meta.half ^ 1);
        filled.read(before, meta.half);

        meta.fate = FATE_STALE;
        if (hdr.dropzero.round == collecting) {
            if (here & meta.me == 0) {
                meta.contribute = 1;
            } else if (here == meta.members) {
                meta.fate = FATE_REPLAYED;
            } else {
                meta.fate = FATE_MISSING;
            }
        } else if (hdr.dropzero.round == collecting + 1 && other == meta.members) {
            round.write(meta.slot, hdr.dropzero.round);
            here = 0;
            meta.contribute = 1;
        } else if (hdr.dropzero.round + 1 == collecting && here == meta.members) {
            meta.fate = FATE_REPLAYED;
        }

        meta.filled = before;
        if (meta.contribute == 1) {
            if (here == 0) {
                meta.first = 1;
                before = 0;
            }
            here = here | meta.me;
            meta.filled = before | hdr.dropzero.mask;
            seen.write(meta.half, here);
            filled.write(meta.half, meta.filled);
            meta.fate = FATE_ABSORBED;
            if (here == meta.members) {
                meta.fate = FATE_COMPLETED;
            }
        }

        if (meta.fate == FATE_COMPLETED || meta.fate == FATE_REPLAYED) {
            meta.recall = 1;
            hdr.dropzero.kind = KIND_RESULT;
            hdr.dropzero.workers = here;
        } else if (meta.fate == FATE_MISSING) {
            hdr.dropzero.kind = KIND_MISSING;
            hdr.dropzero.workers = meta.members & ~here;
        }

        column0.apply(hdr.column[0], hdr.data[0], meta, before[0:0], meta.filled[0:0]);
        column1.apply(hdr.column[1], hdr.data[1], meta, before[1:1], meta.filled[1:1]);
        column2.apply(hdr.column[2], hdr.data[2], meta, before[2:2], meta.filled[2:2]);
        column3.apply(hdr.column[3], hdr.data[3], meta, before[3:3], meta.filled[3:3]);
        column4.apply(hdr.column[4], hdr.data[4], meta, before[4:4], meta.filled[4:4]);
        column5.apply(hdr.column[5], hdr.data[5], meta, before[5:5], meta.filled[5:5]);
        column6.apply(hdr.column[6], hdr.data[6], meta, before[6:6], meta.filled[6:6]);
        column7.apply(hdr.column[7], hdr.data[7], meta, before[7:7], meta.filled[7:7]);
    }
}
