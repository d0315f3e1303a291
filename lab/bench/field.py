"""`python -m lab.bench.field`: one question to all protocols, in virtual time: how long does an all-reduce take?

Over density, workers, loss, slots, jobs, a straggler, racks and a slow spine. Each answer is cached as JSON, under a
digest of its inputs and of the protocol's files, so that the command continues where it was interrupted.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import asdict, dataclass, replace
from hashlib import sha256
from pathlib import Path
from statistics import mean, median
from typing import Annotated, Any

import typer

from dropzero.ina import virtual
from dropzero.ina.conditions import Conditions
from dropzero.ina.folder import Folder
from dropzero.ina.window import CHUNK
from dropzero.simulator.collectives.simulation import simulation
from dropzero.simulator.kernel.links import Quality
from dropzero.simulator.simulation import Plan
from dropzero.softswitch.engine.wire import SECOND
from lab.bench.papers import omnireduce
from lab.bench.papers.chart import Curve, Kind, Panel, draw, write
from lab.bench.papers.runs import checked
from lab.bench.papers.switchml import FIGURE, MPITOFINO, MPITOFINO_SOURCE, NCCL, SWITCHML

ROOT = Path(__file__).parents[2]
DECIDING = ("fallback", "hosts", "outcome", "protocol", "topology", "virtual", "window")
DROPZERO_SOURCES = sorted((ROOT / "dropzero" / "protocol").rglob("*.py"))
RATE, DELAY = 10**10, 1000
TIMER = "1ms"
"""The papers' timers, and how long OptiReduce's workers wait."""
PATIENCE = "500us"
"""How long Trio-ML's switch waits, which looks at the time when a packet is sent again."""
SLOTS = 64
"""The slots of a protocol, in a switch or a server, for all jobs."""
FEW = 16
"""Slots that jobs share: enough for three."""
ALL = 256
"""Slots for the whole tensor, so that Trio-ML waits only once."""
WINDOW = "16"
"""Packets that a worker of ATP or ESA has in flight, whose windows adapt in the papers: three times what fills a round
trip."""
REMINDER = "20us"
"""How long ESA's server waits for the rest of a sum: some round trips."""
ADDING = {"patience": "5us", "tick": "10us"}
"""How long Canary's switches add up, and after what time waiting workers make them look."""
DROPZERO = "Dropzero"
PROTOCOLS = ("SwitchML", "ATP", "ESA", "Trio-ML", "OmniReduce", "OptiReduce", "ZEN", "SCIN", "Ring", "Canary")
"""Those in examples/protocols/, in folders of these names."""
COLOURS = dict(zip([DROPZERO, *PROTOCOLS], (0, 1, 2, 3, 6, 6, 5, 2, 3, 3, 4), strict=True))


@dataclass(frozen=True)
class Case:
    """What is asked. workers: of each job. late: milliseconds after which one starts. size: of a tensor, bytes. racks:
    joined by two spines, one of which has this share of the other's rate: `spine`."""

    who: str
    workers: int = 8
    density: float = 1.0
    loss: float = 0.0
    slots: int = SLOTS
    jobs: int = 1
    late: float = 0.0
    seed: int = 0
    size: int = 250_000
    racks: int = 1
    spine: float = 1.0

    @property
    def folder(self) -> Path:
        """The protocol's folder."""
        return ROOT / "examples" / "protocols" / self.who.lower().replace("-", "_")

    @property
    def options(self) -> dict[str, str]:
        """The options of the protocol."""
        slots, jobs = str(self.slots), str(self.jobs)
        timer, racks = {"timeout": TIMER}, {"racks": str(self.racks)}
        return {
            "SwitchML": {"pool": str(self.slots // self.jobs), "jobs": jobs, **timer},
            "ATP": {"aggregators": slots, "window": WINDOW, "jobs": jobs, **timer},
            "ESA": {"aggregators": slots, "window": WINDOW, "jobs": jobs, "remind": REMINDER, **timer},
            "Trio-ML": {"slots": slots, "window": slots, "patience": PATIENCE, **timer},
            "OmniReduce": {"columns": slots, "aggregators": str(self.workers), **racks, **timer},
            "OptiReduce": {"patience": TIMER, **racks},
            "ZEN": racks | timer,
            "SCIN": {"pool": slots, **timer},
            "Ring": racks | timer,
            "Canary": {"descriptors": slots, "window": str(SLOTS), **ADDING, **racks, **timer},
        }.get(self.who, {})

    @property
    def conditions(self) -> Conditions:
        quality = Quality(RATE, DELAY, self.loss)
        late = round(self.late * SECOND / 1000)
        return Conditions(quality, self.seed, late, density=self.density, slow_spine=self.spine)

    @property
    def digest(self) -> str:
        """A digest of the inputs, and of the files that decide the answer."""
        given = DROPZERO_SOURCES
        if self.who != DROPZERO:
            given = [self.folder / "protocol.py", self.folder / "compiled" / "program.json"]
            given += [ROOT / "dropzero" / "ina" / f"{name}.py" for name in DECIDING]
        inputs = json.dumps([asdict(self), self.options]).encode()
        return sha256(b"".join([inputs, *(path.read_bytes() for path in given)])).hexdigest()


@dataclass(frozen=True)
class Answer:
    """Milliseconds: of the slowest job, of a job on average, and until all workers but the last one have their sums.
    whole: the share of elements with all workers."""

    slowest: float
    average: float
    others: float
    whole: float = 1.0


def answer(case: Case) -> Answer:
    """Simulates a case. Raises ProtocolError if a sum is wrong."""
    if case.who == DROPZERO:
        plan = Plan(case.workers, case.racks, case.conditions.quality, case.size, case.density, seed=case.seed)
        plan = replace(plan, jobs=case.jobs, slots=case.slots, lanes=case.slots // case.jobs, row=CHUNK)
        result = checked(simulation(plan).run())
        return Answer(1e3 * result.seconds, 1e3 * mean(result.job_seconds), 1e3 * result.seconds)
    folder = Folder(case.folder)
    protocol = folder.protocol(case.workers * case.jobs, case.options)
    outcome = virtual.run(folder, protocol, case.size // 4, case.conditions)
    others = max(seconds for rank, seconds in outcome.ended.items() if rank < protocol.workers - 1)
    return Answer(1e3 * outcome.seconds, 1e3 * mean(outcome.jobs), 1e3 * others, outcome.whole)


def answers(cases: Iterable[Case], cache: Path, processes: int, told: Callable[[str], None]) -> dict[Case, Answer]:
    """Returns the answers: those that the folder has, and the others simulated, which it has then."""
    places = {case: cache / f"{case.digest[:32]}.json" for case in cases}
    found = {case: Answer(**json.loads(path.read_text())["answer"]) for case, path in places.items() if path.exists()}
    missing = [case for case in places if case not in found]
    told(f"{len(found)} of {len(places)} are there")
    with ProcessPoolExecutor(processes) as pool:
        running = {pool.submit(answer, case): case for case in missing}
        for number, each in enumerate(as_completed(running), 1):
            case = running[each]
            found[case] = each.result()
            partial = places[case].with_suffix(".partial")
            partial.write_text(json.dumps({"case": asdict(case), "answer": asdict(found[case])}))
            partial.replace(places[case])
            told(f"{number} of {len(missing)}: {case.who}, {1e3 * found[case].slowest:,.0f} us")
    return found


SEEDS = 3


@dataclass(frozen=True)
class Question:
    """A panel: one field of a case takes several values."""

    title: str
    label: str
    field: str
    values: Sequence[float]
    who: Sequence[str]
    case: Case = Case("")
    seeds: int = 1
    shown: str = "slowest"
    log: str = "xy"
    scale: float = 1.0

    def cases(self, who: str, value: float) -> list[Case]:
        changed: dict[str, Any] = {self.field: value}
        return [replace(self.case, who=who, seed=seed, **changed) for seed in range(self.seeds)]

    def panel(self, found: Mapping[Case, Answer], published: Sequence[Curve]) -> Panel:
        curves = []
        for who in self.who:
            times = [[getattr(found[case], self.shown) for case in self.cases(who, value)] for value in self.values]
            points = [(self.scale * value, median(each)) for value, each in zip(self.values, times, strict=True)]
            spread = [(min(each), max(each)) for each in times] if self.seeds > 1 else ()
            curves.append(Curve(who, Kind.SIMULATED, points, COLOURS[who], spread=spread))
        ticks = [self.scale * value for value in self.values] if "x" in self.log else ()
        return Panel(self.title, self.label, "ms", [*curves, *published], self.log, ticks)


QUESTIONS = (
    Question(
        "8 workers, over density",
        "blocks of 256 elements that are not zero, %",
        "density",
        (0.01, 0.03, 0.1, 0.2, 0.4, 1.0),
        (DROPZERO, "SwitchML", "OmniReduce", "ZEN", "SCIN"),
        Case("", slots=FEW),
        scale=100,
    ),
    Question(
        "dense, over workers",
        "workers",
        "workers",
        (2, 4, 8, 16),
        (DROPZERO, "SwitchML", "Canary", "OmniReduce", "ZEN", "Ring"),
    ),
    Question(
        f"8 workers, over loss: median and range of {SEEDS} seeds",
        "packets that each link loses, %",
        "loss",
        (1e-4, 1e-3, 3e-3, 1e-2),
        (DROPZERO, "SwitchML", "ATP", "Canary", "OmniReduce", "OptiReduce"),
        seeds=SEEDS,
        scale=100,
    ),
    Question(
        "8 workers, over slots",
        "slots, aggregators or columns",
        "slots",
        (1, 2, 4, 8, 16, 64),
        (DROPZERO, "SwitchML", "ATP", "ESA", "Canary", "OmniReduce"),
    ),
    Question(
        f"jobs of 4 workers that share {FEW} slots",
        "jobs",
        "jobs",
        (1, 2, 4, 8),
        (DROPZERO, "SwitchML", "ATP", "ESA"),
        Case("", workers=4, slots=FEW),
        shown="average",
        log="x",
    ),
    Question(
        "8 workers, the last one late: until the others have their sums",
        "ms late",
        "late",
        (0.0, 1.0, 2.0, 4.0),
        ("SwitchML", "ATP", "Trio-ML", "Canary", "OptiReduce", "Ring"),
        Case("", slots=ALL),
        shown="others",
        log="",
    ),
    Question(
        "16 workers, over racks",
        "racks, joined by two spines",
        "racks",
        (1, 2, 4, 8),
        (DROPZERO, "Canary", "OmniReduce", "OptiReduce", "ZEN", "Ring"),
        Case("", workers=16),
    ),
    Question(
        "16 workers in 4 racks, over a spine's rate",
        "rate of one of two spines, % of the other's",
        "spine",
        (0.1, 0.2, 0.5, 1.0),
        ("Canary", "OmniReduce", "OptiReduce", "ZEN", "Ring"),
        Case("", workers=16, racks=4),
        scale=100,
    ),
)


def published(question: Question, found: Mapping[Case, Answer]) -> list[Curve]:
    """What papers have published on a question, at other rates and sizes: scaled to our time at one point."""
    if question.field == "density":
        ours = found[replace(question.case, who="OmniReduce")].slowest / omnireduce.BY_SPARSITY[0]
        times = zip(omnireduce.SPARSITIES, omnireduce.BY_SPARSITY, strict=True)
        points = [(100 - sparsity, time * ours) for sparsity, time in times][::-1]
        source = omnireduce.NOTEBOOK.format("figure 5")
        return [Curve("OmniReduce, published", Kind.PUBLISHED, points, COLOURS["OmniReduce"], source)]
    if question.field == "workers":
        (count, rate), *_ = SWITCHML
        ours = found[replace(question.case, who="SwitchML", workers=count)].slowest * rate
        theirs = (
            ("SwitchML, published", SWITCHML, COLOURS["SwitchML"], FIGURE),
            ("NCCL, published", NCCL, COLOURS["Ring"], FIGURE),
            ("mpitofino, published", MPITOFINO, COLOURS["OptiReduce"], MPITOFINO_SOURCE),
        )
        return [
            Curve(name, Kind.PUBLISHED, [(count, ours / rate) for count, rate in rates], colour, source)
            for name, rates, colour, source in theirs
        ]
    return []


def field(
    out: Annotated[Path, typer.Option(help="Folder for the answers, a CSV file and a figure.")] = Path("runs/field"),
    processes: Annotated[int, typer.Option(min=1, help="At once.")] = os.cpu_count() or 1,
    size: Annotated[int, typer.Option(min=4, help="Bytes of each worker's tensor.")] = Case("").size,
) -> None:
    """Draw the time of an all-reduce by each protocol, over density, workers, loss, slots, jobs, a straggler, racks and
    a slow spine."""
    (out / "answers").mkdir(parents=True, exist_ok=True)
    questions = [replace(each, case=replace(each.case, size=size)) for each in QUESTIONS]
    cases = [case for each in questions for who in each.who for value in each.values for case in each.cases(who, value)]
    found = answers(cases, out / "answers", processes, lambda text: print(text, flush=True))
    panels = [each.panel(found, published(each, found)) for each in questions]
    write(panels, out / "field.csv")
    draw(panels, out / "field.png", columns=2)
    print(f"{out}/field.csv, {out}/field.png")


if __name__ == "__main__":
    typer.run(field)
