"""A worker of an experiment on a host: `python -m dropzero.experiments NAME CONTROLLER WORKERS RANK ROWS QUICK`."""

from __future__ import annotations

import sys
from pathlib import Path

from dropzero.experiments.catalogue import EXPERIMENTS
from dropzero.experiments.places import work

name, controller, workers, rank, rows, quick = sys.argv[1:]
work(EXPERIMENTS[name], controller, int(workers), int(rank), Path(rows), bool(int(quick)))
