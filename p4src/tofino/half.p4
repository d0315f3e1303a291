/* The state of the packet's half, but for its data. Each half knows its own epoch and round, so nothing is emptied: the
   first contribution to a newer round begins it. ../slot.p4 also looks at the other half, for contributions to a round
   that may not begin yet. Workers send none: docs/hardware.md. */

control Half(inout packet_t hdr, inout state_t meta) {
    /* lo: epoch, hi: round. fresh: the packet's is newer. */
    REGISTER_OF_PAIRS(opened, HALVES)
    UPDATE_PAIR(open, opened, HALF, meta.fresh,
        result = 0;
        if (value.lo != hdr.dropzero.epoch || value.hi < hdr.dropzero.round) {
            value.lo = hdr.dropzero.epoch;
            value.hi = hdr.dropzero.round;
            result = 1;
        })
    UPDATE_PAIR(ask, opened, HALF, meta.fresh,
        result = 0;
        if (value.lo != hdr.dropzero.epoch || value.hi < hdr.dropzero.round) {
            result = 1;
        })

    /* The same pair. current: the packet's round is newer, or this one. (A stateful ALU has two comparisons.) */
    REGISTER_OF_PAIRS(reached, HALVES)
    UPDATE_PAIR(reach, reached, HALF, meta.current,
        result = 0;
        if (value.lo != hdr.dropzero.epoch || value.hi <= hdr.dropzero.round) {
            value.lo = hdr.dropzero.epoch;
            value.hi = hdr.dropzero.round;
            result = 1;
        })
    UPDATE_PAIR(compare, reached, HALF, meta.current,
        result = 0;
        if (value.lo != hdr.dropzero.epoch || value.hi <= hdr.dropzero.round) {
            result = 1;
        })

    /* One bit per worker: has contributed. before: without this packet. */
    REGISTER(seen, HALVES)
    UPDATE(begin_seen, seen, HALF, meta.before, value = meta.me; result = 0;)
    UPDATE(join_seen, seen, HALF, meta.before, result = value; value = value | meta.me;)
    UPDATE(read_seen, seen, HALF, meta.before, result = value;)

    /* lo: the digest of the first contribution's call. hi: one bit per worker: makes another call. */
    REGISTER_OF_PAIRS(call, HALVES)
    UPDATE_PAIR(begin_call, call, HALF, meta.conflict, value.lo = hdr.dropzero.workers; value.hi = 0; result = 0;)
    UPDATE_PAIR(join_call, call, HALF, meta.conflict,
        if (value.lo != hdr.dropzero.workers) {
            value.hi = value.hi | meta.me;
        }
        result = value.hi;)
    UPDATE_PAIR(read_call, call, HALF, meta.conflict, result = value.hi;)

    /* lo: the largest exponent of the least next block, which is hi. Twice, because a stateful ALU has one result.
       A repeated contribution changes nothing here, so nothing asks whether it is one. */
#define LEAST \
        if (hdr.column.next == value.hi) { \
            value.lo = LARGER(value.lo, meta.exponent); \
        } else if (hdr.column.next < value.hi) { \
            value.lo = meta.exponent; \
            value.hi = hdr.column.next; \
        }
    REGISTER_OF_PAIRS(least, HALVES)
    UPDATE_PAIR(begin_least, least, HALF, meta.next,
        value.lo = meta.exponent; value.hi = hdr.column.next; result = value.hi;)
    UPDATE_PAIR(join_least, least, HALF, meta.next, LEAST result = value.hi;)
    UPDATE_PAIR(read_least, least, HALF, meta.next, result = value.hi;)
    REGISTER_OF_PAIRS(largest, HALVES)
    UPDATE_PAIR(begin_largest, largest, HALF, meta.announced,
        value.lo = meta.exponent; value.hi = hdr.column.next; result = value.lo;)
    UPDATE_PAIR(join_largest, largest, HALF, meta.announced, LEAST result = value.lo;)
    UPDATE_PAIR(read_largest, largest, HALF, meta.announced, result = value.lo;)
#undef LEAST

    /* Bit 0: has data. Bit 1: a contribution was marked. */
    action adds(bit<32> mine) { meta.mine = mine; }
    table contribution {
        key = { meta.shape: exact; hdr.dropzero.marked: ternary; hdr.dropzero.congested: ternary; }
        actions = { adds; }
        const entries = {
            (SHAPE_BLOCK, 0, 0): adds(1);
            (SHAPE_BLOCK, _, _): adds(3);
            (SHAPE_BARE, 0, 0): adds(0);
            (SHAPE_BARE, _, _): adds(2);
        }
        const default_action = adds(0);
        size = 4;
    }
    REGISTER(flags, HALVES)
    UPDATE(begin_flags, flags, HALF, meta.flags, value = meta.mine; result = value;)
    UPDATE(join_flags, flags, HALF, meta.flags, value = value | meta.mine; result = value;)
    UPDATE(read_flags, flags, HALF, meta.flags, result = value;)

    /* lo: epoch, hi: the number of the chunk that the job's columns were assigned last in it. */
    REGISTER_OF_PAIRS(chunks, SLOTS)
    UPDATE_PAIR(take_chunk, chunks, JOB, meta.chunk,
        if (value.lo == meta.epoch) {
            value.hi = value.hi + 1;
        } else {
            value.hi = 0;
        }
        value.lo = meta.epoch;
        result = value.hi;)
    /* The chunk that the half's column was assigned. */
    REGISTER(assigned, HALVES)
    UPDATE(keep_chunk, assigned, HALF, meta.next, value = meta.chunk; result = value;)
    UPDATE(read_chunk, assigned, HALF, meta.next, result = value;)

    table open_half {
        key = { meta.shape: exact; }
        actions = { open; ask; NoAction; }
        const entries = { SHAPE_BLOCK: open(); SHAPE_BARE: open(); SHAPE_RESULT: ask(); SHAPE_REPORT: ask(); }
        const default_action = NoAction;
        size = 4;
    }
    table reach_half {
        key = { meta.shape: exact; }
        actions = { reach; compare; NoAction; }
        const entries = { SHAPE_BLOCK: reach(); SHAPE_BARE: reach(); SHAPE_RESULT: compare(); SHAPE_REPORT: compare(); }
        const default_action = NoAction;
        size = 4;
    }

    /* What a contribution does, unless it is a repeated one; a query only reads. */
#define BY_STATE(NAME, BEGIN, JOIN, READ) \
    table NAME { \
        key = { meta.shape: ternary; meta.fresh: ternary; meta.current: ternary; } \
        actions = { BEGIN; JOIN; READ; NoAction; } \
        const entries = { \
            (_, _, 0): NoAction(); \
            (SHAPE_BLOCK, 1, _): BEGIN(); \
            (SHAPE_BARE, 1, _): BEGIN(); \
            (_, 1, _): NoAction(); \
            (SHAPE_BLOCK, _, _): JOIN(); \
            (SHAPE_BARE, _, _): JOIN(); \
            (_, _, _): READ(); \
        } \
        const default_action = NoAction; \
        size = 8; \
    }
    BY_STATE(count_seen, begin_seen, join_seen, read_seen)
    BY_STATE(check_call, begin_call, join_call, read_call)
    BY_STATE(find_least, begin_least, join_least, read_least)
    BY_STATE(find_largest, begin_largest, join_largest, read_largest)
#undef BY_STATE

    /* The step of everything that a repeated contribution must not change. */
    action step_begin() { meta.step = STEP_BEGIN; }
    action step_join()  { meta.step = STEP_JOIN; }
    action step_read()  { meta.step = STEP_READ; }
    table step {
        key = { meta.shape: ternary; meta.fresh: ternary; meta.current: ternary; meta.already: ternary; }
        actions = { step_begin; step_join; step_read; NoAction; }
        const entries = {
            (_, _, 0, _): NoAction();
            (SHAPE_BLOCK, 1, _, _): step_begin();
            (SHAPE_BARE, 1, _, _): step_begin();
            (_, 1, _, _): NoAction();
            (SHAPE_BLOCK, _, _, 0): step_join();
            (SHAPE_BARE, _, _, 0): step_join();
        }
        const default_action = step_read();
        size = 8;
    }

    table keep_flags {
        key = { meta.step: exact; }
        actions = { begin_flags; join_flags; read_flags; NoAction; }
        const entries = { STEP_BEGIN: begin_flags(); STEP_JOIN: join_flags(); STEP_READ: read_flags(); }
        const default_action = NoAction;
        size = 4;
    }

    /* A result without a next block names a chunk: a new one, or in a repeated result the one that it had. */
    action assign() { meta.assigns = 1; }
    action recall() { meta.recalls = 1; }
    table assignment {
        key = { meta.step: ternary; meta.missing: ternary; meta.conflict: ternary; meta.next: ternary; }
        actions = { assign; recall; NoAction; }
        const entries = {
            (STEP_READ, 0, 0, NO_BLOCK): recall();
            (STEP_JOIN, 0, 0, NO_BLOCK): assign();
            (STEP_BEGIN, 0, 0, NO_BLOCK): assign();
        }
        const default_action = NoAction;
        size = 4;
    }

    apply {
        meta.exponent = (bit<32>)hdr.column.exponent;
        contribution.apply();
        open_half.apply();
        reach_half.apply();
        count_seen.apply();
        check_call.apply();
        find_least.apply();
        find_largest.apply();
        meta.already = meta.before & meta.me;
        if (meta.shape == SHAPE_BLOCK || meta.shape == SHAPE_BARE) {
            meta.seen = meta.before | meta.me;
        } else {
            meta.seen = meta.before;
        }
        meta.missing = meta.members & ~meta.seen;
        step.apply();
        keep_flags.apply();
        assignment.apply();
        if (meta.assigns == 1) {
            take_chunk();
            meta.chunk = meta.chunk | ASSIGNED;
            keep_chunk();
        } else if (meta.recalls == 1) {
            read_chunk();
        }
    }
}
