"""What a run of tests has started goes with it, even where the run is killed."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import afterwards

WAIT_SECONDS = 60
HOLDER = """
import signal, sys
from afterwards import Afterwards

signal.signal(signal.SIGINT, signal.SIG_DFL)  # whatever the tests themselves were started with
held = Afterwards(lambda folder: ["sleep", "600"])
for word in ("first", "second"):
    held.undo("sh", "-c", f'echo "$WHO" {word} >> told', folder=sys.argv[1], WHO="it")
print(held.process.pid, held.folder, flush=True)
signal.pause()
"""


@pytest.fixture
def holder(tmp_path):
    """A process that holds the end, and what it says: number of the script, and its folder."""
    environment = {**os.environ, "PYTHONPATH": str(Path(afterwards.__file__).parent)}
    command = [sys.executable, "-c", HOLDER, str(tmp_path)]
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) as process:
        script, folder = process.stdout.readline().split()
        yield process, int(script), Path(folder)
        process.kill()


def children(pid):
    return [int(one) for one in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def runs(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().split()[2] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


def ends(pid):
    deadline = time.monotonic() + WAIT_SECONDS
    while runs(pid) and time.monotonic() < deadline:
        time.sleep(0.05)
    return not runs(pid)


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_the_end_of_the_holder_undoes_everything_from_the_last_to_the_first(holder, tmp_path, number):
    process, script, folder = holder
    deadline = time.monotonic() + WAIT_SECONDS
    while not (daemons := children(script)) and time.monotonic() < deadline:
        time.sleep(0.05)
    os.kill(script, signal.SIGINT)  # does not end it
    process.send_signal(number)
    assert ends(script)
    assert (tmp_path / "told").read_text() == "it second\nit first\n"
    assert ends(daemons[0])
    assert not folder.exists()
