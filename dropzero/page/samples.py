"""samples.jsonl, in a run's folder: what the run's page shows, one JSON object in each line.

The first line describes the run:

    run, title, switch; steps: null if nothing is trained, but a protocol of one's own sums; began: seconds since 1970;
    hosts: {host: [job, rank]}, job 0: a server; links: [[lower end, upper end]]; switches: their names, the root of the
    tree, or the roots, last; captured: whether pcaps/ has the packets of all their ports.

Each other line is a sample. Links and jobs are counted from the start of the run, switches from their own:

    t: seconds since the start.
    links: for each link [packets up, bytes up, packets down, bytes down, packets that found a queue full]; packets
    are null where they leave the embedded switch in GSO packets, which the kernel counts as one.
    jobs: for each job its standings since the last sample, at most POINTS, each [step, loss, accuracy, bytes sent,
    bytes of dense training, retransmissions, densities]; a loss or an accuracy that is not there or not finite is
    null. Densities are a byte in hexadecimal for each section of the tensor: the share of its blocks in the workers'
    messages, 255 for all of them; the mean over the workers.
    workers: for each job [rank, window, congested results, retransmissions] of each worker that has finished a step.
    gone: the hosts whose workers were killed.
    switches: by name {slots: [[slot, job, epoch, round, bitmap of ranks seen, bitmap of ranks missing, congested]],
    fates: {fate: packets}, delivered: packets sent, lost: packets lost on the way out}, or {error: text}. There are
    no slots where the switch does not serve its registers. Switches are read more rarely than samples are taken.
    events: [[kind, text]]; the kinds are controller and kill.

The last line has t and `over`: {summaries: [the content of each job's summary.json]}, {text: text}, or
{error: text}.
"""

from __future__ import annotations

import json
import logging
from contextlib import AbstractContextManager, suppress
from pathlib import Path
from typing import Any

LOG = logging.getLogger(__name__)

NAME = "samples.jsonl"
POINTS = 8


class SamplesFile(AbstractContextManager["SamplesFile"]):
    """Appends to a run's samples.jsonl."""

    def __init__(self, folder: Path, heading: dict[str, Any]) -> None:
        """Raises OSError."""
        # Line-buffered, for readers that follow the file.
        self._file = (folder / NAME).open("w", buffering=1)
        self._failed = False
        self.add(heading)

    def add(self, line: dict[str, Any]) -> None:
        """Appends a line; numbers that are not finite become null. After an error (a full disk), nothing more: a run
        does not end because its page does."""
        if self._failed:
            return
        # Browsers do not read Python's NaN.
        line = json.loads(json.dumps(line), parse_constant=lambda _: None)
        try:
            self._file.write(json.dumps(line, separators=(",", ":")) + "\n")
        except OSError as error:
            self._failed = True
            LOG.warning("the page shows nothing more of this run: %s", error.strerror)

    def close(self) -> None:
        # What an error has left in the buffer cannot be written now, either.
        with suppress(OSError):
            self._file.close()

    def __exit__(self, *_: object) -> None:
        self.close()


def read_from(folder: Path, offset: int, most: int = 1 << 22) -> tuple[bytes, int]:
    """Returns the whole lines from a byte offset on, about `most` bytes at most, and the offset after them.

    Nothing while there is no file. Raises OSError.
    """
    try:
        with (folder / NAME).open("rb") as file:
            file.seek(offset)
            found = file.read(most)
            # A line longer than `most` is sent whole.
            if len(found) == most and b"\n" not in found:
                found += file.readline()
    except FileNotFoundError:
        return b"", offset
    whole = found[: found.rfind(b"\n") + 1]
    return whole, offset + len(whole)
