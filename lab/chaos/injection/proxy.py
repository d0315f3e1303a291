"""Connections that can be cut: a proxy in front of a server, which forwards bytes or holds them back."""

from __future__ import annotations

import asyncio
from asyncio import StreamReader, StreamWriter
from contextlib import suppress
from pathlib import Path
from threading import Thread

BYTES = 1 << 16
Address = tuple[str, int] | str
"""The address of a TCP server, or the path of a Unix socket."""


class Proxy:
    """Forwards connections to a server, in a thread, until it is closed. While cut, it either holds all bytes back,
    like a network that drops all packets, or hangs up and refuses connections, like a host that is gone."""

    def __init__(self, server: Address, listen: Address) -> None:
        """listen: its own address; TCP port 0 for any free one."""
        self._server, self._listen = server, listen
        self._open = asyncio.Event()
        self._refusing = False
        self._writers: set[StreamWriter] = set()
        self._loop = asyncio.new_event_loop()
        self._listener = self._loop.run_until_complete(
            asyncio.start_unix_server(self._connected, listen)
            if isinstance(listen, str)
            else asyncio.start_server(self._connected, *listen)
        )
        self._thread = Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        self.heal()

    @property
    def port(self) -> int:
        """The TCP port at which it listens."""
        return int(self._listener.sockets[0].getsockname()[1])

    def cut(self, *, hang_up: bool) -> None:
        """Forward nothing until `heal`."""
        self._set(forwarding=False, refusing=hang_up)

    def heal(self) -> None:
        """Forward again, beginning with the bytes held back."""
        self._set(forwarding=True, refusing=False)

    def close(self) -> None:
        """End all connections and refuse new ones."""
        self._set(forwarding=True, refusing=True)
        asyncio.run_coroutine_threadsafe(self._ended(), self._loop).result()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()
        if isinstance(self._listen, str):
            Path(self._listen).unlink(missing_ok=True)

    def _set(self, *, forwarding: bool, refusing: bool) -> None:
        async def change() -> None:
            self._refusing = refusing
            (self._open.set if forwarding else self._open.clear)()
            for writer in self._writers if refusing else ():
                writer.close()

        asyncio.run_coroutine_threadsafe(change(), self._loop).result()

    async def _ended(self) -> None:
        """Wait until all connections have ended."""
        self._listener.close()
        await asyncio.gather(*asyncio.all_tasks() - {asyncio.current_task()}, return_exceptions=True)

    async def _connected(self, client: StreamReader, to_client: StreamWriter) -> None:
        writers = {to_client}
        self._writers.add(to_client)
        with suppress(OSError):
            if self._refusing:
                raise ConnectionRefusedError
            server, to_server = await (
                asyncio.open_unix_connection(self._server)
                if isinstance(self._server, str)
                else asyncio.open_connection(*self._server)
            )
            writers.add(to_server)
            self._writers.add(to_server)
            ways = [asyncio.create_task(self._pass(*way)) for way in ((client, to_server), (server, to_client))]
            await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
        for writer in writers:
            writer.close()
        self._writers -= writers

    async def _pass(self, source: StreamReader, sink: StreamWriter) -> None:
        with suppress(OSError):
            while data := await source.read(BYTES):
                await self._open.wait()
                sink.write(data)
                await sink.drain()
