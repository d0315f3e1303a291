/* Addresses each answer to its worker: a copy of a result to the one that its replica id names. */

control Replica(inout packet_t hdr, in bit<16> rid, out bit<1> known) {
    action deliver_to(bit<48> mac, bit<32> ip, bit<16> port, bit<32> secret) {
        known = 1;
        hdr.ethernet.source = hdr.ethernet.destination;
        hdr.ethernet.destination = mac;
        hdr.ipv4.source = hdr.ipv4.destination;
        hdr.ipv4.destination = ip;
        hdr.ipv4.ttl = 64;
        hdr.udp.source = DROPZERO_PORT;
        hdr.udp.destination = port;
        hdr.udp.checksum = 0;
        hdr.dropzero.secret = secret;
    }

    table receiver {
        key = { hdr.dropzero.job: exact; hdr.dropzero.worker: exact; }
        actions = { deliver_to; @defaultonly NoAction; }
        const default_action = NoAction;
        size = 4096;
    }

    apply {
        known = 0;
        if (hdr.bridge.copy == 1) {
            hdr.dropzero.worker = rid[6:0];
        }
        receiver.apply();
    }
}
