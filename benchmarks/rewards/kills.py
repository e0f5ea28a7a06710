"""Rewards while processes are killed: none may be a zero that the machine made.

The recorded answers of examples/answers are judged first while nothing is killed, which gives the right
rewards. Then a batch of many of them is judged while a process is killed with SIGKILL every second (or
``--every``): workers, browsers, engines, jobs and their supervisors, scorers of the SDK, and in a share of
the cases a service itself, its monitor or the gateway. Nothing is mocked, and nothing is told to the reward.

The rewards come through Python (RoundTripReward of the whole batch, as TRL calls it), or with ``--through
http`` from POST /v1/reward of a gateway, a process of its own, which is started again when it is killed: 64
answers a request, one request after the other. A request that ended with its gateway is made again. With
``--through verl``, ``openrlhf`` or ``trl`` each answer is judged by a call of its own, as these trainers make
it (``protocols.py``); they say the value alone, so metrics are not compared.

Counted are rewards that differ from the quiet ones (the bar is none), zeros among them, rewards that are
None, which trainers leave out, and metrics that are absent without a reason. The exit code is 0 if no reward
differs and no metric is absent, else 1.

    python -m benchmarks.rewards.kills                              # 2,048 rewards, four tasks
    python -m benchmarks.rewards.kills --rewards 256 --tasks latex chart --every 0.5
    python -m benchmarks.rewards.kills --through http
    python -m benchmarks.rewards.kills --through trl --rewards 256
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
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeAlias

from benchmarks.harness.command import MeasurementError, Result, command_line, finish, positive, say
from benchmarks.harness.machine import load, look
from benchmarks.rewards.gateway import open_gateway
from benchmarks.rewards.protocols import CONTRACTS, Contract
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
#: Answers of one request by HTTP.
HTTP_BATCH = 64


@dataclass(frozen=True, slots=True)
class Answer:
    """A recorded answer."""

    instance: Instance
    completion: str


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of an answer."""

    value: float | None  #: The reward; None if there is none.
    metrics: Mapping[str, float | None] | None  #: None if an error kept it from a result.
    error: str = ""  #: Name of the error that kept it from a reward.
    message: str = ""  #: What the error says.
    renders: int = 0


#: Has rewards made of answers, in their order.
Way: TypeAlias = Callable[[Sequence[Answer]], Awaitable[list[Outcome]]]


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
        gateways = {pid for pid, parent in parents.items() if parent == own and _is_gateway(pid)}
        # A service ends without its monitor, which is its child.
        services = [pid for pid, parent in parents.items() if pid in served | gateways or parent in served]
        others = [pid for pid in _below(own, parents) if pid not in services]
        chosen = services if self.chance.random() < SERVICE_SHARE else others
        if chosen:
            pid = self.chance.choice(chosen)
            kind = "service or its monitor" if pid in services else _program(pid)
            kind = "gateway" if pid in gateways else kind
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


def _is_gateway(pid: int) -> bool:
    return b"i2s_sdk.cli" in Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")


def answers(tasks: Sequence[str]) -> list[Answer]:
    """Return the recorded answers of some tasks; of charts, the programs of the bundled examples."""
    instances = {instance.id: instance for instance in open_data(None).instances if instance.task in tasks}
    made = []
    for file in sorted(ANSWERS.glob("*.jsonl")):
        for line in file.read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            if row["id"] in instances and row["finish"] == "stop":
                made.append(Answer(instances[row["id"]], row["completion"]))
    if "chart" in tasks:
        for instance in open_data(CHARTS).instances:
            made.append(Answer(instance, f"```python\n{read_content(instance).structure}\n```\n"))
    return made


@asynccontextmanager
async def by_python(addresses: Mapping[str, str], logs: Path, tasks: Sequence[str]) -> AsyncIterator[Way]:
    """Have a way by the reward function of the SDK, of all answers in one call."""
    del logs
    named: Any = {name.replace("-", "_"): address for name, address in addresses.items()}
    reward = RoundTripReward(tasks=tasks, task=tasks[0], on_failure="none", settings=Settings(**named))

    async def way(given: Sequence[Answer]) -> list[Outcome]:
        instances = {"instance": [one.instance for one in given]}
        return [
            _outcome(one) for one in await reward.judged_async([one.completion for one in given], instances)
        ]

    try:
        yield way
    finally:
        await asyncio.to_thread(reward.close)


def _outcome(reward: Reward) -> Outcome:
    result = reward.result
    return Outcome(
        reward.value,
        result.metrics if result is not None else None,
        type(reward.error).__name__ if reward.error is not None else "",
        reward.error.message if reward.error is not None else "",
        result.usage.renders if result is not None else 0,
    )


@asynccontextmanager
async def by_http(addresses: Mapping[str, str], logs: Path, tasks: Sequence[str]) -> AsyncIterator[Way]:
    """Have a way by a gateway, of HTTP_BATCH answers a request."""
    del tasks  # it has all whose services are there
    async with open_gateway(addresses, logs) as gateway:

        async def way(given: Sequence[Answer]) -> list[Outcome]:
            await gateway.add([one.instance for one in given])
            said: list[dict[str, Any]] = []
            for at in range(0, len(given), HTTP_BATCH):
                pairs = [(one.instance, one.completion) for one in given[at : at + HTTP_BATCH]]
                said += await gateway.reward(pairs)
            return [_outcome_of_item(item) for item in said]

        yield way


def _outcome_of_item(item: Mapping[str, Any]) -> Outcome:
    if item["valid"] != (item["value"] is not None):
        raise MeasurementError(f"valid is {item['valid']} beside the value {item['value']}")
    reason, usage = item["reason"] or {"kind": "", "message": ""}, item["usage"] or {"renders": 0}
    metrics = item["parts"]["metrics"] if item["outcome"] is not None else None
    return Outcome(item["value"], metrics, reason["kind"], reason["message"], usage["renders"])


Opened: TypeAlias = Callable[[Mapping[str, str], Path, Sequence[str]], AbstractAsyncContextManager[Way]]


def by_contract(
    opened: Callable[[Mapping[str, str], Sequence[str]], AbstractAsyncContextManager[Contract]],
) -> Opened:
    """Return how to have a way by the contract of a trainer, which tells the value alone."""

    @asynccontextmanager
    async def by(addresses: Mapping[str, str], logs: Path, tasks: Sequence[str]) -> AsyncIterator[Way]:
        del logs
        async with opened(addresses, tasks) as contract:

            async def way(given: Sequence[Answer]) -> list[Outcome]:
                said = await contract([(one.instance, one.completion) for one in given])
                return [Outcome(one.value, None, one.error, one.message) for one in said]

            yield way

    return by


#: What the rewards can come through.
WAYS: Mapping[str, Opened] = {
    "python": by_python,
    "http": by_http,
    **{name: by_contract(opened) for name, opened in CONTRACTS.items()},
}


def run(logs: Path, number: int, tasks: Sequence[str], every: float, seed: int, through: str) -> Result:
    """Judge a quiet batch and one under kills.

    Raises:
        MeasurementError: The quiet batch has an error.
    """
    return asyncio.run(_run(logs, number, tasks, every, seed, through))


async def _run(
    logs: Path, number: int, tasks: Sequence[str], every: float, seed: int, through: str
) -> Result:
    before, given = load(), answers(tasks)
    many = [given[at % len(given)] for at in range(number)]
    names = ("metrics", *(RENDERERS[task] for task in tasks))
    async with open_services(Settings(), logs, names) as services:
        addresses = {name: client.address for name, client in services.clients.items()}
        async with WAYS[through](addresses, logs, tasks) as way:
            quiet = await _judged(way, given, "while nothing is killed")
            for answer, one in zip(given, quiet, strict=True):
                if one.error:
                    raise MeasurementError(f"{answer.instance.id}: {one.message}")
            killer = Killer(os.getpid(), every, random.Random(seed))
            began = time.monotonic()
            with killer.at_work():
                judged = await _judged(way, many, "while processes are killed")
            seconds = time.monotonic() - began
    right = [quiet[at % len(given)] for at in range(number)]
    return _result(many, right, judged, killer, seconds, before, through)


def numbered(answer: Answer, number: int) -> str:
    """Return an answer with a number in its code that nothing draws, so that it is rendered for itself."""
    if answer.instance.task == "webpage":
        head, end, fence = answer.completion.rpartition("]")
        return f'{head}, {{"filename": "number.txt", "content": "{number}"}}{end}{fence}'
    head, fence, tail = answer.completion.rstrip().rpartition("\n```")
    comment = "#" if answer.instance.task == "chart" else "%"
    return f"{head}\n{comment} {number}{fence}{tail}" if fence else f"{tail}\n{comment} {number}\n"


async def _judged(way: Way, given: Sequence[Answer], when: str) -> list[Outcome]:
    """Return the outcomes of answers, no two of which are equal."""
    say(f"{len(given)} rewards {when}")
    return await way([replace(one, completion=numbered(one, number)) for number, one in enumerate(given)])


def _result(
    given: Sequence[Answer],
    right: Sequence[Outcome],
    judged: Sequence[Outcome],
    killer: Killer,
    seconds: float,
    before: float,
    through: str,
) -> Result:
    rows = list(zip(given, right, judged, strict=True))
    different = [
        {"instance": answer.instance.id, "quiet": wanted.value, "killed": one.value}
        for answer, wanted, one in rows
        if one.value is not None and one.value != wanted.value
    ]
    zeros = sum(1 for one in different if not one["killed"])
    without = Counter(one.error for one in judged if one.value is None)
    absent = sum(
        1
        for _, wanted, one in rows
        if one.metrics is not None
        and wanted.metrics is not None
        and one.value is not None
        and dict(one.metrics) != dict(wanted.metrics)
    )
    renders = sum(one.renders for one in judged)
    machine = list(look({}, {}, before).lines())
    document = {
        "machine": machine,
        "through": through,
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
        f"{len(judged)} rewards through {through}, {renders} renders in {seconds:.0f} s, "
        f"{killer.killed.total()} kills: "
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
    add("--through", choices=WAYS, default="python", help="what the rewards come through (default: python)")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="i2s-benchmark-") as logs:
        work = Path(logs)
        return finish(
            given, lambda: run(work, given.rewards, given.tasks, given.every, given.seed, given.through)
        )


if __name__ == "__main__":
    raise SystemExit(main())
