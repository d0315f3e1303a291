#include <core.p4>
#include <v1model.p4>
error { Bad, Worse }
header t0_t {
    bit<8> f0;
    bit<16> f1;
    bit<65> f2;
    int<8> f3;
    bit<88> f4;
    bit<7> f5;
}
header t1_t {
    bit<8> f0;
    bit<16> f1;
}
header t2_t {
    bit<8> f0;
    bit<16> f1;
    int<33> f2;
    bit<7> f3;
}
header varying_t {
    bit<8> f0;
    bit<16> f1;
    int<33> f2;
    bit<7> f3;
    varbit<56> rest;
}
header dump_t {
    bit<8> m0;
    bit<16> m1;
    bit<32> m2;
    bit<129> m3;
    bit<32> m4;
    int<9> m5;
    bit<6> padding;
}
header_union union_t {
    t0_t a;
    t2_t b;
}
struct headers_t {
    t0_t h0;
    t1_t h1;
    t2_t[2] s;
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
    bit<8> m0;
    bit<16> m1;
    @field_list(1) bit<32> m2;
    bit<129> m3;
    @field_list(1, 2) bit<32> m4;
    int<9> m5;
}
parser Parse(packet_in packet, out headers_t hdr, inout meta_t m, inout standard_metadata_t std) {
    state start {
        packet.extract(hdr.h0);
        transition select(hdr.h0.f1, hdr.h0.f5) {
            (_, _): state1;
            default: state2;
        }
    }
    state state0 {
        packet.extract(hdr.s.next);
        packet.advance(8);
        transition select(hdr.s.last.f1) {
            (16w0x2218): state0;
            default: accept;
        }
    }
    state state1 {
        m.m3 = packet.lookahead<bit<129>>();
        packet.extract(hdr.u.b);
        transition select(hdr.u.b.f3) {
            (_): state2;
            (7w0x5e): state2;
            default: state2;
        }
    }
    state state2 {
        packet.extract(hdr.v, (bit<32>)(packet.lookahead<bit<8>>() & 8w7) << 3);
        m.m1 = ((hdr.h0.f1 ^ m.m1) ^ (((bit<16>)hdr.v.f0) |+| m.m1));
        m.m1 = ((m.m2 |+| 32w0x2) != std.packet_length ? (m.m1 | m.m1) : ((bit<16>)hdr.v.f3));
        transition accept;
    }
}
control Verify(inout headers_t hdr, inout meta_t m) {
    apply {
        verify_checksum(hdr.h1.isValid(), { hdr.h1.f0 }, hdr.h1.f1, HashAlgorithm.csum16);
    }
}
control In(inout headers_t hdr, inout meta_t m, inout standard_metadata_t std) {
    counter(8, CounterType.packets) counter_1;
    direct_meter<bit<8>>(MeterType.bytes) in0_meter;
    action in0_action0(bit<3> in0_action0_param0) {
        m.m2 = std.packet_length;
        in0_meter.read(m.m0);
    }
    table in0 {
        key = {
            m.m1: optional;
            std.packet_length: lpm;
        }
        actions = {
            in0_action0;
            NoAction;
        }
        default_action = NoAction();
        size = 64;
        meters = in0_meter;
    }
    apply {
        std.egress_spec = (bit<9>)(((bit<32>)std.checksum_error) & 32w3) + 9w1;
        if (in0.apply().hit) {
            std.mcast_grp = (bit<16>)(std.instance_type & 32w3);
        }
        counter_1.count((((bit<32>)m.m1) & 32w7));
        if (hdr.h1.isValid()) {
            if (hdr.u.a.isValid()) {
                m.m1 = ((m.m1 | ((bit<16>)m.m3)) |+| m.m1);
                m.m0 = ((((bit<6>)((int<6>)hdr.u.a.f3)) ++ 2w0x3) ^ std.instance_type[25:18]);
                hash(m.m0, HashAlgorithm.identity, 16w0xfffc, { m.m2, hdr.u.a.f5 }, 32w65536);
            }
        }
        m.m0 = m.m0;
    }
}
control Out(inout headers_t hdr, inout meta_t m, inout standard_metadata_t std) {
    meter(8, MeterType.packets) meter_1;
    action out0_action0(int<12> out0_action0_param0) {
        m.m3[41:27] = ((bit<15>)m.m2);
    }
    action out0_action1(bit<9> out0_action1_param0) {
        meter_1.execute_meter((((bit<32>)out0_action1_param0) & 32w7), m.m1);
        m.m4 = ((std.instance_type - std.packet_length) << 20);
        m.m3 = (!(std.egress_rid <= std.egress_rid) ? m.m3 : 129w0xdbf0ed0cf7b098a94d7fdc90eb83797a);
    }
    table out0 {
        key = {
            m.m2: ternary;
            m.m4: ternary;
        }
        actions = {
            out0_action0;
            out0_action1;
            NoAction;
        }
        default_action = NoAction();
        size = 64;
    }
    apply {
        hash(m.m2, HashAlgorithm.crc16_custom, 16w0x3, { std.egress_port, m.m1 }, 32w2);
        if ((m.m4 <= 32w0xffffffff) && (32w0x0 < 32w0x1)) {
            m.m4 = (~(m.m0 == m.m0 ? std.instance_type : m.m4));
            hdr.s[0].setInvalid();
            if ((~((bit<129>)m.m0)) == m.m3) {
                mark_to_drop(std);
            }
        }
        m.m0 = m.m0;
        m.m1 = m.m2[16:1];
        if (hdr.v.isValid()) {
            hdr.v.f0 = ((m.m0 ^ ((bit<8>)((int<8>)m.m5))) << (m.m0 & 8w255));
            m.m2 = ((bit<32>)std.ingress_port);
            if ((std.ingress_port <= std.ingress_port) || (m.m1 >= 16w0xa317)) {
                hdr.v.f1 = ((hdr.v.f2 != hdr.v.f2 ? std.egress_rid : m.m1) |-| (m.m1 | hdr.v.f1));
                m.m5 = (~(m.m5 + m.m5));
                truncate((std.instance_type & 32w63) + 32w20);
            }
        }
        hdr.dump.setValid();
        hdr.dump.padding = 0;
        hdr.dump.m0 = m.m0;
        hdr.dump.m1 = m.m1;
        hdr.dump.m2 = m.m2;
        hdr.dump.m3 = m.m3;
        hdr.dump.m4 = m.m4;
        hdr.dump.m5 = m.m5;
    }
}
control Update(inout headers_t hdr, inout meta_t m) {
    apply {
        update_checksum_with_payload(hdr.h0.isValid(), { hdr.h0.f5, hdr.h0.f0, hdr.h0.f4 }, hdr.h0.f1, HashAlgorithm.csum16);
    }
}
control Deparse(packet_out packet, in headers_t hdr) {
    apply {
        packet.emit(hdr.v);
        packet.emit(hdr.s);
        packet.emit(hdr.h0);
        packet.emit(hdr.h1);
        packet.emit(hdr.u);
        packet.emit(hdr.dump);
    }
}
V1Switch(Parse(), Verify(), In(), Out(), Update(), Deparse()) main;
