"""The outcome of a run, as summary.json and as a table."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from rich.filesize import decimal
from rich.table import Table

from dropzero.topologies.orchestration.metrics import Standing
from dropzero.topologies.orchestration.plan import Plan
from dropzero.versions import versions


@dataclass(frozen=True)
class Summary:
    """The keys of summary.json.

    Attributes:
        workers: how many finished; `parameters` says how many started.
        killed: the ranks of the workers that were killed.
        training_loss, test_accuracy: of the final weights, on all training images and on the held-out images.
        uplink_bytes, downlink_bytes: the kernel's counts on the links, with Ethernet headers.
        dense_uplink_bytes: of the same steps if no block were zero, with those of killed workers.
        trunk_bytes: sent by the leaves to the spine, for all jobs together; 0 with one rack.
        retransmissions: with those of killed workers.
        seconds: the training time of the slowest worker.
        parameters: the options of the run.
        versions: of the software: see dropzero.versions.
    """

    workers: int
    killed: list[int]
    racks: int
    switch: str
    steps: int
    training_loss: float
    test_accuracy: float
    replicas_identical: bool
    uplink_bytes: int
    downlink_bytes: int
    dense_uplink_bytes: int
    trunk_bytes: int
    retransmissions: int
    seconds: float
    weights_sha256: str
    parameters: dict[str, Any]
    versions: dict[str, str]

    @classmethod
    def of(
        cls,
        results: list[dict[str, Any]],
        plan: Plan,
        last: Standing,
        *,
        switch: str,
        uplink: int,
        downlink: int,
        trunk: int = 0,
        killed: Sequence[int] = (),
    ) -> Summary:
        """Combines the workers' results (result.json, by rank), the last standing and the network's byte counts."""
        first = results[0]
        return cls(
            workers=len(results),
            killed=sorted(killed),
            racks=plan.racks,
            switch=switch,
            steps=first["steps"],
            training_loss=first["training_loss"],
            test_accuracy=first["test_accuracy"],
            replicas_identical=len({result["weights_sha256"] for result in results}) == 1,
            uplink_bytes=uplink,
            downlink_bytes=downlink,
            dense_uplink_bytes=last.dense,
            trunk_bytes=trunk,
            retransmissions=last.retransmissions,
            seconds=round(max(result["seconds"] for result in results), 3),
            weights_sha256=first["weights_sha256"],
            parameters=plan.parameters,
            versions=versions(),
        )

    def write(self, path: Path) -> None:
        """Writes summary.json."""
        path.write_text(json.dumps(asdict(self), indent=2) + "\n")

    def table(self, title: str = "Summary") -> Table:
        """Returns the summary as a table."""
        ratio = self.uplink_bytes / self.dense_uplink_bytes
        table = Table(title=title, show_header=False)
        table.add_column(style="bold")
        table.add_column(justify="right", overflow="fold")
        rows = {
            "workers": self.finished,
            "switch": self.switch,
            "steps": str(self.steps),
            "training loss": f"{self.training_loss:.4f}",
            "test accuracy": f"{self.test_accuracy:.4f}",
            "replicas identical": "yes" if self.replicas_identical else "NO",
            "uplink": f"{decimal(self.uplink_bytes)}, {ratio:.3f} of dense ({decimal(self.dense_uplink_bytes)})",
            "downlink": decimal(self.downlink_bytes),
            **({} if self.racks == 1 else {"between the racks": decimal(self.trunk_bytes)}),
            "retransmissions": str(self.retransmissions),
            "training time": f"{self.seconds:.1f} s",
            "weights sha256": f"{self.weights_sha256[:16]}...",
        }
        for row in rows.items():
            table.add_row(*row)
        return table

    @property
    def finished(self) -> str:
        """The number of workers, and which of them were killed."""
        racks = "" if self.racks == 1 else f" in {self.racks} racks"
        if not self.killed:
            return f"{self.workers}{racks}"
        ranks = " and ".join(map(str, self.killed))
        which = f"worker {ranks} was" if len(self.killed) == 1 else f"workers {ranks} were"
        return f"{self.workers} of {self.workers + len(self.killed)}{racks} finished; {which} killed"


def comparison(summaries: Sequence[Summary]) -> Table:
    """Returns a table with a row for each job, and below it the jobs whose workers were killed."""
    killed = [f"job {job}: {summary.finished}" for job, summary in enumerate(summaries, 1) if summary.killed]
    table = Table(caption="\n".join(killed) or None)
    for title in ("job", "training\nloss", "accuracy", "identical", "uplink", "resent", "time", "weights"):
        table.add_column(title, no_wrap=True)
    for job, summary in enumerate(summaries, 1):
        table.add_row(
            str(job),
            f"{summary.training_loss:.4f}",
            f"{summary.test_accuracy:.4f}",
            "yes" if summary.replicas_identical else "NO",
            decimal(summary.uplink_bytes),
            str(summary.retransmissions),
            f"{summary.seconds:.1f} s",
            summary.weights_sha256[:8],
        )
    return table
