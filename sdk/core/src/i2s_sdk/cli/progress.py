"""How far a command is: bars on a terminal, plain lines elsewhere."""

from __future__ import annotations

import sys
import time
from collections.abc import Mapping, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Self, TextIO

from i2s_sdk.visible import visible_line

if TYPE_CHECKING:
    from rich.progress import Progress as Bars
    from rich.progress import TaskID

    from i2s_sdk.run.pipeline import Progress as RunProgress

_LINE_EVERY = 10.0  # seconds between plain lines
_FEW = 5  # samples after the first, below which their speed says nothing


class ProgressLine:
    """Shows counts on a stream; nothing is shown until the first call of ``show``.

    Args:
        stream: Stream that progress is written to.
        what: Things that are counted, each with a bar; the last one is what everything waits for.

    Attributes:
        run: How far the run was when ``show_run`` was called last; None before.
        runs: How far each run was when ``show_run`` was called last for it, by its name, in order of their
            beginnings; those of reference points are not among them.
    """

    def __init__(self, stream: TextIO, counted: Sequence[str] = ("samples",)) -> None:
        self._stream, self._what = stream, tuple(counted)
        self._bars: Bars | None = None
        self._tasks: dict[str, TaskID] = {}
        self._began = self._last_line = 0.0
        self._before: Mapping[str, int] = {}
        self._first: tuple[float, int] | None = None  # when the first came to its end, and how many had then
        self._last_counts: tuple[int, ...] = ()
        self.run: RunProgress | None = None
        self.runs: dict[str, RunProgress] = {}
        self._run: str | None = None
        self._heading = ""  # of the run that is shown, until it was written

    def show(self, done: Mapping[str, int], planned: int, last: str | None, note: str = "") -> None:
        """Show how many of ``planned`` are done.

        Args:
            done: Count of each thing.
            planned: Instances of each.
            last: The last one; None at the beginning.
            note: What else is to be said.
        """
        finished = done[self._what[-1]]
        if last is not None and self._first is None and finished > self._before[self._what[-1]]:
            self._first = time.monotonic(), finished
        if last is None:
            self._begin(done, planned)
        elif self._bars is not None:
            for name, task in self._tasks.items():
                shown = visible_line(f"{note}  {last}".strip()) if name == self._what[-1] else ""
                rate = _speed(self._rate(done, name), "/s")
                self._bars.update(task, completed=done[name], rate=rate, last=shown)
        elif self._is_due(done, planned):
            self._line(done, planned, note)

    def show_run(self, progress: RunProgress) -> None:
        """Show how far a run is; of its counts, those that this was made for."""
        self.run = progress
        if not progress.reference:
            self.runs[progress.run] = progress
        counts = {
            "answers": progress.generated,
            "renderings": progress.rendered,
            "samples": progress.finished,
        }
        paid = f"${progress.paid:.4f} so far" if progress.paid else ""
        note = ", ".join(one for one in (paid, progress.turn, progress.note) if one)
        if progress.run != self._run and not progress.last:
            self.stop()
            # The first run is what the command was asked for; of another one nothing may be left to say.
            self._heading = visible_line(f"{progress.run}:") + "\n" if self._run is not None else ""
            self._run = progress.run
        self.show(counts, progress.planned, progress.last or None, note)

    def stop(self) -> None:
        """End the bars that are shown, so that the next line of the stream stays."""
        if self._bars is not None:
            self._bars.stop()
            self._bars, self._tasks = None, {}

    def _begin(self, done: Mapping[str, int], planned: int) -> None:
        self._began = self._last_line = time.monotonic()
        self._before, self._first = dict(done), None
        before = [f"{done[name]} of {planned} {name}" for name in self._what if done[name]]
        if before:
            self._write(f"{', '.join(before)} were finished before")
        if not self._stream.isatty():
            return
        self._write()
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

        self._bars = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("{task.fields[rate]}"),
            TimeRemainingColumn(),
            TextColumn("{task.fields[last]}", markup=False),
            console=Console(file=self._stream),
            transient=True,
            # What a command prints for another program goes where it was sent.
            redirect_stdout=sys.stdout.isatty(),
        )
        for name in self._what:
            task = self._bars.add_task(name, total=planned, completed=done[name], rate="", last="")
            self._tasks[name] = task
        self._bars.start()

    def _is_due(self, done: Mapping[str, int], planned: int) -> bool:
        """Return whether it is time for a line, or everything is done and was not said to be."""
        counts = tuple(done[name] for name in self._what)
        complete = counts[-1] == planned and counts != self._last_counts
        return complete or time.monotonic() - self._last_line >= _LINE_EVERY

    def _line(self, done: Mapping[str, int], planned: int, note: str) -> None:
        self._last_line = time.monotonic()
        self._last_counts = tuple(done[name] for name in self._what)
        last = self._what[-1]
        rate = self._rate(done, last)
        parts = [f"{done[name]} of {planned} {name}" for name in self._what] + [_speed(rate, " a second")]
        left = self._seconds_left(planned, done[last])
        if left is not None:
            parts.append(f"{_duration(left)} left")
        self._write(", ".join([*parts, note] if note else parts))

    def _write(self, *lines: str) -> None:
        """Write lines, below the heading of the run."""
        self._stream.write(self._heading + "".join(f"{line}\n" for line in lines))
        self._stream.flush()
        self._heading = ""

    def _seconds_left(self, planned: int, finished: int) -> float | None:
        """Return how long the rest takes at the speed since the first one; None while too few tell.

        The way of the first one through all stages would count for each of the others.
        """
        if self._first is None or finished == planned:
            return None
        since, before = self._first
        if finished - before < _FEW:
            return None
        return (planned - finished) * (time.monotonic() - since) / (finished - before)

    def _rate(self, done: Mapping[str, int], name: str) -> float:
        """Return how many a second came since the beginning."""
        return (done[name] - self._before[name]) / max(1e-9, time.monotonic() - self._began)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()


def _speed(rate: float, unit: str) -> str:
    """Return how fast things come, for people: the seconds of each if they take more than one.

    Args:
        rate: How many a second.
        unit: Stands behind a number of them a second.
    """
    if rate == 0 or rate >= 1:
        return f"{rate:.1f}{unit}"
    return f"{1 / rate:.{0 if rate <= 0.1 else 1}f} s each"


def _duration(seconds: float) -> str:
    """Return a time for people, such as "3 min 20 s"."""
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    minutes, rest = divmod(whole, 60)
    return f"{minutes} min {rest} s" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"
