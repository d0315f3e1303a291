"""Writes the native code that splits GSO packets and joins packets to them (gso.py)."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
from llvmlite import ir

from dropzero.linux.abi import IOVEC, MESSAGE
from dropzero.softswitch.native.emission import BIT, POINTER, WORD, Body, integer, word
from dropzero.softswitch.ports.gso import (
    AUXDATA,
    GSO_NONE,
    GSO_UDP,
    HEAD_BYTES,
    IP,
    MAX_IP_BYTES,
    MAX_SEGMENTS_IN,
    MAX_SEGMENTS_OUT,
    NEEDS_CHECKSUM,
    PAYLOAD,
    TAG,
    UDP,
    VLAN_VALID,
    VNET_HEADER,
)

NO_FRAGMENT = 0x4000
"""IPv4's flags and offset of a packet that must not become fragments, and so may have any identification (RFC 6864)."""


class Routine(Body):
    """A function over bytes at any address. Its numbers are 64-bit words; `public` ones are for Python."""

    def __init__(
        self, module: ir.Module, name: str, result: ir.Type, *arguments: ir.Type, public: bool = False
    ) -> None:
        function = ir.Function(module, ir.FunctionType(result, arguments), name)
        if not public:
            function.linkage = "internal"
        super().__init__(function, None, None)

    def little(self, pointer: ir.Value, size: int) -> ir.Value:
        return self.resized(self.builder.load(pointer, align=1, typ=ir.IntType(8 * size)), 64)

    def big(self, pointer: ir.Value, size: int) -> ir.Value:
        return self.resized(self.load_network(pointer, size), 64)

    def put_little(self, value: ir.Value, pointer: ir.Value, size: int) -> None:
        self.builder.store(self.resized(value, 8 * size), pointer, align=1)

    def put_big(self, value: ir.Value, pointer: ir.Value) -> None:
        """Of two bytes."""
        self.store_network(self.resized(value, 16), pointer)

    def swapped(self, value: ir.Value) -> ir.Value:
        """Two bytes the other way round."""
        return self.resized(self.reversed_bytes(self.resized(value, 16)), 64)

    def address(self, pointer: ir.Value) -> ir.Value:
        return self.builder.ptrtoint(pointer, WORD)

    def copy_down(self, target: ir.Value, source: ir.Value, size: ir.Value | int) -> None:
        """Copies bytes that may overlap."""
        self._transfer("llvm.memmove", target, source, size, 1)

    def get(self, variable: ir.Value) -> ir.Value:
        return self.builder.load(variable, typ=variable.allocated_type)

    def all_of(self, *conditions: ir.Value) -> ir.Value:
        both, *others = conditions
        for condition in others:
            both = self.builder.and_(both, condition)
        return both

    def same(self, one: ir.Value, other: ir.Value, offset: int, size: int) -> ir.Value:
        """Whether `size` bytes are alike at `offset` of both."""
        return self.builder.icmp_unsigned(
            "==",
            *(self.builder.load(self.at(each, offset), align=1, typ=ir.IntType(8 * size)) for each in (one, other)),
        )

    @contextmanager
    def each(self, count: ir.Value) -> Iterator[ir.Value]:
        """What is written inside happens for 0 to count - 1."""
        builder = self.builder
        at = self.variable(WORD, word(0))
        loop, inside, end = (self.block(name) for name in ("loop", "inside", "end"))
        builder.branch(loop)
        builder.position_at_end(loop)
        number = self.get(at)
        builder.cbranch(builder.icmp_unsigned("<", number, count), inside, end)
        builder.position_at_end(inside)
        yield number
        builder.store(builder.add(number, word(1)), at)
        builder.branch(loop)
        builder.position_at_end(end)


class GsoCode:
    """The module."""

    def __init__(self) -> None:
        self.module = ir.Module("gso")
        self._sum = self._write_sum()
        self._folded = self._write_folded()
        self._finish = self._write_finish()
        self._part = self._write_part()
        self._write_arrive()
        self._regular = self._write_regular()
        self._head = self._write_head()
        self._write_depart()

    def __str__(self) -> str:
        return str(self.module)

    # --- checksums ---

    def _write_sum(self) -> ir.Function:
        """(pointer, bytes) -> their sum as words of 32 bits, which modulo 65535 is that of words of 16."""
        body = Routine(self.module, "sum", WORD, POINTER, WORD)
        builder = body.builder
        start, size = body.function.args
        total = body.variable(WORD, word(0))

        def add(value: ir.Value) -> None:
            builder.store(builder.add(body.get(total), value), total)

        with body.each(builder.lshr(size, word(2))) as number:
            add(body.little(body.at(start, builder.shl(number, word(2))), 4))
        for left in (2, 1):
            with body.when(builder.icmp_unsigned("!=", builder.and_(size, word(left)), word(0))):
                add(body.little(body.at(start, builder.and_(size, word(-2 * left))), left))
        builder.ret(body.get(total))
        return body.function

    def _write_folded(self) -> ir.Function:
        """(sum) -> its 16 bits, with end-around carry."""
        body = Routine(self.module, "folded", WORD, WORD)
        builder = body.builder
        value: ir.Value = body.function.args[0]
        for bits in (32, 32, 16, 16, 16):
            value = builder.add(builder.and_(value, word((1 << bits) - 1)), builder.lshr(value, word(bits)))
        builder.ret(value)
        return body.function

    def _write_finish(self) -> ir.Function:
        """(what is summed up, bytes, checksum) -> the checksum that is written there. What was there was the sum of
        what else belongs to it. 0 is written as its equal, 0xFFFF, for UDP's 0 is no checksum."""
        body = Routine(self.module, "finish", WORD, POINTER, WORD, POINTER)
        builder = body.builder
        summed, size, checksum = body.function.args
        value = self._inverted(body, builder.call(self._sum, [summed, size]))
        value = builder.select(builder.icmp_unsigned("==", value, word(0)), word(0xFFFF), value)
        body.put_little(value, checksum, 2)
        builder.ret(value)
        return body.function

    def _inverted(self, body: Routine, total: ir.Value) -> ir.Value:
        return body.builder.xor(body.builder.call(self._folded, [total]), word(0xFFFF))

    def _set_lengths(self, body: Routine, packet: ir.Value, payload: ir.Value) -> None:
        """The lengths of IP and UDP, and IP's checksum."""
        builder = body.builder
        body.put_big(builder.add(payload, word(PAYLOAD - IP)), body.at(packet, IP + 2))
        body.put_big(builder.add(payload, word(PAYLOAD - UDP)), body.at(packet, UDP + 4))
        checksum = body.at(packet, IP + 10)
        body.put_little(word(0), checksum, 2)
        body.put_little(self._inverted(body, builder.call(self._sum, [body.at(packet, IP), word(20)])), checksum, 2)

    # --- apart ---

    def _write_part(self) -> ir.Function:
        """(packet, bytes, bytes of headers, bytes of a payload, offset, starts, lengths) -> packets; 0: no GSO packet
        that this can take apart.

        Cuts it up where it lies: payloads move up, the last one first, and the headers go in front of each. starts and
        lengths get the packets' offsets, from what the GSO packet's is, and bytes.
        """
        body = Routine(self.module, "part", WORD, POINTER, WORD, WORD, WORD, WORD, POINTER, POINTER)
        builder = body.builder
        large, size, headers, payload, offset, starts, lengths = body.function.args
        refused = body.block("refused")

        def insist(condition: ir.Value) -> None:
            onward = body.block("fine")
            builder.cbranch(condition, onward, refused)
            builder.position_at_end(onward)

        insist(builder.icmp_unsigned(">=", headers, word(PAYLOAD)))
        insist(builder.icmp_unsigned("<", headers, size))
        insist(builder.icmp_unsigned("!=", payload, word(0)))
        # A tag may be in front of what is an untagged packet then.
        tag = builder.sub(headers, word(PAYLOAD))
        plain = body.at(large, tag)
        insist(builder.icmp_unsigned("==", body.big(body.at(plain, IP - 2), 3), word(0x080045)))
        insist(builder.icmp_unsigned("==", body.big(body.at(plain, IP + 9), 1), word(17)))
        whole = builder.sub(size, headers)
        last = builder.udiv(builder.sub(whole, word(1)), payload)
        insist(builder.icmp_unsigned("<", last, word(MAX_SEGMENTS_IN)))
        identification = body.big(body.at(plain, IP + 4), 2)
        # The checksum so far is of the pseudo header, with the length of the whole GSO packet.
        pseudo = builder.add(
            body.little(body.at(plain, UDP + 6), 2),
            builder.xor(body.swapped(builder.add(whole, word(PAYLOAD - UDP))), word(0xFFFF)),
        )
        with body.each(builder.add(last, word(1))) as done:
            number = builder.sub(last, done)
            before = builder.mul(number, payload)
            is_last = builder.icmp_unsigned("==", done, word(0))
            own = builder.select(is_last, builder.sub(whole, before), payload)
            start = builder.add(before, builder.mul(number, headers))
            packet = body.at(large, start)
            body.copy_down(body.at(packet, headers), body.at(large, builder.add(before, headers)), own)
            body.copy_down(packet, large, headers)
            packet = body.at(packet, tag)
            body.put_big(builder.add(identification, number), body.at(packet, IP + 4))
            self._set_lengths(body, packet, own)
            checksum = body.at(packet, UDP + 6)
            udp_bytes = builder.add(own, word(PAYLOAD - UDP))
            total = builder.add(pseudo, body.swapped(udp_bytes))
            body.put_little(builder.call(self._folded, [total]), checksum, 2)
            builder.call(self._finish, [body.at(packet, UDP), udp_bytes, checksum])
            body.put_little(builder.add(offset, start), body.at(starts, builder.shl(number, word(3))), 8)
            body.put_little(builder.add(headers, own), body.at(lengths, builder.shl(number, word(2))), 4)
        builder.ret(builder.add(last, word(1)))
        builder.position_at_end(refused)
        builder.ret(word(0))
        return body.function

    def _write_arrive(self) -> None:
        kinds = (POINTER, WORD, WORD, *[POINTER] * 8)
        body = Routine(self.module, "arrive", WORD, *kinds, public=True)
        builder = body.builder
        memory, count, room, offloads, auxiliaries, messages, origins, starts, lengths, ports, packets = (
            body.function.args
        )
        all_packets = body.variable(WORD, word(0))
        offset, size = body.variable(WORD), body.variable(WORD)
        made = body.variable(WORD)
        with body.each(count) as number:
            offload = body.at(offloads, builder.mul(number, word(VNET_HEADER.itemsize)))
            message = body.at(messages, builder.mul(number, word(MESSAGE.itemsize)))
            auxiliary = body.at(auxiliaries, builder.mul(number, word(AUXDATA.itemsize)))

            def field(name: str, offload: ir.Value = offload) -> ir.Value:
                kind, at = VNET_HEADER.fields[name][:2]  # type: ignore[index]
                return body.little(body.at(offload, at), kind.itemsize)

            received = body.little(body.at(message, _offset(MESSAGE, "length")), 4)
            builder.store(builder.add(builder.mul(number, room), word(TAG)), offset)
            builder.store(builder.sub(received, word(VNET_HEADER.itemsize)), size)
            summed = body.variable(WORD)
            builder.store(field("summed"), summed)

            # The kernel delivers tags beside the packet.
            status = body.little(body.at(auxiliary, _offset(AUXDATA, "status")), 4)
            with body.when(builder.icmp_unsigned("!=", builder.and_(status, word(VLAN_VALID)), word(0))):
                untagged = body.at(memory, body.get(offset))
                tagged = body.at(untagged, -TAG)
                body.copy_down(tagged, untagged, 12)
                for at, name in ((12, "vlan_tpid"), (14, "vlan_tci")):
                    body.put_big(body.little(body.at(auxiliary, _offset(AUXDATA, name)), 2), body.at(tagged, at))
                for variable, change in ((offset, -TAG), (size, TAG), (summed, TAG)):
                    builder.store(builder.add(body.get(variable), word(change)), variable)

            packet = body.at(memory, body.get(offset))
            length = body.get(size)
            begin = body.get(summed)
            place = builder.add(begin, field("checksum"))
            here = body.get(all_packets)
            start_here = body.at(starts, builder.shl(here, word(3)))
            length_here = body.at(lengths, builder.shl(here, word(2)))
            needs = builder.icmp_unsigned("!=", builder.and_(field("flags"), word(NEEDS_CHECKSUM)), word(0))
            inside = builder.icmp_unsigned("<=", builder.add(place, word(2)), length)
            builder.store(word(0), made)
            with builder.if_else(builder.icmp_unsigned("==", field("kind"), word(GSO_NONE))) as (whole, large):
                with whole:
                    with body.when(builder.and_(needs, inside)):
                        rest = builder.sub(length, begin)
                        builder.call(self._finish, [body.at(packet, begin), rest, body.at(packet, place)])
                    body.put_little(body.get(offset), start_here, 8)
                    body.put_little(length, length_here, 4)
                    builder.store(word(1), made)
                with large:
                    ours = builder.and_(needs, builder.icmp_unsigned("==", field("kind"), word(GSO_UDP)))
                    with body.when(ours):
                        headers = builder.add(begin, word(PAYLOAD - UDP))
                        arguments = [packet, length, headers, field("size"), body.get(offset), start_here, length_here]
                        builder.store(builder.call(self._part, arguments), made)
            body.put_little(body.get(made), body.at(packets, builder.shl(number, word(2))), 4)
            origin = body.little(body.at(origins, builder.shl(number, word(2))), 4)
            with body.each(body.get(made)) as part:
                body.put_little(origin, body.at(ports, builder.shl(builder.add(here, part), word(2))), 4)
            # For whatever comes there next.
            body.put_little(word(AUXDATA.itemsize), body.at(message, _offset(MESSAGE, "control_length")), 8)
            builder.store(builder.add(here, body.get(made)), all_packets)
        builder.ret(body.get(all_packets))

    # --- together ---

    def _write_regular(self) -> ir.Function:
        """(packet, bytes) -> whether Linux, splitting a GSO packet, would make it exactly as it is: but for the
        identification where that has no meaning, and for a checksum where there is none."""
        body = Routine(self.module, "regular", BIT, POINTER, WORD)
        builder = body.builder
        packet, size = body.function.args
        no = body.block("no")

        def insist(condition: ir.Value) -> None:
            onward = body.block("fine")
            builder.cbranch(condition, onward, no)
            builder.position_at_end(onward)

        def insist_equal(value: ir.Value, other: ir.Value) -> None:
            insist(builder.icmp_unsigned("==", value, other))

        insist(builder.icmp_unsigned(">", size, word(PAYLOAD)))
        insist_equal(body.big(body.at(packet, IP - 2), 3), word(0x080045))
        insist_equal(body.big(body.at(packet, IP + 6), 2), word(NO_FRAGMENT))
        insist_equal(body.big(body.at(packet, IP + 9), 1), word(17))
        insist_equal(body.big(body.at(packet, IP + 2), 2), builder.sub(size, word(IP)))
        udp_bytes = builder.sub(size, word(UDP))
        insist_equal(body.big(body.at(packet, UDP + 4), 2), udp_bytes)
        insist_equal(self._inverted(body, builder.call(self._sum, [body.at(packet, IP), word(20)])), word(0))
        none = builder.icmp_unsigned("==", body.little(body.at(packet, UDP + 6), 2), word(0))
        with body.when(none, likely=True):
            builder.ret(integer(1, 1))
        pseudo = builder.add(self._pseudo(body, packet), body.swapped(udp_bytes))
        total = builder.add(pseudo, builder.call(self._sum, [body.at(packet, UDP), udp_bytes]))
        builder.ret(builder.icmp_unsigned("==", self._inverted(body, total), word(0)))
        builder.position_at_end(no)
        builder.ret(integer(1, 0))
        return body.function

    def _pseudo(self, body: Routine, packet: ir.Value) -> ir.Value:
        """The sum of the pseudo header, but for the length."""
        addresses = body.builder.call(self._sum, [body.at(packet, IP + 12), word(8)])
        return body.builder.add(addresses, word(17 << 8))

    def _write_head(self) -> ir.Function:
        """(first segment, bytes of all payloads, of one, head) -> nothing of interest. Writes a GSO packet's head: the
        virtio_net_hdr and its headers."""
        body = Routine(self.module, "head", WORD, POINTER, WORD, WORD, POINTER)
        builder = body.builder
        packet, payloads, payload, head = body.function.args
        says = {
            "flags": word(NEEDS_CHECKSUM),
            "kind": word(GSO_UDP),
            "headers": word(PAYLOAD),
            "size": payload,
            "summed": word(UDP),
            "checksum": word(6),
        }
        for name, value in says.items():
            kind, at = VNET_HEADER.fields[name][:2]  # type: ignore[index]
            body.put_little(value, body.at(head, at), kind.itemsize)
        large = body.at(head, VNET_HEADER.itemsize)
        body.copy(large, packet, PAYLOAD)
        self._set_lengths(body, large, payloads)
        length = body.swapped(builder.add(payloads, word(PAYLOAD - UDP)))
        pseudo = builder.call(self._folded, [builder.add(self._pseudo(body, large), length)])
        body.put_little(pseudo, body.at(large, UDP + 6), 2)
        builder.ret(word(0))
        return body.function

    def _write_depart(self) -> None:
        kinds = (*[POINTER] * 4, *[WORD] * 3, *[POINTER] * 4)
        body = Routine(self.module, "depart", WORD, *kinds, public=True)
        builder = body.builder
        data, starts, lengths, ports, count, chosen, joining, heads, vectors, messages, packets = body.function.args
        made, used = body.variable(WORD, word(0)), body.variable(WORD, word(0))
        # Of the last message: may it grow, its first packet, its packets, and the bytes of their payloads.
        open_, large = body.variable(BIT, integer(1, 0)), body.variable(POINTER, data)
        inside, payload, payloads = (body.variable(WORD, word(0)) for _ in range(3))
        wanted = builder.icmp_unsigned("!=", joining, word(0))

        def put_vector(number: ir.Value, base: ir.Value, size: ir.Value) -> None:
            vector = body.at(vectors, builder.mul(number, word(IOVEC.itemsize)))
            body.put_little(body.address(base), vector, 8)
            body.put_little(size, body.at(vector, 8), 8)

        def put_counts(number: ir.Value, of_vectors: ir.Value) -> None:
            message = body.at(messages, builder.mul(number, word(MESSAGE.itemsize)))
            body.put_little(of_vectors, body.at(message, _offset(MESSAGE, "vector_count")), 8)
            body.put_little(body.get(inside), body.at(packets, builder.shl(number, word(2))), 4)

        with body.each(count) as number:
            port = body.little(body.at(ports, builder.shl(number, word(2))), 4)
            with body.when(builder.icmp_unsigned("==", port, chosen)):
                packet = body.at(data, body.little(body.at(starts, builder.shl(number, word(3))), 8))
                size = body.little(body.at(lengths, builder.shl(number, word(2))), 4)
                own = builder.sub(size, word(PAYLOAD))
                regular = body.variable(BIT)
                builder.store(integer(1, 0), regular)
                with body.when(wanted):
                    builder.store(builder.call(self._regular, [packet, size]), regular)
                joins = body.variable(BIT)
                builder.store(integer(1, 0), joins)
                longer = builder.add(body.get(payloads), own)
                with body.when(body.all_of(body.get(regular), body.get(open_))):
                    first = body.get(large)
                    fits = body.all_of(
                        builder.icmp_unsigned("<", body.get(inside), word(MAX_SEGMENTS_OUT)),
                        builder.icmp_unsigned("<=", own, body.get(payload)),
                        builder.icmp_unsigned("<=", longer, word(MAX_IP_BYTES - (PAYLOAD - IP))),
                        body.same(first, packet, 0, IP + 2),
                        body.same(first, packet, IP + 8, 1),
                        body.same(first, packet, IP + 12, 12),
                    )
                    builder.store(fits, joins)
                with builder.if_else(body.get(joins)) as (joined, alone):
                    with joined:
                        message = builder.sub(body.get(made), word(1))
                        head = body.at(heads, builder.mul(message, word(HEAD_BYTES)))
                        builder.call(self._head, [body.get(large), longer, body.get(payload), head])
                        begin = builder.sub(builder.sub(body.get(used), body.get(inside)), word(1))
                        put_vector(begin, head, word(HEAD_BYTES))
                        put_vector(builder.add(begin, word(1)), body.at(body.get(large), PAYLOAD), body.get(payload))
                        put_vector(body.get(used), body.at(packet, PAYLOAD), own)
                        builder.store(builder.add(body.get(used), word(1)), used)
                        builder.store(builder.add(body.get(inside), word(1)), inside)
                        builder.store(longer, payloads)
                        builder.store(builder.icmp_unsigned("==", own, body.get(payload)), open_)
                        put_counts(message, builder.add(body.get(inside), word(1)))
                    with alone:
                        message = body.get(made)
                        head = body.at(heads, builder.mul(message, word(HEAD_BYTES)))
                        body.clear(head, VNET_HEADER.itemsize)
                        begin = body.get(used)
                        put_vector(begin, head, word(VNET_HEADER.itemsize))
                        put_vector(builder.add(begin, word(1)), packet, size)
                        where = body.at(vectors, builder.mul(begin, word(IOVEC.itemsize)))
                        place = body.at(messages, builder.mul(message, word(MESSAGE.itemsize)))
                        body.put_little(body.address(where), body.at(place, _offset(MESSAGE, "vectors")), 8)
                        builder.store(builder.add(begin, word(2)), used)
                        builder.store(word(1), inside)
                        builder.store(packet, large)
                        builder.store(own, payload)
                        builder.store(own, payloads)
                        builder.store(body.get(regular), open_)
                        put_counts(message, word(2))
                        builder.store(builder.add(message, word(1)), made)
        builder.ret(body.get(made))


def _offset(dtype: np.dtype[np.void], name: str) -> int:
    """Of a field of a structure."""
    assert dtype.fields is not None
    return dtype.fields[name][1]
