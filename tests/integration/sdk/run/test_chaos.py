"""Processes of all kinds killed and stopped from outside during a run change no byte of its results.

I2S_CHAOS_ACTIONS says how many; the run has twice as many samples. Without it there are few; 60 is what a
version has to stand (`make test SUITE=chaos`).
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

from i2s_sdk.run.storage.folder import RECORDS, RENDERINGS, RESULTS
from i2s_sdk.run.storage.interface import open_storage
from processes import Process, below, children, is_there

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
#: Samples that each service has at once.
JOBS = 2
#: Tasks whose samples a service may have.
TASKS = {
    "i2s-render-latex": ("latex", "scimage"),
    "i2s-render-html": ("webpage",),
    "i2s-render-lilypond": ("music",),
    "i2s-render-python": ("chart", "scimage"),
    "i2s-documents": ("readoc",),
    "i2s-metrics": (),
}
#: Folder of the caches of both runs, in which nothing may be kept.
CACHES = "caches"


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
    # A run that takes its images from another one needs no renderer, and nobody misses one that was killed.
    words += ["--no-render-cache", "--no-score-cache", "--jobs", str(JOBS)]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("I2S_RENDER_")}
    for name in ("I2S_METRICS", "I2S_DOCUMENTS"):
        environment.pop(name, None)
    environment["XDG_STATE_HOME"] = str(log.parent / "state")  # what is up on this machine is not ours
    environment["I2S_EVALUATION_CACHES"] = str(log.parent / CACHES)
    with log.open("wb") as output:
        return subprocess.Popen(
            [sys.executable, "-m", "i2s_sdk.cli", *words], env=environment, stdout=output, stderr=output
        )


def _lines(out: Path) -> int:
    """Return how many samples were rendered or have ended."""
    storage = open_storage(out)
    return sum(1 for name in (RENDERINGS, RECORDS) for _ in storage.lines(name))


class Chaos:
    """Kills and stops processes below a run.

    A job whose process was killed is run once more, and its second result counts: no job of a sample may be
    hit twice. So below a service nothing is killed while a sample that it may have had when something was
    killed there has no rendering.
    """

    def __init__(self, run: int, data: Path, out: Path) -> None:
        self.done: list[str] = []
        self._run, self._out = run, out
        self._chance = random.Random(SEED)
        self._deaths, self._met = Counter[str](), set[str]()
        rows = [json.loads(line) for line in (data / "instances.jsonl").read_text().splitlines()]
        self._samples = {
            name: [row["id"] for row in rows if row["task"] in tasks] for name, tasks in TASKS.items()
        }
        #: Samples that were on their way when something was killed, by the service above it.
        self._hit: dict[str, set[str]] = {}

    def moments(self) -> list[int]:
        """Return after how many lines something is to be done, in order.

        Each sample is a line when it is rendered and one when it has ended: time is left for the last ones.
        """
        return sorted(self._chance.sample(range(3 * SAMPLES // 2), ACTIONS))

    def act(self) -> bool:
        """Kill or stop one process of a kind not yet met if there is one; return whether it was done.

        All such kinds are as likely as each other.
        """
        kinds: dict[str, list[tuple[str, Process]]] = {}
        for service in children(self._run):
            name = Path(next((word for word in service.words if "i2s-" in word), "")).name
            if not self._has_served(name):  # one that does not come to serve is given up
                continue
            for one in (service, *below(service.pid, 2)):
                if one.depth > 1 or self._deaths[name] < MOST_DEATHS_OF_A_SERVICE:
                    kinds.setdefault(f"{one.depth} {one.kind}", []).append((name, one))
        if not kinds:
            return False
        kind = self._chance.choice(sorted(kinds.keys() - self._met) or sorted(kinds))
        name, victim = self._chance.choice(kinds[kind])
        number = self._chance.choice([signal.SIGKILL, signal.SIGSTOP])
        if victim.depth > 1 and number is signal.SIGKILL and not self._may_kill_below(name):
            number = signal.SIGSTOP
        with contextlib.suppress(ProcessLookupError):
            if not is_there(victim):
                return False
            os.kill(victim.pid, number)
            if number is signal.SIGSTOP:
                # The next action does not wait for it, or a fast run would be over before most of them.
                threading.Timer(STOP_SECONDS, _go_on, [victim]).start()
            elif victim.depth == 1:
                self._deaths[name] += 1
            else:
                self._hit[name] = set(self._on_their_way(name))
            self._met.add(kind)
            self.done.append(f"{number.name} {victim.kind} at depth {victim.depth} below {name}")
            return True
        return False

    def _has_served(self, service: str) -> bool:
        if not TASKS.get(service):
            return service in TASKS and any(True for _ in open_storage(self._out).lines(RECORDS))
        return len(self._not_rendered(service)) < len(self._samples[service])

    def _may_kill_below(self, service: str) -> bool:
        return not self._hit.get(service, set()) & set(self._not_rendered(service))

    def _on_their_way(self, service: str) -> list[str]:
        """Return the samples that a service may have: they begin nearly in their order."""
        return self._not_rendered(service)[: 2 * JOBS]

    def _not_rendered(self, service: str) -> list[str]:
        rendered = {json.loads(line)["id"] for _, line in open_storage(self._out).lines(RENDERINGS)}
        return [one for one in self._samples[service] if one not in rendered]


def _go_on(stopped: Process) -> None:
    with contextlib.suppress(ProcessLookupError):
        if is_there(stopped):
            os.kill(stopped.pid, signal.SIGCONT)


@pytest.mark.timeout(600 + 60 * ACTIONS)
def test_kills_and_stops_of_single_processes_change_no_byte_of_the_results(tmp_path: Path) -> None:
    data = _data(tmp_path / "data")
    quiet, disturbed = tmp_path / "quiet", tmp_path / "disturbed"
    assert _begin(data, quiet, tmp_path / "quiet.log").wait() == 0, (tmp_path / "quiet.log").read_text()
    log = tmp_path / "disturbed.log"
    with _begin(data, disturbed, log) as run:
        chaos = Chaos(run.pid, data, disturbed)
        for moment in chaos.moments():
            while run.poll() is None and _lines(disturbed) < moment:
                time.sleep(0.02)  # a look, not a wait for something
            while run.poll() is None and not chaos.act():
                time.sleep(0.02)
        code = run.wait()
    print("\n".join(chaos.done))
    assert code == 0, log.read_text()
    assert len(chaos.done) == ACTIONS, "the run ended before there was time for the others"
    assert not any((tmp_path / CACHES).rglob("*"))
    differences = _differences(quiet, disturbed)
    assert (disturbed / RESULTS).read_bytes() == (quiet / RESULTS).read_bytes(), differences
    assert differences == []


def _differences(quiet: Path, disturbed: Path) -> list[str]:
    """Return in what the records of two runs differ, but for their times."""
    told: list[dict[str, dict[str, object]]] = []
    for run in (quiet, disturbed):
        lines = (json.loads(line) for line in (run / RECORDS).read_text().splitlines())
        told.append({line["id"]: line | {"seconds": None} for line in lines})
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
