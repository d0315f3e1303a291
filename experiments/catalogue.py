"""All experiments by name, in the order in which they are tried."""

from __future__ import annotations

from experiments.claims.counterexample import COUNTEREXAMPLE
from experiments.claims.digits import BLOCKS, FEEDBACK, QUANTIZERS
from experiments.claims.gaussian import GAUSSIAN
from experiments.claims.heterogeneous import HETEROGENEOUS
from experiments.claims.independent import INDEPENDENT
from experiments.claims.integers import INTEGERS
from experiments.claims.shifts import DIANA
from experiments.claims.tuning import TUNING
from experiments.claims.variance import VARIANCE
from experiments.experiment import Experiment
from experiments.table import TABLE

EXPERIMENTS: dict[str, Experiment] = {
    experiment.name: experiment
    for experiment in (
        FEEDBACK,
        COUNTEREXAMPLE,
        GAUSSIAN,
        BLOCKS,
        QUANTIZERS,
        INDEPENDENT,
        HETEROGENEOUS,
        DIANA,
        VARIANCE,
        INTEGERS,
        TUNING,
        TABLE,
    )
}
