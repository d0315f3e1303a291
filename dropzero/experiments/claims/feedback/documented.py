"""Every spec of the page about compression, on a recommender and on a transformer."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator, Sequence
from itertools import chain
from math import inf
from pathlib import Path

from dropzero.compressors.compression import Compression, CompressionWarning, Workers
from dropzero.compressors.in_process import InProcessNetwork
from dropzero.compressors.spec import Spec, SpecError
from dropzero.experiments.trials.experiment import Axes, Experiment, Row, Verdict, at_least, at_most
from dropzero.experiments.trials.training import load, train

PAGE = Path(__file__).resolve().parents[4] / "docs/compression.md"
"""In a checkout."""
SHARE = 0.5
"""The page's t."""
DENSE = "none"
TASKS = {"clicks": (200, 400), "characters": (60, 400)}
"""Steps of a quick trial, and of a whole one."""
EVERY = 4
"""A quick trial on the rack, whose sums are those in process, trains with one of this many specs."""
NEAR = 0.03
TRAINED = 0.6
REFUSED = "refused"
UNTOLD = "specs that neither train nor say why"


def documented(text: str | None = None) -> list[str]:
    """The specs between backticks of a text, by default the page, with SHARE for t. Raises OSError outside of a
    checkout."""
    text = PAGE.read_text() if text is None else text
    return [
        spec for spec in dict.fromkeys(re.findall(r"`([^`\n]+)`", text.replace("(t,", f"({SHARE},"))) if _is_spec(spec)
    ]


def _is_spec(text: str) -> bool:
    try:
        Spec.parse(text)
    except SpecError:
        return False
    return True


def told(spec: str, network: Workers, name: str) -> str:
    """What a compression of a task's model says before its first sum about why it cannot train as none does; empty:
    nothing."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", CompressionWarning)
        try:
            Compression(spec, network, load(name).model.named_parameters)
        except SpecError as error:
            return f"{REFUSED}: {error}"
    return "; ".join(str(each.message) for each in caught)


def trained(spec: str, network: Workers, name: str, steps: int) -> Row:
    """Trains a task with a spec that is not refused, with steps that fall to 0. told: see `told`. A run that ends in a
    NaN has no accuracy."""
    task = load(name)
    row: Row = {"series": name, "spec": spec, "told": told(spec, network, name)}
    if str(row["told"]).startswith(REFUSED):
        return row
    try:
        (end,) = train(
            name,
            network,
            spec,
            task=task,
            steps=steps,
            batch=task.batch,
            rate=task.learning_rate,
            decay=lambda step: 1 - step / steps,
            points=1,
        )
    except FloatingPointError:
        return row
    return end | row


def behind(row: Row, dense: Row) -> float:
    """How far a row's accuracy is below dense's or its loss above it, over dense's, whichever is less; infinite if it
    has none."""
    if "accuracy" not in row:
        return inf
    accuracy, loss = (float(row[key]) / float(dense[key]) for key in ("accuracy", "held-out loss"))
    return min(1 - accuracy, loss - 1)


def _trials(network: Workers, quick: bool) -> Iterator[Row]:
    some = EVERY if quick and not isinstance(network, InProcessNetwork) else 1
    for name, (few, many) in TASKS.items():
        specs = dict.fromkeys((DENSE, *documented()[::some]))
        rows = (trained(spec, network, name, few if quick else many) for spec in specs)
        dense = next(rows)
        for row in chain([dense], rows):
            yield row | ({} if str(row["told"]).startswith(REFUSED) else {"behind": behind(row, dense)})


def _judge(rows: Sequence[Row]) -> Verdict:
    conditions, texts = [], []
    for name in TASKS:
        own = [row for row in rows if row["series"] == name]
        trained = [row for row in own if float(row.get("behind", inf)) <= NEAR]
        untold = [str(row["spec"]) for row in own if row not in trained and not row["told"]]
        texts.append(f"{name}: {len(trained)} of {len(own)} specs train, {', '.join(untold) or 'none'} without a word")
        conditions.append(at_most(f"{UNTOLD}, {name}", len(untold), 0))
        conditions.append(at_least(f"share of the specs that train, {name}", len(trained) / len(own), TRAINED))
    return Verdict("; ".join(texts), conditions)


def markdown(rows: Sequence[Row]) -> str:
    """How far each spec is behind dense, in percent, and what it says before the first step."""
    lines = [f"| spec | {' | '.join(TASKS)} | says |", "|---" * (len(TASKS) + 2) + "|"]
    for spec in dict.fromkeys(row["spec"] for row in rows):
        own = [row for row in rows if row["spec"] == spec]
        behind = (f"{100 * float(row['behind']):.1f} %" if "behind" in row else "refused" for row in own)
        lines.append(f"| `{spec}` | {' | '.join(behind)} | {own[0]['told']} |")
    return "\n".join(lines)


DOCUMENTED = Experiment(
    name="documented",
    claim="Every spec on the page about compression trains a recommender and a transformer to within 3 % of dense "
    "training, in accuracy or in loss, or says before the first step why it cannot.",
    trials=_trials,
    verdict=_judge,
    axes=Axes("step", "behind", bars=True),
    workers=(4,),
    table=markdown,
)
