"""The papers' methods by name, with their step sizes: a problem and a network in, an optimizer out.

A network is a Communicator, with one worker in this process, or an InProcessNetwork, with all workers in this process.
All methods start at 0. The switch can skip blocks, of `block` elements. All raise ValueError for a network of another
number of workers than the problem has, and TypeError for options that they do not have.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, TypedDict, Unpack

import numpy as np

from dropzero.compressors.compression import Compression, Workers
from dropzero.compressors.sparsifiers import PermK, Share
from dropzero.methods import steps
from dropzero.methods.estimators import Difference, Estimator, Full, Minibatch, PartialSaga, Saga, Svrg
from dropzero.methods.optimizers import Accelerated, Descent, Marina, Proximal
from dropzero.problems.linear import Linear, Shards

Reduction = Literal["svrg", "saga"]
Estimate = Callable[[Shards, int], Estimator]
"""(what the local workers hold, seed) -> their estimator."""
REDUCTIONS: dict[Reduction, type[Svrg | Saga]] = {"svrg": Svrg, "saga": Saga}


class Options(TypedDict, total=False):
    """Options of every method."""

    gamma: float
    """Step size, instead of the paper's."""
    decay: Callable[[int], float]
    """Factor of the step size in step 0, 1, ..., above 0."""
    momentum: float
    """Heavy-ball momentum."""
    proximal: Proximal
    """The regularizer's proximal step ([DIANA] algorithm 1), after every step; None: no regularizer."""
    seed: int
    """Seed of all random numbers: samples and compressors."""


StepSize = Callable[[Compression], float]
"""A paper's step size for what is really sent."""


def gd(problem: Linear, network: Workers, spec: str = "none", **options: Unpack[Options]) -> Descent:
    """Gradient descent with any compression; step size 1 / L, L the largest of the workers'."""
    return _descent(problem, network, spec, _full, lambda _: 1 / problem.worker_smoothness, options)


def sgd(
    problem: Linear, network: Workers, spec: str = "none", *, batch: int = 1, **options: Unpack[Options]
) -> Descent:
    """SGD on minibatches of `batch` samples a worker; step size 1 / (2 L), L the largest of the samples'."""
    return _descent(problem, network, spec, _minibatch(batch), lambda _: 1 / (2 * problem.sample_smoothness), options)


def variance_reduced(
    problem: Linear,
    network: Workers,
    spec: str = "none",
    *,
    reduction: Reduction = "svrg",
    **options: Unpack[Options],
) -> Descent:
    """Distributed L-SVRG or SAGA with any compression; step size 1 / (6 L), L the largest of the samples'."""
    step = 1 / (6 * problem.sample_smoothness)
    return _descent(problem, network, spec, REDUCTIONS[reduction], lambda _: step, options)


def diana(
    problem: Linear,
    network: Workers,
    quantizer: str = "terngrad",
    *,
    batch: int | None = None,
    alpha: float | None = None,
    **options: Unpack[Options],
) -> Descent:
    """[DIANA]: gradient differences to shifts that learn the gradients, by the step `alpha`. batch: of a stochastic
    gradient; None: the full one, with which it converges linearly to the optimum. Step sizes steps.diana and
    steps.diana_shifts, or with a batch steps.diana_stochastic.

    Raises ValueError if the quantizer is biased, or for an alpha above 1 / (1 + omega): shifts could diverge."""
    plain = Compression(quantizer, network, problem.size)
    omega, draws = plain.omega, independent(plain, network)
    if omega is None:
        raise ValueError(f"diana needs an unbiased quantizer with an omega, which {quantizer} does not have")
    if batch is None:
        step = steps.diana(problem.worker_smoothness, problem.convexity, draws, omega)
        moved = steps.diana_shifts(omega)
    else:
        step, moved = steps.diana_stochastic(problem.sample_smoothness, draws, omega), 1 / (1 + omega)
    estimate = _full if batch is None else _minibatch(batch)
    alpha = float(moved if alpha is None else alpha)
    # Allow for rounding: a share equals 1 / (1 + omega).
    if alpha * (1 + omega) > 1 + 1e-9:
        raise ValueError(f"alpha must be at most {1 / (1 + omega):.3g} for {quantizer}, not {alpha:g}")
    return _descent(problem, network, f"{quantizer}+diana({alpha!r})", estimate, lambda _: step, options)


def ef21(problem: Linear, network: Workers, sparsifier: str = "topk(0.1)", **options: Unpack[Options]) -> Descent:
    """[EF21]: what a contractive compressor takes of the differences to shifts, which converges with a fixed step also
    where grad f_i(x*) is not 0. Step size steps.ef21."""

    def step(compression: Compression) -> float:
        return steps.ef21(problem.worker_smoothness, compression.delta or 0.0)

    return _descent(problem, network, f"{sparsifier}+ef21", _full, step, options)


def vr_diana(
    problem: Linear,
    network: Workers,
    quantizer: str = "terngrad",
    *,
    reduction: Reduction = "svrg",
    **options: Unpack[Options],
) -> Descent:
    """[VR-DIANA]: DIANA on variance-reduced estimates of one sample a worker, which converges linearly to the optimum.
    Step size steps.vr_diana."""

    def step(compression: Compression) -> float:
        return steps.vr_diana(problem.sample_smoothness, independent(compression, network), compression.omega or 0.0)

    return _descent(problem, network, f"{quantizer}+diana", REDUCTIONS[reduction], step, options)


def marina(
    problem: Linear,
    network: Workers,
    quantizer: str = "terngrad",
    *,
    batch: int | None = None,
    odds: float | None = None,
    gamma: float | None = None,
    seed: int = 0,
) -> Marina:
    """[MARINA]: compressed differences of the gradients at successive points, and in a share `odds` of the rounds whole
    gradients; None: 1 / (1 + omega), with which random elements send as much in these as in all others. batch: of the
    samples for a difference (VR-MARINA, whose odds are also at most batch / (m + batch)); None: all. Step size
    steps.marina.

    Raises ValueError if the quantizer is biased, or for odds outside (0, 1]."""
    compression = Compression(quantizer, network, problem.size, seed=seed)
    if (omega := compression.omega) is None:
        raise ValueError(f"marina needs an unbiased quantizer with an omega, which {quantizer} does not have")
    shards = _shards(problem, network, compression)
    if odds is None:
        odds = min(1 / (1 + omega), batch / (shards.samples + batch) if batch else 1.0)
    if not 0 < odds <= 1:
        raise ValueError(f"odds must be in (0, 1], not {odds:g}")
    sampled = (1 + omega) * problem.sample_smoothness**2 / batch if batch else 0.0
    draws = independent(compression, network)
    step = steps.marina(problem.worker_smoothness, problem.convexity, draws, omega, odds, sampled)
    return Marina(
        np.zeros(problem.size),
        Full(shards),
        Difference(shards, batch, seed),
        Compression("none", network, problem.size, seed=seed),
        compression,
        network.size,
        step if gamma is None else gamma,
        odds,
        seed,
    )


def ibgd(
    problem: Linear,
    network: Workers,
    share: float,
    *,
    block: int = 32,
    shared: bool = False,
    **options: Unpack[Options],
) -> Descent:
    """[IBGD]: each worker sends that share of its blocks, drawn independently (or `shared`, one draw for all, to
    compare). Converges where grad f_i(x*) = 0. Step size steps.ibgd."""
    spec = f"randk({share},block={block},unscaled{',shared' if shared else ''})"
    step = _of_share(steps.ibgd, problem.worker_smoothness, network)
    return _descent(problem, network, spec, _full, step, options)


def isgd(
    problem: Linear,
    network: Workers,
    share: float,
    *,
    block: int = 32,
    batch: int = 1,
    **options: Unpack[Options],
) -> Descent:
    """ISGD of [IBGD]: IBGD on stochastic gradients; L is the largest of the samples'."""
    step = _of_share(steps.ibgd, problem.sample_smoothness, network)
    return _descent(problem, network, f"randk({share},block={block},unscaled)", _minibatch(batch), step, options)


def isaga(problem: Linear, network: Workers, share: float, *, block: int = 32, **options: Unpack[Options]) -> Descent:
    """ISAGA of [IBGD]: SAGA that sends, and puts in its table, that share of a worker's blocks. Step size
    steps.isaga."""
    step = _of_share(steps.isaga, problem.sample_smoothness, network)
    return _descent(problem, network, f"randk({share},block={block},unscaled)", PartialSaga, step, options)


def isega(
    problem: Linear,
    network: Workers,
    share: float,
    *,
    block: int = 32,
    shared: bool = False,
    **options: Unpack[Options],
) -> Descent:
    """ISEGA of [IBGD]: independent blocks of differences (or `shared`, one draw for all, to compare), which converges
    also where grad f_i(x*) is not 0. It is DIANA with random blocks and alpha = tau. Step size steps.isega."""
    spec = f"randk({share},block={block}{',shared' if shared else ''})+diana"
    return _descent(problem, network, spec, _full, _of_share(steps.isega, problem.worker_smoothness, network), options)


def iasgd(problem: Linear, network: Workers, share: float, *, block: int = 32, seed: int = 0) -> Accelerated:
    """IASGD of [IBGD]: Nesterov's acceleration of independent blocks, scaled to be unbiased, where grad f_i(x*) = 0:
    the growth of their variance is 1 + rho (1 / tau - 1) / n, with the problem's own rho."""
    compression = Compression(f"randk({share},block={block})", network, problem.size, seed=seed)
    return Accelerated(
        np.zeros(problem.size),
        Full(_shards(problem, network, compression)),
        compression,
        network.size,
        problem.smoothness,
        problem.convexity,
        growth=1 + (1 / share_sent(compression) - 1) / network.size * problem.growth,
    )


def int_gd(
    problem: Linear, network: Workers, *, shifts: bool = False, width: int = 32, **options: Unpack[Options]
) -> Descent:
    """IntGD, or with `shifts` IntDIANA, of [IntSGD]: integers of `width` bits at a scale that grows as x converges.
    Step size 1 / (2 L), L the largest of the workers'."""
    spec = f"int({width}){'+diana(1)' if shifts else ''}"
    return _descent(problem, network, spec, _full, lambda _: 1 / (2 * problem.worker_smoothness), options)


def share_sent(compression: Compression) -> float:
    """tau: the share of its blocks that a worker really sends, which is a whole number of them.

    Raises ValueError if the sparsifier sends no fixed share."""
    sparsifier = compression.spec.sparsifier
    if not isinstance(sparsifier, Share):
        raise ValueError(f"{compression.spec} does not send a fixed share of the blocks")
    return sparsifier.part(compression.elements)


def independent(compression: Compression, network: Workers) -> int:
    """The n of the step sizes: the number of independent draws, whose errors average out. It is 1 if all workers share
    a draw; but the mean of PermK's parts varies no more than that of n - 1 independent ones."""
    if isinstance(compression.spec.sparsifier, PermK):
        return max(1, network.size - 1)
    return 1 if compression.spec.sparsifier.shared else network.size


def _of_share(formula: Callable[[float, int, float], float], smoothness: float, network: Workers) -> StepSize:
    return lambda compression: formula(smoothness, independent(compression, network), share_sent(compression))


def _descent(
    problem: Linear,
    network: Workers,
    spec: str,
    estimate: Estimate,
    step: StepSize,
    options: Options,
) -> Descent:
    # Python itself takes any.
    if unknown := options.keys() - Options.__optional_keys__:
        raise TypeError(f"this method has no option {', '.join(sorted(unknown))}")
    seed, gamma = options.get("seed", 0), options.get("gamma")
    compression = Compression(spec, network, problem.size, seed=seed)
    return Descent(
        np.zeros(problem.size),
        estimate(_shards(problem, network, compression), seed),
        compression,
        network.size,
        step(compression) if gamma is None else gamma,
        options.get("momentum", 0.0),
        options.get("decay"),
        options.get("proximal"),
    )


def _shards(problem: Linear, network: Workers, compression: Compression) -> Shards:
    """What the local workers hold."""
    if network.size != problem.workers:
        raise ValueError(f"the problem has {problem.workers} workers, the network {network.size}")
    return problem.shards(compression.ranks)


def _full(shards: Shards, seed: int) -> Estimator:
    return Full(shards)


def _minibatch(batch: int) -> Estimate:
    return lambda shards, seed: Minibatch(shards, batch, seed)
