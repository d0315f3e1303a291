/* Decides which packets may use a slot: a well-formed contribution or query to a known job on one of its lanes, from one
   of its workers with the right ingress port, address, UDP port and secret; and on a leaf, an answer from the job's
   parent. All other packets get a fate that says why they may not. A conflict is treated like a contribution on its way
   up from a leaf, and like a result on its way down. */

control Admission(in headers_t hdr, inout metadata_t meta, in standard_metadata_t std,
                  out bit<1> admitted, out bit<1> from_parent) {
    bit<9>  port = 0;
    bit<32> address = 0;
    bit<16> udp_port = 0;
    bit<32> secret = 0;
    bit<1>  is_leaf = 0;

    /* members: one bit per worker. group: the multicast group of all members; group + 1 has each twice (see reply.p4). */
    action found_job(bit<32> epoch, bit<32> members, bit<32> first_slot, bit<16> lanes, bit<16> group) {
        meta.epoch = epoch;
        meta.members = members;
        meta.first_slot = first_slot;
        meta.slot = first_slot + (bit<32>)hdr.dropzero.lane;
        meta.lanes = lanes;
        meta.group = group;
    }

    /* The same on a leaf, which is worker `rank` of its parent. own_secret: its secret there. */
    action found_leaf(bit<32> epoch, bit<32> members, bit<32> first_slot, bit<16> lanes, bit<16> group,
                      bit<9> parent_port, bit<48> parent_mac, bit<32> parent_ip, bit<7> rank, bit<32> own_secret) {
        meta.epoch = epoch;
        meta.members = members;
        meta.first_slot = first_slot;
        meta.slot = first_slot + (bit<32>)hdr.dropzero.lane;
        meta.lanes = lanes;
        meta.group = group;
        meta.leaf = 1;
        meta.parent_port = parent_port;
        meta.parent_mac = parent_mac;
        meta.parent_ip = parent_ip;
        meta.rank = rank;
        meta.secret = own_secret;
    }

    table job {
        key = { hdr.dropzero.job: exact; }
        actions = { found_job; found_leaf; @defaultonly NoAction; }
        const default_action = NoAction;
        size = 1024;
    }

    /* leaf: the worker is a switch, which adds up for others. */
    action found_worker(bit<9> lives_on, bit<32> has_address, bit<16> sends_from, bit<32> has_secret, bit<1> leaf) {
        port = lives_on;
        address = has_address;
        udp_port = sends_from;
        secret = has_secret;
        is_leaf = leaf;
    }

    table worker {
        key = { hdr.dropzero.job: exact; hdr.dropzero.worker: exact; }
        actions = { found_worker; @defaultonly NoAction; }
        const default_action = NoAction;
        size = 32768;
    }

    Length() length;

    apply {
        bit<16> expected;
        bit<1>  answer = 0;
        length.apply(hdr.dropzero, expected);
        admitted = 0;
        from_parent = 0;
        if (hdr.dropzero.kind == KIND_RESULT || hdr.dropzero.kind == KIND_MISSING || hdr.dropzero.kind == KIND_WAITING) {
            answer = 1;
        }
        if (std.parser_error != error.NoError || !hdr.dropzero.isValid() || hdr.udp.length != expected
            || hdr.ipv4.length != expected + 20 || std.packet_length != (bit<32>)expected + 34) {
            meta.fate = FATE_MALFORMED;
        } else if (hdr.dropzero.version != VERSION) {
            meta.fate = FATE_VERSION;
        } else if (hdr.dropzero.kind == KIND_EPOCH || hdr.dropzero.kind > KIND_WAITING) {
            meta.fate = FATE_KIND;
        } else if (!job.apply().hit) {
            meta.fate = FATE_JOB;
        } else if (hdr.dropzero.lane >= meta.lanes) {
            meta.fate = FATE_LANE;
        } else if (meta.leaf == 1 && std.ingress_port == meta.parent_port && hdr.ipv4.source == meta.parent_ip
                   && (answer == 1 || hdr.dropzero.kind == KIND_CONFLICT)) {
            from_parent = (hdr.dropzero.secret == meta.secret) ? 1w1 : 1w0;
            meta.fate = FATE_SECRET;
        } else if (answer == 1) {
            meta.fate = FATE_NOT_PARENT;
        } else if (!worker.apply().hit) {
            meta.fate = FATE_WORKER;
        } else if (port != std.ingress_port) {
            meta.fate = FATE_PORT;
        } else if (address != hdr.ipv4.source) {
            meta.fate = FATE_ADDRESS;
        } else if (udp_port != hdr.udp.source) {
            meta.fate = FATE_UDP_PORT;
        } else if (secret != hdr.dropzero.secret) {
            meta.fate = FATE_SECRET;
        } else if (hdr.dropzero.kind == KIND_CONFLICT && is_leaf == 0) {
            meta.fate = FATE_KIND;
        } else {
            /* For a moment, a worker that has left the job still has its row. */
            meta.me = (bit<32>)1 << hdr.dropzero.worker;
            admitted = (meta.members & meta.me) == 0 ? 1w0 : 1w1;
            meta.fate = FATE_WORKER;
        }
    }
}
