"""Ctrl-C during a run: its end within seconds, and what is said of it."""

from __future__ import annotations

import os
import shlex
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import click

from i2s_sdk.cli.main import INTERRUPTED
from i2s_sdk.cli.progress import ProgressLine
from i2s_sdk.cli.run_options import MOST_NAMES
from i2s_sdk.cli.terminal import say
from i2s_sdk.errors import I2SError
from i2s_sdk.runlog.calls import unanswered_calls
from i2s_sdk.runlog.folder import ANSWERS, CALLS
from i2s_sdk.runlog.opening import open_storage
from i2s_sdk.runlog.storage import PathOrUrl, is_url
from i2s_sdk.settings import Settings
from i2s_sdk.stack.blocking import at_interrupt


@contextmanager
def interruptible(out: PathOrUrl, settings: Settings, progress: ProgressLine) -> Iterator[None]:
    """Have the run of the block end at Ctrl-C, within ``interrupt_seconds``.

    Normally the work is cancelled and what was started is ended. What is still at work after these seconds is
    left: the process ends, programs that answer are killed, and services that it has started get SIGTERM from
    the kernel.

    Args:
        out: Folder of the run, or its URL.
        settings: Settings with the seconds.
        progress: What knows how far the run is.

    Raises:
        Exit: The run was interrupted, and that was said.
    """
    story = _Story(out, progress, _command(click.get_current_context(silent=True)))
    watch = threading.Timer(settings.interrupt_seconds, _end_now, (story,))
    watch.daemon = True

    def begin() -> None:
        if not watch.is_alive() and not watch.finished.is_set():
            watch.start()

    try:
        with at_interrupt(begin):
            yield
    except KeyboardInterrupt:
        begin()  # the end of the process is bounded too: it waits for its threads
        story.show()
        raise click.exceptions.Exit(INTERRUPTED) from None
    watch.cancel()


def _end_now(story: _Story) -> None:
    from i2s_sdk.models import processes

    story.show()
    sys.stdout.flush()
    processes.kill_all()
    os._exit(INTERRUPTED)


class _Story:
    """What is said of an interrupted run, once."""

    def __init__(self, out: PathOrUrl, progress: ProgressLine, command: str) -> None:
        self._out, self._progress, self._command = out, progress, command
        self._lock = threading.Lock()
        self._told = False

    def show(self) -> None:
        """Print the message, once."""
        with self._lock:
            if not self._told:
                self._told = True
                self._progress.stop()  # the bars would be drawn over what is said
                say("\n".join(self._lines()), err=True)
                sys.stderr.flush()

    def _lines(self) -> Iterator[str]:
        run = self._progress.run
        if run is None:
            yield "interrupted before the first sample"
        else:
            yield (
                f"interrupted: {run.finished} of {run.planned} samples are done "
                f"(with an answer: {run.generated}, with a rendering: {run.rendered})"
            )
        calls = _unanswered(self._out)
        if calls:
            names = ", ".join(calls[:MOST_NAMES]) + (", …" if len(calls) > MOST_NAMES else "")
            what = "1 call of the model" if len(calls) == 1 else f"{len(calls)} calls of the model"
            yield f"may have been billed without an answer: {what}: {names}"
        yield f"to continue: {self._command}"


def _unanswered(out: PathOrUrl) -> list[str]:
    """Return the instances of calls that have no answer; a run in a store is not read."""
    if is_url(out):
        return []
    storage = open_storage(out)
    try:
        return list(unanswered_calls(storage.lines(CALLS), storage.lines(ANSWERS)).elements())
    except (I2SError, OSError):
        return []


def _command(context: click.Context | None) -> str:
    """Return the command line of this process."""
    words = context.find_root().obj if context is not None else None
    return shlex.join(["i2s-sdk", *(words or sys.argv[1:])])
