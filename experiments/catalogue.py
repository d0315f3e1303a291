"""All experiments by name, in the order in which they are tried."""

from __future__ import annotations

from dropzero.experiments.claims.bits import BITS
from dropzero.experiments.claims.composite import COMPOSITE
from dropzero.experiments.claims.contraction import CONTRACTION, ESTIMATES
from dropzero.experiments.claims.counterexample import COUNTEREXAMPLE
from dropzero.experiments.claims.digits import BLOCKS, FEEDBACK, QUANTIZERS
from dropzero.experiments.claims.gaussian import GAUSSIAN
from dropzero.experiments.claims.heterogeneous import HETEROGENEOUS
from dropzero.experiments.claims.independent import INDEPENDENT, WIRE
from dropzero.experiments.claims.integers import INTEGERS
from dropzero.experiments.claims.momentum import DGC, GTOPK
from dropzero.experiments.claims.rate import RATE
from dropzero.experiments.claims.shifts import DIANA
from dropzero.experiments.claims.stochastic import STOCHASTIC
from dropzero.experiments.claims.tuning import TUNING
from dropzero.experiments.claims.variance import VARIANCE
from dropzero.experiments.claims.variance_rate import VARIANCE_RATE
from dropzero.experiments.table import TABLE
from dropzero.experiments.trials.experiment import Experiment

EXPERIMENTS: dict[str, Experiment] = {
    experiment.name: experiment
    for experiment in (
        FEEDBACK,
        COUNTEREXAMPLE,
        DGC,
        GTOPK,
        GAUSSIAN,
        CONTRACTION,
        ESTIMATES,
        BLOCKS,
        QUANTIZERS,
        INDEPENDENT,
        WIRE,
        STOCHASTIC,
        HETEROGENEOUS,
        DIANA,
        RATE,
        COMPOSITE,
        BITS,
        VARIANCE,
        VARIANCE_RATE,
        INTEGERS,
        TUNING,
        TABLE,
    )
}
