"""What Ctrl-C says of several runs, of a judge and of runs in stores; and that the process always ends."""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from i2s_sdk.cli import interruption
from i2s_sdk.cli.interruption import Journal, lines_of, looked_up
from i2s_sdk.errors import StoreError
from i2s_sdk.run.storage.interface import open_storage
from i2s_sdk.settings import Settings
from run_folders import write_run_to_judge

#: Far beyond what a test waits for.
AGES = 3000

#: Seconds that a test waits for what takes a second or two.
LONG = 120

#: ``i2s-sdk evaluate`` whose work is interrupted: the first run has ended, the second is under way, others
#: have not begun, and a baseline was shown last.
_EVALUATE = """
import sys
from i2s_sdk.cli import interruption
from i2s_sdk.cli.main import run
from i2s_sdk.run import evaluate
from i2s_sdk.run.pipeline import Progress

interruption.TELL_SECONDS = 3000

def interrupted(data, models, *, out, settings, on_progress, **wanted):
    names = [one.name for one in models]
    folders = evaluate.run_folders(names, out)
    for at, name in enumerate(names):
        calls = "".join(f'{{"id": "sample-{at}-{number}"}}\\n' for number in range(at + 1))
        folders[name].mkdir(parents=True)
        (folders[name] / "calls.jsonl").write_text('{"id": "answered"}\\n' + calls)
        (folders[name] / "answers.jsonl").write_text('{"id": "answered", "attempts": 1}\\n')
    on_progress(Progress(4, 4, 4, 4, run=names[0]))
    if len(names) > 1:
        on_progress(Progress(4, 3, 2, 1, run=names[1]))
    on_progress(Progress(7, 7, 6, 5, run="baseline/blank", reference=True))
    raise KeyboardInterrupt

evaluate.evaluate_several = interrupted
sys.exit(run(sys.argv[1:]))
"""


def _evaluate(tmp_path: Path, *words: str) -> list[str]:
    """Return what an interrupted evaluation of models of a server says, but the command."""
    at = ["--base-url", "http://127.0.0.1:9/v1", "--out", str(tmp_path / "run")]
    command = [sys.executable, "-c", _EVALUATE, "evaluate", *words, *at]
    done = subprocess.run(command, capture_output=True, text=True, timeout=LONG, check=False)
    assert done.returncode == 130, done.stderr
    _, _, said = done.stderr.partition("interrupted")
    *lines, last = ("interrupted" + said).splitlines()
    assert last.startswith("to continue: i2s-sdk evaluate --model openai/a")
    return lines


def test_of_several_models_each_run_is_named_with_its_count_and_its_calls(tmp_path: Path) -> None:
    models = [word for name in "abc" for word in ("--model", f"openai/{name}")]
    assert _evaluate(tmp_path, *models) == [
        "interrupted:",
        "  openai/a: 4 of 4 samples are done (with an answer: 4, with a rendering: 4)",
        "  openai/b: 1 of 4 samples are done (with an answer: 3, with a rendering: 2)",
        "  openai/c: nothing was done by this command",
        "  baseline/blank, for comparison: 5 of 7 samples are done",
        "may have been billed without an answer: openai/a: 1 call of the model: sample-0-0",
        "may have been billed without an answer: openai/b: 2 calls of the model: sample-1-0, sample-1-1",
        "may have been billed without an answer: openai/c: 3 calls of the model: "
        "sample-2-0, sample-2-1, sample-2-2",
    ]


def test_of_repeats_each_run_is_named(tmp_path: Path) -> None:
    lines = _evaluate(tmp_path, "--model", "openai/a", "--repeats", "2", "--temperature", "1")
    first, second = (line.split(": ")[0].strip() for line in lines[1:3])
    assert first != second
    assert f"may have been billed without an answer: {first}: 1 call of the model: sample-0-0" in lines
    assert any(f"{second}: 2 calls of the model" in line for line in lines)


def test_a_baseline_that_is_measured_last_is_not_taken_for_the_run(tmp_path: Path) -> None:
    assert _evaluate(tmp_path, "--model", "openai/a") == [
        "interrupted: 4 of 4 samples are done (with an answer: 4, with a rendering: 4)",
        "  baseline/blank, for comparison: 5 of 7 samples are done",
        "may have been billed without an answer: 1 call of the model: sample-0-0",
    ]


def test_of_a_judge_its_own_calls_are_named_and_not_those_of_the_run(tmp_path: Path) -> None:
    """One image is judged; the program takes ages for the others."""
    run = write_run_to_judge(tmp_path / "run", 3)
    (run / "calls.jsonl").write_text('{"id": "of-the-run"}\n')
    (run / "judge-0123456789abcdef-calls.jsonl").write_text('{"id": "of-another-judge"}\n')
    program = tmp_path / "program.sh"
    program.write_text(
        f'if mkdir "$0.first"; then echo ok; else echo $$ >> "$0.pids"; exec sleep {AGES}; fi 2>/dev/null\n'
    )
    words = ["judge", str(run), "--model", f"command:sh {program} {{image}}"]
    environment = {**os.environ, "I2S_INTERRUPT_SECONDS": "60"}  # the message is wanted, however late
    with subprocess.Popen(
        [sys.executable, "-m", "i2s_sdk.cli", *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment,
    ) as one:
        while len(_lines(Path(f"{program}.pids"))) < 2 or not any(
            _lines(path) for path in run.glob("judge-*-answers.jsonl")
        ):
            assert one.poll() is None
        one.send_signal(signal.SIGINT)
        _, said = one.communicate(timeout=LONG)
    assert one.returncode == 130
    counted, billed, _ = said.splitlines()[-3:]
    assert counted.startswith("interrupted: 1 of 3 samples are done")
    what, names = billed.rsplit(": ", 1)
    assert what == "may have been billed without an answer: 2 calls of the model"
    answered = json.loads(_lines(next(run.glob("judge-*-answers.jsonl")))[0])["id"]
    assert {answered, *names.split(", ")} == {f"figure-{at}" for at in range(3)}


def _lines(file: Path) -> list[str]:
    return file.read_text().splitlines() if file.exists() else []


def test_calls_of_a_run_in_a_store_are_looked_up(tmp_path: Path) -> None:
    url = (tmp_path / "run").as_uri()
    storage = open_storage(url)
    with storage.alone(), storage.append_log("calls.jsonl") as calls:
        calls.append(b'{"id": "a"}\n')
        calls.append(b'{"id": "b"}\n')
    journal = Journal("", url)
    assert looked_up([journal], Settings(), LONG) == {journal: ["a", "b"]}


def test_a_store_that_fails_is_named_with_the_reason_and_where_its_calls_are(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def opened(where: str, settings: Settings) -> None:
        raise StoreError("refused")

    monkeypatch.setattr(interruption, "open_storage", opened)
    journal = Journal("model", "s3://bucket/run/")
    (line,) = lines_of(journal, looked_up([journal], Settings(), LONG)[journal], named=True)
    assert line == (
        "may have been billed without an answer: model: not looked up (refused); these are the calls in "
        "s3://bucket/run/calls that have no line in s3://bucket/run/answers"
    )


def test_a_store_that_is_silent_is_waited_for_no_longer_than_the_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    answer = threading.Event()

    def opened(where: str, settings: Settings) -> None:
        answer.wait()
        raise StoreError("refused")

    monkeypatch.setattr(interruption, "open_storage", opened)
    journal = Journal("", "s3://bucket/run")
    try:
        found = looked_up([journal], Settings(), 0.05)
    finally:
        answer.set()
    assert found == {}
    (line,) = lines_of(journal, None, named=False)
    assert "not looked up (not read in time)" in line


_AT_WORK = """
import sys, time
from pathlib import Path

import click

from i2s_sdk.cli.interruption import interruptible
from i2s_sdk.cli.progress import ProgressLine
from i2s_sdk.settings import Settings
from i2s_sdk.stack.blocking import run_blocking


async def work(how):
    import asyncio
    print("at work", flush=True)
    if how == "in the loop":
        time.sleep({ages})
    await asyncio.sleep({ages})

@click.command()
@click.argument("how")
@click.argument("out")
def command(how, out):
    with ProgressLine(sys.stderr) as progress:
        with interruptible(Path(out), Settings(interrupt_seconds=0.2), progress):
            run_blocking(work(how))

sys.exit(command.main(sys.argv[1:], standalone_mode=False))
""".replace("{ages}", str(AGES))


@pytest.mark.parametrize("how", ["quick", "in the loop"])
def test_a_standard_error_that_nobody_reads_does_not_keep_the_command(how: str, tmp_path: Path) -> None:
    reader, writer = os.pipe()
    command = [sys.executable, "-c", _AT_WORK, how, str(tmp_path)]
    one = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=writer, text=True)
    try:
        assert one.stdout is not None
        assert one.stdout.readline() == "at work\n"
        _fill(writer)
        one.send_signal(signal.SIGINT)
        assert one.wait(LONG) == 130
    finally:
        one.kill()
        one.wait()
        one.stdout.close()
        os.close(reader)
        os.close(writer)


def _fill(pipe: int) -> None:
    """Write to a pipe until it takes nothing more; then its writers wait again."""
    flags = fcntl.fcntl(pipe, fcntl.F_GETFL)
    fcntl.fcntl(pipe, fcntl.F_SETFL, flags | os.O_NONBLOCK)  # of the pipe, and so of the other process too
    for size in (4096, 1):
        with contextlib.suppress(BlockingIOError):
            while True:
                os.write(pipe, bytes(size))
    fcntl.fcntl(pipe, fcntl.F_SETFL, flags)


def test_a_standard_error_that_is_closed_does_not_keep_the_command(tmp_path: Path) -> None:
    reader, writer = os.pipe()
    command = [sys.executable, "-c", _AT_WORK, "in the loop", str(tmp_path)]
    one = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=writer, text=True)
    os.close(writer)
    try:
        assert one.stdout is not None
        assert one.stdout.readline() == "at work\n"
        os.close(reader)
        one.send_signal(signal.SIGINT)
        assert one.wait(LONG) == 130
    finally:
        one.kill()
        one.wait()
        one.stdout.close()
