"""What the command ``index`` says while it works."""

import pytest

from i2s_render_latex import index_command
from i2s_render_latex.index_command import ProgressLine


class Clock:
    """Time that passes when it is told to."""

    def __init__(self):
        self.now = 100.0

    def monotonic(self):
        return self.now


@pytest.fixture
def clock(monkeypatch):
    clock = Clock()
    monkeypatch.setattr(index_command, "time", clock)
    return clock


def test_a_log_has_a_line_every_few_seconds_after_the_first_two(clock, capsys):
    shown = ProgressLine(on_terminal=False)
    for done in range(1, 101):
        clock.now += 0.1
        shown.show("files read", done, 100)
    shown.clear()
    lines = capsys.readouterr().err.splitlines()
    assert lines == ["files read: 21 of 100", "files read: 52 of 100", "files read: 83 of 100"]


def test_a_terminal_has_one_line_that_changes_and_goes(clock, capsys):
    shown = ProgressLine(on_terminal=True)
    for done in (1, 2):
        clock.now += 1
        shown.show("files read", done, 2)
    shown.clear()
    assert capsys.readouterr().err == "\rfiles read: 1 of 2\x1b[K\rfiles read: 2 of 2\x1b[K\r\x1b[K"
