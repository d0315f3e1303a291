/* Keeps hosts from sending as a switch, to each other: an address of a switch comes in only at the port that leads to it.
   (What is sent to this switch itself is checked by admission.p4.) */

control Guard(in headers_t hdr, in standard_metadata_t std, out bit<1> forged) {
    bit<32> claimed = 0;

    action belongs_at(bit<9> port) {
        forged = (std.ingress_port == port) ? 1w0 : 1w1;
    }

    table switch_address {
        key = { claimed: exact; }
        actions = { belongs_at; @defaultonly NoAction; }
        const default_action = NoAction;
        size = 256;
    }

    apply {
        forged = 0;
        if (hdr.ipv4.isValid()) {
            claimed = hdr.ipv4.source;
        } else if (hdr.arp.isValid()) {
            claimed = hdr.arp.sender_ip;
        }
        switch_address.apply();
    }
}
