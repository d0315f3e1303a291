"""A worker of an experiment on a host: `python -m dropzero.experiments NAME CONTROLLER WORKERS RANK ROWS QUICK FILE`.

FILE: as --data; empty: none.
"""

from __future__ import annotations

import sys
from pathlib import Path

from dropzero.experiments.catalogue import EXPERIMENTS
from dropzero.experiments.places import work
from dropzero.problems.data import FILE

name, controller, workers, rank, rows, quick, data = sys.argv[1:]
FILE.set(Path(data) if data else None)
work(EXPERIMENTS[name], controller, int(workers), int(rank), Path(rows), bool(int(quick)))
