"""A wait says how long it lasts."""

from __future__ import annotations

import logging
import threading

import pytest

from i2s_sdk import waiting
from i2s_sdk.waiting import logged_wait


class Lines(logging.Handler):
    """Keeps lines, and signals when there are two."""

    def __init__(self) -> None:
        super().__init__()
        self.lines: list[str] = []
        self.are_two = threading.Event()

    def emit(self, record: logging.LogRecord) -> None:
        self.lines.append(record.getMessage())
        if len(self.lines) == 2:
            self.are_two.set()


@pytest.fixture
def handler(monkeypatch: pytest.MonkeyPatch) -> Lines:
    handler = Lines()
    monkeypatch.setattr(waiting._log, "handlers", [handler])
    return handler


def test_a_long_wait_is_logged_again_and_again(handler: Lines, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(waiting, "QUIET_SECONDS", 0.0)
    monkeypatch.setattr(waiting, "SILENT_SECONDS", 0.0)
    with logged_wait("the engine is rendering"):
        assert handler.are_two.wait(10)
    assert handler.lines[0] == "the engine is rendering: since 0 s"


def test_a_short_wait_is_not_logged(handler: Lines) -> None:
    with logged_wait("the engine is rendering"):
        pass
    assert handler.lines == []
