"""Judges accept rows for which a claim holds, and reject rows that break one of its conditions."""

from __future__ import annotations

from math import inf
from typing import Any, NamedTuple

import pytest

from dropzero.experiments.catalogue import EXPERIMENTS
from dropzero.experiments.claims.blocks.heterogeneous import INDEPENDENT, SHARED
from dropzero.experiments.claims.blocks.independent import GD, HALF_GD, PAPERS, TIGHT
from dropzero.experiments.claims.differences.composite import MOMENTA
from dropzero.experiments.claims.differences.marina import GD as GRADIENT
from dropzero.experiments.claims.differences.marina import PERM, RANDOM, WHOLE
from dropzero.experiments.claims.feedback.adam import CNN, CNN_POWER, CNN_TENTH, POWER, TENTH
from dropzero.experiments.claims.feedback.contraction import HELD, MIDDLE, MODELS, SQUARE
from dropzero.experiments.claims.feedback.digits import NEAR, OFF, distance
from dropzero.experiments.claims.links.images import DENSE as FLOAT32
from dropzero.experiments.claims.links.images import GATHERED as GATHERED_WITH_SHIFTS
from dropzero.experiments.claims.links.images import LEVELS, TERNARY
from dropzero.experiments.claims.links.messages import DENSE as FLOATS
from dropzero.experiments.claims.links.messages import GATHERED, SUMMED
from dropzero.experiments.claims.links.seconds import SCHEMES
from dropzero.experiments.claims.links.table import SPARSE
from dropzero.experiments.claims.links.tuning import CONTESTS, DYNAMIC, OWN, PACKETS, SIGNS
from dropzero.experiments.trials.experiment import Row, Verdict, at_least, at_most


class Wrong(NamedTuple):
    """A value for the series' measure, in its first row or in all of them, that breaks one condition."""

    series: str
    measure: str
    value: float
    first: bool = False


def ends(measure: str, values: dict[str, float], **others: Any) -> list[Row]:
    return [{"series": series, measure: value, "workers": 10, "seed": 0, **others} for series, value in values.items()]


def trained(values: dict[str, float], specs: dict[str, str]) -> list[Row]:
    return [row | {"spec": specs.get(str(row["series"]), "?")} for row in ends("accuracy", values)]


DENSE = {"dense": "none"}
GOOD: dict[str, list[Row]] = {
    "memory": [
        row | {"step": step, "sent": 1.0}
        for step, gaps in ((40, (1e-2, 2e-2, 2e-2, 0.1)), (400, (3e-3, 4e-3, 4e-3, 0.1)))
        for row in ends("gap", dict(zip(("SGD", "top 1, memory", "random 1, memory", "top 1"), gaps, strict=True)))
    ],
    "transformer": [row | {"seed": seed, "sent": 0.01} for seed in range(3) for row in ends(
        "held-out loss", {"dense": 1.9, "top 1 %, EF": 1.915, "top 1 %": 2.0})],
    "adam": [row | {"seed": seed, "bytes up": {
        "dense": 100.0, "CNN, dense": 100.0, "8 bits": 28.0}.get(str(row["series"]), 5.0),
                     "bytes down": 100.0 if str(row["series"]).endswith("dense") else 10.0}
             for seed in range(3) for row in ends("held-out loss", {
        "dense": 1.83, "8 bits": 1.835, TENTH: 2.2, f"{TENTH}, beta 1 = 0": 1.74,
        "blocks, 1 %": 2.5, "blocks, 1 %, beta 1 = 0": 2.25, "dense, beta 1 = 0": 1.91, POWER: 1.94,
        f"{POWER}, beta 1 = 0": 1.87, CNN: 0.044, f"{CNN}, beta 1 = 0": 0.045, f"{CNN_TENTH}, beta 1 = 0": 0.04,
        f"{CNN_POWER}, beta 1 = 0": 0.04})],
    "documented": [
        {"series": task, "spec": spec, "told": told, "step": 60} | ({} if told else {"behind": 0.02})
        for task in ("clicks", "characters")
        for spec, told in (("none", ""), ("topk(0.1)+ef", ""), ("qsgd(1,bucket=0)", "its omega is 656"))
    ],
    "zeros": [
        row
        for elements, unions in ((1e4, (0.2, 0.4)), (1e5, (0.1, 0.2)))
        for batch, union in zip((16, 64), unions, strict=True)
        for row in ends("union", {f"batch {batch}": union}, batch=batch, elements=elements, held=union / 2,
                        up=union / 2 + 0.1, down=union + 0.1, **{"union, blocks of 256": 3 * union})
    ] + ends("union", {"transformer": 1.0}, elements=3e4, held=1.0, up=1.0, down=1.0),
    "isaga": [row | {"step": step, "stored": 0.1} for row, step in zip(ends("gap", {
        "SAGA": 1e-11, "ISAGA": 1e-11, "ISGD": 1e-3, "ISAGA, data of their own": 1e-3}),
        (1000, 2500, 2000, 2000), strict=True)],
    "seconds": [row | {"seed": seed, "task": "mlp", "links": links}
                for links, tuned in (("20 Mbit/s", 4.1), ("100, then 20 Mbit/s", 4.3)) for seed in range(3)
                for row in ends("seconds", dict.fromkeys(SCHEMES, 5.0) | {"dense": 10.0, "THC": 4.0, "tuned": tuned})],
    "thc": [
        {"series": f"{series}, {vectors}", "workers": workers, "bits": bits, "nmse": nmse / workers, "bytes up": 100.0}
        for vectors in ("transformer", "log-normal")
        for workers in (4, 16)
        for bits in (3, 4)
        for series, nmse in (("THC", 0.02), ("QSGD", 0.2), ("TernGrad", 0.6))
    ],
    "thc-seconds": [row | {"seed": seed, "step": 200.0, "bytes up": 100.0 if row["series"] == "dense" else 27.0}
                    for seed in range(3) for row in ends("seconds", {"dense": 4.0, "THC": 2.0})],
    "constant": [
        {"series": series, "workers": workers, "bytes up": value, "bytes down": value, "error": error}
        for workers in (4, 8)
        for series, value, error in (("switch", 1.05, 0.5), ("ring", 2 - 2 / workers, 0.0))
    ],
    "feedback": [row | {"sent": 0.01} for row in trained(
        {"dense": 0.98, "top-k, EF": 0.975, "top-k": 0.92, "random-k, EF": 0.9, "yardstick": 0.977},
        {"yardstick": "topk(0.01)+ef"})],
    "counterexample": [{"series": "top-1", "distance": 6.15, "theory": 6.15},
                       {"series": "top-1, EF", "distance": 1e-9}],
    "gaussiank": [
        {"series": "Gaussian", "kept / k": 0.9}, {"series": "Gaussian", "kept / k": 1.1},
        {"series": "uniform", "kept / k": 0.6}, {"series": "Laplace", "kept / k": 1.9},
        {"series": "speed", "elements": 9, "exact": "argpartition", "times faster": 4.0},
        {"series": "speed ", "elements": 9, "exact": "the exact top-k here", "times faster": 4.0},
        *trained({"training, GaussianK": 0.975, "training, top-k": 0.98, "yardstick": 0.98}, {"yardstick": "none"}),
    ],
    "contraction": [
        row | {"model": model, "density": 0.01, "step": 60, HELD: 0.9}
        for model in MODELS
        for row in ends("error over (1 - k/d)^2", {f"{model}, whole": 0.9, f"{model}, part 1": 0.95})
    ] + ends("error", {SQUARE: 0.98}),
    "histograms": [
        {"series": series, "deviations": away, "share": share, MIDDLE: 0.8, "density": 0.01, "step": 1, HELD: 0.9}
        for series in ("mlp, step 1", "cnn, step 1")
        for away, share in ((-1.5, 0.1), (0.0, 0.8), (1.5, 0.1))
    ],
    "estimates": [
        {"series": "mlp, part 1", "density": 0.01, "estimated k / k": 4.0, "kept k / k": 1.0},
        {"series": "mlp, whole", "density": 0.01, "estimated k / k": 0.7, "kept k / k": 0.7},
        {"series": "cnn, whole", "density": 0.01, "estimated k / k": 1.6, "kept k / k": 1.0},
    ],
    "dgc": ends("accuracy", {
        "dense": 0.98, "DGC": 0.975, "without warm-up": 0.96, "top-k, momentum of the sum": 0.955}, sent=0.001),
    "gtopk": [row | {"received": 0.01, "union": 0.2 if row["series"] == "gTop-k" else 0.8} for row in ends(
        "accuracy", {"top-k": 0.98, "gTop-k": 0.975})],
    "blocks": [row | {"sent": 0.01, "union": 0.1 if "blocks" in str(row["series"]) else 0.8} for row in trained(
        {"dense": 0.98, "elements, 1 %": 0.97, "blocks, 1 %": 0.96, "blocks, 10 %": 0.975, "yardstick": 0.98},
        {"yardstick": "none"})],
    "quantizers": [row | {"bytes up": 100.0 if row["series"] == "dense" else 9.0} for row in trained(
        {"dense": 0.98, "8 bits, EF": 0.98, "1-bit, EF": 0.98, "1-bit": 0.95, "yardstick": 0.98},
        {"yardstick": "none"})],
    "independent": [
        row | {"tau": 0.1, "sent": 0.1, "theory": 200.0 if row["series"] in (TIGHT, "shared seed") else 560.0}
        if row["series"] in (TIGHT, PAPERS, "shared seed") else row | {"sent": 1.0}
        for row in ends(
            "iterations", {GD: 100.0, HALF_GD: 200.0, TIGHT: 200.0, PAPERS: 540.0, "shared seed": 200.0})
    ],
    "independent-bytes": [row | {"bytes down": 100.0, "iterations": 50.0, "sent": 0.1}
                          for row in ends("bytes up", {GD: 100.0, TIGHT: 100.0})],
    "isgd": [
        row | {"condition": 1600.0 if "larger" in str(row["series"]) else 100.0, "theory": float(row["iterations"]),
               "sent": 0.1}
        for row in ends("iterations", {"SGD": 100.0, "ISGD": 280.0, "GD": 900.0, "IASGD": 136.0,
                                       "IASGD, larger kappa": 530.0})
    ],
    "heterogeneous": ends("gap", {"IBGD": 1e-4, "IBGD, half the step": 5e-5, "ISEGA": 1e-12}),
    "diana": [row | {"largest sum": 8.0} for row in ends("gap", {
        "TernGrad": 1e-4, "QSGD": 1e-4, "DIANA, TernGrad's integers": 1e-14, "DIANA, QSGD's integers": 1e-14})],
    "rate": [
        {"series": series, "workers": workers, "condition": 10, "omega": omega, "iterations": best,
         "paper step": 100.0, "longest": 2.0, "theory": theory, "bound": 101.0}
        for series, workers, omega, best, theory in (
            ("none", 4, 0.0, 40.0, 184.0), ("quant(2)", 4, 4.66, 125.0, 485.0),
            ("randk(0.0625)", 4, 15.0, 200.0, 1150.0), ("none", 16, 0.0, 40.0, 184.0),
            ("randk(0.0625)", 16, 15.0, 140.0, 633.0))
    ],
    "composite": [row | {"step": step, "wrong zeros": 0.0} for row, step in zip(ends("gap", {
        "l_inf": 1e-13, "l_inf, blocks": 1e-13, "l2": 1e-13, "l2, blocks": 1e-13, **dict.fromkeys(MOMENTA, 1e-13),
        "without shifts": 1e-3}), (100, 80, 200, 120, 100, 100, 100, 600), strict=True)],
    "bits": [
        {"series": series, "workers": 4, "step": step, "bits": bits, "gap": gap, "largest sum": 3.0, "halfway": 200.0}
        for series, step, bits, gap in (
            ("GD", 100, 4e5, 1e-12), ("differences and quantization", 200, 7e4, 1e-12), 
            ("all three", 460, 4.9e4, 1e-12), ("all three, added by the switch", 1600, 1e5, 1e-12),
            ("without differences", 500, 1e5, 0.1))
    ],
    "vr-diana": ends("gap", {"L-SVRG": 1e-13}, bits=100.0) + ends("gap", {
        "VR-DIANA, L-SVRG": 1e-13, "VR-DIANA, SAGA": 1e-13, "DIANA, SGD": 1e-3, "TernGrad, SGD": 1e-3,
        "TernGrad, L-SVRG": 1e-5}, bits=22.0),
    "vr-rate": [
        {"series": spec, "workers": 8, "samples": samples, "iterations": best, "paper step": 3000.0, "longest": 16.0,
         "bound": 3001.0}
        for spec, samples, best in (
            ("none", 4, 30.0), ("randk(0.0625)", 4, 281.0), ("none", 200, 192.0), ("randk(0.0625)", 200, 500.0))
    ],
    "marina": [row | {"share sent": sent, "bound": 1100.0} for row, sent in zip(ends("iterations", {
        GRADIENT: 87.0, PERM: 87.0, RANDOM: 440.0}), (1.0, 0.16, 0.19), strict=True)] + ends("gap", {WHOLE: 0.04}),
    "integers": [
        {"series": "IntGD", "bits": 37.0, "bits of the sum": 5.0, "gap": 1e-17},
        {"series": "IntDIANA", "bits": 3.0, "gap": 1e-17},
        {"series": "IntGD, 16-bit words", "gap": 1e-8}, {"series": "IntDIANA, 8-bit words", "gap": 1e-15},
    ],
    "cat": [
        row | {"unit": unit, "descent": 1.5, "spread": 1.3, "iterations": 300.0 if row["series"] == DYNAMIC else 100.0}
        for unit, contest in CONTESTS.items()
        for row in ends("cost", {contest.tuned: 12.0, "a": 10.0, "b": 20.0, "c": 40.0}
                        | ({DYNAMIC: 12.0} if unit == SIGNS else {}))
    ],
    "choices": [
        {"series": series, "step": step, "elements": elements, "gain per cost": 1.0, "full": 0.99}
        for series in (SIGNS, PACKETS) for step, elements in ((1, 6.0), (2, 90.0))
    ],
    "worth": [
        {"series": series, "elements": count, "gain per cost": gain}
        for series, gains in (("step 1", (1.0, 0.8, 0.02)), ("step 4", (0.4, 1.0, 0.2)))
        for count, gain in zip((1, 10, 100), gains, strict=True)
    ],
    "isega": [
        {"series": series, "workers": 10, "tau n": times, "iterations": iterations, "sent": times / 10}
        for series, values in ((INDEPENDENT, (100.0, 200.0)), (SHARED, (120.0, 1400.0)))
        for times, iterations in zip((10, 1), values, strict=True)
    ],
    "messages": [
        {"series": series, "workers": 8, "up": up, "down": down}
        for series, up, down in ((GATHERED, 2.2, 15.0), (SUMMED, 9.0, 9.0), (FLOATS, 33.0, 33.0))
    ],
    "images": [
        {"series": series, "workers": workers, "images a second": rate, "accuracy": 0.98}
        for series, rates in ((FLOAT32, (100.0, 196.0, 784.0)), (TERNARY, (200.0, 400.0, 1600.0)),
                              (LEVELS, (190.0, 380.0, 1520.0)), (GATHERED_WITH_SHIFTS, (350.0, 500.0, 1000.0)))
        for workers, rate in zip((1, 2, 8), rates, strict=True)
    ],
    "table": ends("seconds", {"dense": 3.0, **dict.fromkeys(SPARSE, 2.0)}, accuracy=0.98),
}  # fmt: skip

WRONG: dict[str, dict[str, Wrong]] = {
    "memory": {
        "gap of the largest coordinate over SGD's": Wrong("SGD", "gap", 2e-3),
        "gap of a random coordinate over SGD's": Wrong("random 1, memory", "gap", 5e-3),
        "gap over that after a tenth of the steps": Wrong("top 1, memory", "gap", 4e-3),
        "elements that a worker sends, most": Wrong("random 1, memory", "sent", 2.0),
        "gap without memory": Wrong("top 1", "gap", 1e-2),
        "gap without memory, which stops and does not grow": Wrong("top 1", "gap", 1.1),
    },
    "transformer": {
        "share of its elements that a worker sends": Wrong("top 1 %, EF", "sent", 0.02),
        "nats above dense, median of the seeds": Wrong("top 1 %, EF", "held-out loss", 1.93),
        "nats above dense without EF, median of the seeds": Wrong("top 1 %", "held-out loss", 1.91),
        "nats of dense over those of guessing": Wrong("dense", "held-out loss", 2.8),
    },
    "adam": {
        "bytes up of 8 bits over dense": Wrong("8 bits", "bytes up", 50.0),
        f"bytes up of {TENTH} over dense": Wrong(TENTH, "bytes up", 20.0),
        "bytes up of blocks, 1 % over dense": Wrong("blocks, 1 %", "bytes up", 20.0),
        f"bytes up of {POWER} over dense": Wrong(POWER, "bytes up", 20.0),
        f"bytes up of {CNN_TENTH} over dense": Wrong(f"{CNN_TENTH}, beta 1 = 0", "bytes up", 20.0),
        f"bytes up of {CNN_POWER} over dense": Wrong(f"{CNN_POWER}, beta 1 = 0", "bytes up", 20.0),
        f"bytes down of {TENTH} over dense": Wrong(TENTH, "bytes down", 20.0),
        f"bytes down of {CNN_TENTH} over dense": Wrong(f"{CNN_TENTH}, beta 1 = 0", "bytes down", 20.0),
        "nats of 8 bits above dense": Wrong("8 bits", "held-out loss", 1.9),
        f"nats of {TENTH} saved by beta 1 = 0": Wrong(TENTH, "held-out loss", 1.75),
        "nats of blocks, 1 % saved by beta 1 = 0": Wrong("blocks, 1 %, beta 1 = 0", "held-out loss", 2.6),
        f"nats of {POWER} saved by beta 1 = 0": Wrong(POWER, "held-out loss", 1.875),
        f"loss of {TENTH}, beta 1 = 0, over the better dense": Wrong("dense, beta 1 = 0", "held-out loss", 1.7),
        f"loss of {POWER}, beta 1 = 0, over the better dense": Wrong(f"{POWER}, beta 1 = 0", "held-out loss", 1.93),
        f"loss of {TENTH}, beta 1 = 0, over PowerSGD": Wrong(f"{POWER}, beta 1 = 0", "held-out loss", 1.73),
        f"loss of {CNN_TENTH}, beta 1 = 0, over the better dense": Wrong(CNN, "held-out loss", 0.035),
        f"loss of {CNN_TENTH}, beta 1 = 0, over PowerSGD": Wrong(f"{CNN_POWER}, beta 1 = 0", "held-out loss", 0.039),
        f"nats of {TENTH} above dense": Wrong(TENTH, "held-out loss", 1.84),
        "nats of blocks, 1 % above dense": Wrong("blocks, 1 %", "held-out loss", 1.84),
    },
    "documented": {
        name: Wrong(task, "behind", value, value > 1)
        for task in ("clicks", "characters")
        for name, value in (
            (f"specs that neither train nor say why, {task}", inf),
            (f"share of the specs that train, {task}", 0.04),
        )
    },
    "zeros": {
        "bytes up over dense's, largest model and smallest batch": Wrong("batch 16", "up", 0.26),
        "bytes down over dense's, largest model and smallest batch": Wrong("batch 16", "down", 0.26),
        "share of blocks over that in the next smaller model, worst": Wrong("batch 64", "union", 0.15, first=True),
        "share of blocks over that with the next larger batch, worst": Wrong("batch 16", "union", 0.45),
        "share of dense's bytes above that of its blocks, worst": Wrong("batch 64", "down", 0.65),
        "share of blocks of 256 over that of 32, least": Wrong("batch 16", "union, blocks of 256", 0.15),
        "share of a transformer's blocks that are not zero": Wrong("transformer", "union", 0.5),
    },
    "isaga": {
        "share of a gradient that ISAGA stores, times n": Wrong("ISAGA", "stored", 1.0),
        "SAGA's gap": Wrong("SAGA", "gap", 1e-8),
        "ISAGA's gap": Wrong("ISAGA", "gap", 1e-8),
        "ISAGA's iterations over 1 / tau times SAGA's": Wrong("ISAGA", "step", 13_000.0),
        "ISGD's gap": Wrong("ISGD", "gap", 1e-8),
        "ISGD's gap, which stops and does not grow": Wrong("ISGD", "gap", 1.1),
        "ISAGA's gap where data differ": Wrong("ISAGA, data of their own", "gap", 1e-8),
        "ISAGA's gap where data differ, which stops and does not grow": Wrong("ISAGA, data of their own", "gap", 1.1),
    },
    "seconds": {
        name: wrong
        for links in ("20 Mbit/s", "100, then 20 Mbit/s")
        for name, wrong in (
            (f"mlp, {links}: seconds over the best fixed one's, median of the seeds", Wrong("tuned", "seconds", 4.6)),
            (f"mlp, {links}: seconds over dense's, median of the seeds", Wrong("dense", "seconds", 4.05)),
        )
    },
    "thc": {
        "NMSE over QSGD's with as many values, worst": Wrong("QSGD, log-normal", "nmse", 0.01),
        "NMSE of 4 bits over TernGrad's, worst": Wrong("TernGrad, transformer", "nmse", 0.02),
        "bytes up over theirs, worst": Wrong("THC, transformer", "bytes up", 104.0),
        "NMSE with the most workers over that with the fewest, worst": Wrong("THC, transformer", "nmse", 1e-3, True),
    },
    "thc-seconds": {
        "dense's seconds over THC's, median of the seeds": Wrong("THC", "seconds", 3.2),
        "bytes up in a step over dense's, most": Wrong("THC", "bytes up", 40.0),
    },
    "constant": {
        name: Wrong("switch", key, value, first=True)
        for name, key, value in (
            *(
                (f"{way}{condition}", way, value)
                for way in ("bytes up", "bytes down")
                for condition, value in (
                    (" over the vector's, worst", 1.2),
                    (", most over least", 1.0),
                    (" over a ring's, worst", 1.6),
                )
            ),
            ("error over that of float32, worst", "error", 1.5),
        )
    },
    "feedback": {
        "share of the elements sent, top-k, EF": Wrong("top-k, EF", "sent", 0.02),
        "share of the elements sent, random-k, EF": Wrong("random-k, EF", "sent", 0.02),
        "accuracy above that without EF": Wrong("top-k", "accuracy", 0.95),
        "accuracy above that of random elements": Wrong("random-k, EF", "accuracy", 0.94),
        "accuracy below dense": Wrong("dense", "accuracy", 0.99),
        OFF: Wrong("yardstick", "accuracy", 0.95),
    },
    "counterexample": {
        "growth, off the theory's": Wrong("top-1", "distance", 6.2),
        "distance with EF": Wrong("top-1, EF", "distance", 1e-3),
    },
    "gaussiank": {
        "least kept of any values, k": Wrong("uniform", "kept / k", 0.0),
        "most kept of any values, k": Wrong("Laplace", "kept / k", 6.5),
        "least kept of Gaussian values, k": Wrong("Gaussian", "kept / k", 0.7),
        "most kept of Gaussian values, k": Wrong("Gaussian", "kept / k", 1.3),
        "accuracy below exact top-k": Wrong("training, GaussianK", "accuracy", 0.96),
        OFF: Wrong("yardstick", "accuracy", 0.96),
        "times as fast as argpartition": Wrong("speed", "times faster", 1.4),
        "times as fast as the exact top-k here": Wrong("speed ", "times faster", 1.4),
    },
    "contraction": {
        f"error over {SQUARE}, worst, {model}": Wrong(f"{model}, whole", "error over (1 - k/d)^2", 1.01)
        for model in MODELS
    }
    | {HELD: Wrong(f"{MODELS[0]}, whole", HELD, 0.1)},
    "histograms": {
        f"{MIDDLE}, least": Wrong("mlp, step 1", MIDDLE, 0.6),
        "deviations from the mean to the fullest bin, most": Wrong("cnn, step 1", "share", 0.9, first=True),
        HELD: Wrong("cnn, step 1", HELD, 0.1),
    },
    "estimates": {
        "least estimated k over k, at 1 %": Wrong("mlp, whole", "estimated k / k", 0.0),
        "most estimated k over k, at 1 %": Wrong("cnn, whole", "estimated k / k", 4.0),
        "least kept k over k, at 1 %": Wrong("mlp, whole", "kept k / k", 0.4),
    },
    "dgc": {
        "share of the elements that a worker sends": Wrong("without warm-up", "sent", 0.01),
        "accuracy of dense": Wrong("dense", "accuracy", 0.9),
        "accuracy below dense": Wrong("dense", "accuracy", 0.986),
        "accuracy above top-k with momentum": Wrong("top-k, momentum of the sum", "accuracy", 0.97),
        "accuracy above that without warm-up": Wrong("without warm-up", "accuracy", 0.972),
    },
    "gtopk": {
        "accuracy of top-k": Wrong("top-k", "accuracy", 0.9),
        "share of the elements that a worker receives": Wrong("gTop-k", "received", 0.08),
        "accuracy below top-k": Wrong("top-k", "accuracy", 0.986),
        "union of blocks over top-k's": Wrong("gTop-k", "union", 0.3),
    },
    "blocks": {
        "share of the elements sent, of 1 %": Wrong("blocks, 1 %", "sent", 0.02),
        "union of blocks over that of elements": Wrong("blocks, 1 %", "union", 0.3),
        "accuracy below dense": Wrong("blocks, 10 %", "accuracy", 0.96),
        "union of elements": Wrong("elements, 1 %", "union", 0.6),
        OFF: Wrong("yardstick", "accuracy", 0.96),
    },
    "quantizers": {
        "bytes up over dense's, 8 bits, EF": Wrong("8 bits, EF", "bytes up", 50.0),
        "bytes up over dense's, 1-bit, EF": Wrong("1-bit, EF", "bytes up", 28.0),
        "bytes up over dense's, yardstick": Wrong("yardstick", "bytes up", 50.0),
        "accuracy below dense, 8 bits, EF": Wrong("8 bits, EF", "accuracy", 0.96),
        "accuracy below dense, 1-bit, EF": Wrong("1-bit, EF", "accuracy", 0.965),
        "accuracy below dense, yardstick": Wrong("dense", "accuracy", 0.9955),
        "accuracy of 1 bit above that without EF": Wrong("1-bit", "accuracy", 0.975),
        OFF: Wrong("yardstick", "accuracy", 0.999),
    },
    "independent": {
        "iterations over the theory's, worst": Wrong(PAPERS, "iterations", 640.0),
        "with one draw for all, over the theory's": Wrong("shared seed", "iterations", 100.0),
        "share of its elements that a worker sends, times n = 10": Wrong(PAPERS, "sent", 0.2),
        "numbers sent over those of GD, n = 10": Wrong(GD, "iterations", 80.0),
    },
    "independent-bytes": {
        "bytes up over those of GD, n = 10": Wrong(TIGHT, "bytes up", 101.0),
        "bytes down over those of GD, n = 10": Wrong(TIGHT, "bytes down", 101.0),
        "share of its elements that a worker sends, times n = 10": Wrong(TIGHT, "sent", 0.2),
        "iterations to the same gap, n = 10": Wrong(GD, "iterations", inf),
    },
    "isgd": {
        "ISGD's iterations over the theory's, n = 10": Wrong("ISGD", "iterations", 360.0),
        "IASGD's iterations over the theory's, worst, n = 10": Wrong("IASGD", "theory", 100.0),
        "share of its elements that a worker sends, times n, n = 10": Wrong("ISGD", "sent", 0.2),
        "power of kappa in IASGD's iterations, n = 10": Wrong("IASGD, larger kappa", "condition", 1000.0),
        "IASGD's iterations over GD's, n = 10": Wrong("GD", "iterations", 130.0),
    },
    "choices": {
        "signs in the last step over those in the first": Wrong(SIGNS, "elements", 20.0, first=True),
        "share of its packets that a message fills, least": Wrong(PACKETS, "full", 0.6),
        "gain per cost over the best number's, least": Wrong(PACKETS, "gain per cost", 0.9),
    },
    "messages": {
        "bits gathered over those of the others' messages, n = 8": Wrong(GATHERED, "down", 10.0),
        "bits of the sum over 8, n = 8": Wrong(SUMMED, "down", 12.0),
        "bits of the sum over those gathered, n = 8": Wrong(SUMMED, "down", 15.5),
    },
    "worth": {
        "gain per bit of all elements over the best number's, first step": Wrong("step 1", "gain per cost", 0.9),
        "gain per bit of a fixed number over the best one's, worst step, most": Wrong(
            "step 4", "gain per cost", 1.0, True
        ),
    },
    "isega": {
        "iterations over those of all blocks, n = 10": Wrong(INDEPENDENT, "iterations", 50.0, first=True),
        "share of its elements that a worker sends, times n = 10": Wrong(INDEPENDENT, "sent", 1.0),
        "iterations with one draw for all over these, over n = 10": Wrong(SHARED, "iterations", 900.0),
    },
    "heterogeneous": {
        "IBGD's gap with half the step": Wrong("IBGD, half the step", "gap", 1e-9),
        "IBGD's gap with half the step, which stops and does not grow": Wrong("IBGD, half the step", "gap", 1.1),
        "IBGD's gap with the whole step": Wrong("IBGD", "gap", 1.1),
        "its gap with half the step over that with the whole": Wrong("IBGD, half the step", "gap", 9e-5),
        "ISEGA's gap": Wrong("ISEGA", "gap", 1e-6),
    },
    "diana": {
        "TernGrad's gap": Wrong("TernGrad", "gap", 1e-9),
        "TernGrad's gap, which stops and does not grow": Wrong("TernGrad", "gap", 1.1),
        "QSGD's gap": Wrong("QSGD", "gap", 1e-9),
        "QSGD's gap, which stops and does not grow": Wrong("QSGD", "gap", 1.1),
        "TernGrad's gap with shifts": Wrong("DIANA, TernGrad's integers", "gap", 1e-8),
        "QSGD's gap with shifts": Wrong("DIANA, QSGD's integers", "gap", 1e-8),
        "largest sum of ternary integers": Wrong("DIANA, TernGrad's integers", "largest sum", 11.0),
    },
    "rate": {
        "iterations with the paper's step over its bound, worst": Wrong("none", "bound", 39.0),
        "random elements' iterations over the theory's, or the reverse, worst": Wrong("none", "iterations", 8.0),
        "quantizers' iterations over the theory's, worst": Wrong("quant(2)", "iterations", 250.0),
        "the longest step that arrives over the paper's, most": Wrong("randk(0.0625)", "longest", 8.0),
        "iterations of randk(0.0625) over uncompressed, n = 4": Wrong("none", "iterations", 80.0),
        "iterations of randk(0.0625), n = 4 over n = 16": Wrong("randk(0.0625)", "iterations", 160.0),
    },
    "composite": {
        **{
            f"gap, {series}": Wrong(series, "gap", 1e-9)
            for series in ("l_inf", "l_inf, blocks", "l2", "l2, blocks", *MOMENTA)
        },
        "elements of x that are zero and should not be, or the reverse": Wrong([*MOMENTA][-1], "wrong zeros", 1.0),
        "gap without shifts": Wrong("without shifts", "gap", 1e-8),
        "gap without shifts, which stops and does not grow": Wrong("without shifts", "gap", 1.1),
        "iterations of l_inf over l2": Wrong("l_inf", "step", 210.0),
        "iterations in blocks over whole, l2": Wrong("l2, blocks", "step", 210.0),
        "iterations in blocks over whole, l_inf": Wrong("l_inf, blocks", "step", 110.0),
        "iterations with momentum over without": Wrong([*MOMENTA][-1], "step", 190.0),
    },
    "bits": {
        "gap of GD": Wrong("GD", "gap", 1e-7),
        "gap of differences and quantization": Wrong("differences and quantization", "gap", 1e-7),
        "gap of all three": Wrong("all three", "gap", 1e-7),
        "its last six digits' iterations over the first six's": Wrong("all three", "halfway", 150.0),
        "bits of an element in an iteration": Wrong("all three", "bits", 6e4),
        "bits in all over those of GD": Wrong("GD", "bits", 1e5),
        "bits in all over those of differences and quantization": Wrong("differences and quantization", "bits", 4e4),
        "gap without differences": Wrong("without differences", "gap", 1e-7),
        "gap without differences, which stops and does not grow": Wrong("without differences", "gap", 1.1),
        "gap of all three, added by the switch": Wrong("all three, added by the switch", "gap", 1e-6),
        "largest sum of these integers": Wrong("all three, added by the switch", "largest sum", 5.0),
    },
    "vr-diana": {
        "L-SVRG's gap": Wrong("L-SVRG", "gap", 1e-8),
        "bits of VR-DIANA over those of L-SVRG": Wrong("VR-DIANA, L-SVRG", "bits", 60.0),
        "VR-DIANA's gap, L-SVRG": Wrong("VR-DIANA, L-SVRG", "gap", 1e-8),
        "VR-DIANA's gap, SAGA": Wrong("VR-DIANA, SAGA", "gap", 1e-8),
        "DIANA's gap": Wrong("DIANA, SGD", "gap", 1e-9),
        "DIANA's gap, which stops and does not grow": Wrong("DIANA, SGD", "gap", 1.1),
        "TernGrad's gap": Wrong("TernGrad, SGD", "gap", 1e-9),
        "TernGrad's gap, which stops and does not grow": Wrong("TernGrad, SGD", "gap", 1.1),
        "L-SVRG's gap without shifts": Wrong("TernGrad, L-SVRG", "gap", 1e-12),
        "L-SVRG's gap without shifts, which stops and does not grow": Wrong("TernGrad, L-SVRG", "gap", 1.1),
    },
    "vr-rate": {
        "iterations with the paper's step over its bound, worst": Wrong("none", "bound", 240.0),
        "iterations of randk(0.0625) over uncompressed, few samples": Wrong("randk(0.0625)", "iterations", 40.0),
        "the same over 1 + omega": Wrong("randk(0.0625)", "iterations", 600.0),
        "the longest step that arrives over the paper's, most": Wrong("none", "longest", 128.0),
        "iterations with many samples over those with few": Wrong("none", "iterations", 50.0),
        "the same over the ratio of these samples": Wrong("none", "iterations", 1.0, first=True),
    },
    "marina": {
        "iterations with PermK over gradient descent's": Wrong(PERM, "iterations", 100.0),
        "iterations with random elements over PermK's": Wrong(RANDOM, "iterations", 150.0),
        "iterations with random elements over the bound": Wrong(RANDOM, "bound", 400.0),
        "share of its elements that a worker sends, times n": Wrong(PERM, "share sent", 0.21),
        "gap without differences": Wrong(WHOLE, "gap", 1e-7),
        "gap without differences, which stops and does not grow": Wrong(WHOLE, "gap", 1.1),
    },
    "integers": {
        "IntGD's bits": Wrong("IntGD", "bits", 20.0),
        "IntDIANA's bits": Wrong("IntDIANA", "bits", 9.0),
        "IntGD's gap in 16-bit words": Wrong("IntGD, 16-bit words", "gap", 1e-14),
        "IntGD's gap in 16-bit words, which stops and does not grow": Wrong("IntGD, 16-bit words", "gap", 1.1),
        "IntDIANA's gap in 8-bit words": Wrong("IntDIANA, 8-bit words", "gap", 1e-6),
    },
    "cat": {
        "bits of signs, times those of the best fixed choice": Wrong("cat(signs)", "cost", 16.0),
        "bits of signs, against the median fixed choice's": Wrong("cat(signs)", "cost", 21.0),
        "bits of signs: least descent over the guaranteed": Wrong("cat(signs)", "descent", 0.9),
        "bits of signs, times those of the dynamic rule": Wrong(DYNAMIC, "cost", 7.0),
        "iterations, times those of the dynamic rule": Wrong(DYNAMIC, "iterations", 190.0),
        **{
            name: wrong
            for unit, (tuned, _, same) in list(CONTESTS.items())[1:]
            for name, wrong in {
                f"{unit}, times those of the best fixed choice": Wrong(tuned, "cost", 16.0),
                f"{unit}, against the median fixed choice's": Wrong(tuned, "cost", 21.0),
                **({f"{unit}: least descent over the guaranteed": Wrong(tuned, "descent", 0.9)} if same else {}),
                **({"most elements of a worker over the fewest": Wrong(tuned, "spread", 1.0)} if unit == OWN else {}),
            }.items()
        },
    },
    "images": {
        "images a second of added integers over float32's, least": Wrong(LEVELS, "images a second", 140.0, first=True),
        "accuracy below float32's, most": Wrong(TERNARY, "accuracy", 0.94),
        "images a second with n = 8 over 8 times those with one, least": Wrong(TERNARY, "images a second", 500.0),
        "images a second gathered over added, n = 2": Wrong(GATHERED_WITH_SHIFTS, "images a second", 390.0),
        "images a second gathered over added, n = 8": Wrong(GATHERED_WITH_SHIFTS, "images a second", 1700.0),
    },
    "table": {
        **{f"time of {series} over dense": Wrong(series, "seconds", 3.1) for series in SPARSE},
        "least accuracy": Wrong("dense", "accuracy", 0.5),
    },
}


def test_all_claims_are_judged() -> None:
    assert GOOD.keys() == WRONG.keys() == EXPERIMENTS.keys()


@pytest.mark.parametrize("name", GOOD)
def test_every_condition_of_a_claim_can_fail(name: str) -> None:
    verdict = EXPERIMENTS[name].judge(GOOD[name])
    assert verdict.holds, verdict.broken
    assert [condition.name for condition in verdict.conditions] == list(WRONG[name])


@pytest.mark.parametrize(("name", "condition"), [(name, condition) for name in WRONG for condition in WRONG[name]])
def test_rows_that_fail_a_condition_fail_the_claim(name: str, condition: str) -> None:
    wrong = WRONG[name][condition]
    rows = list(GOOD[name])
    at = [at for at, row in enumerate(rows) if row["series"] == wrong.series and wrong.measure in row]
    for each in at[:1] if wrong.first else at:
        rows[each] = rows[each] | {wrong.measure: wrong.value}
    verdict = EXPERIMENTS[name].judge(rows)
    assert not verdict.holds
    assert condition in [each.name for each in verdict.broken]


@pytest.mark.parametrize(("name", "condition"), [(name, condition) for name in WRONG for condition in WRONG[name]])
def test_a_nan_fails_the_claim(name: str, condition: str) -> None:
    """Also where the judge takes the largest of several values: every comparison with NaN is false."""
    wrong = WRONG[name][condition]
    for at in (at for at, row in enumerate(GOOD[name]) if row["series"] == wrong.series and wrong.measure in row):
        rows = [row | {wrong.measure: float("nan")} if each == at else row for each, row in enumerate(GOOD[name])]
        assert not EXPERIMENTS[name].judge(rows).holds


def test_only_a_known_failure_gives_its_reason() -> None:
    broken = [row | {"bytes down": 101.0} if row["series"] == TIGHT else row for row in GOOD["independent-bytes"]]
    (condition,) = EXPERIMENTS["independent-bytes"].judge(broken).broken
    assert str(condition).endswith("at most 1 (" + condition.why + ")")
    assert not any(
        "(" in str(each) for each in EXPERIMENTS["independent-bytes"].judge(GOOD["independent-bytes"]).conditions
    )


def test_the_cost_of_a_run_given_up_is_a_lower_bound() -> None:
    """A median of infinity could not be a threshold."""
    for given_up, cost, holds in (("b", 13.0, True), ("b", 11.0, False), ("cat(signs)", 1.0, False)):
        rows: list[Row] = []
        for row in GOOD["cat"]:
            rest = {key: value for key, value in row.items() if key != "cost"}
            rows.append(rest | {"cost so far": cost} if row["series"] == given_up else row)
        assert EXPERIMENTS["cat"].judge(rows).holds == holds


def test_a_claim_without_conditions_does_not_hold() -> None:
    assert not Verdict("nothing was measured", []).holds


def test_the_record_of_a_refuted_claim_is_that_it_fails_for_known_reasons() -> None:
    experiment = EXPERIMENTS["independent-bytes"]
    good = GOOD["independent-bytes"]
    known = [row | {"bytes down": 101.0} if row["series"] == TIGHT else row for row in good]
    unknown = [row | {"iterations": inf} for row in known]
    found = [experiment.recorded(experiment.judge(rows)) for rows in (good, known, unknown)]
    assert found == [False, True, False]
    assert EXPERIMENTS["independent"].recorded(EXPERIMENTS["independent"].judge(GOOD["independent"]))


def test_a_verdict_tells_its_least_slack() -> None:
    conditions = [at_most("far", 1, 2), at_least("near", 1.1, 1), at_most("exact", -1, 0)]
    assert str(Verdict("measured", conditions)).endswith(
        "of 3 conditions 3 hold, with the least slack: near: 1.1, at least 1"
    )


@pytest.mark.parametrize("name", ["independent", "independent-bytes", "isgd", "rate", "vr-rate"])
def test_methods_that_never_converge_do_not_confirm_a_theory(name: str) -> None:
    rows = [row | {"iterations": inf} if "iterations" in row else row for row in GOOD[name]]
    assert not EXPERIMENTS[name].judge(rows).holds


def test_half_the_step_fails_the_claim_about_iterations() -> None:
    """The theory follows the paper's formulas, not the step size that is tested."""
    rows = [
        row | {"iterations": 2 * float(row["iterations"])} if "theory" in row else row for row in GOOD["independent"]
    ]
    assert not EXPERIMENTS["independent"].judge(rows).holds


def test_more_seeds_tighten_the_accuracy_check() -> None:
    one = trained({"dense": 0.965}, DENSE)
    assert distance(one) < NEAR < distance([row | {"seed": seed} for row in one for seed in range(12)])


def test_an_accuracy_without_a_reference_does_not_agree() -> None:
    assert distance(trained({"dense": 0.98}, {})) == float("inf")
    assert distance(trained({"dense": 0.98}, DENSE)) == pytest.approx((0.9807 - 0.98) / (0.0046 * (1 + 1 / 3) ** 0.5))
