/* Addresses each copy of a result to the worker it is for: the copy's replica id is the worker's. */

control Replica(inout headers_t hdr, in metadata_t meta, in standard_metadata_t std, out bit<1> addressed) {
    action deliver_to(bit<48> mac, bit<32> ip, bit<16> port) {
        hdr.ethernet.destination = mac;
        hdr.ipv4.destination = ip;
        hdr.udp.destination = port;
    }

    table receiver {
        key = { hdr.dropzero.job: exact; std.egress_rid: exact; }
        actions = { deliver_to; @defaultonly NoAction; }
        const default_action = NoAction;
        size = 32768;
    }

    apply {
        addressed = receiver.apply().hit ? 1w1 : 1w0;
    }
}
