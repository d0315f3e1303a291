"""Runs four workers of worker.py, one of them slow, on a rack whose switch has the rule of completion.p4.

.venv/bin/python examples/k_of_n/run.py [softswitch|bmv2]
"""

from __future__ import annotations

import subprocess
import sys
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory

from dropzero.topologies.networks.kind import SwitchKind
from dropzero.topologies.networks.machine import check_machine
from dropzero.topologies.networks.rack import Rack
from dropzero.topologies.processes.process import Process, wait

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
STEPS = ("0.1", "0.1", "0.1", "0.5")
"""Seconds that each worker takes for a step, on average."""

check_machine()
# By content: a copy of another example has that one's digests until it is compiled.
compiled = HERE / "compiled"
digests = (compiled / "sources.sha256").read_text() if (compiled / "dropzero.json").exists() else ""
sources = [*ROOT.glob("p4src/*.p4"), *HERE.glob("*.p4")]
if any(sha256(source.read_bytes()).hexdigest() not in digests for source in sources):
    subprocess.run([ROOT / "p4src" / "compile", HERE.relative_to(ROOT)], check=True)

with TemporaryDirectory() as folder, Rack(len(STEPS), Path(folder), kind=SwitchKind(*sys.argv[1:] or ["auto"])) as rack:
    rack.start_switches()
    rack.start_controller(compiled=compiled)
    workers: list[Process] = []
    for rank, (host, seconds) in enumerate(zip(rack.hosts, STEPS, strict=True)):
        place = [f"unix:{rack.controller_socket}", host.IP(), str(len(STEPS)), str(rank), seconds]
        command = [sys.executable, str(HERE / "worker.py"), *place]
        workers.append(rack.adopt(host.launch(f"worker {rank}", command, rack.logs / f"worker-{rank}.log")))
    for worker in workers:
        if not wait([worker], 60) or worker.status:
            sys.exit(worker.failure_report())
    for worker in (workers[0], workers[-1]):
        print(f"{worker.name}\n{worker.log.read_text()}")
