"""Writes the native code of the fast path: waits for packets and carries them from ports to ports (fast_path.py)."""

from __future__ import annotations

import errno
import select
import socket
import time

from llvmlite import ir

from dropzero.linux.abi import MESSAGE
from dropzero.softswitch.compiler.forwarding import least
from dropzero.softswitch.native.emission import INT, POINTER, WORD, integer, word
from dropzero.softswitch.ports.fast_path_words import POLL, SEND_EVERY, SPIN_NS, Outcome, Word
from dropzero.softswitch.ports.gso import GSO_UDP, VNET_HEADER
from dropzero.softswitch.ports.gso_code import GsoCode, Routine
from dropzero.softswitch.ports.ports import SENT
from dropzero.softswitch.state.layout import Context


class FastPathCode:
    """The function `fast_path`, in the module of the GSO functions."""

    def __init__(self, gso: GsoCode) -> None:
        self._module = gso.module
        self._body = Routine(self._module, "fast_path", WORD, POINTER, public=True)
        self._write()

    def __str__(self) -> str:
        return str(self._module)

    # --- words ---

    def _get(self, name: Word) -> ir.Value:
        return self._body.load(self._body.at(self._body.function.args[0], 8 * name), 8)

    def _address(self, name: Word, offset: ir.Value | int = 0) -> ir.Value:
        return self._body.at(self._body.builder.inttoptr(self._get(name), POINTER), offset)

    def _set(self, name: Word, value: ir.Value) -> None:
        self._body.store(value, self._body.at(self._body.function.args[0], 8 * name), 8)

    def _return(self, outcome: Outcome) -> None:
        self._body.builder.ret(word(outcome))

    # --- what is outside ---

    def _outside(self, name: str, result: ir.Type, *arguments: ir.Type) -> ir.Function:
        return self._body.declared(name, ir.FunctionType(result, arguments))

    def _now(self) -> ir.Value:
        """Nanoseconds of time.monotonic_ns()."""
        body = self._body
        clock = self._outside("clock_gettime", INT, INT, POINTER)
        body.builder.call(clock, [integer(32, time.CLOCK_MONOTONIC), self._time])
        seconds = body.builder.mul(body.load(self._time, 8), word(10**9))
        return body.builder.add(seconds, body.load(body.at(self._time, 8), 8))

    def _polled(self, number: ir.Value, field: str) -> ir.Value:
        kind, at = POLL.fields[field][:2]  # type: ignore[index]
        place = self._address(Word.POLLED, self._body.builder.mul(number, word(POLL.itemsize)))
        return self._body.load(self._body.at(place, at), kind.itemsize)

    # --- the parts ---

    def _write(self) -> None:
        body, builder = self._body, self._body.builder
        self._time = body.room(16)
        self._first = body.variable(WORD)
        self._filled = body.variable(WORD)
        self._odd = body.variable(WORD)
        again = body.block("again")
        builder.branch(again)
        builder.position_at_end(again)
        with body.when(builder.icmp_unsigned("!=", self._get(Word.ERROR), word(0))):
            self._return(Outcome.CALLED)
        ports = self._get(Word.PORTS)
        count = self._poll(builder.add(ports, word(2)))
        # Behind the ports there are the wakeup pipe and the timer.
        others = [self._polled(builder.add(ports, word(each)), "found") for each in (0, 1)]
        called = builder.icmp_unsigned("!=", builder.or_(*others), integer(16, 0))
        with body.when(builder.or_(called, builder.icmp_signed("<=", count, integer(32, 0)))):
            self._return(Outcome.CALLED)
        self._receive(ports, body.resized(count, 64))
        # There may be an error at a port.
        with body.when(builder.icmp_unsigned("==", body.get(self._filled), word(0))):
            self._return(Outcome.CALLED)
        made = self._arrive()
        time_now = self._now()
        self._set(Word.TIME, time_now)
        # Results leave while others are made, and are in the caches when they do.
        with body.each(builder.udiv(builder.add(made, word(SEND_EVERY - 1)), word(SEND_EVERY))) as piece:
            begun = builder.mul(piece, word(SEND_EVERY))
            departed = self._process(begun, least(body, word(SEND_EVERY), builder.sub(made, begun)), time_now)
            self._depart(ports, departed)
        builder.branch(again)

    def _polled_now(self, count: ir.Value, timeout: ir.Value) -> ir.Value:
        """How many of the first ones that are polled have something, perhaps before so many milliseconds are over."""
        poll = self._outside("poll", INT, POINTER, WORD, INT)
        return self._body.builder.call(poll, [self._address(Word.POLLED), count, timeout])

    def _poll(self, polled: ir.Value) -> ir.Value:
        """How many of those that are polled have something: now, after a little while, or after a sleep."""
        body, builder = self._body, self._body.builder
        found = body.variable(INT)
        builder.call(self._outside("sched_yield", INT), [])
        builder.store(self._polled_now(polled, integer(32, 0)), found)
        loop, end = body.block("patient"), body.block("polled")
        nothing = builder.icmp_unsigned("==", body.get(found), integer(32, 0))
        until = builder.add(self._now(), self._get(Word.SPIN))
        builder.cbranch(nothing, loop, end)
        builder.position_at_end(loop)
        builder.call(self._outside("sched_yield", INT), [])
        builder.store(self._polled_now(polled, integer(32, 0)), found)
        nothing = builder.icmp_unsigned("==", body.get(found), integer(32, 0))
        half = builder.lshr(self._get(Word.SPIN), word(1))
        early = builder.icmp_unsigned("<", self._now(), until)
        onward = body.block("on")
        builder.cbranch(builder.and_(nothing, early), loop, onward)
        builder.position_at_end(onward)
        self._set(Word.SPIN, builder.select(nothing, half, word(SPIN_NS)))
        with body.when(nothing):
            builder.store(self._polled_now(polled, integer(32, -1)), found)
        builder.branch(end)
        builder.position_at_end(end)
        return body.get(found)

    def _receive(self, ports: ir.Value, ready: ir.Value) -> None:
        """Fills the slots: each port that has something gets an equal share of them."""
        body, builder = self._body, self._body.builder
        receive = self._outside("recvmmsg", INT, INT, POINTER, INT, INT, POINTER)
        share = builder.udiv(self._get(Word.SLOTS), ready)
        share = builder.select(builder.icmp_unsigned("==", share, word(0)), word(1), share)
        builder.store(word(0), self._filled)
        with body.each(ports) as number:
            filled = body.get(self._filled)
            left = builder.sub(self._get(Word.SLOTS), filled)
            room = builder.select(builder.icmp_unsigned("<", left, share), left, share)
            # To receive from a port with an error would take the error away, which somebody else looks into.
            here = builder.icmp_unsigned("==", self._polled(number, "found"), integer(16, select.POLLIN))
            with body.when(body.all_of(here, builder.icmp_unsigned("!=", room, word(0)))):
                messages = self._address(Word.RECEIVED, builder.mul(filled, word(MESSAGE.itemsize)))
                nothing = ir.Constant(POINTER, None)
                wait_not = integer(32, socket.MSG_DONTWAIT)
                descriptor = self._polled(number, "descriptor")
                got = builder.call(receive, [descriptor, messages, body.resized(room, 32), wait_not, nothing])
                with body.when(builder.icmp_signed(">", got, integer(32, 0))):
                    got = body.resized(got, 64)
                    origin = self._number(number)
                    with body.each(got) as slot:
                        at = builder.shl(builder.add(filled, slot), word(2))
                        body.put_little(origin, self._address(Word.ORIGINS, at), 4)
                    builder.store(builder.add(filled, got), self._filled)

    def _number(self, number: ir.Value) -> ir.Value:
        """Of that port."""
        return self._body.little(self._address(Word.NUMBERS, self._body.builder.shl(number, word(2))), 4)

    def _arrive(self) -> ir.Value:
        """Splits GSO packets. Returns from the function where Python has to look at a message."""
        body, builder = self._body, self._body.builder
        filled = body.get(self._filled)
        self._set(Word.FILLED, filled)
        came = (Word.OFFLOADS, Word.AUXILIARIES, Word.RECEIVED, Word.ORIGINS)
        parts = (Word.STARTS, Word.LENGTHS, Word.ARRIVED_PORTS, Word.PACKETS)
        places = [self._address(each) for each in (*came, *parts)]
        arrive = self._module.get_global("arrive")
        made = builder.call(arrive, [self._address(Word.MEMORY), filled, self._get(Word.SLOT), *places])
        self._set(Word.MADE, made)
        builder.store(word(0), self._odd)
        alone = builder.icmp_unsigned("==", self._get(Word.JOINING), word(0))
        with body.each(filled) as number:
            packets = body.little(self._address(Word.PACKETS, builder.shl(number, word(2))), 4)
            offload = self._address(Word.OFFLOADS, builder.mul(number, word(VNET_HEADER.itemsize)))
            kind = body.little(body.at(offload, VNET_HEADER.fields["kind"][1]), 1)  # type: ignore[index]
            unannounced = builder.and_(alone, builder.icmp_unsigned("==", kind, word(GSO_UDP)))
            with body.when(builder.or_(unannounced, builder.icmp_unsigned("==", packets, word(0)))):
                builder.store(word(1), self._odd)
        with body.when(builder.icmp_unsigned("!=", body.get(self._odd), word(0))):
            self._return(Outcome.ARRIVED)
        return made

    def _process(self, begun: ir.Value, count: ir.Value, now: ir.Value) -> ir.Value:
        """Runs the program on so many packets from one on. Returns from it all unless each of them has gone through and
        none is for anybody else."""
        body, builder = self._body, self._body.builder
        places = [self._address(each) for each in (Word.CONTEXT, Word.VECTOR, Word.ASIDE, Word.MEMORY)]
        places.append(self._address(Word.STARTS, builder.shl(begun, word(3))))
        places += [self._address(each, builder.shl(begun, word(2))) for each in (Word.LENGTHS, Word.ARRIVED_PORTS)]
        outputs = (Word.OUT_DATA, Word.OUT_STARTS, Word.OUT_LENGTHS, Word.OUT_PORTS)
        places += [self._address(each) for each in outputs]
        microseconds = builder.udiv(builder.sub(now, self._get(Word.BEGIN)), word(1000))
        kind = ir.FunctionType(WORD, [*[POINTER] * len(places), *[WORD] * 4])
        process = builder.inttoptr(self._get(Word.PROCESS), kind.as_pointer())
        rooms = self._get(Word.OUT_SIZE), self._get(Word.OUT_COUNT)
        taken = builder.call(process, [*places, count, microseconds, *rooms])
        self._set(Word.TAKEN, builder.add(begun, taken))
        departed = self._context(Context.departed)
        left = builder.or_(self._context(Context.waiting_count), self._context(Context.reports_end))
        builder.store(builder.or_(left, builder.xor(taken, count)), self._odd)
        with body.each(departed) as number:
            at = builder.shl(number, word(2))
            queued = builder.lshr(body.little(self._address(Word.OUT_LENGTHS, at), 4), word(31))
            port = body.little(self._address(Word.OUT_PORTS, at), 4)
            up = body.resized(builder.icmp_unsigned("==", port, self._get(Word.CPU_PORT)), 64)
            builder.store(builder.or_(body.get(self._odd), builder.or_(queued, up)), self._odd)
        with body.when(builder.icmp_unsigned("!=", body.get(self._odd), word(0))):
            self._return(Outcome.PROCESSED)
        return departed

    def _context(self, at: int) -> ir.Value:
        return self._body.load(self._address(Word.CONTEXT, 8 * at), 8)

    def _depart(self, ports: ir.Value, departed: ir.Value) -> None:
        """Joins packets to GSO packets and sends them, so many at a time."""
        body, builder = self._body, self._body.builder
        some = builder.udiv(builder.add(departed, word(SENT - 1)), word(SENT))
        with body.each(some) as part:
            before = builder.mul(part, word(SENT))
            left = builder.sub(departed, before)
            count = builder.select(builder.icmp_unsigned("<", left, word(SENT)), left, word(SENT))
            starts = self._address(Word.OUT_STARTS, builder.shl(before, word(3)))
            others = [self._address(each, builder.shl(before, word(2))) for each in (Word.OUT_LENGTHS, Word.OUT_PORTS)]
            with body.each(ports) as number:
                chosen = self._number(number)
                scratch = [self._address(each) for each in (Word.HEADS, Word.CONTENT, Word.SENT, Word.PACKETS)]
                packets = [self._address(Word.OUT_DATA), starts, *others, count, chosen, self._get(Word.JOINING)]
                made = builder.call(self._module.get_global("depart"), [*packets, *scratch])
                self._send(number, made)

    def _send(self, number: ir.Value, made: ir.Value) -> None:
        body, builder = self._body, self._body.builder
        send = self._outside("sendmmsg", INT, INT, POINTER, INT, INT)
        where = self._outside("__errno_location", POINTER)
        loop, inside, end = (body.block(name) for name in ("sending", "send", "sent"))
        builder.store(word(0), self._first)
        builder.branch(loop)
        builder.position_at_end(loop)
        first = body.get(self._first)
        builder.cbranch(builder.icmp_unsigned("<", first, made), inside, end)
        builder.position_at_end(inside)
        messages = self._address(Word.SENT, builder.mul(first, word(MESSAGE.itemsize)))
        left = builder.sub(made, first)
        wait_not = integer(32, socket.MSG_DONTWAIT)
        gone = builder.call(send, [self._polled(number, "descriptor"), messages, body.resized(left, 32), wait_not])
        refused = builder.icmp_signed("<", gone, integer(32, 0))
        builder.store(builder.add(first, body.resized(gone, 64, signed=True)), self._first)
        with body.when(refused, likely=False):
            error = body.resized(body.load(builder.call(where, []), 4), 64)

            def is_error(*numbers: int) -> ir.Value:
                tests = [builder.icmp_unsigned("==", error, word(each)) for each in numbers]
                return tests[0] if len(tests) == 1 else builder.or_(*tests)

            # A full queue and a packet that is too long concern one message, anything else the interface.
            lost = builder.select(is_error(errno.ENOBUFS, errno.EMSGSIZE), word(1), left)
            lost = builder.select(is_error(errno.EINTR), word(0), lost)
            dropped = self._address(Word.DROPPED, builder.shl(number, word(3)))
            with body.each(lost) as message:
                packets = body.little(self._address(Word.PACKETS, builder.shl(builder.add(first, message), word(2))), 4)
                body.put_little(builder.add(body.little(dropped, 8), packets), dropped, 8)
                self._set(Word.ERROR, error)
            builder.store(builder.add(first, lost), self._first)
        builder.branch(loop)
        builder.position_at_end(end)
