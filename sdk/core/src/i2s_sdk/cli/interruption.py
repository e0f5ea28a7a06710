"""Ctrl-C during a run: its end within seconds, calls without an answer, and what is said of it."""

from __future__ import annotations

import contextlib
import os
import shlex
import sys
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import click

from i2s_sdk.cli.main import INTERRUPTED
from i2s_sdk.cli.progress import ProgressLine
from i2s_sdk.cli.run_options import MOST_NAMES
from i2s_sdk.cli.terminal import say
from i2s_sdk.errors import I2SError
from i2s_sdk.models import processes
from i2s_sdk.run.pipeline import Progress
from i2s_sdk.run.storage.folder import ANSWERS, CALLS
from i2s_sdk.run.storage.index import unanswered_calls
from i2s_sdk.run.storage.interface import PathOrUrl, is_url, open_storage
from i2s_sdk.run.storage.local import stem
from i2s_sdk.settings import Settings
from i2s_sdk.stack.blocking import at_interrupt

_BILLED = "may have been billed without an answer"


@dataclass(frozen=True, slots=True)
class Journal:
    """Where the calls of a run's model, or of its judge, are written down."""

    #: Name of the run, as its progress has it.
    run: str
    #: Folder of the run, or its URL.
    out: PathOrUrl
    #: Name of the file of calls that were begun.
    calls: str = CALLS
    #: Name of the file of answers.
    answers: str = ANSWERS

    def unanswered(self, settings: Settings) -> list[str]:
        """Return the instances of calls that have no answer, one for each call.

        Raises:
            I2SError: The store does not answer, or a line is damaged.
            OSError: A file cannot be read.
        """
        storage = open_storage(self.out, settings)
        calls, answers = storage.lines(self.calls), storage.lines(self.answers)
        return list(unanswered_calls(calls, answers).elements())

    def place(self, name: str) -> str:
        """Return where a file of lines lies, for people."""
        return f"{str(self.out).rstrip('/')}/{stem(name) if is_url(self.out) else name}"


#: What was found out of a journal: the instances of its calls without an answer, or why it was not read.
Found = list[str] | str


def looked_up(journals: Sequence[Journal], settings: Settings, seconds: float) -> Mapping[Journal, Found]:
    """Read journals, at the same time, for a limited time.

    Args:
        journals: The journals.
        settings: Settings of stores.
        seconds: How long is waited for all of them.

    Returns:
        What was found out of those that could be read in time, or failed in time.
    """
    results: dict[Journal, Found] = {}

    def look_up(journal: Journal) -> None:
        try:
            results[journal] = journal.unanswered(settings)
        except I2SError as error:
            results[journal] = error.message
        except OSError as error:
            results[journal] = error.strerror or str(error)

    threads = [threading.Thread(target=look_up, args=(one,), daemon=True) for one in journals]
    for thread in threads:
        thread.start()
    end = time.monotonic() + seconds
    for thread in threads:
        thread.join(max(0.0, end - time.monotonic()))
    return dict(results)


def lines_of(journal: Journal, result: Found | None, *, named: bool) -> Iterator[str]:
    """Yield the line that says which calls of a journal may have been billed, if there are any.

    Args:
        journal: The journal.
        result: What was found out of it; None if it was not read in time.
        named: Whether the line names the run.
    """
    head = f"{_BILLED}: {journal.run}: " if named else f"{_BILLED}: "
    if isinstance(result, list):
        if result:
            names = ", ".join(result[:MOST_NAMES]) + (", …" if len(result) > MOST_NAMES else "")
            count = "1 call of the model" if len(result) == 1 else f"{len(result)} calls of the model"
            yield f"{head}{count}: {names}"
        return
    reason = "not read in time" if result is None else result
    calls, answers = journal.place(journal.calls), journal.place(journal.answers)
    yield f"{head}not looked up ({reason}); these are the calls in {calls} that have no line in {answers}"


#: Seconds that the message has once the time of the settings is over, if it was not printed by then. Standard
#: error may be a pipe that nobody reads.
TELL_SECONDS = 0.9


@contextmanager
def interruptible(
    journals: PathOrUrl | Sequence[Journal], settings: Settings, progress: ProgressLine
) -> Iterator[None]:
    """Have the runs of the block end at Ctrl-C, within ``interrupt_seconds`` and ``TELL_SECONDS``.

    Normally the work is cancelled and what was started is ended; then the message is printed. It is printed
    after half of these seconds at the latest. What is still at work after all of them is left: the process
    ends, programs that answer are killed, and services that it has started get SIGTERM from the kernel.

    Args:
        journals: Where the calls of models are written down, one for each run in which a model is asked. The
            folder of a run, or its URL, stands for the journal of its own model.
        settings: Settings with the seconds, and those of stores.
        progress: What knows how far the runs are.

    Raises:
        Exit: The run was interrupted, and the message is printed.
    """
    if isinstance(journals, Path | str):
        journals = [Journal("", journals)]
    story = _Story(journals, settings, progress, _command(click.get_current_context(silent=True)))
    deadline = _Deadline(story, settings.interrupt_seconds)
    try:
        with at_interrupt(deadline.begin):
            yield
    except KeyboardInterrupt:
        deadline.begin()  # the end of the process is bounded too: it waits for its threads
        story.show(max(TELL_SECONDS / 2, deadline.left()))
        raise click.exceptions.Exit(INTERRUPTED) from None
    except BaseException:
        deadline.cancel_unless_begun()
        raise
    deadline.cancel()


class _Deadline:
    """Ends this process some seconds after ``begin``, whatever is still at work.

    Its thread exists from the beginning: a busy machine takes long to start one.

    Args:
        story: The message, which is printed after half of the seconds unless it was printed before.
        seconds: Seconds from ``begin`` to the end.
    """

    def __init__(self, story: _Story, seconds: float) -> None:
        self._story, self._seconds = story, seconds
        self._begun = self._cancelled = False
        self._end = 0.0
        self._wake = threading.Event()
        threading.Thread(target=self._run, daemon=True).start()

    def begin(self) -> None:
        """Start the time, unless it runs already; a handler of signals may call this."""
        if not self._begun:
            self._begun = True  # before anything that a second signal may interrupt
            self._end = time.monotonic() + self._seconds
            self._wake.set()

    def cancel(self) -> None:
        """Do not end the process."""
        self._cancelled = True
        self._wake.set()

    def cancel_unless_begun(self) -> None:
        """Do not end the process, unless the time runs already."""
        if not self._begun:
            self.cancel()

    def left(self) -> float:
        """Return the seconds until the end; 0 if they are over."""
        return max(0.0, self._end - time.monotonic())

    def _run(self) -> None:
        self._wake.wait()
        if self._cancelled:
            return
        shown = self._story.shown
        if not shown.wait(self._seconds / 2) and not self._cancelled:
            seconds = max(TELL_SECONDS / 2, self.left())
            threading.Thread(target=self._story.show, args=(seconds,), daemon=True).start()
        time.sleep(self.left())
        if self._cancelled:
            return
        try:
            shown.wait(TELL_SECONDS)
        finally:
            try:
                processes.kill_all()
            finally:
                os._exit(INTERRUPTED)


class _Story:
    """The message of an interrupted command, which is printed once.

    Args:
        journals: See ``interruptible``.
        settings: Settings with the seconds, and those of stores.
        progress: What knows how far the runs are.
        command: The command line that continues it.

    Attributes:
        shown: Set once it is printed, or cannot be.
    """

    def __init__(
        self, journals: Sequence[Journal], settings: Settings, progress: ProgressLine, command: str
    ) -> None:
        self._journals, self._settings = journals, settings
        self._progress, self._command = progress, command
        self._lock = threading.Lock()
        self._told = False
        self.shown = threading.Event()

    def show(self, seconds: float) -> None:
        """Print the message, once; returns when it is printed, or cannot be since nobody is there to read it.

        It waits for as long as standard error takes nothing.

        Args:
            seconds: Seconds for reading which calls have no answer.
        """
        with self._lock, contextlib.suppress(OSError):
            if not self._told:
                self._told = True
                self._progress.stop()  # the bars would be drawn over what is said
                say("\n".join(self._lines(seconds)), err=True)
                sys.stderr.flush()
                sys.stdout.flush()  # the interpreter would do it at its end, which nothing bounds
        self.shown.set()

    def _lines(self, seconds: float) -> Iterator[str]:
        runs = dict(self._progress.runs)
        several = len({*runs, *(one.run for one in self._journals if one.run)}) > 1
        last = self._progress.run
        if last is None:
            yield "interrupted before the first sample"
        elif not runs:
            yield "interrupted: of what was asked for, nothing was left to do"
        elif several:
            yield "interrupted:"
            yield from self._counts(runs)
        else:
            yield from (f"interrupted: {_count(run)}" for run in runs.values())
        if last is not None and last.reference:
            yield f"  {last.run}, for comparison: {last.finished} of {last.planned} samples are done"
        results = looked_up(self._journals, self._settings, seconds)
        for journal in self._journals:
            yield from lines_of(journal, results.get(journal), named=several)
        yield f"to continue: {self._command}"

    def _counts(self, runs: Mapping[str, Progress]) -> Iterator[str]:
        """Yield a line for each of several runs, those that are to come among them."""
        for name in dict.fromkeys([*(journal.run for journal in self._journals), *runs]):
            said = _count(runs[name]) if name in runs else "nothing was done by this command"
            yield f"  {name}: {said}"


def _count(run: Progress) -> str:
    """Return how far a run is, for people."""
    turn = f", {run.turn}" if run.turn else ""
    return (
        f"{run.finished} of {run.planned} samples are done "
        f"(with an answer: {run.generated}, with a rendering: {run.rendered}){turn}"
    )


def _command(context: click.Context | None) -> str:
    """Return the command line of this process."""
    words = context.find_root().obj if context is not None else None
    return shlex.join(["i2s-sdk", *(words or sys.argv[1:])])
