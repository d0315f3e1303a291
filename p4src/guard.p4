/* Detects hosts that send to each other with a switch's address: such an address is valid only on the port that leads to
   that switch. (admission.p4 checks packets for this switch.) */

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
