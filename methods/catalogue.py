"""The papers' methods by name, with their step sizes: a problem and a network in, an optimizer out.

A network is a dropzero Communicator, with which this process is one of the workers, or an Ensemble, which has all of
them in this process. `gamma` overrides the step size, which `decay` multiplies in step 0, 1, ...; `seed` makes all
draws, of samples and of compressors. All start at 0. Blocks are what the switch can skip: `block` elements each.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import numpy as np

from compressors.compression import Compression
from compressors.ensemble import Ensemble
from compressors.network import Network
from methods import steps
from methods.estimators import Estimator, Full, Minibatch, PartialSaga, Saga, Svrg
from methods.optimizers import Accelerated, Descent
from problems.linear import Linear, Shards

Reduction = Literal["svrg", "saga"]


def gd(
    problem: Linear, network: Network | Ensemble, spec: str = "none", *, gamma: float | None = None, seed: int = 0
) -> Descent:
    """Gradient descent with any compression; step size 1 / L, L the largest of the workers'."""
    compression = Compression(spec, network, problem.size, seed=seed)
    step = gamma or 1 / problem.worker_smoothness
    return Descent(np.zeros(problem.size), Full(_shards(problem, compression)), compression, network.size, step)


def sgd(
    problem: Linear,
    network: Network | Ensemble,
    spec: str = "none",
    *,
    gamma: float | None = None,
    momentum: float = 0.0,
    decay: Callable[[int], float] = lambda step: 1.0,
    batch: int = 1,
    seed: int = 0,
) -> Descent:
    """SGD on minibatches of `batch` samples a worker; step size 1 / (2 L), L the largest of the samples'."""
    compression = Compression(spec, network, problem.size, seed=seed)
    estimator = Minibatch(_shards(problem, compression), batch, seed)
    step = gamma or 1 / (2 * problem.sample_smoothness)
    return Descent(np.zeros(problem.size), estimator, compression, network.size, step, momentum, decay)


def diana(
    problem: Linear,
    network: Network | Ensemble,
    quantizer: str = "terngrad",
    *,
    batch: int | None = None,
    gamma: float | None = None,
    seed: int = 0,
) -> Descent:
    """DIANA (Mishchenko et al., 2019): gradient differences to shifts that learn the gradients. `batch`: of a
    stochastic gradient; None: the full one, with which it converges linearly to the optimum. Step size steps.diana."""
    compression = Compression(f"{quantizer}+diana", network, problem.size, seed=seed)
    shards = _shards(problem, compression)
    estimator: Estimator = Full(shards) if batch is None else Minibatch(shards, batch, seed)
    smoothness = problem.worker_smoothness if batch is None else problem.sample_smoothness
    step = gamma or steps.diana(smoothness, network.size, _omega(compression))
    return Descent(np.zeros(problem.size), estimator, compression, network.size, step)


def vr_diana(
    problem: Linear,
    network: Network | Ensemble,
    quantizer: str = "terngrad",
    *,
    reduction: Reduction = "svrg",
    gamma: float | None = None,
    seed: int = 0,
) -> Descent:
    """VR-DIANA (Horvath et al., 2019): DIANA on variance-reduced estimates of one sample a worker, so that it converges
    linearly to the optimum. Step size steps.vr_diana."""
    compression = Compression(f"{quantizer}+diana", network, problem.size, seed=seed)
    estimator = _reduced(_shards(problem, compression), reduction, seed)
    step = gamma or steps.vr_diana(problem.sample_smoothness, network.size, _omega(compression))
    return Descent(np.zeros(problem.size), estimator, compression, network.size, step)


def variance_reduced(
    problem: Linear,
    network: Network | Ensemble,
    spec: str = "none",
    *,
    reduction: Reduction = "svrg",
    gamma: float | None = None,
    seed: int = 0,
) -> Descent:
    """Distributed L-SVRG or SAGA with any compression; step size 1 / (6 L), L the largest of the samples'."""
    compression = Compression(spec, network, problem.size, seed=seed)
    estimator = _reduced(_shards(problem, compression), reduction, seed)
    step = gamma or 1 / (6 * problem.sample_smoothness)
    return Descent(np.zeros(problem.size), estimator, compression, network.size, step)


def ibgd(
    problem: Linear,
    network: Network | Ensemble,
    share: float,
    *,
    block: int = 32,
    shared: bool = False,
    gamma: float | None = None,
    seed: int = 0,
) -> Descent:
    """IBGD (Mishchenko, Hanzely, Richtarik, 2020): each worker sends that share of its blocks, drawn independently (or
    one draw `shared` by all, to compare with). Converges where grad f_i(x*) = 0. Step size steps.ibgd."""
    step = gamma or steps.ibgd(problem.worker_smoothness, network.size, share)
    spec = f"randk({share},block={block},unscaled{',shared' if shared else ''})"
    return gd(problem, network, spec, gamma=step, seed=seed)


def isgd(
    problem: Linear,
    network: Network | Ensemble,
    share: float,
    *,
    block: int = 32,
    batch: int = 1,
    gamma: float | None = None,
    decay: Callable[[int], float] = lambda step: 1.0,
    seed: int = 0,
) -> Descent:
    """ISGD: IBGD on stochastic gradients; L is the largest of the samples'."""
    step = gamma or steps.ibgd(problem.sample_smoothness, network.size, share)
    spec = f"randk({share},block={block},unscaled)"
    return sgd(problem, network, spec, gamma=step, decay=decay, batch=batch, seed=seed)


def isaga(
    problem: Linear,
    network: Network | Ensemble,
    share: float,
    *,
    block: int = 32,
    gamma: float | None = None,
    seed: int = 0,
) -> Descent:
    """ISAGA: SAGA of which a worker sends, and puts in its table, that share of its blocks. Step size steps.isaga."""
    compression = Compression(f"randk({share},block={block},unscaled)", network, problem.size, seed=seed)
    estimator = PartialSaga(_shards(problem, compression), np.zeros(problem.size), seed)
    step = gamma or steps.isaga(problem.sample_smoothness, network.size, share)
    return Descent(np.zeros(problem.size), estimator, compression, network.size, step)


def isega(
    problem: Linear,
    network: Network | Ensemble,
    share: float,
    *,
    block: int = 32,
    gamma: float | None = None,
    seed: int = 0,
) -> Descent:
    """ISEGA: independent blocks of differences, which converges also where grad f_i(x*) is not 0. It is DIANA with
    random blocks and alpha = tau. Step size steps.isega."""
    step = gamma or steps.isega(problem.worker_smoothness, network.size, share)
    return gd(problem, network, f"randk({share},block={block})+diana", gamma=step, seed=seed)


def iasgd(
    problem: Linear,
    network: Network | Ensemble,
    share: float,
    *,
    block: int = 32,
    seed: int = 0,
) -> Accelerated:
    """IASGD: Nesterov's acceleration of independent blocks, scaled to be unbiased, where grad f_i(x*) = 0: the growth
    of their variance is 1 + rho (1 / tau - 1) / n, rho the problem's own."""
    compression = Compression(f"randk({share},block={block})", network, problem.size, seed=seed)
    growth = 1 + (1 / share - 1) / network.size * problem.growth
    return Accelerated(
        np.zeros(problem.size),
        Full(_shards(problem, compression)),
        compression,
        network.size,
        problem.smoothness,
        problem.convexity,
        growth,
    )


def int_gd(
    problem: Linear,
    network: Network | Ensemble,
    *,
    shifts: bool = False,
    width: int = 32,
    gamma: float | None = None,
    seed: int = 0,
) -> Descent:
    """IntGD, or with `shifts` IntDIANA (Mishchenko et al., 2022): integers at a scale that grows as x comes to rest, in
    words of `width` bits. Step size 1 / (2 L), L the largest of the workers'."""
    step = gamma or 1 / (2 * problem.worker_smoothness)
    return gd(problem, network, f"int({width}){'+diana(1)' if shifts else ''}", gamma=step, seed=seed)


def _shards(problem: Linear, compression: Compression) -> Shards:
    return problem.shards(compression.ranks)


def _omega(compression: Compression) -> float:
    # Its memory has refused a biased quantizer.
    assert compression.omega is not None
    return compression.omega


def _reduced(shards: Shards, reduction: Reduction, seed: int) -> Estimator:
    return Svrg(shards, seed) if reduction == "svrg" else Saga(shards, np.zeros(shards.size), seed)
