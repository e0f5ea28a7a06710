"""The index command: build the index of the TeX tree, prepare fonts and formats, or ask the index."""

from __future__ import annotations

import asyncio
import logging
import os
import sys
import time
from pathlib import Path

from i2s_render_latex.installation import find_installation
from i2s_render_latex.preparation import prepare_fonts, unpack_formats
from i2s_render_latex.settings import IndexSettings
from i2s_render_latex.state import index_file, open_index, prepare_folder, rebuild_index, state_folder
from i2s_render_latex.texindex import TexIndex, load_command
from i2s_wire.render.source_error import Provider

_QUIET_SECONDS = 2.0  # before something is said
_LINE_SECONDS = 3.0  # between lines in a log
_TERMINAL_SECONDS = 0.1  # between changes of the line on a terminal


def index_command(settings: IndexSettings) -> int:
    """Build the index and prepare the fonts and formats of engines, or print what would define some names.

    Returns:
        The exit code: 0, or 1 if nothing defines one of the names.

    Raises:
        StartError: The index cannot be built.
    """
    logging.basicConfig(format="%(message)s", level=logging.INFO, stream=sys.stderr)
    folder = state_folder(settings.state_dir)
    prepare_folder(folder)
    index = open_index(folder, settings.shared_index) if settings.lookup or settings.once else None
    if index is None:
        of_root = settings.state_dir is None and os.geteuid() == 0
        path = settings.shared_index if of_root else index_file(folder)
        prepare_folder(path.parent)
        shown = ProgressLine(sys.stderr.isatty())
        summary = rebuild_index(path, shown.show)
        shown.clear()
        counts = f"{summary.names} names of {summary.units} packages, classes and libraries"
        tried = f"{summary.tried} packages tried out"
        print(f"{summary.path}: {counts}, {tried}, in {summary.seconds:.0f} s", file=sys.stderr)
        index = TexIndex.load(summary.path)
    if not settings.lookup:
        asyncio.run(_prepare(folder))
        return 0
    found = [_describe(index, name) for name in settings.lookup]
    print("\n".join(text for text, _ in found))
    return 0 if all(known for _, known in found) else 1


class ProgressLine:
    """Shows on standard error how far a build is: a line that changes, or one every few seconds."""

    def __init__(self, on_terminal: bool) -> None:
        self._on_terminal = on_terminal
        self._next = 0.0 if on_terminal else time.monotonic() + _QUIET_SECONDS

    def show(self, what: str, done: int, of: int) -> None:
        """Say that so much is done, unless that was just said."""
        now = time.monotonic()
        if now < self._next:
            return
        self._next = now + (_TERMINAL_SECONDS if self._on_terminal else _LINE_SECONDS)
        line = f"{what}: {done} of {of}"
        print(f"\r{line}\x1b[K" if self._on_terminal else line, end=self._end, file=sys.stderr, flush=True)

    def clear(self) -> None:
        """Remove the line that changes."""
        if self._on_terminal:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)

    @property
    def _end(self) -> str:
        return "" if self._on_terminal else "\n"


async def _prepare(folder: Path) -> None:
    installation = find_installation()
    await prepare_fonts(folder, installation)
    await unpack_formats(folder, installation)


def _describe(index: TexIndex, name: str) -> tuple[str, bool]:
    asked = (
        ("command", index.providers_of_command),
        ("environment", index.providers_of_environment),
        ("key", index.providers_of_key),
        ("file", index.providers_of_file),
    )
    lines = [f"{name}:"]
    for kind, providers_of in asked:
        providers: tuple[Provider, ...] = providers_of(name)
        if providers:
            lines.append(f"  {kind}: {' '.join(map(load_command, providers))}")
    return "\n".join(lines if len(lines) > 1 else [f"{name}: nothing installed defines it"]), len(lines) > 1
