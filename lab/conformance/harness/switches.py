"""Runs switch processes and drives them over gRPC: packets by BMv2's DataplaneInterface, tables by P4Runtime."""

from __future__ import annotations

import queue
import resource
import socket
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from threading import Thread
from typing import Any

import grpc

from dropzero.softswitch.ports import dataplane_pb2
from dropzero.softswitch.thrift.wire import CALL, Value, message, read_message
from dropzero.topologies.processes.errors import RunError
from dropzero.topologies.processes.process import Process, stop, until

START_SECONDS = 60.0
ANSWER_SECONDS = 10.0
EXTRA_SECONDS = 0.1
TRIES, TRY_SECONDS = 20, 0.2
"""Attempts to open a packet stream, and seconds of each."""
EMBEDDED = (sys.executable, "-m", "dropzero.softswitch")
"""The command of the embedded switch."""


class SwitchEnded(RuntimeError):
    """A switch did not start, or has ended. The message has the end of its log."""


def free_port() -> int:
    """Return a free TCP port of the loopback."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def wait_until(condition: Callable[[], bool], seconds: float) -> bool:
    """Wait until the condition holds. Returns False if it does not within `seconds`."""
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.01)
    return True


class Duplex:
    """Messages to a switch and from it, open until close()."""

    def __init__(self, method: Any) -> None:
        """method: of a gRPC stub, which streams in both directions."""
        self._requests: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self._responses: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self._call = method(iter(self._requests.get, None))
        self._call.add_callback(lambda: self._requests.put(None))
        self.ended = ""
        """Why the switch ended the stream; empty while it is open."""
        Thread(target=self._read, daemon=True).start()

    def put(self, request: Any) -> None:
        self._requests.put(request)

    def take(self, count: int, extra_seconds: float = EXTRA_SECONDS, late_seconds: float = ANSWER_SECONDS) -> list[Any]:
        """Return `count` messages and all that follow within `extra_seconds`; fewer if none arrives within
        `late_seconds`."""
        found: list[Any] = []
        with suppress(queue.Empty):
            while len(found) < count:
                found.append(self._responses.get(timeout=late_seconds))
            deadline = time.monotonic() + extra_seconds
            while (left := deadline - time.monotonic()) > 0:
                found.append(self._responses.get(timeout=left))
        return found

    def close(self) -> None:
        self._requests.put(None)
        self._call.cancel()

    def _read(self) -> None:
        try:
            for response in self._call:
                self._responses.put(response)
            self.ended = "the switch ended the stream"
        except grpc.RpcError as error:
            self.ended = f"{error.code().name}: {error.details()}"


class PacketStream(Duplex):
    """A PacketStream of the DataplaneInterface."""

    def __init__(self, channel: grpc.Channel, device: int = 0) -> None:
        """device: the switch's device id."""
        super().__init__(_method(channel))
        self._device, self._sent = device, 0

    def send(self, port: int, content: bytes) -> None:
        self._sent += 1
        self.put(_request(self._sent, port, content, self._device))

    def receive(self, count: int, *seconds: float) -> list[tuple[int, bytes]]:
        """Return `count` packets, and all that follow; see `take`."""
        return [(response.port, response.packet) for response in self.take(count, *seconds)]


@dataclass(frozen=True)
class Switch:
    """A switch process.

    Attributes:
        dataplane: the channel of its packets, if it has no interfaces.
        control: the channel of its P4Runtime server, which is at `address`.
        thrift: the port of its Thrift server.
    """

    process: Process
    dataplane: grpc.Channel
    control: grpc.Channel
    address: str
    thrift: int

    def exchange(self, packets: Sequence[tuple[int, bytes]]) -> tuple[list[tuple[int, bytes]], int | None]:
        """Send packets to a switch that ends the stream after their output, as the embedded switch does.

        Returns:
            The output packets with their ports, and the index of the last input packet that had any, or None.
        """
        responses = list(exchanged(self.dataplane, packets))
        last = max((response.id for response in responses), default=0)
        return [(response.port, response.packet) for response in responses], last - 1 if last else None

    def call(self, method: str, arguments: Mapping[int, Value]) -> dict[int, Any]:
        """Call "service:method" over Thrift. Returns the answer's fields. Raises OSError, Malformed."""
        with socket.create_connection(("127.0.0.1", self.thrift), ANSWER_SECONDS) as connection:
            connection.sendall(message(CALL, method.encode(), 1, arguments))
            with connection.makefile("rb") as answer:
                return read_message(answer).fields

    def ended(self) -> SwitchEnded:
        return SwitchEnded(self.process.failure_report())


@contextmanager
def running(
    command: Sequence[str],
    log: Path,
    json: Path | None = None,
    interfaces: Sequence[str] = (),
    target: Sequence[str] = (),
) -> Iterator[Switch]:
    """Run a switch with that program or none, and with these interfaces at its ports from 1 on. Without them, its
    packets come over gRPC. target: BMv2's options of a target. Raises SwitchEnded if it does not start."""
    thrift, dataplane, p4runtime = (free_port() for _ in range(3))
    arguments = [*command, "--thrift-port", str(thrift), str(json) if json else "--no-p4"]
    for port, name in enumerate(interfaces, 1):
        arguments += ["-i", f"{port}@{name}"]
    arguments += ["--", *target, "--grpc-server-addr", f"127.0.0.1:{p4runtime}"]
    if not interfaces:
        arguments += ["--dp-grpc-server-addr", f"127.0.0.1:{dataplane}"]
    process = Process(Path(command[0]).name, arguments, log)
    try:
        with (
            grpc.insecure_channel(f"127.0.0.1:{dataplane}") as packets,
            grpc.insecure_channel(f"127.0.0.1:{p4runtime}") as control,
        ):
            channels = [control] if interfaces else [packets, control]
            ready = [grpc.channel_ready_future(channel) for channel in channels]
            try:
                until(lambda: all(each.done() for each in ready), process, START_SECONDS, "it does not answer")
            except RunError as error:
                raise SwitchEnded(str(error)) from None
            finally:
                for each in ready:
                    each.cancel()
            yield Switch(process, packets, control, f"127.0.0.1:{p4runtime}", thrift)
    finally:
        stop([process])


class Restarted(ExitStack):
    """A switch that is started when needed, and restarted after close(). A context manager that ends it."""

    def __init__(self, command: Sequence[str], log: Path, target: Sequence[str] = ()) -> None:
        """target: BMv2's options of a target."""
        super().__init__()
        self._start = partial(running, command, log, target=target)
        self._switch: Switch | None = None
        self._stream: PacketStream | None = None

    @property
    def switch(self) -> Switch:
        if self._switch is None:
            self._switch = self.enter_context(self._start())
        return self._switch

    @property
    def stream(self) -> PacketStream:
        """A stream that stays open while the switch runs. BMv2 is not ready for one right after its first program."""
        if self._stream is None:
            for _ in range(TRIES):
                self._stream = PacketStream(self.switch.dataplane)
                if not wait_until(lambda: bool(self._stream and self._stream.ended), TRY_SECONDS):
                    break
            assert self._stream is not None
            self.callback(self._stream.close)
        return self._stream

    def close(self) -> None:
        super().close()
        self._switch = self._stream = None


def exchanged(channel: grpc.Channel, packets: Sequence[tuple[int, bytes]]) -> Iterable[Any]:
    """Send packets, numbered from 1 on, in a stream that ends after them. Returns what the switch answers."""
    requests = [_request(number, port, content) for number, (port, content) in enumerate(packets, 1)]
    answers: Iterable[Any] = _method(channel)(iter(requests), timeout=START_SECONDS)
    return answers


def _method(channel: grpc.Channel) -> Any:
    return channel.stream_stream(
        "/p4.bm.DataplaneInterface/PacketStream",
        request_serializer=dataplane_pb2.PacketStreamRequest.SerializeToString,
        response_deserializer=dataplane_pb2.PacketStreamResponse.FromString,
    )


def _request(number: int, port: int, content: bytes, device: int = 0) -> Any:
    return dataplane_pb2.PacketStreamRequest(id=number, device_id=device, port=port, packet=content)


def resident(pid: int) -> int:
    """Return the resident memory of a process, bytes."""
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * resource.getpagesize()
