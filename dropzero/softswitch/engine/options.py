"""The options of the commands in which packets go through a switch."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import typer


@dataclass(frozen=True)
class Model:
    """What programs see of the switch: see Switch."""

    cpu_port: Annotated[int | None, typer.Option(min=1, max=65535, help="The port of the control plane.")] = None
    drop_port: Annotated[int, typer.Option(min=1, max=65535, help="The egress_spec that drops a packet.")] = 511
    strict: Annotated[
        bool, typer.Option("--strict", help="Follow the specifications where BMv2 deviates from them.")
    ] = False
