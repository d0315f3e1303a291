"""A transformer that predicts characters, and a CNN, trained by AdamW with error feedback."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from dropzero.compressors.compression import Workers
from dropzero.experiments.trials.experiment import Axes, Experiment, Row, Verdict, at_least, at_most
from dropzero.experiments.trials.measure import final, last
from dropzero.experiments.trials.training import trainings
from dropzero.methods.optimizers import AdamW

STEPS, QUICK_STEPS = 600, 150
SEEDS = 3
RATE = 0.01
BETA = 0.9
BLOCKS, FEW, BITS = "topk(0.1,block=64)+ef+fixed8", "topk(0.01,block=32)+ef", "none+fixed8+ef"
DENSE, WITHOUT = "dense", ", beta 1 = 0"
TENTH, POWER = "blocks, 10 %, 8 bits", "PowerSGD, rank 4, 16 bits"
SCHEMES = {DENSE: "none", "8 bits": BITS, TENTH: BLOCKS, "blocks, 1 %": FEW, POWER: "powersgd(4,width=16)+ef"}
CNN, CNN_TENTH, CNN_POWER = "CNN, dense", f"CNN, {TENTH}", "CNN, PowerSGD, rank 2, 16 bits"
CNNS = {CNN: "none", CNN_TENTH: BLOCKS, CNN_POWER: "powersgd(2,width=16)+ef"}
BYTES = {"8 bits": 0.3, TENTH: 0.1, "blocks, 1 %": 0.1, POWER: 0.12}
"""The most bytes, as a share of dense's."""
CNN_BYTES = {CNN_TENTH: 0.12, CNN_POWER: 0.17}
"""More, because the CNN's 3,818 parameters do not fill packets."""
POWERS = 1.05
"""The highest loss, as a multiple of dense's."""
NEAR = 0.02
"""Nats, and the share of dense's loss."""


def _trials(network: Workers, quick: bool) -> Iterator[Row]:
    """Trains with and without Adam's average of gradients."""
    for task, beta, schemes in (
        ("characters", BETA, SCHEMES),
        ("characters", 0.0, {series + WITHOUT: spec for series, spec in SCHEMES.items() if spec != BITS}),
        ("cnn", BETA, {CNN: "none"}),
        ("cnn", 0.0, {series + WITHOUT: spec for series, spec in CNNS.items()}),
    ):
        yield from trainings(
            schemes,
            task,
            steps=STEPS,
            # The CNN is small.
            quick=QUICK_STEPS if task == "characters" else STEPS,
            seeds=SEEDS,
            rate=RATE,
            momentum=beta,
            falls=True,
            points=8,
            method=AdamW,
        )(network, quick)


def _judge(rows: Sequence[Row]) -> Verdict:
    means = final(rows, "held-out loss")

    def share(series: str, dense: str) -> float:
        return last(rows, series, "bytes up") / last(rows, dense, "bytes up")

    best = min(means[DENSE], means[DENSE + WITHOUT])
    return Verdict(
        "; ".join(f"{series} ends at {nats:.3f} nats" for series, nats in means.items()),
        [
            *(
                at_most(f"bytes up of {series} over dense", share(series, DENSE), most)
                for series, most in BYTES.items()
            ),
            *(
                at_most(f"bytes up of {series} over dense", share(series + WITHOUT, CNN), most)
                for series, most in CNN_BYTES.items()
            ),
            at_most("nats of 8 bits above dense", means["8 bits"] - means[DENSE], NEAR),
            *(
                at_least(f"nats of {series} saved by beta 1 = 0", means[series] - means[series + WITHOUT], NEAR)
                for series in list(SCHEMES)[2:]
            ),
            at_most(f"loss of {TENTH}, beta 1 = 0, over the better dense", means[TENTH + WITHOUT] / best, 1 + NEAR),
            at_most(f"loss of {POWER}, beta 1 = 0, over the better dense", means[POWER + WITHOUT] / best, POWERS),
            at_most(f"loss of {TENTH}, beta 1 = 0, over PowerSGD", means[TENTH + WITHOUT] / means[POWER + WITHOUT], 1),
            at_most(f"loss of {CNN_TENTH}, beta 1 = 0, over dense", means[CNN_TENTH + WITHOUT] / means[CNN], 1 + NEAR),
        ],
    )


ADAM = Experiment(
    name="adam",
    claim="Under AdamW, 8 bits of every element train a transformer as well as all 32. Blocks with error feedback do "
    "not: what comes late is averaged once more ([AdamW]). They lose less with beta 1 = 0, without that average: then "
    "a tenth of dense's bytes trains the transformer to within 2 % of dense's loss, closer than PowerSGD of rank 4, "
    "and a CNN to within 2 % of that of dense with AdamW's own beta 1.",
    trials=_trials,
    verdict=_judge,
    axes=Axes("step", "held-out loss"),
    workers=(4,),
)
