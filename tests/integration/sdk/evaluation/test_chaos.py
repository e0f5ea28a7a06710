"""Processes of all kinds killed and stopped from outside during a run change no byte of its results.

I2S_CHAOS_ACTIONS says how many; the run has twice as many samples. Without it there are few; 60 is what a
version has to stand (`make test-chaos`).
"""

from __future__ import annotations

import contextlib
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from i2s_sdk.runlog.folder import RECORDS, RENDERINGS, RESULTS
from i2s_sdk.runlog.opening import open_storage
from processes import Process, below, is_there

pytestmark = [
    pytest.mark.integration,
    pytest.mark.nightly(instead="soak/test_short_soak, which kills programs and a service, and test_kills"),
]

ACTIONS = int(os.environ.get("I2S_CHAOS_ACTIONS", "6"))
SAMPLES = 2 * ACTIONS
SEED = int(os.environ.get("I2S_CHAOS_SEED", "7"))
EXAMPLES = Path(__file__).resolve().parents[4] / "examples"
#: Data sets whose tasks need other services than LaTeX, pages and music: plots and PDF documents. A short run
#: does without, so that it starts four services and not six.
OTHERS = ("charts", "scimage", "readoc") if ACTIONS >= 20 else ()

#: Deaths of a service itself; a run gives up a service that dies more than five times in a row.
MOST_DEATHS_OF_A_SERVICE = 1
STOP_SECONDS = 2.0


def _data(folder: Path) -> Path:
    """Write a data set of the bundled examples, of all tasks in turn, each as often as it takes."""
    tasks: dict[str, list[dict[str, object]]] = {}
    for place in (EXAMPLES, *(EXAMPLES / name for name in OTHERS)):
        for line in (place / "instances.jsonl").read_text().splitlines():
            row = _moved(json.loads(line), place)
            tasks.setdefault(str(row["task"]), []).append(row)
    shutil.copytree(EXAMPLES, folder)
    lines = []
    for number in range(SAMPLES):
        of_task = list(tasks.values())[number % len(tasks)]
        row = of_task[number // len(tasks) % len(of_task)]
        lines.append(json.dumps({**row, "id": f"{row['id']}-{number}"}) + "\n")
    (folder / "instances.jsonl").write_text("".join(lines))
    return folder


def _moved(value: Any, place: Path) -> Any:
    """Return a row of a data set with the names of its files from the folder of the examples on."""
    match value:
        case dict():
            return {name: _moved(one, place) for name, one in value.items()}
        case list():
            return [_moved(one, place) for one in value]
        case str() if len(value) < 200 and (place / value).is_file():
            return str((place / value).relative_to(EXAMPLES))
        case _:
            return value


def _begin(data: Path, out: Path, log: Path) -> subprocess.Popen[bytes]:
    words = ["evaluate", "--data", str(data), "--model", "oracle", "--out", str(out), "--json"]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("I2S_RENDER_")}
    for name in ("I2S_METRICS", "I2S_DOCUMENTS"):
        environment.pop(name, None)
    environment["XDG_STATE_HOME"] = str(log.parent / "state")  # what is up on this machine is not ours
    with log.open("wb") as output:
        return subprocess.Popen(
            [sys.executable, "-m", "i2s_sdk.cli", *words], env=environment, stdout=output, stderr=output
        )


def _lines(out: Path) -> int:
    """Return how many samples were rendered or have ended."""
    storage = open_storage(out)
    return sum(1 for name in (RENDERINGS, RECORDS) for _ in storage.lines(name))


def _act(chance: random.Random, run: int, deaths: Counter[str]) -> str | None:
    """Kill or stop one process below a run, each kind as likely as every other; return what was done."""
    kinds: dict[str, list[Process]] = {}
    for one in below(run):
        if one.depth > 1 or deaths[one.kind] < MOST_DEATHS_OF_A_SERVICE:
            kinds.setdefault(f"{one.depth} {one.kind}", []).append(one)
    if not kinds:
        return None
    victim = chance.choice(kinds[chance.choice(sorted(kinds))])
    number = chance.choice([signal.SIGKILL, signal.SIGSTOP])
    with contextlib.suppress(ProcessLookupError):
        if not is_there(victim):
            return None
        os.kill(victim.pid, number)
        if victim.depth == 1 and number is signal.SIGKILL:
            deaths[victim.kind] += 1
        if number is signal.SIGSTOP:
            # The next action does not wait for it: a run on a fast machine would be over before most of them.
            threading.Timer(STOP_SECONDS, _go_on, [victim]).start()
        return f"{number.name} {victim.kind} at depth {victim.depth}"
    return None


def _go_on(stopped: Process) -> None:
    with contextlib.suppress(ProcessLookupError):
        if is_there(stopped):
            os.kill(stopped.pid, signal.SIGCONT)


@pytest.mark.timeout(600 + 60 * ACTIONS)
def test_kills_and_stops_of_single_processes_change_no_byte_of_the_results(tmp_path: Path) -> None:
    data = _data(tmp_path / "data")
    quiet, disturbed = tmp_path / "quiet", tmp_path / "disturbed"
    assert _begin(data, quiet, tmp_path / "quiet.log").wait() == 0, (tmp_path / "quiet.log").read_text()
    chance, done, deaths = random.Random(SEED), list[str](), Counter[str]()
    moments = sorted(chance.sample(range(2 * SAMPLES), ACTIONS))
    log = tmp_path / "disturbed.log"
    with _begin(data, disturbed, log) as run:
        for moment in moments:
            while run.poll() is None and _lines(disturbed) < moment:
                time.sleep(0.02)  # a look, not a wait for something
            while run.poll() is None and (act := _act(chance, run.pid, deaths)) is None:
                time.sleep(0.02)
            if run.poll() is None and act is not None:
                done.append(act)
        code = run.wait()
    print("\n".join(done))
    assert code == 0, log.read_text()
    assert len(done) >= 0.8 * ACTIONS, "the run ended before there was time for the others"
    differences = _differences(quiet, disturbed)
    assert (disturbed / RESULTS).read_bytes() == (quiet / RESULTS).read_bytes(), differences
    assert differences == []


def _differences(quiet: Path, disturbed: Path) -> list[str]:
    """Return in what the records of two runs differ, but for their times."""
    told: list[dict[str, dict[str, object]]] = []
    for run in (quiet, disturbed):
        lines = (json.loads(line) for line in (run / RECORDS).read_text().splitlines())
        told.append({one["id"]: one | {"seconds": None} for one in lines})
    first, second = told
    found = []
    for name in sorted(first.keys() | second.keys()):
        was, now = first.get(name, {}), second.get(name, {})
        found += [
            f"{name} {field}: {str(was.get(field))[:200]} became {str(now.get(field))[:200]}"
            for field in sorted(was.keys() | now.keys())
            if was.get(field) != now.get(field)
        ]
    return found
