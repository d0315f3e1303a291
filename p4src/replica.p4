/* Addresses each copy of a result. Bits 0 to 7 of the copy's replica id are the worker that it is for; bit 8 is the part
   of a split result. Drops the copies for workers that are not `receivers`: a replay is only for the worker that asked.
   Takes the data out of the copies for workers that have declined them. */

control Replica(inout headers_t hdr, in metadata_t meta, in standard_metadata_t std, out bit<1> wanted, out bit<1> known) {
    action deliver_to(bit<48> mac, bit<32> ip, bit<16> port, bit<32> secret) {
        hdr.ethernet.destination = mac;
        hdr.ipv4.destination = ip;
        hdr.udp.destination = port;
        hdr.dropzero.secret = secret;
    }

    table receiver {
        key = { hdr.dropzero.job: exact; hdr.dropzero.worker: exact; }
        actions = { deliver_to; @defaultonly NoAction; }
        const default_action = NoAction;
        size = 32768;
    }

    action keep_first_part() {
        hdr.dropzero.mask = hdr.dropzero.mask & 0x0F;
        hdr.data[4].setInvalid();
        hdr.data[5].setInvalid();
        hdr.data[6].setInvalid();
        hdr.data[7].setInvalid();
    }

    action keep_second_part() {
        hdr.dropzero.mask = hdr.dropzero.mask & 0xF0;
        hdr.data[0].setInvalid();
        hdr.data[1].setInvalid();
        hdr.data[2].setInvalid();
        hdr.data[3].setInvalid();
    }

    action remove_data() {
        hdr.dropzero.mask = 0;
#define COLUMN(I) hdr.data[I].setInvalid();
        EACH_COLUMN(COLUMN)
#undef COLUMN
    }

    Length() length;

    apply {
        bit<32> me = (bit<32>)1 << std.egress_rid[7:0];
        bit<1>  second = std.egress_rid[8:8];

        hdr.dropzero.declines = (meta.declined & me != 0) ? 1w1 : 1w0;
        /* Without data, one part is all. */
        wanted = (meta.receivers & me != 0 && (second & hdr.dropzero.declines) == 0) ? 1w1 : 1w0;
        known = 0;
        if (wanted == 1) {
            hdr.dropzero.worker = std.egress_rid[6:0];
            known = receiver.apply().hit ? 1w1 : 1w0;
            if (hdr.dropzero.declines == 1) {
                remove_data();
            } else if (meta.split == 1) {
                if (second == 0) {
                    keep_first_part();
                } else {
                    keep_second_part();
                }
            }
            if (hdr.dropzero.mask != meta.filled) {
                length.apply(hdr.dropzero, hdr.udp.length);
                hdr.ipv4.length = hdr.udp.length + 20;
            }
        }
    }
}
