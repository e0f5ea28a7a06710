"""Rewards while processes are killed: none may be a zero that the machine made.

The recorded answers of examples/answers are judged first while nothing is killed, which gives the right
rewards. Then a batch of many of them is judged while a process is killed with SIGKILL every second (or
``--every``): workers, browsers, engines, jobs and their supervisors, scorers of the SDK, and in a share of
the cases a service itself or its monitor. Nothing is mocked, and nothing is told to the reward.

Counted are rewards that differ from the quiet ones (the bar is none), zeros among them, rewards that are
None, which trainers leave out, and metrics that are absent without a reason. The exit code is 0 if no reward
differs and no metric is absent, else 1.

    python -m benchmarks.rewards.kills                              # 2,048 rewards, four tasks
    python -m benchmarks.rewards.kills --rewards 256 --tasks latex chart --every 0.5
    python -m benchmarks.rewards.kills --json
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import random
import signal
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.harness.command import MeasurementError, Result, command_line, finish, positive, say
from benchmarks.harness.machine import load, look
from i2s_sdk import Settings
from i2s_sdk.data import Instance, open_data
from i2s_sdk.data.folder import read_content
from i2s_sdk.stack.services import open_services
from i2s_training import RoundTripReward
from i2s_training.batch_reward import Reward

EXAMPLES = Path(__file__).parents[2] / "examples"
ANSWERS, CHARTS = EXAMPLES / "answers", EXAMPLES / "charts"
TASKS = ("latex", "webpage", "music", "chart")
#: The renderer of each task.
RENDERERS = {
    "latex": "render-latex",
    "webpage": "render-html",
    "music": "render-lilypond",
    "chart": "render-python",
}
#: Share of the kills that hit a service itself.
SERVICE_SHARE = 0.05


@dataclass(frozen=True, slots=True)
class Answer:
    """A recorded answer."""

    instance: Instance
    completion: str


@dataclass(slots=True)
class Killer:
    """Kills a process below another again and again, on a thread of its own."""

    root: int  #: The process that starts services.
    every: float  #: Seconds between two kills.
    chance: random.Random
    killed: Counter[str] = field(default_factory=Counter)  #: By the name of the program.
    _end: threading.Event = field(default_factory=threading.Event)

    @contextlib.contextmanager
    def at_work(self) -> Iterator[None]:
        """Kill until the end of the block."""
        thread = threading.Thread(target=self._run, daemon=True)
        thread.start()
        try:
            yield
        finally:
            self._end.set()
            thread.join()

    def _run(self) -> None:
        while not self._end.wait(self.every):
            with contextlib.suppress(OSError):
                self._kill()

    def _kill(self) -> None:
        own, parents = self.root, dict(_parents())
        served = {pid for pid, parent in parents.items() if parent == own and _is_service(pid)}
        # A service ends without its monitor, which is its child.
        services = [pid for pid, parent in parents.items() if pid in served or parent in served]
        others = [pid for pid in _below(own, parents) if pid not in services]
        chosen = services if self.chance.random() < SERVICE_SHARE else others
        if chosen:
            pid = self.chance.choice(chosen)
            kind = "service or its monitor" if pid in services else _program(pid)
            os.kill(pid, signal.SIGKILL)
            self.killed[kind] += 1


def _parents() -> Iterator[tuple[int, int]]:
    """The processes of this machine and their parents."""
    for name in os.listdir("/proc"):
        if name.isdigit():
            with contextlib.suppress(OSError, ValueError):
                fields = Path(f"/proc/{name}/stat").read_text(errors="replace").rpartition(")")[2].split()
                yield int(name), int(fields[1])


def _below(root: int, parents: Mapping[int, int]) -> list[int]:
    """All processes below one."""
    known = {root}
    while more := {pid for pid, parent in parents.items() if parent in known} - known:
        known |= more
    return sorted(known - {root})


def _program(pid: int) -> str:
    return Path(f"/proc/{pid}/comm").read_text(errors="replace").strip()


def _is_service(pid: int) -> bool:
    return _program(pid).startswith("i2s-")


def answers(tasks: Sequence[str]) -> list[Answer]:
    """Return the recorded answers of some tasks; of charts, the programs of the bundled examples."""
    instances = {one.id: one for one in open_data(None).instances if one.task in tasks}
    made = []
    for file in sorted(ANSWERS.glob("*.jsonl")):
        for line in file.read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            if row["id"] in instances and row["finish"] == "stop":
                made.append(Answer(instances[row["id"]], row["completion"]))
    if "chart" in tasks:
        for one in open_data(CHARTS).instances:
            made.append(Answer(one, f"```python\n{read_content(one).structure}\n```\n"))
    return made


def run(logs: Path, number: int, tasks: Sequence[str], every: float, seed: int) -> Result:
    """Judge a quiet batch and one under kills.

    Raises:
        MeasurementError: The quiet batch has an error.
    """
    return asyncio.run(_run(logs, number, tasks, every, seed))


async def _run(logs: Path, number: int, tasks: Sequence[str], every: float, seed: int) -> Result:
    before, given = load(), answers(tasks)
    many = [given[at % len(given)] for at in range(number)]
    names = ("metrics", *(RENDERERS[task] for task in tasks))
    async with open_services(Settings(), logs, names) as services:
        at = {name: client.address for name, client in services.clients.items()}
        settings = Settings(
            metrics=at["metrics"],
            render_latex=at.get("render-latex"),
            render_html=at.get("render-html"),
            render_lilypond=at.get("render-lilypond"),
            render_python=at.get("render-python"),
        )
        reward = RoundTripReward(tasks=tasks, task=tasks[0], on_failure="none", settings=settings)
        try:
            quiet = await _judged(reward, given, "while nothing is killed")
            for answer, one in zip(given, quiet, strict=True):
                if one.error is not None:
                    raise MeasurementError(f"{answer.instance.id}: {one.error.message}")
            killer = Killer(os.getpid(), every, random.Random(seed))
            began = time.monotonic()
            with killer.at_work():
                judged = await _judged(reward, many, "while processes are killed")
            seconds = time.monotonic() - began
        finally:
            await asyncio.to_thread(reward.close)
    right = [quiet[at % len(given)] for at in range(number)]
    return _result(many, right, judged, killer, seconds, before)


def numbered(answer: Answer, number: int) -> str:
    """Return an answer with a number in its code that nothing draws, so that it is rendered for itself."""
    if answer.instance.task == "webpage":
        head, end, fence = answer.completion.rpartition("]")
        return f'{head}, {{"filename": "number.txt", "content": "{number}"}}{end}{fence}'
    head, fence, tail = answer.completion.rstrip().rpartition("\n```")
    comment = "#" if answer.instance.task == "chart" else "%"
    return f"{head}\n{comment} {number}{fence}{tail}" if fence else f"{tail}\n{comment} {number}\n"


async def _judged(reward: RoundTripReward, given: Sequence[Answer], when: str) -> list[Reward]:
    """Return the rewards of answers, no two of which are equal."""
    texts = [numbered(one, number) for number, one in enumerate(given)]
    say(f"{len(given)} rewards {when}")
    return await reward.judged_async(texts, {"instance": [one.instance for one in given]})


def _result(
    given: Sequence[Answer],
    right: Sequence[Reward],
    judged: Sequence[Reward],
    killer: Killer,
    seconds: float,
    before: float,
) -> Result:
    rows = list(zip(given, right, judged, strict=True))
    different = [
        {"instance": answer.instance.id, "quiet": wanted.value, "killed": one.value}
        for answer, wanted, one in rows
        if one.value is not None and one.value != wanted.value
    ]
    zeros = sum(1 for one in different if not one["killed"])
    without = Counter(type(one.error).__name__ for one in judged if one.value is None)
    absent = sum(
        1
        for _, wanted, one in rows
        if one.result is not None
        and wanted.result is not None
        and one.value is not None
        and dict(one.result.metrics) != dict(wanted.result.metrics)
    )
    renders = sum(one.result.usage.renders for one in judged if one.result is not None)
    machine = list(look({}, {}, before).lines())
    document = {
        "machine": machine,
        "rewards": len(judged),
        "renders": renders,
        "kills": dict(killer.killed),
        "seconds": seconds,
        "false_zeros": zeros,
        "different": different,
        "other_metrics": absent,
        "without_reward": dict(without),
    }
    lines = [
        *machine,
        f"{len(judged)} rewards, {renders} renders in {seconds:.0f} s, {killer.killed.total()} kills: "
        + ", ".join(f"{count} {name}" for name, count in killer.killed.most_common()),
        f"false zeros {zeros}, different {len(different)}, other metrics {absent}, "
        f"without reward {without.total()} {dict(without) if without else ''}",
    ]
    return Result(document, lines, 0 if not different and not absent else 1)


def main() -> int:
    """Return 0 if no reward was changed by kills, 1 if one was, 2 if nothing could be measured."""
    parser = command_line("rewards.kills", __doc__)
    add = parser.add_argument
    add("--rewards", type=positive, default=2048, metavar="N", help="in the batch (default: 2048)")
    add("--tasks", nargs="+", choices=TASKS, default=TASKS, metavar="TASK", help="default: all four")
    add("--every", type=float, default=1.0, metavar="S", help="seconds between two kills (default: 1)")
    add("--seed", type=int, default=7, help="of what is killed (default: 7)")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="i2s-benchmark-") as logs:
        work = Path(logs)
        return finish(given, lambda: run(work, given.rewards, given.tasks, given.every, given.seed))


if __name__ == "__main__":
    raise SystemExit(main())
