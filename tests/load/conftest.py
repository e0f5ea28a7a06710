"""Tests on a machine with eight times the work that it has processors for; chosen by I2S_REQUIRE_LOAD.

What they compare with is made first, before the machine becomes busy. After that several may run at the same
time.
"""

from __future__ import annotations

import contextlib
from pathlib import Path

import pytest

from busy_machine import busy_machine
from chosen import why_not
from load_runs import prepare

HERE = Path(__file__).parent
#: Time limit of a test without one of its own; a part of the attacks has one above those of its tests.
TEST_SECONDS = 3600

_BUSY = pytest.StashKey[contextlib.ExitStack]()


def pytest_sessionstart(session: pytest.Session) -> None:
    config = session.config
    if why_not("I2S_REQUIRE_LOAD", "") or config.option.collectonly or hasattr(config, "workerinput"):
        return
    terminal = config.get_terminal_writer()

    def say(line: str) -> None:
        terminal.line(line)
        terminal.flush()

    prepare(say)
    config.stash[_BUSY] = contextlib.ExitStack()
    config.stash[_BUSY].enter_context(busy_machine())


def pytest_sessionfinish(session: pytest.Session) -> None:
    if (busy := session.config.stash.get(_BUSY, None)) is not None:
        busy.close()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    reason = why_not("I2S_REQUIRE_LOAD", "load")
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(pytest.mark.load)
            if item.get_closest_marker("timeout") is None:
                item.add_marker(pytest.mark.timeout(TEST_SECONDS))
            if reason is not None:
                item.add_marker(pytest.mark.skip(reason=f"NOT TESTED UNDER LOAD: {reason}"))
