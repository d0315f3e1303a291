/* The switch as a host of its network: answers ARP requests and pings. */

control Host(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) {
    action answer_arp() {
        bit<32> asked = hdr.arp.target_ip;
        hdr.ethernet.destination = hdr.ethernet.source;
        hdr.ethernet.source = meta.switch_mac;
        hdr.arp.operation = 2;
        hdr.arp.target_mac = hdr.arp.sender_mac;
        hdr.arp.target_ip = hdr.arp.sender_ip;
        hdr.arp.sender_mac = meta.switch_mac;
        hdr.arp.sender_ip = asked;
        std.egress_spec = std.ingress_port;
        meta.fate = FATE_ARP;
    }

    action answer_ping() {
        bit<32> ip = hdr.ipv4.source;
        hdr.ethernet.destination = hdr.ethernet.source;
        hdr.ethernet.source = meta.switch_mac;
        hdr.ipv4.source = hdr.ipv4.destination;
        hdr.ipv4.destination = ip;
        hdr.icmp.type = 0;
        /* An echo's type of 8 becomes 0, so its one's complement checksum grows by 0x0800. */
        bit<17> grown = (bit<17>)hdr.icmp.checksum + 0x0800;
        hdr.icmp.checksum = grown[15:0] + (bit<16>)grown[16:16];
        std.egress_spec = std.ingress_port;
        meta.fate = FATE_PING;
    }

    apply {
        if (hdr.arp.isValid() && hdr.arp.operation == 1 && hdr.arp.target_ip == meta.switch_ip) {
            answer_arp();
        } else if (hdr.icmp.isValid() && hdr.icmp.type == 8 && hdr.ipv4.destination == meta.switch_ip) {
            answer_ping();
        }
    }
}
