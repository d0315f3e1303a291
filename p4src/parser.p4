/* The parser, the deparser and the IPv4 checksum. */

parser PacketParser(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) {
    state start {
        packet.extract(hdr.ethernet);
        transition select(hdr.ethernet.type) {
            ETHERTYPE_ARP:  arp;
            ETHERTYPE_IPV4: ipv4;
            default:        accept;
        }
    }

    state arp {
        packet.extract(hdr.arp);
        transition accept;
    }

    state ipv4 {
        packet.extract(hdr.ipv4);
        /* Packets with options and later fragments are only forwarded, so the rest does not matter. */
        transition select(hdr.ipv4.ihl, hdr.ipv4.offset, hdr.ipv4.protocol) {
            (5, 0, PROTOCOL_ICMP): icmp;
            (5, 0, PROTOCOL_UDP):  udp;
            default:               accept;
        }
    }

    state icmp {
        packet.extract(hdr.icmp);
        transition accept;
    }

    state udp {
        packet.extract(hdr.udp);
        transition select(hdr.udp.destination) {
            DROPZERO_PORT: dropzero;
            default:       accept;
        }
    }

    state dropzero {
        packet.extract(hdr.dropzero);
        transition select(hdr.dropzero.columns) {
            0:       data0;
            1:       one_column;
            2:       two_columns;
            4:       four_columns;
            8:       eight_columns;
            default: bad_columns;
        }
    }

    state bad_columns {
        verify(false, error.BadColumns);
        transition accept;
    }

    state eight_columns {
        packet.extract(hdr.column.next);
        packet.extract(hdr.column.next);
        packet.extract(hdr.column.next);
        packet.extract(hdr.column.next);
        transition four_columns;
    }

    state four_columns {
        packet.extract(hdr.column.next);
        packet.extract(hdr.column.next);
        transition two_columns;
    }

    state two_columns {
        packet.extract(hdr.column.next);
        transition one_column;
    }

    state one_column {
        packet.extract(hdr.column.next);
        transition data0;
    }

#define DATA(I, NEXT)                                                                        \
    state data##I { transition select(hdr.dropzero.mask[I:I]) { 1: take##I; default: NEXT; } } \
    state take##I { packet.extract(hdr.data[I]); transition NEXT; }

    DATA(0, data1)
    DATA(1, data2)
    DATA(2, data3)
    DATA(3, data4)
    DATA(4, data5)
    DATA(5, data6)
    DATA(6, data7)
    DATA(7, accept)
#undef DATA
}

control CheckIpChecksum(inout headers_t hdr, inout metadata_t meta) {
    apply {
        verify_checksum(hdr.ipv4.isValid() && hdr.ipv4.ihl == 5,
            { hdr.ipv4.version, hdr.ipv4.ihl, hdr.ipv4.dscp, hdr.ipv4.ecn, hdr.ipv4.length, hdr.ipv4.identification,
              hdr.ipv4.flags, hdr.ipv4.offset, hdr.ipv4.ttl, hdr.ipv4.protocol, hdr.ipv4.source, hdr.ipv4.destination },
            hdr.ipv4.checksum, HashAlgorithm.csum16);
    }
}

control WriteIpChecksum(inout headers_t hdr, inout metadata_t meta) {
    apply {
        update_checksum(hdr.ipv4.isValid() && hdr.ipv4.ihl == 5,
            { hdr.ipv4.version, hdr.ipv4.ihl, hdr.ipv4.dscp, hdr.ipv4.ecn, hdr.ipv4.length, hdr.ipv4.identification,
              hdr.ipv4.flags, hdr.ipv4.offset, hdr.ipv4.ttl, hdr.ipv4.protocol, hdr.ipv4.source, hdr.ipv4.destination },
            hdr.ipv4.checksum, HashAlgorithm.csum16);
    }
}

control PacketDeparser(packet_out packet, in headers_t hdr) {
    apply {
        packet.emit(hdr.ethernet);
        packet.emit(hdr.arp);
        packet.emit(hdr.ipv4);
        packet.emit(hdr.icmp);
        packet.emit(hdr.udp);
        packet.emit(hdr.dropzero);
        packet.emit(hdr.column);
        packet.emit(hdr.data);
    }
}
