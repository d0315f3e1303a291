/* Explicit congestion notification (RFC 3168): marks a packet that meets a threshold of packets, or more, in its queue.
   Workers do not see IP headers, so a result is also marked in its Dropzero header. */

control Mark(inout headers_t hdr, in metadata_t meta, in standard_metadata_t std) {
    bit<19> threshold = 0;

    /* packets: 0: never mark. */
    action mark_from(bit<19> packets) {
        threshold = packets;
    }

    table queue {
        actions = { mark_from; }
        default_action = mark_from(0);
    }

    apply {
        queue.apply();
        if (threshold != 0 && std.enq_qdepth >= threshold) {
            if (hdr.ipv4.isValid() && hdr.ipv4.ecn != 0) {
                hdr.ipv4.ecn = CE;
            }
            if (meta.copies == 1) {
                hdr.dropzero.marked = 1;
            }
        }
    }
}
