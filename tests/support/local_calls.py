"""gRPC without connections: calls a membership service's methods from threads in virtual time."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from typing import Any, NoReturn

import grpc

from dropzero.controller.rpc.membership_service import MembershipService
from dropzero.membership.membership_pb2 import DESCRIPTOR
from tests.support.virtual_time import Condition, Loop

Delay = Callable[[], float]
"""Returns how long the next message takes (seconds)."""


class Failure(grpc.RpcError):
    """The error of a failed call."""

    def __init__(self, status: grpc.StatusCode, text: str) -> None:
        super().__init__(text)
        self._status, self._text = status, text

    def code(self) -> grpc.StatusCode:
        return self._status

    def details(self) -> str:
        return self._text


class _Context:
    async def abort(self, status: grpc.StatusCode, text: str) -> NoReturn:
        raise Failure(status, text)


_AWAY = Failure(grpc.StatusCode.UNAVAILABLE, "the controller is away")


class Channel:
    """A worker's connection. `service`: returns the service that it presently reaches, or None."""

    def __init__(self, loop: Loop, service: Callable[[], MembershipService | None], delay: Delay) -> None:
        self.loop, self.delay = loop, delay
        self._service = service
        self._streams: list[Stream] = []
        self._requests: set[asyncio.Task[Any]] = set()

    def stream(self, name: str) -> Callable[..., Stream]:
        def call(request: Any, **_: Any) -> Stream:
            self._streams.append(Stream(self, name, request))
            return self._streams[-1]

        return call

    def reach(self, name: str, request: Any) -> Any:
        """Calls a method of the service."""
        service = self._service()
        if service is None:
            raise _AWAY
        return getattr(service, name)(request, _Context())

    async def answer(self, name: str, request: Any) -> Any:
        """The answer of a method with one answer, unless the connection breaks off before it arrives."""

        async def work() -> Any:
            answer = await self.reach(name, request)
            await asyncio.sleep(self.delay())
            return answer

        task = self.loop.create_task(work())
        self._requests.add(task)
        await asyncio.wait([task])
        self._requests.discard(task)
        if task.cancelled():
            raise _AWAY
        return task.result()

    def break_off(self, status: grpc.StatusCode, lossy: bool = False) -> None:
        """Breaks the connection; both ends of running calls learn of it sooner or later. lossy: answers that are on
        their way are lost."""
        for stream in self._streams:
            stream.break_off(status, lossy)
        self._streams.clear()
        for task in self._requests:
            task.cancel()


class Stream:
    """The answers to a call, in order."""

    def __init__(self, channel: Channel, name: str, request: Any) -> None:
        self._loop, self._delay = channel.loop, channel.delay
        self._on_the_way: deque[asyncio.TimerHandle] = deque()
        self._arrived: deque[Any] = deque()
        self._changed = Condition(channel.loop)
        self._latest = 0.0
        self._task = channel.loop.create_task(self._serve(channel, name, _copied(request)))

    def __iter__(self) -> Stream:
        return self

    def __next__(self) -> Any:
        self._changed.wait_for(lambda: bool(self._arrived))
        first = self._arrived[0]
        if isinstance(first, Exception):
            raise first
        return self._arrived.popleft()

    def add_done_callback(self, _: object) -> None:
        """Does nothing: who cancels a stream that is over does no harm."""

    def cancel(self) -> None:
        self.break_off(grpc.StatusCode.CANCELLED, lossy=False)

    def break_off(self, status: grpc.StatusCode, lossy: bool) -> None:
        if lossy:
            for timer in self._on_the_way:
                timer.cancel()
            self._on_the_way.clear()
        self._loop.call_later(self._delay(), self._task.cancel)
        self._send(Failure(status, "the connection was lost"))

    async def _serve(self, channel: Channel, name: str, request: Any) -> None:
        await asyncio.sleep(self._delay())
        try:
            async for answer in channel.reach(name, request):
                self._send(_copied(answer))
        except Failure as failure:
            self._send(failure)
        else:
            self._send(StopIteration())

    def _send(self, answer: Any) -> None:
        def arrive() -> None:
            self._on_the_way.popleft()
            self._arrived.append(answer)
            self._changed.notify_all()

        # At different times: asyncio does not keep the order of events at the same time.
        self._latest = max(self._latest + 1e-6, self._loop.time() + self._delay())
        self._on_the_way.append(self._loop.call_at(self._latest, arrive))


class Answer:
    """The answer to a call, which a thread can wait for."""

    def __init__(self, loop: Loop, task: asyncio.Task[Any]) -> None:
        self._task, self._answered = task, Condition(loop)
        # The caller may ignore a failure.
        task.add_done_callback(lambda done: done.cancelled() or done.exception())
        task.add_done_callback(lambda _: self._answered.notify_all())

    def result(self) -> Any:
        self._answered.wait_for(self._task.done)
        if self._task.cancelled():
            raise grpc.FutureCancelledError
        return self._task.result()

    def add_done_callback(self, callback: Callable[[Answer], object]) -> None:
        self._task.add_done_callback(lambda _: callback(self))

    def cancel(self) -> None:
        self._task.cancel()


class Method:
    """A call with one answer."""

    def __init__(self, channel: Channel, name: str) -> None:
        self._channel, self._name = channel, name

    def __call__(self, request: Any, **_: Any) -> Any:
        return self.future(request).result()

    def future(self, request: Any, **_: Any) -> Answer:
        return Answer(self._channel.loop, self._channel.loop.create_task(self._answer(_copied(request))))

    async def _answer(self, request: Any) -> Any:
        await asyncio.sleep(self._channel.delay())
        return _copied(await self._channel.answer(self._name, request))


class Stub:
    """Same interface as MembershipStub."""

    def __init__(self, channel: Channel) -> None:
        for method in DESCRIPTOR.services_by_name["Membership"].methods:
            streams = method.name in ("Join", "Resume")
            setattr(self, method.name, channel.stream(method.name) if streams else Method(channel, method.name))


def _copied(message: Any) -> Any:
    """Copies a message, because senders may still change theirs."""
    return type(message).FromString(message.SerializeToString())
