"""All experiments by name, in the order in which they run."""

from __future__ import annotations

from dropzero.experiments.claims.blocks import heterogeneous, independent, shared_data, stochastic
from dropzero.experiments.claims.differences import (
    bits,
    composite,
    integers,
    marina,
    rate,
    shifts,
    variance,
    variance_rate,
)
from dropzero.experiments.claims.feedback import (
    adam,
    contraction,
    counterexample,
    digits,
    documented,
    gaussian,
    memory,
    momentum,
    transformer,
)
from dropzero.experiments.claims.links import (
    choices,
    constant,
    images,
    messages,
    rotation,
    seconds,
    table,
    tuning,
    zeros,
)
from dropzero.experiments.trials.experiment import Experiment

MODULES = (
    *(digits, memory, transformer, adam, documented, counterexample, momentum, gaussian, contraction, zeros),
    *(independent, stochastic, shared_data, heterogeneous),
    *(shifts, rate, composite, bits, variance, variance_rate, integers, marina),
    *(rotation, tuning, choices, seconds, constant, messages, images, table),
)
EXPERIMENTS: dict[str, Experiment] = {
    each.name: each for module in MODULES for each in vars(module).values() if isinstance(each, Experiment)
}
