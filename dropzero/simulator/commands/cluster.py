"""A Ray cluster as an executor."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import Executor, Future
from typing import Any, TypeVar

import ray

T = TypeVar("T")

LOCAL = "local"
"""The address of a cluster that is started on this machine, and ends with the sweep."""


class Cluster(Executor):
    """Runs functions on a Ray cluster, each on one core, and tries again those whose machine is lost. Raises
    ConnectionError if there is no cluster at the address."""

    def __init__(self, address: str, cores: int | None = None) -> None:
        """cores: of a local cluster; None: all."""
        local = address == LOCAL
        ray.init(
            address=None if local else address,
            num_cpus=(cores or os.cpu_count()) if local else None,
            include_dashboard=False if local else None,
            log_to_driver=False,
            logging_level="ERROR",
        )

    def submit(self, function: Callable[..., T], /, *values: Any, **options: Any) -> Future[T]:
        task = ray.remote(num_cpus=1, max_retries=3)(function)
        made: Future[T] = task.remote(*values, **options).future()
        return made

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        ray.shutdown()
