/* Decides which packets may use a slot, as ../admission.p4 does, by the same rows. A row's action notes what differs; one
   table then judges all of it. */

control Admission(inout packet_t hdr, inout state_t meta, in bit<9> port) {
    action found_job(bit<32> epoch, bit<32> members, bit<32> first_slot, bit<16> lanes, bit<16> group) {
        meta.has_job = 1;
        meta.epoch = epoch;
        meta.other_epoch = epoch ^ hdr.dropzero.epoch;
        meta.members = members;
        meta.first_slot = first_slot[15:0];
        meta.slot = first_slot[15:0] + hdr.dropzero.lane;
        meta.room = lanes |-| hdr.dropzero.lane;
        meta.group = group;
    }

    table job {
        key = { hdr.dropzero.job: exact; }
        actions = { found_job; @defaultonly NoAction; }
        const default_action = NoAction;
        size = 1024;
    }

    @noWarn("unused")
    action found_worker(bit<9> lives_on, bit<32> has_address, bit<16> sends_from, bit<32> has_secret, bit<1> leaf) {
        meta.has_worker = 1;
        meta.wrong_port = (bit<16>)(lives_on ^ port);
        meta.wrong_address = has_address ^ hdr.ipv4.source;
        meta.wrong_udp_port = sends_from ^ hdr.udp.source;
        meta.wrong_secret = has_secret ^ hdr.dropzero.secret;
    }

    table worker {
        key = { hdr.dropzero.job: exact; hdr.dropzero.worker: exact; }
        actions = { found_worker; @defaultonly NoAction; }
        const default_action = NoAction;
        size = 4096;
    }

    /* There is no shift by a variable. */
    action is_bit(bit<32> me) { meta.me = me; }

    table bit_of {
        key = { hdr.dropzero.worker: exact; }
        actions = { is_bit; @defaultonly NoAction; }
        const default_action = NoAction;
        const entries = {
#define BIT(I) I: is_bit(1 << I);
            WORDS_0(BIT)
#undef BIT
        }
        size = 32;
    }

    action has_shape(bit<3> shape) { meta.shape = shape; }
    action is_wrong(bit<8> fate) { meta.fate = fate; }

    table shape {
        key = {
            hdr.dropzero.version: ternary;
            hdr.dropzero.kind: ternary;
            hdr.dropzero.columns: ternary;
            hdr.dropzero.mask: ternary;
            hdr.dropzero.operation: ternary;
            hdr.dropzero.width: ternary;
            hdr.udp.length: ternary;
            hdr.ipv4.length: ternary;
        }
        actions = { has_shape; is_wrong; }
        const entries = {
            (VERSION, KIND_CONTRIBUTION, 1, ALL_COLUMNS, OPERATION_SUM, WIDTH_32, FULL, FULL + 20): has_shape(SHAPE_BLOCK);
            (VERSION, KIND_CONTRIBUTION, 1, 0, OPERATION_SUM, WIDTH_32, DESCRIBED, DESCRIBED + 20): has_shape(SHAPE_BARE);
            (VERSION, KIND_QUERY, 1, 0, _, _, DESCRIBED, DESCRIBED + 20): has_shape(SHAPE_RESULT);
            (VERSION, KIND_QUERY, 0, 0, _, _, BARE, BARE + 20): has_shape(SHAPE_REPORT);
            (VERSION, KIND_CONTRIBUTION, _, _, _, _, _, _): is_wrong(FATE_MALFORMED);
            (VERSION, KIND_QUERY, _, _, _, _, _, _): is_wrong(FATE_MALFORMED);
            (VERSION, _, _, _, _, _, _, _): is_wrong(FATE_KIND);
        }
        const default_action = is_wrong(FATE_VERSION);
        size = 8;
    }

    action admit() { meta.admitted = 1; }
    action refuse(bit<8> fate) { meta.fate = fate; }

    /* For a moment, a worker that has left the job still has its row. */
    table judge {
        key = {
            meta.shape: ternary;
            meta.has_job: ternary;
            meta.room: ternary;
            meta.has_worker: ternary;
            meta.wrong_port: ternary;
            meta.wrong_address: ternary;
            meta.wrong_udp_port: ternary;
            meta.wrong_secret: ternary;
            meta.other_epoch: ternary;
            hdr.dropzero.worker: ternary;
            meta.members: ternary;
        }
        actions = { admit; refuse; NoAction; }
        const entries = {
            (SHAPE_NONE, _, _, _, _, _, _, _, _, _, _): NoAction();
            (_, 0, _, _, _, _, _, _, _, _, _): refuse(FATE_JOB);
            (_, _, 0, _, _, _, _, _, _, _, _): refuse(FATE_LANE);
            (_, _, _, 0, _, _, _, _, _, _, _): refuse(FATE_WORKER);
#define OUTSIDE(I) (_, _, _, 1, 0, 0, 0, 0, _, I, 0 &&& (1 << I)): refuse(FATE_WORKER);
            WORDS_0(OUTSIDE)
#undef OUTSIDE
            (_, _, _, _, 0, 0, 0, 0, 0, _, _): admit();
            (_, _, _, _, 0, 0, 0, 0, _, _, _): refuse(FATE_EPOCH);
            (_, _, _, _, 0, 0, 0, _, _, _, _): refuse(FATE_SECRET);
            (_, _, _, _, 0, 0, _, _, _, _, _): refuse(FATE_UDP_PORT);
            (_, _, _, _, 0, _, _, _, _, _, _): refuse(FATE_ADDRESS);
        }
        const default_action = refuse(FATE_PORT);
        size = 64;
    }

    apply {
        job.apply();
        worker.apply();
        bit_of.apply();
        shape.apply();
        judge.apply();
    }
}
