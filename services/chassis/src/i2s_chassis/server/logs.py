"""Structured logs: one line an event, with the context of the call it belongs to.

Logs hold identifiers and hashes of sources, never the source.
"""

from __future__ import annotations

import contextvars
import copy
import json
import logging
import math
import sys
import traceback
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Literal, TextIO

LogValue = str | int | float | bool | None

_MAX_VALUE = 2000
_context: contextvars.ContextVar[Mapping[str, LogValue]] = contextvars.ContextVar("log_context")


@contextmanager
def log_context(**fields: LogValue) -> Iterator[None]:
    """Add fields to every log line of this task, and of the tasks it starts, until the block ends."""
    token = _context.set({**_context.get({}), **fields})
    try:
        yield
    finally:
        _context.reset(token)


def current_context() -> Mapping[str, LogValue]:
    """Return the fields that log lines carry here."""
    return _context.get({})


class _AddContext(logging.Filter):
    """Copies the context into the record while still in the task that logs."""

    def filter(self, record: logging.LogRecord) -> bool:
        record.context = {**current_context(), **getattr(record, "fields", {})}
        return True


def _time(record: logging.LogRecord) -> str:
    return datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")


def _fields(record: logging.LogRecord) -> dict[str, LogValue]:
    context: Mapping[str, LogValue] = getattr(record, "context", {})
    return {name: v[:_MAX_VALUE] if isinstance(v, str) else v for name, v in context.items()}


def _traceback(record: logging.LogRecord) -> str:
    if not record.exc_info or record.exc_info[0] is None:
        return ""
    return "".join(traceback.format_exception(*record.exc_info))


class JsonFormatter(logging.Formatter):
    """One JSON object a line: time, level, service, logger, message, the context, traceback."""

    def __init__(self, service: str) -> None:
        super().__init__()
        self._service = service

    def format(self, record: logging.LogRecord) -> str:
        """Return the record as one line of JSON."""
        line: dict[str, LogValue] = {
            "time": _time(record),
            "level": record.levelname.lower(),
            "service": self._service,
            "logger": record.name,
            "message": record.getMessage(),
        }
        if trace := _traceback(record):
            line["traceback"] = trace
        return json.dumps({**line, **_fields(record), **line}, ensure_ascii=False, default=str)


class TextFormatter(logging.Formatter):
    """Lines for people at a terminal: time, level, message, then the context as name=value."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the record as one line, with the traceback below it if there is one."""
        fields = " ".join(f"{name}={value!r}" for name, value in _fields(record).items())
        head = f"{_time(record)} {record.levelname:<7} {record.getMessage()!s} {fields}".rstrip()
        return f"{head}\n{_traceback(record)}".rstrip()


_SHOWN = 10  # of equal lines in one period
_PERIOD_SECONDS = 60.0
_MOST_KINDS = 1000  # of lines that are counted at a time


@dataclass(slots=True)
class _Repeated:
    """Lines of one kind in one period."""

    ends: float
    lines: int = 0
    last: logging.LogRecord | None = None  # the last one that was left out


class BoundedHandler(logging.StreamHandler):  # type: ignore[type-arg]  # no generic class at run time
    """Writes lines, but of many equal warnings, errors and refusals the first ten of a minute.

    How many more there were is in a line with the field ``repeated`` once the minute is over: a flood of
    calls must not fill the disk. Equal are lines of one logger and text, with one kind of error, caller and
    status.
    """

    def __init__(self, stream: TextIO) -> None:
        super().__init__(stream)
        self._kinds: dict[tuple[object, ...], _Repeated] = {}

    def emit(self, record: logging.LogRecord) -> None:
        """Write the line of a record, or count it."""
        self._end_periods(record.created)
        if record.levelno < logging.WARNING and not getattr(record, "is_refusal", False):
            super().emit(record)
            return
        fields = _fields(record)
        error = record.exc_info[0] if record.exc_info else None
        key = (record.name, str(record.msg), error, fields.get("caller"), fields.get("status"))
        kind = self._kinds.get(key)
        if kind is None and len(self._kinds) < _MOST_KINDS:
            kind = self._kinds[key] = _Repeated(record.created + _PERIOD_SECONDS)
        if kind is not None:
            kind.lines += 1
            if kind.lines > _SHOWN:
                kind.last = copy.copy(record)
                kind.last.exc_info = None  # it holds what the failed job held
                return
        super().emit(record)

    def close(self) -> None:
        """Write what was counted."""
        self._end_periods(math.inf)
        super().close()

    def _end_periods(self, now: float) -> None:
        for key, kind in list(self._kinds.items()):
            if kind.ends > now:
                break  # they began in this order
            del self._kinds[key]
            if kind.last is not None:
                kind.last.context = {**_fields(kind.last), "repeated": kind.lines - _SHOWN}
                super().emit(kind.last)


def configure_logging(service: str, level: str, style: Literal["json", "text"]) -> None:
    """Send all logs of this process to standard error in the given form.

    Args:
        service: Name that every line carries.
        level: "debug", "info", "warning" or "error".
        style: "json" for machines, "text" for people.
    """
    handler = BoundedHandler(sys.stderr)
    handler.addFilter(_AddContext())
    handler.setFormatter(JsonFormatter(service) if style == "json" else TextFormatter())
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(level.upper())
