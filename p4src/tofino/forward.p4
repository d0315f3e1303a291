/* Forwards packets that are not for the switch itself, by their Ethernet destination. */

control Forward(inout packet_t hdr, inout state_t meta, inout OUTPUT_TYPE output) {
    action send_to(bit<9> port) {
        SEND(port);
        meta.fate = FATE_FORWARDED;
    }

    /* The copy for the port that the packet came from is pruned by the replication engine. */
    action flood(bit<16> group) {
        MULTICAST(group);
        meta.fate = FATE_FLOODED;
    }

    table station {
        key = { hdr.ethernet.destination: exact; }
        actions = { send_to; flood; }
        default_action = flood(0);
        size = 1024;
    }

    apply {
        station.apply();
    }
}
