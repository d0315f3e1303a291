/* Forwards packets that are not for the switch itself, by their Ethernet destination. */

control Forward(in headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) {
    action send_to(bit<9> port) {
        std.egress_spec = port;
        meta.fate = FATE_FORWARDED;
    }

    action flood(bit<16> group) {
        std.mcast_grp = group;
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
