"""Ctrl-C on a busy machine: the run ends in seconds, says how far it is, and can be continued."""

from __future__ import annotations

import re
import shlex
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import IO

import pytest

from i2s_sdk.run.storage.folder import ANSWERS, CALLS, RECORDS, RENDERINGS, RESULTS
from load_parts import chosen_interrupts
from load_runs import (
    INTERRUPTED_SAMPLES,
    answering,
    complete,
    environment,
    evaluation,
    run_lines,
    run_records,
    uninterrupted_run,
)

#: Seconds from SIGINT to the end of the process.
END_SECONDS = 5.0
SAMPLES = 6

#: What a run has when it is interrupted, by what it does then.
STAGES: dict[str, Callable[[Path], bool]] = {
    "services start": lambda run: any((run / "logs").glob("*.log")),
    "models are asked": lambda run: len(run_lines(run / CALLS)) > 2 and bool(run_lines(run / ANSWERS)),
    "pictures are rendered": lambda run: bool(run_lines(run / RENDERINGS)),
    "samples are scored": lambda run: bool(run_lines(run / RECORDS)),
}
#: The stages of a run, by whether its model is one of a server.
STAGES_OF = {
    False: ("services start", "pictures are rendered", "samples are scored"),
    True: ("services start", "models are asked"),
}


@dataclass(frozen=True)
class Interrupted:
    """A run after SIGINT.

    Attributes:
        code: Exit code.
        said: Lines of standard error.
        printed: Seconds from SIGINT to the last of them.
        ended: Seconds from SIGINT to the end of the process.
    """

    code: int
    said: list[str]
    printed: float
    ended: float


def interrupt(words: list[str], run: Path, stage: str) -> Interrupted:
    """Start i2s-sdk, and interrupt it once it is at a stage."""
    command = [sys.executable, "-m", "i2s_sdk.cli", *words]
    lines: list[tuple[float, str]] = []

    def read(stream: IO[str]) -> None:
        lines.extend((time.monotonic(), line.rstrip("\n")) for line in stream)

    with subprocess.Popen(
        command, env=environment(run), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    ) as one:
        assert one.stderr is not None
        reader = threading.Thread(target=read, args=(one.stderr,))
        reader.start()
        while not STAGES[stage](run):
            assert one.poll() is None, lines
            time.sleep(0.01)  # a look, not a wait for something
        begun = time.monotonic()
        one.send_signal(signal.SIGINT)
        code = one.wait()
        ended = time.monotonic() - begun
        reader.join()
    return Interrupted(code, [line for _, line in lines], lines[-1][0] - begun, ended)


@pytest.mark.parametrize("model", chosen_interrupts())
def test_interrupted_at_each_stage_a_run_ends_in_seconds_and_can_be_continued(
    tmp_path: Path, model: str
) -> None:
    run, quiet, served = tmp_path / "run", uninterrupted_run(model), model != "oracle"
    last = threading.Event()

    def behaviour(question: str, before: int) -> str:
        return "answer" if last.is_set() or not run_lines(run / ANSWERS) else "answer:3600"

    with answering(model, behaviour) as options:
        words = evaluation(model, run, *INTERRUPTED_SAMPLES, *options)
        for stage in STAGES_OF[served]:
            found = interrupt(words, run, stage)
            print(
                f"{model}, while {stage}: message after {found.printed:.2f} s, end after {found.ended:.2f} s"
            )
            assert found.code == 130, found.said
            assert "Traceback" not in "\n".join(found.said)
            assert found.ended <= END_SECONDS, found.said
            check_message(found.said, run, words, any_done=stage == "samples are scored")
            check_calls(found.said, run, cut_off=2 if stage == "models are asked" else 0)
        last.set()
        complete(shlex.split(found.said[-1].partition(": ")[2])[1:], run)
    assert (run / RESULTS).read_bytes() == (quiet / RESULTS).read_bytes()
    assert run_records(run).keys() == run_records(quiet).keys()


def check_message(said: list[str], run: Path, words: list[str], *, any_done: bool) -> None:
    """Check that the message counts the samples that are done, and names the command that continues."""
    assert said[-1] == f"to continue: {shlex.join(['i2s-sdk', *words])}"
    (count,) = (line for line in said if line.startswith("interrupted"))
    if not any_done and count == "interrupted before the first sample":
        return
    found = re.fullmatch(rf"interrupted: (\d+) of {SAMPLES} samples are done \(with an answer: .*\)", count)
    assert found, said
    done = len(run_lines(run / RECORDS))
    assert int(found[1]) <= done
    assert not any_done or int(found[1]) > 0


def check_calls(said: list[str], run: Path, *, cut_off: int) -> None:
    """Check that the message names the calls that were begun and have no answer, and no other."""
    begun = Counter(run_line["id"] for run_line in run_lines(run / CALLS))
    answered = Counter(run_line["id"] for run_line in run_lines(run / ANSWERS) if run_line["attempts"])
    assert (begun - answered).total() == cut_off
    named = [line for line in said if line.startswith("may have been billed")]
    if not cut_off:
        assert not named
        return
    (line,) = named
    head, _, names = line.rpartition(": ")
    assert head == f"may have been billed without an answer: {cut_off} calls of the model"
    assert Counter(names.split(", ")) == begun - answered
