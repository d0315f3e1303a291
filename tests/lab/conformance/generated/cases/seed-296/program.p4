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
    bit<24> f2;
}
header t2_t {
    bit<8> f0;
    bit<16> f1;
}
header varying_t {
    bit<8> f0;
    bit<16> f1;
    varbit<56> rest;
}
header dump_t {
    bit<8> m0;
    bit<16> m1;
    bit<32> m2;
    bit<12> m3;
    bit<1> m4;
    bit<32> m5;
    int<129> m6;
    bit<2> padding;
}
header_union union_t {
    t2_t a;
    t0_t b;
}
struct headers_t {
    t0_t h0;
    t0_t h1;
    t0_t h2;
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
    @field_list(2) bit<8> m0;
    @field_list(1) bit<16> m1;
    @field_list(1) bit<32> m2;
    bit<12> m3;
    @field_list(1) bit<1> m4;
    @field_list(1) bit<32> m5;
    @field_list(1, 2) int<129> m6;
}
parser Parse(packet_in packet, out headers_t hdr, inout meta_t m, inout standard_metadata_t std) {
    state start {
        packet.extract(hdr.h0);
        m.m0 = ((m.m0 <= m.m0) && (m.m2 == 32w0x0) ? hdr.h0.f0 : m.m0);
        transition select(hdr.h0.f0, hdr.h0.f1) {
            (8w0xc5 &&& 8w0xfd, 16w0xfffe &&& 16w0xa6b1): state2;
            (8w0xdd &&& 8w0x80, 16w0x3): state1;
            default: accept;
        }
    }
    state state0 {
        packet.extract(hdr.s.next);
        m.m6 = m.m6;
        m.m2 = hdr.h0.f2[80:49];
        transition select(hdr.s.last.f1, hdr.s.last.f0) {
            (16w0x0, 8w0xff): state3;
            (16w0x3d9b &&& 16w0x2809, 8w0x2 &&& 8w0x99): state0;
            (16w0x2, 8w0x2): state2;
            (16w0x97ca, 8w0x1): state0;
            default: state3;
        }
    }
    state state1 {
        m.m0 = packet.lookahead<bit<8>>();
        packet.extract(hdr.u.a);
        transition select(hdr.u.a.f0) {
            (8w0xfd): state3;
            (8w0x85): state3;
            (8w0xfe): state2;
            default: state2;
        }
    }
    state state2 {
        packet.extract(hdr.h2);
        transition select(hdr.h2.f1) {
            (16w0x2): state3;
            (16w0xf70): state3;
            default: accept;
        }
    }
    state state3 {
        packet.extract(hdr.u.b);
        transition accept;
    }
}
control Verify(inout headers_t hdr, inout meta_t m) {
    apply {
        verify_checksum_with_payload(hdr.h0.isValid(), { hdr.h0.f0 }, hdr.h0.f1, HashAlgorithm.xor16);
        verify_checksum_with_payload(hdr.h2.isValid(), { hdr.h2.f0 }, hdr.h2.f1, HashAlgorithm.csum16);
    }
}
control In(inout headers_t hdr, inout meta_t m, inout standard_metadata_t std) {
    register<bit<32>>(8) register_1;
    action in0_action0(bit<48> in0_action0_param0, bit<3> in0_action0_param1) {
        hdr.u.b.f1 = ((hdr.u.b.f1 + hdr.u.b.f1) >> (hdr.u.b.f0 & 8w15));
        m.m3 = (~(m.m3 |+| m.m3));
    }
    table in0 {
        key = {
            m.m6: exact;
        }
        actions = {
            in0_action0;
            NoAction;
        }
        default_action = in0_action0(48w0xe02feef59bdd, 3w0x1);
        size = 64;
    }
    action_profile(64) in1_profile;
    action in1_action0() {
        m.m6 = (m.m6 & (m.m1 >= ((bit<16>)std.ingress_port) ? m.m6 : ((int<129>)((bit<129>)m.m3))));
        register_1.write((((bit<32>)hdr.s[0].f0) & 32w7), ((m.m4 == 1w0x0) && (m.m6 > ((int<129>)((bit<129>)std.checksum_error))) ? (m.m2 >> (((bit<8>)m.m1) & 8w7)) : (32w0x3 << (((bit<8>)m.m2) & 8w255))));
        register_1.read(m.m2, (((bit<32>)m.m1) & 32w7));
        m.m6 = m.m6;
    }
    table in1 {
        key = {
            m.m4: exact;
            m.m3: exact;
            std.packet_length: exact;
            m.m1: exact;
        }
        actions = {
            in1_action0;
            NoAction;
        }
        size = 64;
        implementation = in1_profile;
    }
    apply {
        std.egress_spec = (bit<9>)(m.m5 & 32w3) + 9w1;
        if ((32w0xfffffffd << 30) >= 32w0xfffffffe) {
            if (hdr.u.b.isValid()) {
                hash(m.m4, HashAlgorithm.crc16_custom, 16w0xfffd, { std.packet_length }, 32w1);
            }
        }
        hdr.s.push_front(2);
        if (hdr.v.isValid()) {
            m.m2[31:31] = std.checksum_error;
        }
        bit<1> v2 = ((m.m4 |-| m.m4) << (((bit<8>)((int<8>)m.m6)) & 8w15));
        if (hdr.h0.isValid()) {
            v2 = (std.checksum_error >> 0);
            bit<1> v3 = (32w0x3 == ((bit<32>)hdr.h0.f2) ? (-std.checksum_error) : ((bit<1>)m.m1));
            digest<digest_t>(1, { m.m0, m.m1, m.m2 });
        }
        v2 = ((((bit<1>)m.m5) * v2) & ((bit<1>)(((bit<12>)m.m5) == m.m3)));
    }
}
control Out(inout headers_t hdr, inout meta_t m, inout standard_metadata_t std) {
    meter(8, MeterType.packets) meter_2;
    action_profile(64) out0_profile;
    action out0_action0(bit<3> out0_action0_param0) {
        m.m2 = ((std.packet_length <= std.instance_type ? 32w0xceb9ccf3 : m.m5) << 29);
    }
    action out0_action1(bit<48> out0_action1_param0, bit<9> out0_action1_param1) {
        m.m0 = ((3w0x3 ++ 1w0x0) ++ ((bit<4>)std.egress_port));
        m.m0[7:1] = 7w0x31;
    }
    table out0 {
        key = {
            m.m4: ternary;
            std.ingress_port: exact;
        }
        actions = {
            out0_action0;
            out0_action1;
            NoAction;
        }
        size = 64;
        implementation = out0_profile;
    }
    apply {
        int<129> v1 = (((-129s4) >> (((bit<8>)m.m5) & 8w255)) << 13);
        m.m2 = 32w0x1;
        if (hdr.h2.isValid()) {
            if ((((bit<1>)hdr.h2.f1) ^ std.checksum_error) >= std.checksum_error) {
                exit;
            }
        }
        m.m0 = (((bit<5>)std.checksum_error) ++ (((bit<3>)m.m3) |+| ((bit<3>)std.instance_type)));
        meter_2.execute_meter((((bit<32>)m.m3) & 32w7), m.m0);
        hdr.dump.setValid();
        hdr.dump.padding = 0;
        hdr.dump.m0 = m.m0;
        hdr.dump.m1 = m.m1;
        hdr.dump.m2 = m.m2;
        hdr.dump.m3 = m.m3;
        hdr.dump.m4 = m.m4;
        hdr.dump.m5 = m.m5;
        hdr.dump.m6 = m.m6;
    }
}
control Update(inout headers_t hdr, inout meta_t m) {
    apply {
        update_checksum(hdr.h0.isValid(), { hdr.h0.f2 }, hdr.h0.f1, HashAlgorithm.xor16);
        update_checksum(hdr.h2.isValid(), { hdr.h2.f0, hdr.h2.f2 }, hdr.h2.f1, HashAlgorithm.csum16);
    }
}
control Deparse(packet_out packet, in headers_t hdr) {
    apply {
        packet.emit(hdr.v);
        packet.emit(hdr.s);
        packet.emit(hdr.h2);
        packet.emit(hdr.u);
        packet.emit(hdr.h1);
        packet.emit(hdr.h0);
        packet.emit(hdr.dump);
    }
}
V1Switch(Parse(), Verify(), In(), Out(), Update(), Deparse()) main;
