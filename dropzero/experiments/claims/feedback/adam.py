"""A transformer that predicts characters, trained by Adam with error feedback."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from dropzero.compressors.compression import Workers
from dropzero.experiments.trials.experiment import Axes, Experiment, Row, Verdict, at_least, at_most
from dropzero.experiments.trials.measure import final, last
from dropzero.experiments.trials.training import trainings
from dropzero.methods.optimizers import Adam

STEPS, QUICK_STEPS = 600, 150
SEEDS = 3
RATE = 0.01
BETA = 0.9
BLOCKS, FEW, BITS = "topk(0.1,block=64)+ef+fixed8", "topk(0.01,block=32)+ef", "none+fixed8+ef"
DENSE, WITHOUT = "dense", ", beta 1 = 0"
SCHEMES = {DENSE: "none", "8 bits": BITS, "blocks, 10 %, 8 bits": BLOCKS, "blocks, 1 %": FEW}
BYTES, SPARSE = 0.3, {"blocks, 10 %, 8 bits": 0.15, "blocks, 1 %": 0.1}
NEAR = 0.02
"""Nats."""


def _trials(network: Workers, quick: bool) -> Iterator[Row]:
    """Trains with and without Adam's average of gradients."""
    for beta, told in ((BETA, ""), (0.0, WITHOUT)):
        yield from trainings(
            {series + told: spec for series, spec in SCHEMES.items()},
            "characters",
            steps=STEPS,
            quick=QUICK_STEPS,
            seeds=SEEDS,
            rate=RATE,
            momentum=beta,
            falls=True,
            points=8,
            method=Adam,
        )(network, quick)


def _judge(rows: Sequence[Row]) -> Verdict:
    means = final(rows, "held-out loss")
    dense = last(rows, DENSE, "bytes up")
    return Verdict(
        "; ".join(f"{series} ends at {loss:.3f} nats a character" for series, loss in means.items()),
        [
            at_most("bytes up of 8 bits over dense", last(rows, "8 bits", "bytes up") / dense, BYTES),
            *(
                at_most(f"bytes up of {series} over dense", last(rows, series, "bytes up") / dense, most)
                for series, most in SPARSE.items()
            ),
            at_most("nats of 8 bits above dense", means["8 bits"] - means[DENSE], NEAR),
            *(
                at_least(f"nats of {series} saved by beta 1 = 0", means[series] - means[series + WITHOUT], NEAR)
                for series in list(SCHEMES)[2:]
            ),
        ],
    )


ADAM = Experiment(
    name="adam",
    claim="Under Adam, 8 bits of every element train a transformer as well as all 32. Blocks with error feedback do "
    "not: what comes late is averaged once more ([Adam]). They lose less with beta 1 = 0, without that average.",
    trials=_trials,
    verdict=_judge,
    axes=Axes("step", "held-out loss"),
    workers=(4,),
)
