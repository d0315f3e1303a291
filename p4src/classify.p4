/* Chooses a packet's fate from the state of its slot. here: the half that the packet's round uses. lowest: the lowest
   worker in it. */

control Classify(in dropzero_h packet, in metadata_t meta, in bit<1> from_parent, in bit<32> collecting, in half_t here,
                 in bit<32> lowest, in bit<32> other_seen, in bit<1> other_answered, out bit<8> fate) {
    Completion() completion;
    Completion() other_completion;

    apply {
        bit<1> complete;
        bit<1> other_complete;
        completion.apply(here.seen, meta.members, complete);
        other_completion.apply(other_seen, meta.members, other_complete);

        fate = FATE_STALE;
        if (from_parent == 1) {
            if (packet.round == collecting && complete == 1 && here.answered == 0) {
                fate = FATE_RELAYED;
            }
        } else if (packet.round == collecting) {
            if (complete == 0) {
                fate = (here.seen & meta.me == 0) ? FATE_ABSORBED : FATE_MISSING;
            } else {
                /* A leaf has no answer yet: the packet up or the parent's answer was lost. */
                fate = (here.answered == 1) ? FATE_REPLAYED : FATE_PASSED_UP;
            }
        } else if (packet.round == collecting + 1 && other_complete == 1 && other_answered == 1) {
            fate = FATE_ABSORBED;
        } else if (packet.round + 1 == collecting && complete == 1) {
            fate = FATE_REPLAYED;
        }
        if (packet.kind == KIND_QUERY
            && (fate == FATE_ABSORBED || (fate == FATE_PASSED_UP && meta.me != lowest)
                || (fate == FATE_REPLAYED && packet.columns == 0))) {
            /* A query has no data to add. Of a rack's queries about its share, those of one worker go up. Without columns,
               it does not ask for the result. */
            fate = FATE_MISSING;
        }
    }
}
