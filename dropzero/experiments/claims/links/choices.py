"""What CAT chooses: the number of elements that it sends in each step, and what others would have been worth."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np

from dropzero.compressors.adaptive import FLOAT_BITS, PACKET_BITS, Tuned
from dropzero.compressors.compression import Workers
from dropzero.compressors.spec import Spec
from dropzero.experiments.claims.links.tuning import PENALTIES, QUICK_SIZE, SIZE, TARGET
from dropzero.experiments.trials.experiment import Axes, Experiment, Row, Verdict, at_least, at_most
from dropzero.experiments.trials.measure import ends
from dropzero.methods.catalogue import gd
from dropzero.problems.data import repeated, zipf

SIGNS, PACKETS = "bits of signs", "packets"
SPECS = {SIGNS: "cat(signs)", PACKETS: "cat(packets,overhead=1)"}
STEPS = 300
MORE, FULL = 10, 0.95
SHOWN = (1, 4, 15, 60)
"""Steps whose gain per cost is shown."""
POINTS = 60
ALL, FIXED = 0.05, 0.95


def _trials(network: Workers, quick: bool) -> Iterator[Row]:
    """Descends until the gap is TARGET times the first one.

    elements: sent in this step, or of a curve. gain per cost: theirs, over that of the best number.
    full: the bits that were sent over those of the packets for them.
    """
    one = zipf(1, QUICK_SIZE if quick else SIZE, penalty=PENALTIES[0])
    for unit, spec in SPECS.items():
        optimizer, tuned = gd(repeated(one, network.size), network, spec), Spec.parse(spec).sparsifier
        assert isinstance(tuned, Tuned)
        first, step = one.gap(optimizer.x), 0
        while one.gap(optimizer.x) > TARGET * first and step < STEPS:
            step += 1
            worth = tuned.worth(one.gradient(optimizer.x).astype(np.float32))
            worth /= worth.max()
            sent = int(np.count_nonzero(optimizer.step().sent[0]))
            bits = sent * (FLOAT_BITS + (one.size - 1).bit_length())
            full = bits / (math.ceil(bits / PACKET_BITS) * PACKET_BITS)
            yield {
                "series": unit,
                "step": step,
                "elements": sent,
                "gain per cost": float(worth[sent - 1]),
                "full": full,
            }
            if unit == SIGNS and step in SHOWN:
                for count in np.unique(np.geomspace(1, len(worth), POINTS).astype(int)):
                    yield {"series": f"step {step}", "elements": int(count), "gain per cost": float(worth[count - 1])}


def _choices(network: Workers, quick: bool) -> Iterator[Row]:
    return (row for row in _trials(network, quick) if row["series"] in SPECS)


def _curves(network: Workers, quick: bool) -> Iterator[Row]:
    return (row for row in _trials(network, quick) if row["series"] not in SPECS)


def _judge(rows: Sequence[Row]) -> Verdict:
    signs = [float(row["elements"]) for row in rows if row["series"] == SIGNS]
    full = min(float(row["full"]) for row in rows if row["series"] == PACKETS)
    return Verdict(
        f"in {len(signs)} steps the number of signs goes from {signs[0]:.0f} to {signs[-1]:.0f}, and packets are at "
        f"least {100 * full:.0f} % full",
        [
            at_least("signs in the last step over those in the first", signs[-1] / signs[0], MORE),
            at_least("share of its packets that a message fills, least", full, FULL),
            at_least(
                "gain per cost over the best number's, least",
                min(float(row["gain per cost"]) for row in rows),
                1 - 1e-6,
            ),
        ],
    )


CHOICES = Experiment(
    name="choices",
    claim="CAT sends the number of elements with the largest gain per cost: by bits first a few signs, and as the "
    "gradient flattens at least 10 times as many; by packets as many elements as fill them ([CAT]).",
    trials=_choices,
    verdict=_judge,
    axes=Axes("step", "elements", log="y"),
)


def _judge_curves(rows: Sequence[Row]) -> Verdict:
    curves = ends(rows, "gain per cost", "elements")
    first = curves["step 1"]
    everything = first[max(first)]
    common = set.intersection(*(set(curve) for curve in curves.values()))
    fixed = max(min(curve[count] for curve in curves.values()) for count in common)
    return Verdict(
        f"all elements of the first gradient have {everything:.3f} of the best number's gain per bit; the best fixed "
        f"number has {fixed:.2f} of it in its worst step",
        [
            at_most("gain per bit of all elements over the best number's, first step", everything, ALL),
            at_most("gain per bit of a fixed number over the best one's, worst step, most", fixed, FIXED),
        ],
    )


WORTH = Experiment(
    name="worth",
    claim="The gain per bit has its largest value at a number of elements that changes during a run: all elements of "
    "the first gradient have at most a twentieth of it, and every fixed number loses at least 5 % in some step "
    "([CAT]).",
    trials=_curves,
    verdict=_judge_curves,
    axes=Axes("elements", "gain per cost", log="xy"),
)
