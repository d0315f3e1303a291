"""The constants of a sparsifier followed by a quantizer, which theory and memories use.

Both hold for all n workers' vectors x_i together, because scales that the workers share depend on all of them. A
schedule has the constants of its worst stage.
"""

from __future__ import annotations

from dropzero.compressors.quantizers import Quantizer
from dropzero.compressors.sparsifiers import Sparsifier
from dropzero.compressors.spec import Spec


def variance(spec: Spec, elements: int, workers: int) -> float | None:
    """omega with E C(x) = x, sum_i E|C(x_i) - x_i|^2 <= omega sum_i |x_i|^2; None: biased, or no constant is known."""
    found = [_variance(each, spec.quantizer, elements, workers) for each in spec.schedule.stages(spec.sparsifier)]
    known = [omega for omega in found if omega is not None]
    return max(known) if len(known) == len(found) else None


def contraction(spec: Spec, elements: int, workers: int) -> float | None:
    """delta with sum_i E|C(x_i) - x_i|^2 <= (1 - delta) sum_i |x_i|^2; None: it may expand, or none is known."""
    found = [_contraction(each, spec.quantizer, elements, workers) for each in spec.schedule.stages(spec.sparsifier)]
    known = [delta for delta in found if delta is not None]
    return min(known) if len(known) == len(found) else None


def _variance(sparsifier: Sparsifier, quantizer: Quantizer, elements: int, workers: int) -> float | None:
    first, then = sparsifier.omega(elements), quantizer.omega(sparsifier.most(elements), workers)
    return None if first is None or then is None else (1 + first) * (1 + then) - 1


def _contraction(sparsifier: Sparsifier, quantizer: Quantizer, elements: int, workers: int) -> float | None:
    omega = _variance(sparsifier, quantizer, elements, workers)
    if omega is not None:
        return 1 - omega if omega < 1 else None
    # The quantizer's error is orthogonal to the sparsifier's: on average if the quantizer is unbiased, and always if
    # the two have no element in common.
    most = sparsifier.most(elements)
    first, then = sparsifier.delta(elements), quantizer.delta(most, workers)
    if first is None or then is None or not (sparsifier.selects or quantizer.omega(most, workers) is not None):
        return None
    return first * then
