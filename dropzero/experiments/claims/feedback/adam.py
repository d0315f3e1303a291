"""A transformer that predicts characters, and a CNN, trained by AdamW with error feedback."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from dropzero.compressors.compression import Workers
from dropzero.experiments.trials.experiment import Axes, Experiment, Row, Verdict, at_least, at_most
from dropzero.experiments.trials.measure import final, last
from dropzero.experiments.trials.training import trainings
from dropzero.methods.optimizers import AdamW

STEPS, QUICK_STEPS = 600, 150
WARM = 15
"""A warm-up takes one step in WARM."""
SEEDS = 3
RATE = 0.01
BETA = 0.9
FEW, BITS = "topk(0.01,block=32)+ef", "none+fixed8+ef"
DENSE, WITHOUT = "dense", ", beta 1 = 0"
TENTH, POWER = "common blocks, 8 bits", "PowerSGD, rank 4, 16 bits"
SCHEMES = {DENSE: "none", "8 bits": BITS, TENTH: "", "blocks, 1 %": FEW, POWER: "powersgd(4,width=16)+ef"}
CNN, CNN_TENTH, CNN_POWER = "CNN, dense", f"CNN, {TENTH}", "CNN, PowerSGD, rank 2, 16 bits"
CNNS = {CNN: "none", CNN_TENTH: "", CNN_POWER: "powersgd(2,width=16)+ef"}
BYTES = {"8 bits": 0.3, TENTH: 0.1, "blocks, 1 %": 0.1, POWER: 0.12}
"""The most bytes, as a share of dense's."""
CNN_BYTES = {CNN_TENTH: 0.1, CNN_POWER: 0.14}
POWERS = 1.05
"""The highest loss, as a multiple of dense's."""
NEAR = 0.02
"""Nats, and the share of dense's loss."""


def blocks(steps: int) -> str:
    """The spec of the common blocks for a training of this length: all are sent in the first steps, in which gradients
    change fast."""
    return f"cltk(0.15,block=128)+ef+fixed8+warmup(1,every={steps // WARM})"


def _trials(network: Workers, quick: bool) -> Iterator[Row]:
    """Trains with and without Adam's average of gradients."""
    for task, beta, schemes in (
        ("characters", BETA, SCHEMES),
        ("characters", 0.0, {series + WITHOUT: spec for series, spec in SCHEMES.items() if spec != BITS}),
        ("cnn", BETA, {CNN: "none"}),
        ("cnn", 0.0, {series + WITHOUT: spec for series, spec in CNNS.items()}),
    ):
        # The CNN is small.
        few = QUICK_STEPS if task == "characters" else STEPS
        yield from trainings(
            {series: spec or blocks(few if quick else STEPS) for series, spec in schemes.items()},
            task,
            steps=STEPS,
            quick=few,
            seeds=SEEDS,
            rate=RATE,
            momentum=beta,
            falls=True,
            points=8,
            method=AdamW,
        )(network, quick)


def _judge(rows: Sequence[Row]) -> Verdict:
    means = final(rows, "held-out loss")

    def share(series: str, dense: str, way: str = "bytes up") -> float:
        return last(rows, series, way) / last(rows, dense, way)

    best, best_cnn = (min(means[dense], means[dense + WITHOUT]) for dense in (DENSE, CNN))
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
            at_most(f"bytes down of {TENTH} over dense", share(TENTH, DENSE, "bytes down"), BYTES[TENTH]),
            at_most(
                f"bytes down of {CNN_TENTH} over dense",
                share(CNN_TENTH + WITHOUT, CNN, "bytes down"),
                CNN_BYTES[CNN_TENTH],
            ),
            at_most("nats of 8 bits above dense", means["8 bits"] - means[DENSE], NEAR),
            *(
                at_least(f"nats of {series} saved by beta 1 = 0", means[series] - means[series + WITHOUT], NEAR)
                for series in list(SCHEMES)[2:]
            ),
            at_most(f"loss of {TENTH}, beta 1 = 0, over the better dense", means[TENTH + WITHOUT] / best, 1 + NEAR),
            at_most(f"loss of {POWER}, beta 1 = 0, over the better dense", means[POWER + WITHOUT] / best, POWERS),
            at_most(f"loss of {TENTH}, beta 1 = 0, over PowerSGD", means[TENTH + WITHOUT] / means[POWER + WITHOUT], 1),
            at_most(
                f"loss of {CNN_TENTH}, beta 1 = 0, over the better dense",
                means[CNN_TENTH + WITHOUT] / best_cnn,
                1 + NEAR,
            ),
            at_most(
                f"loss of {CNN_TENTH}, beta 1 = 0, over PowerSGD",
                means[CNN_TENTH + WITHOUT] / means[CNN_POWER + WITHOUT],
                1,
            ),
            *(
                at_least(f"nats of {series} above dense", means[series] - means[DENSE], NEAR)
                for series in (TENTH, "blocks, 1 %")
            ),
        ],
    )


ADAM = Experiment(
    name="adam",
    claim="Under AdamW, 8 bits of every element train a transformer as well as all 32. Blocks with error feedback do "
    "not: what comes late is averaged once more ([AdamW]). They lose less with beta 1 = 0, without that average: "
    "then 15 % of the blocks in 8 bits, the same on all workers ([ScaleCom]) and after a short warm-up, train the "
    "transformer and a CNN, with a tenth of dense's bytes in both directions, to within 2 % of dense's loss with "
    "either beta 1, and closer than PowerSGD with as many bytes.",
    trials=_trials,
    verdict=_judge,
    axes=Axes("step", "held-out loss"),
    workers=(4,),
)
