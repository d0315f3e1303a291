"""The options of the commands that train."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import typer

from dropzero.help import TrainingOption


@dataclass(frozen=True)
class TrainingOptions:
    """How to train: see dropzero.training.replica.Settings."""

    density: Annotated[float, TrainingOption(help="Fraction of the gradient's blocks to send, in (0, 1].")] = 0.1
    compress: Annotated[
        str | None, TrainingOption(help="Compression instead of --density, e.g. topk(0.1,block=32)+ef.")
    ] = None
    steps: Annotated[int, TrainingOption(min=1, help="Training steps.")] = 200
    seed: Annotated[int, TrainingOption(min=0, help="Seed of the initial weights and the minibatches.")] = 0

    def spec(self, workers: int) -> str:
        """The compression, checked for the model and this number of workers. Raises typer.BadParameter, which names
        the wrong option."""
        # Imported late: --help does not need NumPy.
        from dropzero.compressors.rules import Rules
        from dropzero.compressors.spec import SpecError, density_spec
        from dropzero.training.replica import MODEL

        try:
            rules = Rules.parse(density_spec(self.density) if self.compress is None else self.compress)
            rules.check(workers)
            rules.check_names(MODEL.named_parameters)
        except SpecError as error:
            option = "'--density'" if self.compress is None else "'--compress'"
            raise typer.BadParameter(str(error), param_hint=option) from None
        return str(rules)
