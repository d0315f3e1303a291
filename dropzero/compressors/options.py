"""The options --density and --compress of several commands."""

from __future__ import annotations

import typer

from dropzero.compressors.spec import Spec, SpecError, density_spec


def spec_of(density: float, compress: str | None, workers: int) -> str:
    """The spec that the two options give, checked for this number of workers. Raises typer.BadParameter, which names
    the wrong option."""
    option = "'--density'" if compress is None else "'--compress'"
    try:
        spec = Spec.parse(density_spec(density) if compress is None else compress)
        spec.check(workers)
        return str(spec)
    except SpecError as error:
        raise typer.BadParameter(str(error), param_hint=option) from None
