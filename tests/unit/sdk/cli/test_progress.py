"""What is said of how far a run is."""

from __future__ import annotations

import io

import pytest

from i2s_sdk.cli import progress as module
from i2s_sdk.cli.progress import ProgressLine
from i2s_sdk.run.pipeline import Progress as RunProgress

STAGES = ("answers", "renderings", "samples")


class Clock:
    """Time that passes as told."""

    now = 100.0

    def monotonic(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    found = Clock()
    monkeypatch.setattr(module, "time", found)
    return found


def test_lines_tell_counts_of_all_stages_rate_remaining_time_and_cost(clock: Clock) -> None:
    out = io.StringIO()
    with ProgressLine(out, STAGES) as progress:
        progress.show_run(RunProgress(1000, 40, 20, 10))
        clock.now += 5
        progress.show_run(RunProgress(1000, 50, 30, 15, 0.5, "a"))
        assert out.getvalue() == (
            "40 of 1000 answers, 20 of 1000 renderings, 10 of 1000 samples were finished before\n"
        )
        clock.now += 5
        progress.show_run(RunProgress(1000, 60, 40, 30, 1.25, "b"))
    assert out.getvalue().splitlines()[1:] == [
        "60 of 1000 answers, 40 of 1000 renderings, 30 of 1000 samples, 2.0 a second, 5 min 23 s left, "
        "$1.2500 so far"
    ]


def test_the_start_of_a_run_does_not_count_in_its_remaining_time(clock: Clock) -> None:
    out = io.StringIO()
    with ProgressLine(out, ["samples"]) as progress:
        progress.show_run(RunProgress(21, 0, 0, 0))
        clock.now += 100
        progress.show_run(RunProgress(21, 9, 9, 1, last="a"))
        clock.now += 10
        progress.show_run(RunProgress(21, 9, 9, 5, last="a"))
        clock.now += 10
        progress.show_run(RunProgress(21, 9, 9, 11, last="a"))
    few, later = out.getvalue().splitlines()[1:]
    assert "left" not in few
    assert later.endswith("20 s left")


def test_the_end_is_said_once_and_nothing_of_a_run_that_had_nothing_to_do(clock: Clock) -> None:
    out = io.StringIO()
    with ProgressLine(out, ["samples"]) as progress:
        progress.show_run(RunProgress(2, 0, 0, 0))
        for finished in (1, 2, 2, 2):
            progress.show_run(RunProgress(2, 2, 2, finished, last="a"))
    assert out.getvalue() == "2 of 2 samples, 2000000000.0 a second\n"
    empty = io.StringIO()
    with ProgressLine(empty, ["samples"]):
        pass
    assert empty.getvalue() == ""


def test_a_further_run_is_named_where_there_is_something_to_say_of_it(clock: Clock) -> None:
    out = io.StringIO()
    with ProgressLine(out, ["samples"]) as progress:
        for name in ("a", "oracle", "b"):
            progress.show_run(RunProgress(1, 0, 0, 0, run=name))
        progress.show_run(RunProgress(2, 0, 0, 1, last="x", run="b"))
        clock.now += 11
        progress.show_run(RunProgress(2, 0, 0, 1, last="x", run="b"))
        progress.show_run(RunProgress(2, 2, 2, 2, last="y", run="b"))
    lines = out.getvalue().splitlines()
    assert lines[0] == "b:"
    assert [line.partition(",")[0] for line in lines[1:]] == ["1 of 2 samples", "2 of 2 samples"]


def test_a_terminal_gets_bars(clock: Clock) -> None:
    terminal = type("Terminal", (io.StringIO,), {"isatty": lambda self: True})()
    with ProgressLine(terminal, STAGES) as progress:
        progress.show_run(RunProgress(10, 3, 2, 1))
        clock.now += 2
        progress.show_run(RunProgress(10, 10, 9, 8, 0.5, "equation-7"))
        shown = progress._bars
        assert shown is not None
        rows = {
            task.description: (task.completed, task.fields["rate"], task.fields["last"])
            for task in shown.tasks
        }
    assert rows == {
        "answers": (10, "3.5/s", ""),
        "renderings": (9, "3.5/s", ""),
        "samples": (8, "3.5/s", "$0.5000 so far  equation-7"),
    }


@pytest.mark.parametrize(
    ("seconds", "said"), [(0.4, "0 s"), (59.4, "59 s"), (61, "1 min 1 s"), (7384, "2 h 3 min")]
)
def test_durations_are_for_people(seconds: float, said: str) -> None:
    assert module._duration(seconds) == said


@pytest.mark.parametrize(
    ("finished", "seconds", "said"),
    [(20, 10, "2.0 a second"), (10, 10, "1.0 a second"), (4, 10, "2.5 s each"), (1, 40, "40 s each")],
)
def test_slow_progress_is_in_seconds_of_a_sample(
    clock: Clock, finished: int, seconds: float, said: str
) -> None:
    out = io.StringIO()
    with ProgressLine(out, ["samples"]) as progress:
        progress.show_run(RunProgress(1000, 0, 0, 0))
        clock.now += seconds
        progress.show_run(RunProgress(1000, finished, finished, finished, last="a"))
    assert said in out.getvalue()


def test_what_the_model_waits_for_is_said(clock: Clock) -> None:
    out = io.StringIO()
    with ProgressLine(out, ["samples"]) as progress:
        progress.show_run(RunProgress(1000, 0, 0, 0))
        clock.now += 10
        progress.show_run(RunProgress(1000, 0, 0, 0, 0.5, "tiny", note="1 batch under way"))
    assert out.getvalue().endswith(", $0.5000 so far, 1 batch under way\n")
