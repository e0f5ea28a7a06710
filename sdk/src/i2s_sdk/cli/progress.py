"""How far a run is: a bar on a terminal, plain lines elsewhere."""

from __future__ import annotations

import time
from types import TracebackType
from typing import TYPE_CHECKING, Self, TextIO

if TYPE_CHECKING:
    from rich.progress import Progress as Bar
    from rich.progress import TaskID

_LINE_EVERY = 10.0  # seconds between plain lines


class Progress:
    """Shows progress on a stream; nothing is shown until the first call of ``show``."""

    def __init__(self, stream: TextIO, what: str = "samples") -> None:
        self._stream, self._what = stream, what
        self._bar: Bar | None = None
        self._task: TaskID | None = None
        self._began = self._last_line = 0.0
        self._before = 0

    def show(self, finished: int, planned: int, last: str | None) -> None:
        """Show that ``finished`` of ``planned`` are done, ``last`` as the last one; None at the beginning."""
        if last is None:
            self._begin(finished, planned)
        elif self._bar is not None and self._task is not None:
            self._bar.update(self._task, completed=finished, last=last)
        elif finished == planned or time.monotonic() - self._last_line >= _LINE_EVERY:
            self._line(finished, planned)

    def _begin(self, finished: int, planned: int) -> None:
        self._began = self._last_line = time.monotonic()
        self._before = finished
        if finished:
            self._stream.write(f"{finished} of {planned} {self._what} were finished before\n")
        if not self._stream.isatty():
            return
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

        self._bar = Progress(
            BarColumn(),
            MofNCompleteColumn(),
            TimeRemainingColumn(),
            TextColumn("{task.fields[last]}", markup=False),
            console=Console(file=self._stream),
            transient=True,
        )
        self._task = self._bar.add_task(self._what, total=planned, completed=finished, last="")
        self._bar.start()

    def _line(self, finished: int, planned: int) -> None:
        self._last_line = time.monotonic()
        rate = (finished - self._before) / max(1e-9, self._last_line - self._began)
        self._stream.write(f"{finished} of {planned} {self._what}, {rate:.1f} a second\n")
        self._stream.flush()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar is not None:
            self._bar.stop()
