"""A run's samples as metrics, in Prometheus's text format. Needs prometheus_client."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import Metric
from prometheus_client.registry import Collector

from dropzero.json_schema import Object, checked, parsed
from dropzero.page.samples import read_from

NUMBER, COUNT = (int, float), (int, None)
HEADING = {
    "run": str,
    "title": str,
    "switch": str,
    "steps": int,
    "began": NUMBER,
    "hosts": {"": [int, int]},
    "links": [[str, str]],
}
SAMPLE = {
    "t": NUMBER,
    "links": [[COUNT, COUNT, COUNT, COUNT, COUNT]],
    "jobs": [[list]],
    "workers": [[[int, NUMBER, int, int]]],
    "gone": [str],
    "switches": {"": {}},
    "events": [[str, str]],
    "over": {},
}
# The page reads only the latest of the following.
STANDING = [int, (*NUMBER, None), (*NUMBER, None), int, int, int]
STANDINGS = [([*STANDING, str], STANDING)]
SWITCH = {"fates": {"": int}, "delivered": int, "lost": int, "slots": [[int] * 7]}
"""The form of samples.jsonl: see samples.py."""

Values = Iterable[tuple[dict[str, str], float | None]]
"""Labels, and a value; None: there is none."""


class Exposition(Collector):
    """The metrics of the run in a folder. Reads each sample once. Several threads may use it."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._offset = 0
        self._turn = threading.Lock()
        self._run: dict[str, Any] | None = None
        self._sample: dict[str, Any] | None = None
        self._jobs: dict[str, list[Any]] = {}
        """The last standing of each job, by its number."""
        self._switches: dict[str, dict[str, Any]] = {}
        """The last reading of each switch."""
        self._kills = 0
        self._over: dict[str, Any] | None = None
        self._registry = CollectorRegistry(auto_describe=False)
        self._registry.register(self)

    def text(self) -> bytes:
        """The metrics of this moment. Raises OSError or ValueError if the samples cannot be read."""
        with self._turn:
            while (found := read_from(self._folder, self._offset))[0]:
                lines, self._offset = found
                for line in lines.splitlines():
                    self._take(line)
            checked([*self._jobs.values()], STANDINGS)
            checked(self._switches, {"": SWITCH})
            return generate_latest(self._registry)

    def _take(self, content: bytes) -> None:
        if self._run is None:
            self._run = parsed(content, HEADING)
            return
        line = parsed(content, SAMPLE)
        if "over" in line:
            self._over = line["over"]
        else:
            self._sample = line
            self._jobs |= {str(job): standings[-1] for job, standings in enumerate(line["jobs"], 1) if standings}
            self._switches |= line["switches"]
            self._kills += sum(kind == "kill" for kind, _ in line["events"])

    def collect(self) -> Iterator[Metric]:
        """For the registry."""
        if self._run is None:
            return
        yield from self._of_run(self._run)
        if self._sample is not None:
            yield from self._of_jobs()
            yield from self._of_hosts(self._run, self._sample)
            yield from self._of_switches()

    def _of_run(self, run: dict[str, Any]) -> Iterator[Metric]:
        what = {name: str(run[name]) for name in ("run", "title", "switch")}
        yield _gauge("run_info", "What is run, and the kind of its switches.", [(what, 1)])
        yield _gauge("run_start_time_seconds", "When the run began, in seconds since 1970.", [({}, run["began"])])
        last = None if self._sample is None else run["began"] + self._sample["t"]
        yield _gauge("run_sample_time_seconds", "When the last sample was taken, in seconds since 1970.", [({}, last)])
        state = "running" if self._over is None else "failed" if "error" in self._over else "trained"
        states = [({"state": each}, each == state) for each in ("running", "trained", "failed")]
        yield _gauge("run_state", "1 for the state of the run, 0 for the others.", states)
        yield _gauge("run_planned_steps", "Steps that each job is to make.", [({}, run["steps"])])
        yield _counter("run_kills", "Programs of the run that were killed to test it.", [({}, self._kills)])

    def _of_jobs(self) -> Iterator[Metric]:
        for column, (make, name, text) in enumerate(
            (
                (_counter, "job_steps", "Steps that all workers of the job have finished."),
                (_gauge, "job_minibatch_loss", "Mean cross-entropy of the workers' minibatches, in nats."),
                (_gauge, "job_accuracy_ratio", "Share of the held-out images that are classified correctly."),
                (_counter, "job_sent_bytes", "Bytes that the workers have sent, by their own count."),
                (_counter, "job_dense_bytes", "Bytes that dense training would have sent."),
                (_counter, "job_retransmissions", "Contributions that the workers have sent again."),
            )
        ):
            yield make(name, text, [({"job_id": job}, standing[column]) for job, standing in self._jobs.items()])
        # Samples of older versions have no densities.
        densities = [({"job_id": job}, _density(*standing[6:7])) for job, standing in self._jobs.items()]
        yield _gauge("job_block_density_ratio", "Share of the tensor's blocks in a worker's message.", densities)

    def _of_hosts(self, run: dict[str, Any], sample: dict[str, Any]) -> Iterator[Metric]:
        workers = Object(
            ((job, rank), {"host": host, "job_id": str(job), "worker": str(rank)})
            for host, (job, rank) in run["hosts"].items()
        )
        up = [(label, label["host"] not in sample["gone"]) for label in workers.values()]
        yield _gauge("worker_up", "0 if the worker was killed, 1 if not.", up)
        # Samples of older versions have no workers.
        rows = [
            (workers[job, rank], counts)
            for job, members in enumerate(sample.get("workers", []), 1)
            for rank, *counts in members
        ]
        for column, (make, name, text) in enumerate(
            (
                (_gauge, "worker_window_lanes", "Lanes that the worker keeps active."),
                (_counter, "worker_congested_results", "Results with a congestion mark."),
                (_counter, "worker_retransmissions", "Contributions that the worker has sent again."),
            )
        ):
            yield make(name, text, [(label, counts[column]) for label, counts in rows])
        links = [("-".join(ends), counts) for ends, counts in zip(run["links"], sample["links"], strict=True)]
        for unit, columns in (("packets", (0, 2)), ("bytes", (1, 3))):
            sent = [
                ({"link": link, "direction": direction}, counts[column])
                for link, counts in links
                for direction, column in zip(("up", "down"), columns, strict=True)
            ]
            yield _counter(f"link_{unit}", f"What the link has carried, in {unit}; up leads to the spine.", sent)
        dropped = [({"link": link}, counts[4]) for link, counts in links]
        yield _counter("link_dropped_packets", "Packets that found a queue of the link full, both ways.", dropped)

    def _of_switches(self) -> Iterator[Metric]:
        up = [({"switch": name}, "error" not in state) for name, state in self._switches.items()]
        yield _gauge("switch_up", "1 if the switch answered the last time, 0 if not.", up)
        read = [({"switch": name}, state) for name, state in self._switches.items() if "error" not in state]
        fates = [(label | {"fate": fate}, count) for label, state in read for fate, count in state["fates"].items()]
        yield _counter("switch_packets", "Packets by what the switch did with them, as its program counts.", fates)
        for key, text in (("delivered", "Packets that left the switch."), ("lost", "Packets lost on the way out.")):
            yield _counter(f"switch_{key}_packets", text, [(label, state[key]) for label, state in read])
        slots = [(label, state["slots"]) for label, state in read if "slots" in state]
        for name, text, counts in (
            ("slots", "Slots of all jobs.", lambda slot: True),
            ("waiting_slots", "Slots whose round some workers have contributed to and others not.", _waits),
            ("congested_slots", "Slots with a packet that met a long queue.", lambda slot: bool(slot[6])),
        ):
            yield _gauge(f"switch_{name}", text, [(label, sum(map(counts, rows))) for label, rows in slots])


def _waits(slot: list[int]) -> bool:
    *_, seen, missing, _ = slot
    return bool(seen and missing)


def _density(sections: str = "") -> float | None:
    levels = bytes.fromhex(sections)
    return sum(levels) / (255 * len(levels)) if levels else None


def _counter(name: str, text: str, values: Values) -> Metric:
    return _metric("counter", name, text, values, "_total")


def _gauge(name: str, text: str, values: Values) -> Metric:
    return _metric("gauge", name, text, values)


def _metric(kind: str, name: str, text: str, values: Values, suffix: str = "") -> Metric:
    metric = Metric(f"dropzero_{name}", text, kind)
    for labels, value in values:
        if value is not None:
            metric.add_sample(metric.name + suffix, labels, value)
    return metric
