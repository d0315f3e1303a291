"""The options of the commands that train."""

from __future__ import annotations

import warnings
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
        """The compression, checked for the model and this number of workers; warnings of what theory says go to stderr.
        Raises typer.BadParameter, which names the wrong option."""
        # Imported late: --help does not need NumPy.
        from dropzero.compressors.compression import Compression, CompressionWarning
        from dropzero.compressors.in_process import InProcessNetwork
        from dropzero.compressors.spec import SpecError, density_spec
        from dropzero.training.replica import MODEL

        try:
            text = density_spec(self.density) if self.compress is None else self.compress
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always", CompressionWarning)
                rules = Compression(text, InProcessNetwork(workers), MODEL.named_parameters).rules
        except SpecError as error:
            option = "'--density'" if self.compress is None else "'--compress'"
            raise typer.BadParameter(str(error), param_hint=option) from None
        for each in caught:
            typer.secho(f"warning: {each.message}", fg=typer.colors.YELLOW, err=True)
        return str(rules)
