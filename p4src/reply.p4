/* Sends the answer: back to the sender, to all workers, or up to the parent.

   A result leaves through the job's multicast group, and replica.p4 then addresses each copy. A result that would grow by
   more than the switch allows leaves through the next group, which has two copies for each worker: replica.p4 puts the
   first four data columns into one copy and the others into the other. A rack's sum cannot be split: workers on a leaf send columns
   of zeros instead of a contribution that is too short. */

control Reply(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) {
    bit<16> headroom = 0;

    /* bytes: by which the switch lets a packet grow. */
    action grow_by(bit<16> bytes) {
        headroom = bytes;
    }

    table growth {
        actions = { grow_by; }
        default_action = grow_by(HEADROOM);
    }

    action turn_round() {
        bit<32> ip = hdr.ipv4.source;
        bit<16> port = hdr.udp.source;
        hdr.ethernet.destination = hdr.ethernet.source;
        hdr.ethernet.source = meta.switch_mac;
        hdr.ipv4.source = hdr.ipv4.destination;
        hdr.ipv4.destination = ip;
        hdr.ipv4.ttl = 64;
        hdr.udp.source = hdr.udp.destination;
        hdr.udp.destination = port;
        hdr.udp.checksum = 0;
        std.egress_spec = std.ingress_port;
    }

    /* For answers without columns. */
    action strip() {
        hdr.dropzero.columns = 0;
#define COLUMN(I) hdr.column[I].setInvalid(); hdr.data[I].setInvalid();
        EACH_COLUMN(COLUMN)
#undef COLUMN
    }

    action pass_up() {
        hdr.ethernet.destination = meta.parent_mac;
        hdr.ethernet.source = meta.switch_mac;
        hdr.ipv4.source = meta.switch_ip;
        hdr.ipv4.destination = meta.parent_ip;
        hdr.ipv4.ttl = 64;
        hdr.udp.source = DROPZERO_PORT;
        hdr.udp.checksum = 0;
        hdr.dropzero.worker = meta.rank;
        hdr.dropzero.secret = meta.secret;
        std.egress_spec = meta.parent_port;
    }

    Length() length;

    apply {
        bit<16> needed;

        if (hdr.ipv4.ecn == CE) {
            hdr.ipv4.ecn = ECT_0;
        }
        if (meta.recall == 0) {
            strip();
            meta.filled = 0;
        }
        hdr.dropzero.mask = meta.filled;
        length.apply(hdr.dropzero, needed);
        growth.apply();
        if (meta.fate == FATE_PASSED_UP) {
            if (needed > hdr.udp.length + headroom) {
                meta.fate = FATE_SHORT;
                mark_to_drop(std);
            } else {
                pass_up();
            }
        } else {
            turn_round();
            if (meta.fate != FATE_MISSING && meta.fate != FATE_EPOCH) {
                meta.copies = 1;
                std.mcast_grp = meta.group;
                if (needed > hdr.udp.length + headroom) {
                    meta.split = 1;
                    std.mcast_grp = meta.group + 1;
                }
            }
        }
        hdr.udp.length = needed;
        hdr.ipv4.length = needed + 20;
    }
}
