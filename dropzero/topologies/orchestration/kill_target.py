"""The programs of a run that can be killed."""

from __future__ import annotations

from enum import StrEnum


class KillTarget(StrEnum):
    """The last worker of the first job, the first switch, or the controller."""

    WORKER = "worker"
    SWITCH = "switch"
    CONTROLLER = "controller"
