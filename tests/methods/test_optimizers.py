"""Optimizers against their formulas."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from dropzero.compressors.compression import Compression
from dropzero.compressors.in_process import InProcessNetwork
from dropzero.methods.optimizers import Adam


class Given:
    """An estimator of two workers, whose gradients do not depend on x."""

    def __init__(self, *means: float) -> None:
        self.means = iter(means)

    def estimate(self, x: Any) -> NDArray[np.float32]:
        mean = next(self.means)
        return np.array([[mean - 1, -mean], [mean + 1, -mean]], np.float32)

    def learn(self, sent: NDArray[Any]) -> None:
        pass


@pytest.mark.parametrize("beta", [0.0, 0.9])
def test_adam_moves_by_the_bias_corrected_averages(beta: float) -> None:
    compression = Compression("none", InProcessNetwork(2), 2)
    optimizer = Adam(np.zeros(2, np.float32), Given(4.0, 8.0), compression, 2, 0.5, beta, lambda step: 1 / (1 + step))
    optimizer.step()
    np.testing.assert_allclose(optimizer.x, [-0.5, 0.5], rtol=1e-6)
    optimizer.step()
    m = (beta * 4 + 8) / (beta + 1)
    v = (0.999 * 16 + 64) / 1.999
    np.testing.assert_allclose(optimizer.x, np.array([-1, 1]) * (0.5 + 0.25 * m / np.sqrt(v)), rtol=1e-6)
