"""Judges reject rows for which the claim fails."""

from __future__ import annotations

from typing import Any

import pytest

from dropzero.experiments.catalogue import EXPERIMENTS
from dropzero.experiments.trials.experiment import Row


def ends(measure: str, values: dict[str, float], **others: Any) -> list[Row]:
    return [{"series": series, measure: value, "workers": 10, "seed": 0, **others} for series, value in values.items()]


def independent(ratio: float) -> list[Row]:
    counts = {"GD, 1/L": 100.0, "IBGD, tight step": 100 * ratio, "GD, 1/2L": 200.0, "IBGD, paper's step": 500.0}
    theory = {"IBGD, tight step": 200.0, "IBGD, paper's step": 560.0}
    rows = ends("iterations", counts)
    for row in rows[1::2]:
        row["theory"] = theory[str(row["series"])]
    return rows


def cat(own: float) -> list[Row]:
    bits = ends("bits", {"cat(signs)": own, "a": 10.0, "b": 20.0, "c": 40.0}, unit="bits")
    return bits + ends("seconds", {"blockcat(32)+ef": 1.0, "a": 1.0, "b": 2.0}, unit="seconds")


def quantizers(dense: float) -> list[Row]:
    """Good rows, except that `dense` may make all accuracies too low."""
    found = dict.fromkeys(("dense", "TernGrad", "1-bit, EF"), dense) | {"1-bit": 0.95}
    return [row | {"spec": {"dense": "none"}.get(str(row["series"]), "?")} for row in ends("accuracy", found)]


GOOD_BAD: dict[str, tuple[list[Row], list[Row]]] = {
    "feedback": (
        ends("accuracy", {"dense": 0.98, "top-k, EF": 0.975, "top-k": 0.92, "random-k, EF": 0.9}, spec="?"),
        ends("accuracy", {"dense": 0.98, "top-k, EF": 0.975, "top-k": 0.95, "random-k, EF": 0.9}, spec="?"),
    ),
    "quantizers": (quantizers(0.972), quantizers(0.969)),
    "independent": (independent(2.0), independent(2.3)),
    "heterogeneous": (
        ends("gap", {"IBGD": 1e-4, "IBGD, half the step": 5e-5, "ISEGA": 1e-12}),
        ends("gap", {"IBGD": 1e-4, "IBGD, half the step": 5e-5, "ISEGA": 1e-6}),
    ),
    "vr-diana": (
        ends("gap", {"VR-DIANA, L-SVRG": 1e-13, "VR-DIANA, SAGA": 1e-13, "DIANA, SGD": 1e-3, "TernGrad, SGD": 1e-3}
             | {"TernGrad, L-SVRG": 1e-5}),
        ends("gap", {"VR-DIANA, L-SVRG": 1e-13, "VR-DIANA, SAGA": 1e-8, "DIANA, SGD": 1e-3, "TernGrad, SGD": 1e-3}
             | {"TernGrad, L-SVRG": 1e-5}),
    ),
    "cat": (cat(12.0), cat(18.0)),
}  # fmt: skip


@pytest.mark.parametrize("name", GOOD_BAD)
def test_a_judge_tells_what_holds_from_what_does_not(name: str) -> None:
    good, bad = GOOD_BAD[name]
    assert EXPERIMENTS[name].judge(good).holds
    assert not EXPERIMENTS[name].judge(bad).holds
