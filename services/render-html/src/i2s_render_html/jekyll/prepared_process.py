"""One Ruby process in a cell of its own, with Jekyll loaded, that waits for the one site it will build."""

from __future__ import annotations

import asyncio
import contextlib
import json
import socket
import time
from collections.abc import Mapping
from contextlib import AsyncExitStack
from dataclasses import dataclass, replace
from pathlib import Path

from i2s_chassis.jail import Cause, Cell, CellLostError, Ended, Jail, JailError, KilledError, Usage
from i2s_chassis.limits import START_WALL_PER_CPU, Limits
from i2s_render_html.jekyll.answer import read_versions
from i2s_render_html.jekyll.github_pages import THEMES, known_to_ruby
from i2s_render_html.jekyll.model import JekyllError, JekyllKilledError, JekyllMissingError, JekyllSettings
from i2s_render_html.jekyll.site import pins

#: Where the site lies in the work folder, and where Jekyll puts what it made of it.
SOURCE, DESTINATION = "site", "out"

_CHANNEL = 3
_PROGRAM = "build_site.rb"
_PROGRAMS = (_PROGRAM, "deterministic.rb", "github_pages.rb", "logged.rb", "own_files.rb")
# Libraries of Jekyll that decide what it builds.
_LIBRARIES = ("kramdown", "kramdown-parser-gfm", "liquid", "rouge", "sassc")
_MOST_READY = 16 * 1024
_MOST_ANSWER = 256 * 1024
_LEEWAY_SECONDS = 60.0  # between too old to be used and ended by the jail


@dataclass(frozen=True, slots=True)
class ProcessResult:
    """The remains of a process that ended."""

    #: How the process ended.
    ended: Ended
    #: What it said on the channel; whatever it liked, if the site took it over.
    answer: bytes
    #: What it had used before the site came.
    before: Usage


class PreparedProcess:
    """A process that has loaded Jekyll: ``prepare`` makes it, ``run`` uses it once, ``close`` ends it.

    Attributes:
        cell: Where it runs; holds the built site after ``run``.
        versions: Versions of Jekyll, its libraries, and the plugins and themes that are installed, by name.
    """

    def __init__(self, cell: Cell, channel: socket.socket, run: asyncio.Task[Ended], until: float) -> None:
        self.cell = cell
        self.versions: Mapping[str, str] = {}
        self._channel = channel
        self._run = run
        self._until = until
        self._stack = AsyncExitStack()

    @classmethod
    async def prepare(cls, jail: Jail, settings: JekyllSettings, limits: Limits) -> PreparedProcess:
        """Start Ruby in a new cell and wait until Jekyll is loaded.

        Args:
            jail: Opens the cell.
            settings: Settings of the builder.
            limits: Limits of the cell; those of time begin with the site.

        Raises:
            JekyllMissingError: It ended before it was ready, or was not ready in time.
            JekyllKilledError: Something outside ended it before it was ready.
            JailError: A fault of the jail.
        """
        waiting = replace(
            limits, cpu_seconds=settings.start_seconds, wall_seconds=settings.idle_seconds + _LEEWAY_SECONDS
        )
        ours, theirs = socket.socketpair()
        ours.setblocking(False)
        async with AsyncExitStack() as stack:
            stack.callback(ours.close)
            with theirs:
                opening = jail.cell(waiting, _programs(), channels={_CHANNEL: theirs.fileno()})
                cell = await stack.enter_async_context(opening)
                command = [settings.ruby, _PROGRAM, str(_CHANNEL), *_LIBRARIES, *settings.plugins, *THEMES]
                run = asyncio.create_task(cell.run(command, env=_environment(settings)))
                # Closed before the cell is, which is what ends the run: so it is awaited last of all.
                stack.push_async_callback(_ended, cell, run)
                process = cls(cell, ours, run, time.monotonic() + settings.idle_seconds)
                await process._until_ready(START_WALL_PER_CPU * settings.start_seconds)
            process._stack = stack.pop_all()
        return process

    @property
    def alive(self) -> bool:
        """Whether it still waits and is not too old."""
        return not self._run.done() and time.monotonic() < self._until

    async def run(self, settings: JekyllSettings, limits: Limits) -> ProcessResult:
        """Have the site that lies in the cell built; returns when the process has ended.

        Raises:
            JailError: A fault of the jail.
        """
        before = await self.cell.allow(cpu_seconds=limits.cpu_seconds, wall_seconds=limits.wall_seconds)
        order = {
            "source": SOURCE,
            "destination": DESTINATION,
            "pins": pins(settings),
            "pages": known_to_ruby(),
        }
        loop = asyncio.get_running_loop()
        with contextlib.suppress(OSError):  # it died while it waited: the run says how
            await loop.sock_sendall(self._channel, json.dumps(order).encode() + b"\n")
        ended = await self._run
        return ProcessResult(ended, self._answer(), before)

    async def close(self) -> None:
        """End the process and remove its cell.

        Raises:
            JailError: A fault of the jail.
        """
        await self._stack.aclose()

    async def _until_ready(self, seconds: float) -> None:
        loop = asyncio.get_running_loop()
        heard = asyncio.create_task(loop.sock_recv(self._channel, _MOST_READY))
        await asyncio.wait({heard, self._run}, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
        if heard.done() and not heard.cancelled() and heard.exception() is None:
            versions = read_versions(heard.result())
            if versions is not None:
                self.versions = versions
                return
        heard.cancel()
        await asyncio.wait({heard})
        raise await self._fault(seconds)

    async def _fault(self, seconds: float) -> JekyllError:
        done, _ = await asyncio.wait({self._run}, timeout=0)
        if not done:
            return JekyllMissingError(f"Ruby with Jekyll was not ready after {seconds:g} s")
        killed = False
        try:
            ended = self._run.result()
        except JailError as error:
            said, killed = str(error), isinstance(error, KilledError | CellLostError)
        else:
            said, killed = ended.output.whole.decode(errors="replace").strip(), ended.cause is Cause.SIGNALED
        said = said[-500:] or "it said nothing"
        if killed:
            return JekyllKilledError(f"something outside ended Jekyll while it loaded: {said}")
        return JekyllMissingError(f"Jekyll does not start (Debian packages jekyll and ruby): {said}")

    def _answer(self) -> bytes:
        answer = bytearray()
        with contextlib.suppress(OSError):
            while len(answer) < _MOST_ANSWER and (part := self._channel.recv(65536)):
                answer += part
        return bytes(answer)


async def _ended(cell: Cell, run: asyncio.Task[Ended]) -> None:
    """Make sure that the run is over and nobody misses its result."""
    if not run.done():
        with contextlib.suppress(JailError):
            await cell.stop()
    await asyncio.wait({run})
    with contextlib.suppress(JailError, asyncio.CancelledError):
        run.result()


def _programs() -> Mapping[str, bytes]:
    here = Path(__file__).parent
    return {name: (here / name).read_bytes() for name in _PROGRAMS}


def _environment(settings: JekyllSettings) -> dict[str, str]:
    return {
        "JEKYLL_ENV": "development",
        "JEKYLL_NO_BUNDLER_REQUIRE": "true",
        "SOURCE_DATE_EPOCH": str(settings.epoch),
        "TZ": "UTC",
        "RUBYOPT": "--disable-did_you_mean --disable-error_highlight",
    }
