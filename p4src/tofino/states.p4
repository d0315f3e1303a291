/* The states of a parser, from Ethernet on. */

    state ethernet {
        packet.extract(hdr.ethernet);
        transition select(hdr.ethernet.type) {
            ETHERTYPE_IPV4: ipv4;
            default:        accept;
        }
    }

    state ipv4 {
        packet.extract(hdr.ipv4);
        transition select(hdr.ipv4.ihl, hdr.ipv4.offset, hdr.ipv4.protocol) {
            (5, 0, PROTOCOL_UDP): udp;
            default:              accept;
        }
    }

    state udp {
        packet.extract(hdr.udp);
        transition select(hdr.udp.destination) {
            DROPZERO_PORT: dropzero;
            default:       accept;
        }
    }

#ifdef UP_TO_HEADER
    state dropzero {
        packet.extract(hdr.dropzero);
        transition accept;
    }
#else
    /* Whether its lengths fit is for admission.p4. */
    state dropzero {
        packet.extract(hdr.dropzero);
        transition select(hdr.dropzero.columns, hdr.dropzero.mask) {
            (1, 0):           column;
            (1, ALL_COLUMNS): column_and_block;
            default:          accept;
        }
    }

    state column {
        packet.extract(hdr.column);
        transition accept;
    }

    state column_and_block {
        packet.extract(hdr.column);
        packet.extract(hdr.block);
        transition accept;
    }
#endif
