#include <core.p4>
#include <v1model.p4>
error { Bad, Worse }
header t0_t {
    bit<8> f0;
    bit<16> f1;
    bit<88> f2;
}
header t1_t {
    bit<8> f0;
    bit<16> f1;
    bit<127> f2;
    bit<1> f3;
}
header t2_t {
    bit<8> f0;
    bit<16> f1;
    bit<96> f2;
}
header varying_t {
    bit<8> f0;
    bit<16> f1;
    bit<96> f2;
    varbit<56> rest;
}
header dump_t {
    bit<8> m0;
    bit<16> m1;
    bit<32> m2;
    bit<63> m3;
    int<200> m4;
    bit<1> padding;
}
header_union union_t {
    t1_t a;
    t1_t b;
}
struct headers_t {
    t0_t h0;
    t2_t h1;
    t1_t h2;
    t2_t[3] s;
    union_t u;
    varying_t v;
    dump_t dump;
}
struct digest_t {
    bit<8> a;
    bit<16> b;
    bit<32> c;
}
struct meta_t {
    @field_list(1, 2) bit<8> passes;
    @field_list(1, 2) bit<8> m0;
    @field_list(2) bit<16> m1;
    @field_list(1, 2) bit<32> m2;
    bit<63> m3;
    @field_list(1) int<200> m4;
}
parser Parse(packet_in packet, out headers_t hdr, inout meta_t m, inout standard_metadata_t std) {
    state start {
        m.m4 = packet.lookahead<int<200>>();
        packet.extract(hdr.h0);
        m.m1 = m.m1;
        verify(!(((bit<8>)std.packet_length) <= m.m0), error.Worse);
        transition select(hdr.h0.f1, hdr.h0.f0) {
            (16w0x3, 8w0x3): state1;
            (16w0xfffe, _): state1;
            (16w0x1, 8w0xfe): state0;
            default: accept;
        }
    }
    state state0 {
        packet.extract(hdr.h1);
        transition select(hdr.h1.f1, hdr.h1.f0) {
            (16w0x3, 8w0xff): state1;
            default: accept;
        }
    }
    state state1 {
        packet.extract(hdr.u.b);
        m.m1 = (~(hdr.u.b.f1 |+| 16w0xfffc));
        m.m0 = ((hdr.u.b.f0 - ((bit<8>)std.ingress_port)) << (((bit<8>)hdr.u.b.f3) & 8w7));
        verify((hdr.h0.f1 >= hdr.h0.f1) && (std.checksum_error < 1w0x1), error.Bad);
        transition accept;
    }
}
control Verify(inout headers_t hdr, inout meta_t m) {
    apply {
        verify_checksum(hdr.h0.isValid(), { hdr.h0.f0, hdr.h0.f2 }, hdr.h0.f1, HashAlgorithm.csum16);
        verify_checksum(hdr.h2.isValid(), { hdr.h2.f3, hdr.h2.f0 }, hdr.h2.f1, HashAlgorithm.xor16);
    }
}
control In(inout headers_t hdr, inout meta_t m, inout standard_metadata_t std) {
    meter(8, MeterType.packets) meter_2;
    direct_counter(CounterType.packets) in0_counter;
    action_selector(HashAlgorithm.crc16, 64, 16) in0_profile;
    action in0_action0(bit<32> in0_action0_param0, bit<3> in0_action0_param1) {
        m.m1 = m.m1;
        hash(m.m2, HashAlgorithm.crc32, 16w0xfffc, { std.checksum_error, m.m3, in0_action0_param1 }, 32w7);
    }
    table in0 {
        key = {
            std.instance_type: optional;
            m.m0: range;
            m.m2: ternary;
            std.packet_length: exact;
            std.packet_length: selector;
            std.instance_type: selector;
        }
        actions = {
            in0_action0;
            NoAction;
        }
        size = 64;
        counters = in0_counter;
        implementation = in0_profile;
    }
    apply {
        std.egress_spec = (bit<9>)(std.instance_type & 32w3) + 9w1;
        bit<8> v1 = ((~m.m0) ^ (m.m0 >> (((bit<8>)m.m3) & 8w255)));
        std.mcast_grp = (bit<16>)(m.m2 & 32w3);
        if (std.checksum_error >= 1w0x1) {
            m.m1 = m.m1;
            m.m4 = ((m.m4 << 173) |+| (m.m4 - m.m4));
            if (m.m4 < m.m4) {
                exit;
            }
        }
        else {
            hdr.s[0].setValid();
            hdr.s[0].f0 = m.m0;
            hdr.s[0].f1 = 16w0x1;
            hdr.s[0].f2 = (((bit<95>)m.m2) ++ std.checksum_error);
            std.mcast_grp = (bit<16>)(((bit<32>)std.ingress_port) & 32w3);
        }
        meter_2.execute_meter((((bit<32>)m.m0) & 32w7), m.m3);
        digest<digest_t>(1, { m.m0, m.m1, m.m2 });
        m.m0 = (-v1);
    }
}
control Out(inout headers_t hdr, inout meta_t m, inout standard_metadata_t std) {
    counter(8, CounterType.bytes) counter_1;
    counter(8, CounterType.packets_and_bytes) counter_2;
    counter(8, CounterType.packets) counter_3;
    action out0_action0() {
        m.m2 = (((bit<10>)std.egress_port) ++ (88w0x35b34ba7adcf3bb1fb86e0 > hdr.h0.f2 ? ((bit<22>)std.instance_type) : ((bit<22>)hdr.h0.f0)));
        m.m3 = ((((bit<6>)std.ingress_port) ++ ((bit<2>)std.instance_type)) <= ((bit<8>)hdr.h0.f1) ? m.m3 : (m.m3 << 13));
        counter_1.count((((bit<32>)hdr.h0.f0) & 32w7));
    }
    table out0 {
        key = {
            hdr.h0.f0: exact;
        }
        actions = {
            out0_action0;
            NoAction;
        }
        default_action = out0_action0();
        size = 64;
    }
    apply {
        m.m4 = (~(m.m1 >= m.m1 ? m.m4 : ((int<200>)((bit<200>)std.egress_rid))));
        if (m.passes < 2) {
            m.passes = m.passes + 1;
            recirculate_preserving_field_list(1);
        }
        if (hdr.h0.isValid()) {
            out0.apply();
        }
        if (std.instance_type < std.packet_length) {
            return;
        }
        if (m.m0 == 8w0x4f) {
            if (hdr.h2.isValid()) {
                hdr.h2.f0 = (~(m.m0 ^ 8w0xfe));
                m.m2[6:4] = ((hdr.h2.f3 * ((bit<1>)m.m2)) ++ (1w0x1 ++ 1w0x1));
            }
        }
        else {
            hdr.s[0].setValid();
            hdr.s[0].f0 = m.m0;
            hdr.s[0].f1 = (std.egress_rid ^ std.egress_rid);
            hdr.s[0].f2 = 96w0x2;
            if (std.parser_error != error.NoError) {
                counter_2.count((((bit<32>)hdr.s[0].f0) & 32w7));
            }
            else {
                counter_3.count((((bit<32>)m.m3) & 32w7));
            }
        }
        hdr.dump.setValid();
        hdr.dump.padding = 0;
        hdr.dump.m0 = m.m0;
        hdr.dump.m1 = m.m1;
        hdr.dump.m2 = m.m2;
        hdr.dump.m3 = m.m3;
        hdr.dump.m4 = m.m4;
    }
}
control Update(inout headers_t hdr, inout meta_t m) {
    apply {
        update_checksum(hdr.h1.isValid(), { hdr.h1.f2 }, hdr.h1.f1, HashAlgorithm.csum16);
    }
}
control Deparse(packet_out packet, in headers_t hdr) {
    apply {
        packet.emit(hdr.s);
        packet.emit(hdr.h0);
        packet.emit(hdr.u);
        packet.emit(hdr.h2);
        packet.emit(hdr.h1);
        packet.emit(hdr.v);
        packet.emit(hdr.dump);
    }
}
V1Switch(Parse(), Verify(), In(), Out(), Update(), Deparse()) main;
