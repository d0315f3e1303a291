"""The samples of a run of two workers, the second of which is killed on the way."""

from __future__ import annotations

from typing import Any

SLOTS, SAMPLES, KILLED = 16, 12, 8
HEADING: dict[str, Any] = {
    "run": "dz0",
    "title": "2 workers",
    "switch": "softswitch",
    "steps": 200,
    "began": 1e9,
    "hosts": {"h1": [1, 0], "h2": [1, 1]},
    "links": [["h1", "s1"], ["h2", "s1"]],
    "switches": ["s1"],
}


def sample(number: int) -> dict[str, Any]:
    """One of them, from 0."""
    epoch, members = (1, 3) if number < KILLED else (2, 1)
    slots = [[slot, 1, epoch, number * 10 + slot, 1, members & 2, int(slot == 5)] for slot in range(SLOTS)]
    events = [["kill", "worker 1 was killed after step 80"]] if number == KILLED else []
    standing = [
        10 * number + 1,
        2.0 / (number + 1),
        0.5 + number / 30,
        1000 * number,
        5000 * number + 1,
        number,
        "00ff" * 8,
    ]
    switch = {"slots": slots, "fates": {"absorbed": 50 * number}, "delivered": 90 * number, "lost": 0}
    return {
        "t": 1.0 + number,
        "links": [[100 * number, 10_000 * number, None, 20_000 * number, 0]] * 2,
        "jobs": [[standing]],
        "workers": [[[0, 16, 2 * number, number], *([] if number >= KILLED else [[1, 8, number, 0]])]],
        "gone": ["h2"] if number >= KILLED else [],
        "switches": {} if number % 3 == 2 else {"s1": switch},
        "events": events,
    }
