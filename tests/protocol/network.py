"""A network without sockets: workers' lanes and a switch, and a queue that loses, doubles and reorders at will."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from protocol.call import Call
from protocol.lanes import Lanes, Tensor
from protocol.packet import Packet
from protocol.slot import Slot
from protocol.wire import MAX_PAYLOAD, Fate

JOB, EPOCH = 3, 7

Switch = Callable[[int, bytes], list[tuple[int, bytes]]]
"""Given the sender and its payload: who gets which payload."""


def model(workers: int, lanes: int) -> Switch:
    """The reference model as a switch."""
    slots = [Slot(EPOCH, (1 << workers) - 1) for _ in range(lanes)]

    def switch(sender: int, payload: bytes) -> list[tuple[int, bytes]]:
        packet = Packet.decode(payload)
        fate, answers = slots[packet.lane].receive(packet)
        receivers = range(workers) if fate is Fate.COMPLETED else [sender]
        return [(receiver, replace(answer, worker=receiver).encode()) for receiver in receivers for answer in answers]

    return switch


def members(workers: int, lanes: int) -> list[Lanes]:
    return [Lanes(job=JOB, worker=i, workers=workers, epoch=EPOCH, lanes=lanes) for i in range(workers)]


def all_reduce(
    workers: list[Lanes],
    switch: Switch,
    tensors: list[Tensor],
    *,
    trouble: float = 0.0,
    seed: int = 0,
    **options: Any,
) -> list[Tensor]:
    """Everybody's result. Each message is lost, or delivered and kept for later, with probability `trouble` each; which
    of those under way arrives next is drawn anew each time. After 20,000 deliveries the network is a good one."""
    draw = random.Random(seed)
    now = 0.0
    under_way: list[tuple[bool, int, bytes]] = []

    def send(i: int) -> None:
        payloads, rows, lengths = workers[i].outgoing()
        under_way.extend((True, i, payloads[row, :length].tobytes()) for row, length in zip(rows, lengths, strict=True))

    results = [np.empty_like(tensor) for tensor in tensors]
    for i, worker in enumerate(workers):
        worker.begin(Call.of(tensors[i], **options), tensors[i], results[i], now)
        send(i)
    deliveries = 0
    while not all(worker.done for worker in workers):
        deliveries += 1
        assert deliveries < 100_000, "the network has been a good one for long, and still no end"
        if not under_way:
            now += 10.0
            for i, worker in enumerate(workers):
                if not worker.done:
                    worker.expire(now)
                    send(i)
            continue
        up, worker_id, payload = under_way.pop(draw.randrange(len(under_way)))
        if deliveries < 20_000:
            if draw.random() < trouble:
                continue
            if draw.random() < trouble:
                under_way.append((up, worker_id, payload))
        if up:
            under_way.extend((False, receiver, answer) for receiver, answer in switch(worker_id, payload))
        else:
            row = np.zeros((1, MAX_PAYLOAD), np.uint8)
            row[0, : len(payload)] = np.frombuffer(payload, np.uint8)
            workers[worker_id].receive(row, np.array([len(payload)], np.int32), now)
            send(worker_id)
    return results
