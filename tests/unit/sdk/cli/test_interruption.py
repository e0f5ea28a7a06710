"""Ctrl-C ends a run within a bounded time, and says what is done and how to continue."""

from __future__ import annotations

import contextlib
import json
import os
import pty
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from i2s_chassis.jail.processes import is_alive
from tiny_formulas import write_tiny_formulas

#: Far beyond what a test waits for: without the bound none of these would end.
AGES = 3000

_AT_WORK = """
import asyncio, sys, time
from pathlib import Path

import click

from i2s_sdk.cli import interruption
from i2s_sdk.cli.interruption import interruptible
from i2s_sdk.cli.progress import ProgressLine
from i2s_sdk.run.pipeline import Progress as RunProgress
from i2s_sdk.settings import Settings
from i2s_sdk.stack.blocking import run_blocking

interruption.TELL_SECONDS = {ages}  # on a busy machine the message takes longer than it may


async def work(how, progress):
    progress.show_run(RunProgress(12, 5, 4, 3))
    if how == "in a thread":
        asyncio.get_running_loop().call_soon(lambda: print("at work", flush=True))
        await asyncio.to_thread(time.sleep, {ages})
    print("at work", flush=True)
    if how == "in the loop":
        time.sleep({ages})
    try:
        await asyncio.Event().wait()
    finally:
        if how == "cleaning up":
            await asyncio.sleep({ages})

@click.command()
@click.argument("how")
@click.argument("out")
def command(how, out):
    with ProgressLine(sys.stderr) as progress:
        with interruptible(Path(out), Settings(interrupt_seconds=0.2), progress):
            run_blocking(work(how, progress))

sys.exit(command.main(sys.argv[1:], standalone_mode=False))
""".replace("{ages}", str(AGES))


@pytest.mark.parametrize("how", ["quick", "in a thread", "in the loop", "cleaning up"])
def test_whatever_is_at_work_the_command_ends_and_says_what_is_done(how: str, tmp_path: Path) -> None:
    (tmp_path / "calls.jsonl").write_text('{"id": "a"}\n{"id": "b"}\n')
    (tmp_path / "answers.jsonl").write_text('{"id": "a", "attempts": 1}\n')
    command = [sys.executable, "-c", _AT_WORK, how, str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as one:
        assert one.stdout is not None
        assert one.stdout.readline() == "at work\n"
        one.send_signal(signal.SIGINT)
        _, said = one.communicate(timeout=120)
    assert one.returncode == 130
    assert said.splitlines()[-3:] == [
        "interrupted: 3 of 12 samples are done (with an answer: 5, with a rendering: 4)",
        "may have been billed without an answer: 1 call of the model: b",
        f"to continue: i2s-sdk '{how}' {tmp_path}".replace("'quick'", "quick"),
    ]


def test_on_a_terminal_the_progress_bars_erase_nothing_of_what_is_said(tmp_path: Path) -> None:
    terminal, end = pty.openpty()
    command = [sys.executable, "-c", _AT_WORK, "quick", str(tmp_path)]
    try:
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=end, text=True) as one:
            os.close(end)
            assert one.stdout is not None
            assert one.stdout.readline() == "at work\n"
            one.send_signal(signal.SIGINT)
            said = _all_of(terminal)
    finally:
        os.close(terminal)
    assert one.returncode == 130
    bars, _, after = said.partition("interrupted: 3 of 12")
    assert "samples" in bars, "the bars were shown"
    assert "to continue: i2s-sdk quick" in after
    assert "\x1b[" not in after, "nothing moves the cursor or erases a line"


def _all_of(terminal: int) -> str:
    said = b""
    with contextlib.suppress(OSError):  # Linux: the other end was closed
        while more := os.read(terminal, 65536):
            said += more
    return said.decode()


#: Starts a command as a script starts what runs in the background: with Ctrl-C ignored.
_IN_BACKGROUND = ("sh", "-c", "trap '' INT; exec \"$@\"", "sh")


@pytest.mark.parametrize(
    ("shell", "number"),
    [((), signal.SIGINT), (_IN_BACKGROUND, signal.SIGTERM)],
    ids=["Ctrl-C on a terminal", "SIGTERM in the background"],
)
@pytest.mark.slow
def test_an_interrupted_run_names_the_command_that_continues_it(
    shell: tuple[str, ...], number: signal.Signals, tmp_path: Path
) -> None:
    """The first image is answered; the program takes ages for the others. An ignored Ctrl-C stays so."""
    data = write_tiny_formulas(tmp_path / "data", 3)
    program = tmp_path / "program.sh"
    program.write_text(
        f'case $1 in *00000.png) echo ok;; *) echo $$ >> "$0.pids"; exec sleep {AGES};; esac\n'
    )
    words = ["generate", "--data", str(data.folder), "--out", str(tmp_path / "run")]
    words += ["--model", f"command:sh {program} {{image}}", "--json"]
    command = [sys.executable, "-m", "i2s_sdk.cli", *words]
    run = tmp_path / "run"
    environment = {**os.environ, "I2S_INTERRUPT_SECONDS": "60"}  # the message is wanted, however late
    with subprocess.Popen(
        [*shell, *command], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment
    ) as one:
        while not _both_wait(program) or not _lines(run / "answers.jsonl"):
            assert one.poll() is None
        assert _ignores_ctrl_c(one.pid) == (shell == _IN_BACKGROUND)
        one.send_signal(number)
        _, said = one.communicate(timeout=120)
    assert one.returncode == 130
    assert "Traceback" not in said
    first, billed, then = said.splitlines()[-3:]
    assert first == "interrupted: 0 of 3 samples are done (with an answer: 1, with a rendering: 0)"
    what, names = billed.rsplit(": ", 1)
    assert what == "may have been billed without an answer: 2 calls of the model"
    assert sorted(names.split(", ")) == ["tiny-1", "tiny-2"]  # in the order in which they were begun
    assert then.startswith("to continue: i2s-sdk generate --data ")
    assert f"'command:sh {program} {{image}}'" in then
    program.write_text("echo ok\n")
    again = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
    assert json.loads(again.stdout)["done"] == 3


@pytest.mark.slow
def test_a_program_that_does_not_end_is_killed_when_the_time_is_over(tmp_path: Path) -> None:
    """It reads no end of its input and ignores SIGTERM."""
    data = write_tiny_formulas(tmp_path / "data", 1)
    program = tmp_path / "program.sh"
    program.write_text(f'trap "" TERM; echo $$ > "$0.pids"; exec sleep {AGES}\n')
    words = ["generate", "--data", str(data.folder), "--out", str(tmp_path / "run")]
    command = [sys.executable, "-m", "i2s_sdk.cli", *words, "--model", f"command:sh {program}"]
    environment = {**os.environ, "I2S_INTERRUPT_SECONDS": "0.5"}
    with subprocess.Popen(command, env=environment) as one:
        while not _lines(Path(f"{program}.pids")):
            assert one.poll() is None
        one.send_signal(signal.SIGTERM)
        assert one.wait(120) == 130
    pid = int(Path(f"{program}.pids").read_text())
    while is_alive(pid):
        pass


#: A command that is interrupted in a process whose interpreter takes ages to end.
_SLOW_TO_END = """
import importlib, sys, time

import click

module = importlib.import_module("i2s_sdk.cli.main")

class SlowToEnd:
    def __del__(self, sleep=time.sleep):
        sleep({ages})

@click.command()
def interrupted():
    raise KeyboardInterrupt

slow = SlowToEnd()
module.group = interrupted
module.main()
""".replace("{ages}", str(AGES))


def test_an_interrupted_command_does_not_wait_for_the_end_of_the_interpreter() -> None:
    command = [sys.executable, "-c", _SLOW_TO_END]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert (done.returncode, done.stderr.strip()) == (130, "interrupted")


def _ignores_ctrl_c(pid: int) -> bool:
    (signals,) = re.findall(r"^SigIgn:\s*(\w+)", Path(f"/proc/{pid}/status").read_text(), re.M)
    return bool(int(signals, 16) & 1 << signal.SIGINT - 1)


def _both_wait(program: Path) -> bool:
    return len(_lines(Path(f"{program}.pids"))) == 2


def _lines(file: Path) -> list[str]:
    return file.read_text().splitlines() if file.exists() else []
