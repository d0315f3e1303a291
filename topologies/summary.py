"""How a run ended: summary.json, and the table that says the same."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from rich.filesize import decimal
from rich.table import Table


@dataclass(frozen=True)
class Summary:
    """The keys of summary.json.

    `final_loss` and `test_accuracy`: of the final weights, over all training images and on the held-out ones.
    `uplink_bytes` and `downlink_bytes`: what the kernel counted on the links, Ethernet headers included;
    `dense_uplink_bytes`: what the same steps would send if no block were zero. `seconds`: of training, on the slowest
    worker.
    """

    workers: int
    switch: str
    steps: int
    final_loss: float
    test_accuracy: float
    replicas_identical: bool
    uplink_bytes: int
    downlink_bytes: int
    dense_uplink_bytes: int
    retransmissions: int
    seconds: float
    weights_sha256: str

    @classmethod
    def of(
        cls, results: list[dict[str, Any]], *, switch: str, uplink: int, downlink: int, dense_per_step: int
    ) -> Summary:
        """Puts the workers' results (result.json, by rank) and the network's counts together."""
        first = results[0]
        return cls(
            workers=len(results),
            switch=switch,
            steps=first["steps"],
            final_loss=first["final_loss"],
            test_accuracy=first["test_accuracy"],
            replicas_identical=len({result["weights_sha256"] for result in results}) == 1,
            uplink_bytes=uplink,
            downlink_bytes=downlink,
            dense_uplink_bytes=len(results) * first["steps"] * dense_per_step,
            retransmissions=sum(result["retransmissions"] for result in results),
            seconds=round(max(result["seconds"] for result in results), 3),
            weights_sha256=first["weights_sha256"],
        )

    def write(self, path: Path) -> None:
        """Writes summary.json."""
        path.write_text(json.dumps(asdict(self), indent=2) + "\n")

    def table(self) -> Table:
        """For people."""
        ratio = self.uplink_bytes / self.dense_uplink_bytes
        table = Table(title="Summary", show_header=False)
        table.add_column(style="bold")
        table.add_column(justify="right", overflow="fold")
        rows = {
            "workers": str(self.workers),
            "switch": self.switch,
            "steps": str(self.steps),
            "final loss": f"{self.final_loss:.4f}",
            "test accuracy": f"{self.test_accuracy:.4f}",
            "replicas identical": "yes" if self.replicas_identical else "NO",
            "uplink": f"{decimal(self.uplink_bytes)}, {ratio:.3f} of dense ({decimal(self.dense_uplink_bytes)})",
            "downlink": decimal(self.downlink_bytes),
            "retransmissions": str(self.retransmissions),
            "training time": f"{self.seconds:.1f} s",
            "weights sha256": f"{self.weights_sha256[:16]}...",
        }
        for row in rows.items():
            table.add_row(*row)
        return table
