"""Optimizers against their formulas."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from dropzero.compressors.compression import Compression
from dropzero.compressors.in_process import InProcessNetwork
from dropzero.methods.estimators import Estimator
from dropzero.methods.optimizers import Adam, AdamW


class Given(Estimator):
    """An estimator of two workers, whose gradients do not depend on x."""

    def __init__(self, *means: float) -> None:
        self.means = iter(means)

    def estimate(self, x: Any) -> NDArray[np.float32]:
        mean = next(self.means)
        return np.array([[mean - 1, -mean], [mean + 1, -mean]], np.float32)


@pytest.mark.parametrize("beta", [0.0, 0.9])
@pytest.mark.parametrize(("method", "shrink"), [(Adam, 0.0), (AdamW, 0.01)])
def test_adam_moves_by_the_bias_corrected_averages(beta: float, method: type[Adam], shrink: float) -> None:
    compression, x = Compression("none", InProcessNetwork(2), 2), np.array([1.0, 2.0])
    given = Given(4.0, 8.0)
    optimizer = method(x.astype(np.float32), given, compression, 2, 0.5, beta, lambda step: 1 / (1 + step))
    optimizer.step()
    x = (1 - 0.5 * shrink) * x + [-0.5, 0.5]
    np.testing.assert_allclose(optimizer.x, x, rtol=1e-6)
    optimizer.step()
    m = (beta * 4 + 8) / (beta + 1)
    v = (0.999 * 16 + 64) / 1.999
    x = (1 - 0.25 * shrink) * x + np.array([-1, 1]) * 0.25 * m / np.sqrt(v)
    np.testing.assert_allclose(optimizer.x, x, rtol=1e-6)
