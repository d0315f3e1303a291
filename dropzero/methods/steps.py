"""The papers' step sizes, from a problem's constants.

`smoothness` is L, the maximum over the workers or over the samples, as the method needs; `convexity` is mu; `workers`
is n; `omega` is the compressor's variance; `share` is tau, the fraction of its blocks that a worker really sends.
"""

from __future__ import annotations

from math import sqrt


def ibgd(smoothness: float, workers: int, share: float) -> float:
    """IBGD and ISGD for any f_i ([IBGD]): n / (2 L (tau n + 2 (1 - tau)))."""
    return workers / (share * workers + 2 * (1 - share)) / (2 * smoothness)


def ibgd_interpolating(smoothness: float, workers: int, share: float) -> float:
    """The largest proven step size if grad f_i(x*) = 0 for all workers: n / (L (tau n + 1 - tau))."""
    return workers / (share * workers + 1 - share) / smoothness


def isaga(smoothness: float, workers: int, share: float) -> float:
    """ISAGA ([IBGD]); `smoothness` of the samples: 1 / (L (3 / n + tau))."""
    return 1 / (smoothness * (3 / workers + share))


def isega(smoothness: float, workers: int, share: float) -> float:
    """ISEGA ([IBGD]): 1 / (4 L (1 + 1 / (n tau)))."""
    return 1 / (4 * smoothness * (1 + 1 / (workers * share)))


def ef21(smoothness: float, delta: float) -> float:
    """[EF21] theorem 1, with L for all: 1 / (L (1 + sqrt(beta / theta))), theta = 1 - sqrt(1 - delta), beta = (1 -
    delta) / theta; delta of the compressor."""
    theta = 1 - sqrt(1 - delta)
    return 1 / (smoothness * (1 + sqrt(1 - delta) / theta))


def diana_shifts(omega: float) -> float:
    """alpha, the step of DIANA's shifts ([DIANA] corollary 1): 1 / (2 (1 + omega))."""
    return 1 / (2 * (1 + omega))


def diana(smoothness: float, convexity: float, workers: int, omega: float) -> float:
    """DIANA with shifts that move by diana_shifts, and strongly convex f_i ([DIANA] corollary 1); `convexity` mu:
    2 / ((L + mu) (1 + 2 omega / n)), at most alpha / mu."""
    step = 2 / ((smoothness + convexity) * (1 + 2 * omega / workers))
    return min(diana_shifts(omega) / convexity, step) if convexity else step


def diana_stochastic(smoothness: float, workers: int, omega: float) -> float:
    """DIANA on samples' gradients, and with shifts that move by 1 / (1 + omega) ([Unified]); `smoothness` of the
    samples: 1 / (L (1 + 6 omega / n))."""
    return 1 / (smoothness * (1 + 6 * omega / workers))


def vr_diana(smoothness: float, workers: int, omega: float) -> float:
    """[VR-DIANA]; `smoothness` of the samples: 1 / (L (1 + 36 (omega + 1) / n))."""
    return 1 / (smoothness * (1 + 36 * (omega + 1) / workers))


def marina(smoothness: float, convexity: float, workers: int, omega: float, odds: float, sampled: float = 0.0) -> float:
    """[MARINA] where f is at least as curved as mu |x|^2 / 2 away from its optimum (Polyak-Lojasiewicz): 1 / (L +
    sqrt(2 (1 - p) / (p n) (omega L^2 + sampled))), at most p / (2 mu); `odds` p; `convexity` mu. sampled, of VR-MARINA:
    (1 + omega) / batch times the squared L of the samples."""
    noise = 2 * (1 - odds) / (odds * workers) * (omega * smoothness**2 + sampled)
    step = 1 / (smoothness + sqrt(noise))
    return min(step, odds / (2 * convexity)) if convexity else step
