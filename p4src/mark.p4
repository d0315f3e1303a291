/* Explicit congestion notification (RFC 3168): a packet is marked that meets so many packets or more in its queue. Workers
   do not see their packets' IP headers, so a result is marked in its own as well. */

control Mark(inout headers_t hdr, in metadata_t meta, in standard_metadata_t std) {
    bit<19> threshold = 0;

    /* 0: never. */
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
