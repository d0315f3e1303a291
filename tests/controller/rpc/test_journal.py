"""The controller's reports, for fast and slow readers."""

from __future__ import annotations

import asyncio
import errno

from hypothesis import given
from hypothesis import strategies as st

from dropzero.controller.rpc.journal import KEPT, Journal


@given(st.lists(st.integers(0, 3 * KEPT), max_size=4), st.integers(0, KEPT))
def test_a_slow_follower_gets_the_latest_lines_and_the_number_of_dropped_ones(bursts: list[int], reads: int) -> None:
    async def play() -> None:
        journal, said, seen = Journal(lambda _: None), 0, 0
        lines = journal.follow()
        first = asyncio.ensure_future(anext(lines))
        await asyncio.sleep(0)
        journal("0")
        assert await first == "0"
        for burst in [*bursts, 1]:
            for _ in range(burst):
                said += 1
                journal(str(said))
            for _ in range(min(reads, said - seen) or (burst == 1)):
                line = await anext(lines)
                if line.startswith("("):
                    seen += int(line[1:].split()[0])
                    assert said - seen == KEPT
                    continue
                seen += 1
                assert line == str(seen)

    asyncio.run(play())


def test_a_line_that_cannot_be_written_still_reaches_followers() -> None:
    def full(_: str) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    async def play() -> None:
        journal = Journal(full)
        following = asyncio.ensure_future(anext(journal.follow()))
        await asyncio.sleep(0)
        journal("something happened")
        assert await following == "something happened"

    asyncio.run(play())
