"""Structured logs: one line an event, with the context of the call it belongs to.

Logs hold identifiers and hashes of sources, never the source.
"""

from __future__ import annotations

import contextvars
import json
import logging
import sys
import traceback
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Literal

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


def configure_logging(service: str, level: str, style: Literal["json", "text"]) -> None:
    """Send all logs of this process to standard error in the given form.

    Args:
        service: Name that every line carries.
        level: "debug", "info", "warning" or "error".
        style: "json" for machines, "text" for people.
    """
    handler = logging.StreamHandler(sys.stderr)
    handler.addFilter(_AddContext())
    handler.setFormatter(JsonFormatter(service) if style == "json" else TextFormatter())
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(level.upper())
