"""Any request from outsiders to the controller's services is answered, and a running job is not disturbed.

DROPZERO_FUZZ=100000 sends that many requests, instead of 3000.
"""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from threading import Event, Timer
from typing import Any

import grpc
import numpy as np
import pytest

import dropzero
from dropzero.membership import membership_pb2 as pb
from dropzero.membership.access import operator_address
from dropzero.membership.client import Membership
from tests.support.loopback import HOST, SWITCHES, TOPOLOGY, running

REQUESTS = int(os.environ.get("DROPZERO_FUZZ", "3000"))
JOB = 1
"""The two workers that must not notice."""
THREADS = 4
SERVICES = [pb.DESCRIPTOR.services_by_name[name] for name in ("Membership", "Operator")]
HOSTILE: dict[str, list[Any]] = {
    "int": [0, 1, 2, 3, 31, 32, 33, 64, 1024, 1025, 4096, 65535, 65536, (1 << 31) - 1, 1 << 31, (1 << 32) - 1],
    "float": [0.0, -1.0, 1.5, 1e308, -1e308, float("nan"), float("inf"), -float("inf"), 5e-324],
    "str": [
        "",
        "0",
        HOST,
        "10.0.0.1",
        "::1",
        "secret",
        "\0",
        "../../etc",
        "%s%n",
        "é" * 99,
        "08:00:00:00:01:11",
        "x" * 10**6,
    ],
}
LIKELY: dict[str, list[Any]] = {
    "job": [JOB, 2, 3],
    "size": [1, 2],
    "rank": [0, 1],
    "ip": [HOST],
    "mac": [""],
    "udp_port": [40000, 50000],
    "lanes": [0, 1, 4],
    "elastic": [True],
    "quorum": [0, 1],
    "token": ["", "guess"],
    "epoch": [1, 2, 3],
    "calls": [0, 1, 100],
    "call": [0, 1, 100],
}
"""Likely values by field name: with random values alone, few requests would get far."""
CLEAR = {
    *(grpc.StatusCode.OK, grpc.StatusCode.INVALID_ARGUMENT, grpc.StatusCode.NOT_FOUND, grpc.StatusCode.ALREADY_EXISTS),
    *(grpc.StatusCode.FAILED_PRECONDITION, grpc.StatusCode.RESOURCE_EXHAUSTED, grpc.StatusCode.PERMISSION_DENIED),
    *(grpc.StatusCode.ABORTED, grpc.StatusCode.CANCELLED, grpc.StatusCode.DEADLINE_EXCEEDED),
}
"""The statuses of calls that the controller has understood."""


def filled(draw: random.Random, message: Any, likely: float) -> Any:
    """Fills a message with random values; each is a likely one with probability `likely`."""
    for field in message.DESCRIPTOR.fields:
        if draw.random() < 0.2 * (1 - likely):
            continue
        # protobuf 3.20 has no `is_repeated`, and the newest one no `label`.
        repeated, value = field.default_value == [], getattr(message, field.name)
        if field.message_type is not None:
            if not repeated:
                value.SetInParent()
                filled(draw, value, likely)
        elif repeated:
            value.extend(some(draw, field, likely) for _ in range(draw.choice([0, 1, 3, 1000])))
        else:
            setattr(message, field.name, some(draw, field, likely))
    return message


def some(draw: random.Random, field: Any, likely: float) -> Any:
    if field.name in LIKELY and draw.random() < likely and isinstance(field.default_value, type(LIKELY[field.name][0])):
        return draw.choice(LIKELY[field.name])
    if field.cpp_type == field.CPPTYPE_BOOL:
        return draw.random() < 0.5
    if field.cpp_type == field.CPPTYPE_STRING:
        return draw.choice(HOSTILE["str"][: None if draw.random() < 0.01 else -1])
    if field.cpp_type in (field.CPPTYPE_DOUBLE, field.CPPTYPE_FLOAT):
        return draw.choice(HOSTILE["float"])
    if field.cpp_type == field.CPPTYPE_ENUM:
        return draw.choice([0, 1, 2, 3, 99, (1 << 31) - 1])
    return draw.choice(HOSTILE["int"]) if draw.random() < 0.8 else draw.randrange(1 << 32)


def request(draw: random.Random, method: Any) -> bytes:
    """A request of a non-member, or of a clumsy operator that does not harm the job."""
    message = filled(draw, getattr(pb, method.input_type.name)(), draw.choice([0.0, 0.5, 0.99]))
    content: bytes = message.SerializeToString()
    kind = draw.random()
    if kind < 0.1:
        content = draw.randbytes(draw.choice([0, 1, 7, 300]))
    elif kind < 0.3 and content:
        at = draw.randrange(len(content))
        content = content[:at] + draw.randbytes(draw.randrange(4)) + content[at + draw.randrange(3) :]
    return b"" if method.containing_service.name == "Operator" and harms(type(message), content) else content


def harms(kind: Any, content: bytes) -> bool:
    """Whether an operator's request would affect the job."""
    if not understood(kind, content):
        return False
    message = kind.FromString(content)
    if kind is pb.LossRequest:
        return bool(0 <= message.uplink <= 1 and 0 <= message.downlink <= 1)
    if kind is pb.AddressRequest:
        return bool(message.ip.count(".") == 3)
    return bool(getattr(message, "job", None) == JOB)


def understood(kind: Any, content: bytes) -> bool:
    try:
        kind.FromString(content)
    except Exception:
        return False
    return True


def ask(channels: dict[str, grpc.Channel], number: int) -> None:
    """Sends one request."""
    draw = random.Random(number)
    service = draw.choice(SERVICES)
    method = draw.choice([*service.methods, *(service.methods[0],) * 5])
    content = request(draw, method)
    path = f"/{service.full_name}/{method.name}"
    if draw.random() < 0.01:
        path += "x"
    channel = channels[service.name]
    try:
        if method.name in ("Join", "Resume", "Watch"):
            follow: grpc.UnaryStreamMultiCallable[bytes, bytes] = channel.unary_stream(path)
            stream = follow(content, timeout=20)
            if draw.random() < 0.3:
                stream.cancel()
            else:
                with channel_timer(stream):
                    next(stream, None)
        else:
            call: grpc.UnaryUnaryMultiCallable[bytes, bytes] = channel.unary_unary(path)
            call(content, timeout=20)
    except grpc.RpcError as error:
        clear = error.code() in CLEAR or not understood(getattr(pb, method.input_type.name), content)
        if not clear and not path.endswith("x"):
            pytest.fail(f"request {number}, {path}: {error.code()} {error.details()}")


@contextmanager
def channel_timer(stream: Any) -> Iterator[None]:
    """Gives up soon on a stream that may stay silent."""
    timer = Timer(0.02, stream.cancel)
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        stream.cancel()


def work(controller: str, rank: int, begun: Event, done: Event) -> int:
    """Makes sums until `done` is set. Returns their number."""
    with dropzero.connect(controller, JOB, 2, rank=rank, ip=HOST, token="secret") as network:
        for call in range(10**9):
            mine = np.full(100, call + rank, np.int32)
            mine[0] = rank == 0 and done.is_set()
            total = network.all_reduce(mine)
            assert (total[1:] == 2 * call + 1).all()
            assert network.contributors == (0, 1)
            begun.set()
            if total[0]:
                return call
    raise AssertionError


def test_no_request_stops_the_controller_or_disturbs_another_job(tmp_path: Path) -> None:
    address = next(SWITCHES)
    topology, switch, listen = tmp_path / "topology.json", f"unix:{tmp_path}/a.sock", f"unix:{tmp_path}/c.sock"
    topology.write_text(json.dumps(TOPOLOGY))
    command = [sys.executable, "-m", "dropzero", "controller", "serve", "--topology", str(topology), "--listen", listen]
    log = tmp_path / "controller.log"
    with (
        running("aggregator", address, "--listen", switch),
        log.open("w") as output,
        subprocess.Popen(
            [*command, "--switch", switch, "--switch-ip", address], stdout=output, stderr=subprocess.STDOUT
        ) as process,
    ):
        try:
            Membership(listen, timeout=60).close()
            begun, done = Event(), Event()
            with ThreadPoolExecutor(2 + THREADS) as threads:
                workers = [threads.submit(work, listen, rank, begun, done) for rank in range(2)]
                try:
                    while not begun.wait(0.1) and not any(each.done() for each in workers):
                        pass
                    fuzz(listen, threads)
                    still = not any(each.done() for each in workers)
                finally:
                    done.set()
                assert min(each.result() for each in workers) > 3
                assert still
            assert process.poll() is None
            with Membership(listen) as member:
                assert member.join(job=7, size=1, lanes=1, ip=HOST, udp_port=50000).rank == 0
        finally:
            process.kill()
    # Ignore gRPC's own messages about clients that hang up.
    assert "/controller/" not in log.read_text()


def fuzz(listen: str, threads: ThreadPoolExecutor) -> None:
    addresses = {"Membership": listen, "Operator": operator_address(listen)}
    channels = {name: grpc.insecure_channel(at) for name, at in addresses.items()}

    def some_of_them(first: int) -> None:
        for number in range(first, REQUESTS, THREADS):
            ask(channels, number)

    try:
        for each in [threads.submit(some_of_them, first) for first in range(THREADS)]:
            each.result()
    finally:
        for channel in channels.values():
            channel.close()
