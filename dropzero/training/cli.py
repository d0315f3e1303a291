"""`dropzero worker`: joins a job and trains on the digits."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryFile
from typing import TYPE_CHECKING, Annotated

import typer

from dropzero.extras import need
from dropzero.files import FULL
from dropzero.options import grouped
from dropzero.training.options import TrainingOptions

if TYPE_CHECKING:
    from dropzero.training.replica import Metrics

app = typer.Typer(add_completion=False)


@app.command()
@grouped()
def worker(
    training: TrainingOptions,
    controller: Annotated[str, typer.Option(help="Address of the controller, e.g. unix:/run/dropzero/dz0.sock.")],
    workers: Annotated[int, typer.Option(min=1, help="Workers in the job; training starts when all joined.")],
    job: Annotated[int, typer.Option(min=0, max=65535, help="Job to join; its first worker creates it.")] = 1,
    rank: Annotated[int | None, typer.Option(min=0, help="Rank to ask for.", show_default="any")] = None,
    quorum: Annotated[
        int, typer.Option(min=0, help="Workers with which to start; others enter between two steps. 0: all.")
    ] = 0,
    straggler: Annotated[
        float | None,
        typer.Option(min=0.01, help="Seconds after which a sum continues without late workers.", show_default="wait"),
    ] = None,
    out: Annotated[Path, typer.Option(help="Folder for worker-<rank>/, its metrics and result.")] = Path("runs"),
) -> None:
    """Train on the digits as one of several data-parallel workers whose gradients the switch adds up.

    All workers of a job take the same --workers, --quorum, --density or
    --compress, --steps and --seed.

    Exit status: 0 trained, 1 the network or the training failed, 2 invalid
    options.
    """
    if rank is not None and rank >= workers:
        raise typer.BadParameter(
            f"{rank} is not a rank of {workers} workers: these are 0 to {workers - 1}.", param_hint="'--rank'"
        )
    if quorum > workers:
        raise typer.BadParameter(f"{quorum} is more than the {workers} workers.", param_hint="'--quorum'")

    need("worker", "train")
    # Imported here, so that other commands and --help need not load them.
    from dropzero.training import session
    from dropzero.training.replica import Settings

    try:
        # Check this before joining: after that, other workers depend on this one.
        out.mkdir(parents=True, exist_ok=True)
        TemporaryFile(dir=out).close()
    except OSError as error:
        raise typer.BadParameter(f"cannot write to {out}: {error.strerror}", param_hint="'--out'") from error
    options = session.JobOptions(controller, job, workers, rank, quorum, straggler)
    settings = Settings(steps=training.steps, seed=training.seed, compress=training.spec(workers))
    typer.echo(f"joining job {job}, which starts with {quorum or workers} workers")
    try:
        result = session.run(options, settings, out, _show)
    except session.FAILURES as error:
        full = isinstance(error, OSError) and error.errno in FULL
        typer.echo(f"dropzero worker: {f'no space left in {out}' if full else error}", err=True)
        raise typer.Exit(1) from error
    except ValueError as error:
        typer.echo(f"dropzero worker: {error}", err=True)
        raise typer.Exit(2) from error
    typer.echo(f"rank {result.rank}: accuracy {result.test_accuracy:.4f}, weights {result.weights_sha256[:16]}")


def _show(metrics: Metrics) -> None:
    if metrics.accuracy is not None:
        typer.echo(f"step {metrics.step}  loss {metrics.loss:.4f}  accuracy {metrics.accuracy:.4f}")
