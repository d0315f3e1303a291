"""Serves a run's page on the loopback. It only reads the run's folder."""

from __future__ import annotations

import errno
import json
import math
import re
import socket
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import parse_qs, urlsplit

from typer.exceptions import TyperException

from dropzero.extras import need
from dropzero.linux import rootless
from dropzero.page.samples import read_from

if TYPE_CHECKING:
    from dropzero.page.exposition import Exposition

PORT = 8060
PORTS = 100
"""How many ports are tried, from the first one on."""
LONGEST_WAIT = 10.0
"""Seconds that a request for samples waits for new ones."""
LOOK = 0.2
"""Seconds between two looks for new samples while a request waits."""
PATIENCE = 5.0
"""Seconds that a browser may take to ask again before the server closes."""
MOST_DIGITS = 18
"""The most digits of a number in a request."""
MOST_MESSAGES = 200
"""The most messages of a lane in one answer."""
LOOPBACK = "127.0.0.1"
BROWSER = Path(__file__).parent / "browser"
FILES = {
    "/": ("index.html", "text/html"),
    "/page.css": ("page.css", "text/css"),
    "/page.js": ("page.js", "text/javascript"),
}
DOCUMENTS = Path(__file__).resolve().parents[2] / "docs"
"""Only in a checkout."""
DOCUMENT = re.compile(r"/docs/([a-z]+\.md)")
POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:"


class _Server(ThreadingHTTPServer):
    # The last samples reach the browsers that wait for them before the server closes.
    daemon_threads = False
    # With it, two servers could share a port without an error.
    allow_reuse_port = False

    def __init__(self, listener: socket.socket, address: tuple[str, int], folder: Path, most_captured: float) -> None:
        self.most_captured = most_captured
        # Stays the same if the folder is a link to the latest run, and another run begins.
        self.folder = folder.resolve()
        self.closing = threading.Event()
        self.answered = -math.inf, 0
        """When samples were last sent, and the offset after them."""
        super().__init__(address, _Handler, bind_and_activate=False)
        self.socket.close()
        self.socket = listener
        self.server_bind()
        self.server_activate()

    @cached_property
    def exposition(self) -> Exposition:
        """The run's metrics. Raises TyperException if prometheus_client is not installed."""
        need("/metrics", "metrics")
        from dropzero.page.exposition import Exposition

        return Exposition(self.folder)

    def wait_for_browsers(self) -> None:
        """Returns when no browser that follows the run lacks its last samples: it asks again when it has drawn."""
        while self._leaves_one_behind():
            time.sleep(LOOK)

    def _leaves_one_behind(self) -> bool:
        then, offset = self.answered
        try:
            return time.monotonic() - then < PATIENCE and bool(read_from(self.folder, offset, 1)[0])
        except OSError:
            return False

    def handle_error(self, request: object, client_address: object) -> None:
        """A browser that goes away in the middle of an answer is not an error of the run."""
        if not isinstance(sys.exception(), OSError):
            super().handle_error(request, client_address)  # type: ignore[arg-type]


class _Handler(BaseHTTPRequestHandler):
    server: _Server
    timeout = 5

    def do_GET(self) -> None:
        # Another site's script could reach the loopback by a name of its own that leads there.
        try:
            host = urlsplit(f"//{self.headers.get('Host', '')}").hostname
        except ValueError:
            host = None
        if host not in (LOOPBACK, "localhost", "::1"):
            self._answer(HTTPStatus.FORBIDDEN, b"This page is served to this machine only, as 127.0.0.1.\n")
            return
        address = urlsplit(self.path)
        if address.path in FILES:
            name, kind = FILES[address.path]
            self._answer(HTTPStatus.OK, (BROWSER / name).read_bytes(), kind)
        elif found := DOCUMENT.fullmatch(address.path):
            self._document(found[1])
        elif address.path == "/samples":
            self._samples(address.query)
        elif address.path == "/lane":
            self._lane(address.query)
        elif address.path == "/metrics":
            self._metrics()
        else:
            self._answer(HTTPStatus.NOT_FOUND, b"There is no such page. The run is at /.\n")

    def _document(self, name: str) -> None:
        try:
            self._answer(HTTPStatus.OK, (DOCUMENTS / name).read_bytes())
        except OSError:
            self._answer(HTTPStatus.NOT_FOUND, f"Dropzero's source has this in docs/{name}; it is not here.\n".encode())

    def _samples(self, query: str) -> None:
        asked = parse_qs(query, keep_blank_values=True).get("from", ["0"])[0]
        if not asked.isdecimal() or len(asked) > MOST_DIGITS:
            self._answer(HTTPStatus.BAD_REQUEST, b"from= takes a number of bytes.\n")
            return
        offset, deadline = int(asked), time.monotonic() + LONGEST_WAIT
        try:
            lines, behind = read_from(self.server.folder, offset)
            while not lines and time.monotonic() < deadline:
                closing = self.server.closing.wait(LOOK)
                lines, behind = read_from(self.server.folder, offset)
                if closing:
                    break
        except OSError as error:
            self._answer(HTTPStatus.INTERNAL_SERVER_ERROR, f"The samples cannot be read: {error}\n".encode())
            return
        self.server.answered = time.monotonic(), behind
        self._answer(HTTPStatus.OK, lines, "application/jsonl", behind)

    def _lane(self, query: str) -> None:
        """The packets of a lane from a round on, at most MOST_MESSAGES, in JSON."""
        asked = {name: texts[0] for name, texts in parse_qs(query).items()}
        numbers = [asked.get(name, "") for name in ("job", "lane", "round")]
        if not all(text.isdecimal() and len(text) <= MOST_DIGITS for text in numbers):
            self._answer(HTTPStatus.BAD_REQUEST, b"job=, lane= and round= take numbers.\n")
            return
        try:
            need("a lane's packets", "traces")
            from dropzero.traces.capture import CaptureError
            from dropzero.traces.lane import read_lane

            try:
                self._check_size(self.server.folder / "pcaps")
                job, number, first = map(int, numbers)
                lane = read_lane(self.server.folder / "pcaps", job, number)
            except CaptureError as error:
                self._answer(HTTPStatus.NOT_FOUND, f"{error}\n".encode())
                return
        except TyperException as error:
            self._answer(HTTPStatus.NOT_IMPLEMENTED, f"{error.message}\n".encode())
            return
        start = lane.messages[0].time
        wanted = [each for each in lane.messages if each.packet.round >= first]
        shown = [{"ms": (each.time - start) / 1000} | each.plain for each in wanted[:MOST_MESSAGES]]
        body = {"hosts": lane.hosts, "switches": lane.switches, "packets": len(wanted), "messages": shown}
        self._answer(HTTPStatus.OK, json.dumps(body).encode(), "application/json")

    def _check_size(self, captures: Path) -> None:
        """Raises CaptureError if reading the captures would slow a run that is still up."""
        from dropzero.traces.capture import CaptureError

        size = sum(path.stat().st_size for path in captures.glob("*.pcap"))
        if size > self.server.most_captured:
            raise CaptureError(
                f"{size / 1e6:.0f} MB are captured: reading them would slow the run. `dropzero trace show --lane` "
                "reads them now, `dropzero page` when the run is over"
            )

    def _metrics(self) -> None:
        try:
            text = self.server.exposition.text()
        except TyperException as error:
            self._answer(HTTPStatus.NOT_IMPLEMENTED, f"{error.message}\n".encode())
        except (OSError, ValueError) as error:
            self._answer(HTTPStatus.INTERNAL_SERVER_ERROR, f"The samples cannot be read: {error}\n".encode())
        else:
            self._answer(HTTPStatus.OK, text, "text/plain; version=0.0.4")

    def _answer(self, status: HTTPStatus, body: bytes, kind: str = "text/plain", following: int | None = None) -> None:
        self.send_response(status)
        headers = {"Content-Type": f"{kind}; charset=utf-8", "Content-Length": str(len(body))}
        headers |= {} if following is None else {"X-Next": str(following)}
        headers |= {"Cache-Control": "no-store", "Content-Security-Policy": POLICY, "X-Content-Type-Options": "nosniff"}
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *arguments: object) -> None:
        """Nothing: the terminal is the run's."""


@contextmanager
def serving(folder: Path, first: int = PORT, most_captured: float = math.inf, listen: str = LOOPBACK) -> Iterator[str]:
    """A context in which the page of the run in `folder` is served. Gives its URL.

    Args:
        first: the port, or if it is taken the next free one.
        most_captured: bytes of captures up to which a lane's packets are read from them.
        listen: an IPv4 address of this machine.

    Raises:
        OSError: no port is free, or the address is not this machine's.
    """
    server = _listening(folder, listen, first, most_captured)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.1}, daemon=True)
    thread.start()
    try:
        yield f"http://{LOOPBACK}:{server.server_port}/"
        server.wait_for_browsers()
    finally:
        server.closing.set()
        server.shutdown()
        thread.join()
        server.server_close()


def _listening(folder: Path, listen: str, first: int, most_captured: float) -> _Server:
    # The browser is not in the run's namespaces.
    listener = rootless.outside or socket.socket()
    for port in range(first, min(first + PORTS, 1 << 16)):
        try:
            return _Server(listener, (listen, port), folder, most_captured)
        except OSError as error:
            if error.errno != errno.EADDRINUSE:
                raise
    raise OSError(errno.EADDRINUSE, f"no port from {first} on is free")
