"""Executes a Jupyter notebook's code cells, without Jupyter: their printed text and their figures.

python -m tests.examples.notebook examples/tour.ipynb writes the outputs into it.
"""

from __future__ import annotations

import json
import sys
from base64 import b64encode
from contextlib import redirect_stdout
from io import BytesIO, StringIO
from pathlib import Path
from typing import Any
from unittest.mock import patch

import matplotlib

Cell = dict[str, Any]


def read(path: Path) -> dict[str, Any]:
    notebook: dict[str, Any] = json.loads(path.read_text())
    return notebook


def execute(notebook: dict[str, Any]) -> list[list[Cell]]:
    """Returns the outputs of each code cell, in order. Raises what a cell raises."""
    matplotlib.use("agg")
    from matplotlib import pyplot

    names: dict[str, Any] = {"__name__": "__main__"}
    outputs = []
    for cell in code(notebook):
        printed = StringIO()
        with redirect_stdout(printed), patch.object(pyplot, "show"):
            exec(compile("".join(cell["source"]), cell["id"], "exec"), names)
        outputs.append(_stream(printed.getvalue()) + [_figure(pyplot.figure(n)) for n in pyplot.get_fignums()])
        pyplot.close("all")
    return outputs


def code(notebook: dict[str, Any]) -> list[Cell]:
    """The cells with code."""
    return [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]


def text(outputs: list[Cell]) -> str:
    """What a cell printed."""
    return "".join("".join(output["text"]) for output in outputs if output["output_type"] == "stream")


def _stream(printed: str) -> list[Cell]:
    lines = printed.splitlines(keepends=True)
    return [{"name": "stdout", "output_type": "stream", "text": lines}] if lines else []


def _figure(figure: Any) -> Cell:
    png = BytesIO()
    figure.savefig(png)
    data = {"image/png": b64encode(png.getvalue()).decode(), "text/plain": ["<Figure>"]}
    return {"data": data, "metadata": {}, "output_type": "display_data"}


if __name__ == "__main__":
    path = Path(sys.argv[1])
    notebook = read(path)
    for number, (cell, outputs) in enumerate(zip(code(notebook), execute(notebook), strict=True), start=1):
        cell["execution_count"], cell["outputs"] = number, outputs
    path.write_text(json.dumps(notebook, indent=1, ensure_ascii=False) + "\n")
