"""Run PyTorch's tests of process groups with the backend "dropzero" instead of Gloo."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path

from dropzero.controller.p4runtime.device import Device
from dropzero.controller.switches.switch import Switch
from dropzero.protocol.wire import Fate
from dropzero.topologies.processes.process import Process, stop, until
from dropzero.torch.registration import SERVE_GLOO_VARIABLE
from lab.conformance.harness.junit import run as run_tests
from lab.conformance.harness.scorecard import Outcome

RANKS = 3
START_SECONDS = 120.0
BACKEND_TESTS = "torch/testing/_internal/distributed/distributed_test.py"
"""The installed tests, which are for any backend."""
HOOKS = "algorithms/ddp_comm_hooks/test_ddp_hooks.py"
GLOO = (
    "test_c10d_gloo.py",
    "test_c10d_spawn_gloo.py",
    "test_c10d_object_collectives.py",
    "_composable/test_replicate.py",
    "algorithms/test_join.py",
    "optim/test_zero_redundancy_optimizer.py",
    HOOKS,
)
"""The tests in a checkout's test/distributed that are for Gloo, or for any backend."""
SHARDED = (
    "test_device_mesh.py",
    "test_functional_api.py",
    "*tensor/test_redistribute.py",
    "tensor/parallel/test_tp_examples.py",
    "optim/test_zero_redundancy_optimizer.py",
    "_composable/fsdp/test_fully_shard_*.py",
    *(f"fsdp/test_fsdp_{each}.py" for each in ("core", "comm", "comm_hooks", "grad_acc", "hybrid_shard", "uneven")),
    "checkpoint/test_*fsdp*.py",
    "checkpoint/test_*dtensor*.py",
)
"""Those of sharded models: meshes, DTensor, ZeRO, FSDP and its checkpoints."""
SPAWN = """
class TestDistBackend(TestDistBackend, DistributedTest._DistTestBase):
    def setUp(self):
        super().setUp()
        self._spawn_processes()
"""
SHARDS = 4
"""Ranks of the tests of sharded models."""
CPU = 'torch.device("cpu")'
HOST = "127.0.0.1"
PLUGIN = "lab.conformance.suites.pytorch_plugin"
NOT_APPLICABLE = re.compile(
    r"(?i)gpu|accelerator|cuda|nccl|ucc|mpi\b|hpu|xpu|torchvision|github\.com/pytorch|world size|requires file://|flak"
)
"""Matches the reasons for which PyTorch skips tests that do not apply: another device or backend, more ranks, or a
flaky test."""


def run(
    source: Path | None,
    build: Path,
    *,
    only: str = "",
    ranks: int = RANKS,
    backend: str = "dropzero",
    sharded: bool = False,
) -> list[Outcome]:
    """Return one outcome for each test. source: a checkout of PyTorch; None: run the installed tests. ranks: for tests
    that do not fix the number. backend: "gloo" runs the tests as they are. sharded: run those of sharded models, as
    programs that ask for Gloo."""
    build.mkdir(parents=True, exist_ok=True)
    files = _copies(source, build, on_cpu if sharded else renamed if backend != "gloo" else str, sharded=sharded)
    command = [sys.executable, "-m", "pytest", "-q", "-p", PLUGIN, "-p", "no:cacheprovider", "--rootdir", str(build)]
    command += ["--import-mode", "importlib", "--continue-on-collection-errors"]
    with _network(build) as controller:
        environment = {
            **os.environ,
            "PYTHONPATH": os.pathsep.join([str(build), *sys.path]),
            "DROPZERO_CONTROLLER": controller,
            "DROPZERO_IP": HOST,
            "BACKEND": backend,
            "WORLD_SIZE": str(ranks),
            "TEMP_DIR": str(build),
        }
        if sharded:
            served = {SERVE_GLOO_VARIABLE: str(int(backend != "gloo"))}
            environment |= {"SHARDS": str(SHARDS), "OMP_NUM_THREADS": "1", **served}
        found = run_tests([*command, "-k", only, *files], build, environment, build)
        with Device(f"unix:{build}/a.sock", 0) as switch:
            if backend != "gloo" and not Switch(switch).fates()[Fate.COMPLETED].packets:
                raise RuntimeError(f"{backend} has added up nothing: did the tests make groups of Gloo?")
    return [judged(outcome) for outcome in found]


def versions(source: Path | None) -> dict[str, str | None]:
    """Return the versions of the installed PyTorch and of the checkout."""
    found = source / "version.txt" if source else None
    return {"torch": version("torch"), "tests": found.read_text().strip() if found and found.exists() else None}


def renamed(text: str) -> str:
    """Return a test file's text with this backend's name instead of Gloo's, and of MPI's, which has tests of its
    own."""
    text = re.sub(r'"(gloo|mpi)"', '"dropzero"', text)
    text = re.sub(r"\b(dist|c10d)\.Backend\.GLOO\b", '"dropzero"', text)
    return re.sub(r"\bc10d\.ProcessGroupGloo\((?=\s*store)", f"__import__('{PLUGIN}', fromlist=['group']).group(", text)


def on_cpu(text: str) -> str:
    """Return a test file's text, changed to need neither NCCL nor GPUs."""
    text = re.sub(r"@(requires_nccl|requires_accelerator_dist_backend|skip_if_lt_x_gpu)\(\d?\)\n\s*", "", text)
    text = re.sub(r"@unittest\.skipIf\(not TEST_(CUDA|MULTIGPU), .*\)\n\s*", "", text)
    text = text.replace("gpus_for_rank(self.world_size)[self.rank][0]", '"cpu"')
    text = re.sub(r"\bdevice_ids=\[[^\]]*\],?", "", text)
    text = text.replace("torch.cuda.device_count()", str(SHARDS)).replace("torch.cuda.current_device()", CPU)
    text = re.sub(r"\.cuda\([^()]*\)", ".cpu()", text)
    text = re.sub(r"\btorch\.cuda\b(?!\.(amp|is_available|nccl))", "torch.cpu", text)
    text = re.sub(r'f?"cuda(:[^"]*)?"', '"cpu"', text)
    # Its name in PyTorch 2.6.
    text = text.replace("test_compiled_fsdp", "compiled_fsdp_test")
    return text.replace('"nccl"', '"gloo"')


def _copies(source: Path | None, build: Path, adapted: Callable[[str], str], *, sharded: bool) -> list[str]:
    """Write adapted copies of the tests. Returns the names of the files to run."""
    if source is not None:
        folder = source / "test" / "distributed"
        named = {path.relative_to(folder) for name in (SHARDED if sharded else GLOO) for path in folder.glob(name)}
        for path in {*named, *(each.relative_to(folder) for each in folder.glob("test_c10d_*.py"))}:
            text = (folder / path).read_text()
            (build / path).parent.mkdir(parents=True, exist_ok=True)
            (build / path).write_text(adapted(on_cpu(text) if path == Path(HOOKS) else text))
        return sorted(map(str, named))
    package = importlib.util.find_spec("torch")
    if package is None or package.origin is None:
        raise FileNotFoundError("PyTorch is not installed")
    installed = Path(package.origin).parents[1] / BACKEND_TESTS
    (build / "test_backend.py").write_text(adapted(installed.read_text()) + SPAWN)
    return ["test_backend.py"]


def judged(outcome: Outcome) -> Outcome:
    """Return the outcome; "not-applicable" if the reason matches NOT_APPLICABLE."""
    skipped = outcome.result == "skip" and NOT_APPLICABLE.search(outcome.detail)
    return replace(outcome, result="not-applicable") if skipped else outcome


@contextmanager
def _network(build: Path) -> Iterator[str]:
    """Run an aggregator and a controller on the loopback. Yields the controller's address."""
    pid = os.getpid()
    address = f"127.{64 + (pid >> 16) % 64}.{pid >> 8 & 255}.{pid & 255}"
    topology, switch, controller = build / "topology.json", f"unix:{build}/a.sock", f"unix:{build}/c.sock"
    hosts = {"h1": {"ip": f"{HOST}/8", "mac": "08:00:00:00:01:11"}}
    topology.write_text(json.dumps({"hosts": hosts, "switches": {"s1": {}}, "links": [["h1", "s1-p1"]]}))
    # Some tests make dozens of groups, and leave them: few slots for each.
    serve = ("controller", "serve", "--policy", "fixed:256", "--topology", str(topology), "--switch", switch)
    serving = (*serve, "--switch-ip", address, "--listen", controller)
    with ExitStack() as started:
        for arguments in (("aggregator", address, "--listen", switch), serving):
            log = build / f"{arguments[0]}.log"
            process = Process(f"the {arguments[0]}", [sys.executable, "-m", "dropzero", *arguments], log)
            started.callback(stop, [process])
            until(lambda log=log: "ready" in log.read_text(), process, START_SECONDS, "it is not ready")  # type: ignore[misc]
        yield controller
