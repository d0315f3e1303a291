"""Mutants: changes of the code that take out what the sentence of a claim names."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from dropzero.compressors import compression, in_process, rotation
from dropzero.compressors.adaptive import BlockCat, Cat, Dynamic, Tuned
from dropzero.compressors.cost import Cost, Line
from dropzero.compressors.in_process import InProcessNetwork
from dropzero.compressors.low_rank import PowerSgd
from dropzero.compressors.memory import ErrorFeedback, Momentum, Shift
from dropzero.compressors.pipeline import Pipeline
from dropzero.compressors.quantizers import Dithering, FixedPoint, Integers, OneBit
from dropzero.compressors.rotation import CLIPS, Thc
from dropzero.compressors.schedule import Warmup
from dropzero.compressors.sparsifiers import CltK, GaussianK, GTopK, PermK, RandK, Sparsifier, TopK
from dropzero.compressors.vectors import keep_above, keep_largest
from dropzero.experiments.claims.feedback import contraction
from dropzero.experiments.claims.links import images
from dropzero.experiments.trials.virtual import VirtualNetwork
from dropzero.methods.estimators import PartialSaga, Saga, Svrg
from dropzero.methods.optimizers import Accelerated, Adam, Descent, Marina
from dropzero.problems.words import Words
from dropzero.simulator.kernel.links import Quality
from dropzero.streams import stream
from lab.mutants.mutant import Change, Mutant, wrapped


def _everything(*sparsifiers: type) -> list[Change]:
    return [(each, "compress", lambda self, x, draw, *_: x.copy()) for each in sparsifiers]


def _exact(*kinds: type) -> list[Change]:
    return [(each, "add", lambda self, rows, block, group, *_: _in_32_bits(rows, block, group)) for each in kinds]


def _in_32_bits(rows: Any, block: int, group: Any) -> Any:
    return FULL.add(rows, block, group, ())


class _Full(FixedPoint):
    """Not changed by a mutant of FixedPoint."""

    add = FixedPoint.add


FULL = _Full()


def _twice(compress: Callable[..., Any], self: RandK, x: Any, draw: Any) -> Any:
    first, second = compress(self, x, draw), compress(self, x, draw)
    return np.where(first, first, second)


def _forgotten(self: ErrorFeedback, gradients: Any, rate: float) -> Any:
    self._rate = rate
    return gradients


def _uncorrected(self: Momentum, gradients: Any, rate: float) -> Any:
    self._next = gradients
    return ErrorFeedback.compensate(self, gradients, self.rate)


def _unreduced(estimate: Callable[..., Any], self: Saga, x: Any) -> Any:
    estimate(self, x)
    return self._fresh


def _one_draw(self: Pipeline, sparsifier: Any, draws: Any, step: int, seed: int) -> Any:
    return [stream(seed, "one draw for all", step) for _ in draws]


def _flat(vectors: Callable[..., Any], *arguments: Any) -> Any:
    for step, part, x, held in vectors(*arguments):
        # Not equal in all bits, so that their order still decides.
        yield step, part, np.sign(x) * np.float32(np.abs(x).max()) + np.float32(1e-3) * x, held


def _moved(gradient: Callable[..., Any], self: Words, *arguments: Any) -> Any:
    loss, found = gradient(self, *arguments)
    return loss, found + found.dtype.type(1e-9)


def _recounted(up: float, down: float) -> Change:
    """Bytes sent and received are counted this many times."""

    def count(original: Callable[..., Any], self: InProcessNetwork, *arguments: Any, **named: Any) -> None:
        before = self._totals.copy()
        original(self, *arguments, **named)
        added = self._totals - before
        self._totals = before + (added * np.array([1, 1, up, down])).astype(np.int64)

    return wrapped(InProcessNetwork, "_count", count)


def _answered_free(original: Callable[..., Any], held: Any, block: int, width: Any, *others: Any) -> Any:
    found = original(held, block, width, *others)
    return found._replace(sent=held.sum(axis=1) * block * width.bits // 8)


def _timed_alike(count: Callable[..., Any], self: InProcessNetwork, *arguments: Any, **named: Any) -> None:
    before = self.seconds
    count(self, *arguments, **named)
    self.seconds = before + self.latency


def _each_rows(call: Callable[..., Any], self: VirtualNetwork, rows: Any, *arguments: Any, **named: Any) -> None:
    for _ in rows:
        call(self, rows, *arguments, **named)


def _uncorrected_k(self: GaussianK, x: Any, k: int) -> Any:
    return keep_above(x, self.threshold(x))[0]


def _narrow(all_reduce: Callable[..., Any], self: InProcessNetwork, rows: Any, **named: Any) -> Any:
    return all_reduce(self, rows, **named | {"width": 16})


def _tuned(choose: Callable[[Any], int]) -> Change:
    def compress(original: Callable[..., Any], self: Tuned, x: Any, draw: Any) -> Any:
        return original(self, x, draw) if self.count else self.take(x, choose(x), draw)

    return wrapped(Tuned, "compress", compress)


def _of_blocks(choose: Callable[[int], int]) -> Change:
    return BlockCat, "compress", lambda self, x, draw: TopK(choose(len(x)) / len(x), self.block).compress(x, draw)


def _stepped(self: Accelerated) -> Any:
    aggregate = self._compression.aggregate(self._estimator.estimate(self.x))
    self.x = self.x - self._eta * aggregate.total / self._workers
    return aggregate


def _without_momentum(init: Callable[..., Any], self: Any, *arguments: Any) -> None:
    """momentum is the sixth argument of both optimizers."""
    init(self, *arguments[:5], 0.0, *arguments[6:])


def _with_odds(odds: float) -> Change:
    def init(original: Callable[..., Any], self: Marina, *arguments: Any) -> None:
        original(self, *arguments)
        self._odds = odds

    return wrapped(Marina, "__init__", init)


def _fixed_scale(observe: Callable[..., Any], self: Integers, *arguments: Any) -> None:
    if not self.scale:
        observe(self, *arguments)


def _not_rotated(x: Any, factors: Any, before: Any, after: Any) -> Any:
    whole = np.pad(x, (0, len(factors) * len(before) - len(x))).reshape(-1, len(before))
    return (whole * factors[:, None] * len(before) ** 0.5).astype(np.float32).reshape(-1)


FORGOTTEN = Mutant("error feedback forgets", [(ErrorFeedback, "compensate", _forgotten)])
NO_SHIFTS = Mutant(
    "no shifts",
    [
        (Shift, "compensate", lambda self, gradients, rate: gradients),
        (Shift, "settle", lambda self, compensated, sent, total, group: total),
    ],
)
ALL_TOP = Mutant("top-k sends everything", _everything(TopK))
TOP_TWICE = Mutant("top-k sends twice as much", [wrapped(TopK, "kept", lambda kept, self, of: 2 * kept(self, of))])
ALL_RANDOM = Mutant("all blocks instead of random ones", _everything(RandK))
RANDOM_TWICE = Mutant("twice as many random blocks", [wrapped(RandK, "compress", _twice)])
UNQUANTIZED = Mutant("nothing is quantized", _exact(Dithering, Integers, OneBit))
UNCOMPRESSED = Mutant("nothing is compressed: gradient descent", [*_everything(RandK), *_exact(Dithering)])
PLAIN = Mutant("neither compression nor shifts: L-SVRG", [*UNCOMPRESSED.changes, *NO_SHIFTS.changes])
OWN_BLOCKS = Mutant("each worker chooses its own blocks", [(CltK, "select", Sparsifier.select)])
NO_WARMUP = Mutant("no warm-up", [(Warmup, "at", lambda self, step, sparsifier: sparsifier)])
WIDE = Mutant("32 bits instead of 8", _exact(FixedPoint))
ONE_DRAW = Mutant("one draw for all workers", [(Pipeline, "_pattern_draws", _one_draw)])
SVRG_OUT = Mutant(
    "no variance reduction",
    [
        (Svrg, "estimate", lambda self, x: self._shards.sample_gradients(x, self._draw())[:, 0]),
        wrapped(Saga, "estimate", _unreduced),
    ],
)
EVERY_SAMPLE = Mutant("all samples in every step", [(Svrg, "estimate", lambda self, x: self._shards.gradients(x))])
FLAT = Mutant("all magnitudes are nearly equal", [wrapped(contraction, "_vectors", _flat)])
UNCHECKED = Mutant("neither corrections nor exact selection", [(GaussianK, "_elements", _uncorrected_k)])
HIGH = Mutant("thresholds are twice as high", [wrapped(GaussianK, "threshold", lambda of, self, x: 2 * of(self, x))])
ONE_ELEMENT = Mutant("always one element", [_tuned(lambda x: 1)])
ALL_ELEMENTS = Mutant("always all elements", [_tuned(len), _of_blocks(lambda size: size)])
TIMED_ALIKE = Mutant("time does not depend on bytes", [wrapped(InProcessNetwork, "_count", _timed_alike)])

MUTANTS: dict[str, tuple[Mutant, ...]] = {
    "feedback": (FORGOTTEN, ALL_TOP, TOP_TWICE, ALL_RANDOM),
    "memory": (FORGOTTEN, ALL_TOP, ALL_RANDOM),
    "transformer": (FORGOTTEN, ALL_TOP),
    "adam": (
        ALL_TOP,
        OWN_BLOCKS,
        NO_WARMUP,
        WIDE,
        FORGOTTEN,
        Mutant("Adam's beta 1 is 0", [wrapped(Adam, "__init__", _without_momentum)]),
        Mutant("PowerSGD of all ranks", [wrapped(PowerSgd, "_place", lambda of, *all_: of(*all_)._replace(columns=0))]),
    ),
    "documented": (FORGOTTEN, Mutant("no word before the first step", [(compression, "caution", lambda *_: "")])),
    "counterexample": (FORGOTTEN, ALL_TOP),
    "dgc": (Mutant("no momentum correction", [(Momentum, "compensate", _uncorrected)]), NO_WARMUP),
    "gtopk": (TOP_TWICE, Mutant("no merging", [(GTopK, "select", TopK.select)])),
    "gaussiank": (
        UNCHECKED,
        HIGH,
        Mutant("exact selection instead", [(GaussianK, "_elements", lambda self, x, k: keep_largest(x, k))]),
    ),
    "contraction": (
        FLAT,
        FORGOTTEN,
        Mutant("top-k keeps half of k", [wrapped(contraction, "keep_largest", lambda of, x, k: of(x, k // 2))]),
    ),
    "estimates": (UNCHECKED, FLAT),
    "histograms": (FLAT, FORGOTTEN),
    "blocks": (
        FORGOTTEN,
        ALL_TOP,
        Mutant("elements instead", [(TopK, "compress", lambda self, x, draw: keep_largest(x, self.kept(len(x))))]),
    ),
    "zeros": (
        Mutant("zero blocks are sent", [wrapped(in_process, "_held", lambda of, *all_: np.ones_like(of(*all_)))]),
        Mutant("no element is exactly zero", [wrapped(Words, "loss_and_gradient", _moved)]),
    ),
    "quantizers": (UNQUANTIZED, WIDE, FORGOTTEN),
    "independent": (RANDOM_TWICE, ONE_DRAW, ALL_RANDOM),
    "independent-bytes": (
        RANDOM_TWICE,
        ONE_DRAW,
        Mutant("answers are free", [wrapped(in_process, "traffic", _answered_free)]),
    ),
    "isgd": (RANDOM_TWICE, ONE_DRAW, ALL_RANDOM, Mutant("no acceleration", [(Accelerated, "step", _stepped)])),
    "isaga": (Mutant("whole gradients in the table", [(PartialSaga, "learn", Saga.learn)]), SVRG_OUT, ALL_RANDOM),
    "heterogeneous": (NO_SHIFTS, ALL_RANDOM),
    "isega": (RANDOM_TWICE, ONE_DRAW, ALL_RANDOM, NO_SHIFTS),
    "diana": (NO_SHIFTS, UNQUANTIZED),
    "rate": (UNCOMPRESSED, NO_SHIFTS, ONE_DRAW),
    "composite": (
        NO_SHIFTS,
        UNQUANTIZED,
        Mutant("no proximal step", [wrapped(Descent, "__init__", lambda init, self, *all_: init(self, *all_[:7]))]),
        Mutant("no momentum", [wrapped(Descent, "__init__", _without_momentum)]),
    ),
    "bits": (NO_SHIFTS, UNQUANTIZED, ALL_RANDOM),
    "vr-diana": (NO_SHIFTS, SVRG_OUT, UNQUANTIZED),
    "vr-rate": (PLAIN, NO_SHIFTS, SVRG_OUT, EVERY_SAMPLE),
    "integers": (NO_SHIFTS, UNQUANTIZED, Mutant("a scale that stays", [wrapped(Integers, "observe", _fixed_scale)])),
    "marina": (
        Mutant("whole gradients in the first round only", [_with_odds(0)]),
        Mutant("whole gradients in every round", [_with_odds(1)]),
        Mutant("differences are not compressed", _everything(RandK, PermK)),
        Mutant("all workers send one part", [(PermK, "select", Sparsifier.select)]),
    ),
    "thc": (
        Mutant("no rotation", [(rotation, "rotated", _not_rotated)]),
        Mutant("no clipping", [(rotation, "CLIPS", dict.fromkeys(CLIPS, 32.0))]),
        UNQUANTIZED,
    ),
    "cat": (ONE_ELEMENT, ALL_ELEMENTS, Mutant("the dynamic rule sends everything", _everything(Dynamic))),
    "choices": (ONE_ELEMENT, ALL_ELEMENTS),
    "worth": (
        Mutant("every element gains alike", [(Cat, "gains", lambda self, sizes: np.cumsum(sizes**0) / len(sizes))]),
        Mutant("a message costs the same", [(Cat, "costs", lambda self, elements: np.ones(elements))]),
    ),
    "seconds": (
        Mutant("always one block", [_of_blocks(lambda size: 1)]),
        Mutant("always all blocks", [_of_blocks(lambda size: size)]),
        Mutant("a cost that is never known", [(Cost, "line", lambda self: Line(0.0, 0.0, 0.0))]),
    ),
    "thc-seconds": (Mutant("32 bits instead of 8", _exact(Thc)), TIMED_ALIKE),
    "constant": (
        Mutant("elements of 16 bits", [wrapped(InProcessNetwork, "all_reduce", _narrow)]),
        Mutant("a vector goes up and down twice", [_recounted(2, 2)]),
    ),
    "messages": (UNQUANTIZED, Mutant("a message comes down twice", [_recounted(1, 2)])),
    "images": (
        UNQUANTIZED,
        Mutant("links of 100 Gbit/s", [(images, "LINKS", Quality(100_000_000_000, 1000))]),
        Mutant("a call for each worker's message", [wrapped(VirtualNetwork, "_call", _each_rows)]),
    ),
    "table": (
        Mutant("everything is sent", [*_everything(TopK, GaussianK), _of_blocks(lambda size: size)]),
        TIMED_ALIKE,
    ),
}
