/* Chooses the fate of an admitted packet, and turns it into its answer. */

control Answer(inout packet_t hdr, inout state_t meta, in bit<9> sender, inout OUTPUT_TYPE output) {
    action to_sender() {
        SEND(sender);
        hdr.bridge.answer = 1;
    }
    action to_all() {
        MULTICAST(meta.group);
        hdr.bridge.answer = 1;
        hdr.bridge.copy = 1;
    }

    action strip() {
        hdr.dropzero.columns = 0;
        hdr.dropzero.mask = 0;
        hdr.column.setInvalid();
        hdr.block.setInvalid();
        hdr.udp.length = BARE;
        hdr.ipv4.length = BARE + 20;
    }
    action drop(bit<8> fate) { meta.fate = fate; }
    action epoch() {
        hdr.dropzero.kind = KIND_EPOCH;
        hdr.dropzero.epoch = meta.epoch;
        hdr.dropzero.workers = meta.members;
        strip();
    }
    action report(bit<8> fate) {
        meta.fate = fate;
        hdr.dropzero.kind = KIND_MISSING;
        hdr.dropzero.workers = meta.missing;
        strip();
    }
    action conflict(bit<8> fate) {
        meta.fate = fate;
        hdr.dropzero.kind = KIND_CONFLICT;
        hdr.dropzero.workers = meta.conflict;
        hdr.dropzero.declines = 0;
        strip();
    }
    action result() {
        hdr.dropzero.kind = KIND_RESULT;
        hdr.dropzero.workers = meta.seen;
        hdr.dropzero.marked = 0;
        hdr.dropzero.declines = 0;
        hdr.dropzero.congested = 0;
        hdr.column.next = meta.next;
        hdr.column.exponent = meta.announced[7:0];
    }
    action full(bit<8> fate) {
        meta.fate = fate;
        result();
        hdr.dropzero.mask = ALL_COLUMNS;
        hdr.block.setValid();
        hdr.udp.length = FULL;
        hdr.ipv4.length = FULL + 20;
    }
    action described(bit<8> fate) {
        meta.fate = fate;
        result();
        hdr.dropzero.mask = 0;
        hdr.block.setInvalid();
        hdr.udp.length = DESCRIBED;
        hdr.ipv4.length = DESCRIBED + 20;
    }

    table answer {
        key = {
            meta.shape: ternary;
            meta.current: ternary;
            meta.step: ternary;
            meta.missing: ternary;
            meta.conflict: ternary;
            meta.flags: ternary;
        }
        actions = { drop; report; conflict; full; described; }
        const entries = {
            (_, 0, _, _, _, _): drop(FATE_STALE);
            (SHAPE_REPORT, _, _, _, _, _): report(FATE_MISSING);
            (_, _, STEP_READ, 0, 0, 1 &&& 1): full(FATE_REPLAYED);
            (_, _, STEP_READ, 0, 0, _): described(FATE_REPLAYED);
            (_, _, STEP_READ, 0, _, _): conflict(FATE_REPLAYED);
            (SHAPE_RESULT, _, _, _, _, _): report(FATE_MISSING);
            (_, _, STEP_READ, _, _, _): report(FATE_MISSING);
            (_, _, _, 0, 0, 1 &&& 1): full(FATE_COMPLETED);
            (_, _, _, 0, 0, _): described(FATE_COMPLETED);
            (_, _, _, 0, _, _): conflict(FATE_COMPLETED);
        }
        const default_action = drop(FATE_ABSORBED);
        size = 16;
    }

    apply {
        if (meta.admitted == 1) {
            answer.apply();
        } else if (meta.fate == FATE_EPOCH) {
            epoch();
        }
        /* An action cannot set one bit of a byte from a field and the others to constants. */
        if (hdr.dropzero.kind == KIND_RESULT && meta.flags & 2 != 0) {
            hdr.dropzero.congested = 1;
        }
        if (meta.fate == FATE_COMPLETED) {
            to_all();
        } else if (meta.fate == FATE_REPLAYED || meta.fate == FATE_MISSING || meta.fate == FATE_EPOCH) {
            to_sender();
        }
    }
}
