"""All experiments by name, in the order in which they run."""

from __future__ import annotations

from dropzero.experiments.claims.blocks.heterogeneous import HETEROGENEOUS, ISEGA
from dropzero.experiments.claims.blocks.independent import INDEPENDENT, WIRE
from dropzero.experiments.claims.blocks.shared_data import SHARED_DATA
from dropzero.experiments.claims.blocks.stochastic import STOCHASTIC
from dropzero.experiments.claims.differences.bits import BITS
from dropzero.experiments.claims.differences.composite import COMPOSITE
from dropzero.experiments.claims.differences.integers import INTEGERS
from dropzero.experiments.claims.differences.marina import MARINA
from dropzero.experiments.claims.differences.rate import RATE
from dropzero.experiments.claims.differences.shifts import DIANA
from dropzero.experiments.claims.differences.variance import VARIANCE
from dropzero.experiments.claims.differences.variance_rate import VARIANCE_RATE
from dropzero.experiments.claims.feedback.adam import ADAM
from dropzero.experiments.claims.feedback.contraction import CONTRACTION, ESTIMATES, HISTOGRAMS
from dropzero.experiments.claims.feedback.counterexample import COUNTEREXAMPLE
from dropzero.experiments.claims.feedback.digits import BLOCKS, FEEDBACK, QUANTIZERS
from dropzero.experiments.claims.feedback.documented import DOCUMENTED
from dropzero.experiments.claims.feedback.gaussian import GAUSSIAN
from dropzero.experiments.claims.feedback.memory import MEMORY
from dropzero.experiments.claims.feedback.momentum import DGC, GTOPK
from dropzero.experiments.claims.feedback.transformer import TRANSFORMER
from dropzero.experiments.claims.links.choices import CHOICES, WORTH
from dropzero.experiments.claims.links.constant import CONSTANT
from dropzero.experiments.claims.links.messages import MESSAGES
from dropzero.experiments.claims.links.rotation import ROTATION, ROTATION_SECONDS
from dropzero.experiments.claims.links.seconds import SECONDS
from dropzero.experiments.claims.links.table import TABLE
from dropzero.experiments.claims.links.tuning import TUNING
from dropzero.experiments.claims.links.zeros import ZEROS
from dropzero.experiments.trials.experiment import Experiment

EXPERIMENTS: dict[str, Experiment] = {
    experiment.name: experiment
    for experiment in (
        FEEDBACK,
        MEMORY,
        TRANSFORMER,
        ADAM,
        DOCUMENTED,
        COUNTEREXAMPLE,
        DGC,
        GTOPK,
        GAUSSIAN,
        CONTRACTION,
        ESTIMATES,
        HISTOGRAMS,
        BLOCKS,
        ZEROS,
        QUANTIZERS,
        INDEPENDENT,
        WIRE,
        STOCHASTIC,
        SHARED_DATA,
        HETEROGENEOUS,
        ISEGA,
        DIANA,
        RATE,
        COMPOSITE,
        BITS,
        VARIANCE,
        VARIANCE_RATE,
        INTEGERS,
        MARINA,
        ROTATION,
        TUNING,
        CHOICES,
        WORTH,
        SECONDS,
        ROTATION_SECONDS,
        CONSTANT,
        MESSAGES,
        TABLE,
    )
}
