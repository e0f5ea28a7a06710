"""The ladder of the bundled examples: how often each metric puts graded answers into their order.

It is no comparison of costs: ``i2s-sdk ladder`` on the examples of every task, on documents that were kept
aside when the metrics were chosen (``--documents``), or on data sets that are named. Of each task the
recommended metric has to order at least 95 % of all pairs, and to put at least 95 % of right answers in
another form over half an answer: the exit code is 0 if both hold, else 1.

    python -m benchmarks.ladder                        # about ten minutes on two cores
    python -m benchmarks.ladder --documents --output benchmarks/results/ladder_documents.json
    python -m benchmarks.ladder --data my-set
    python -m benchmarks.ladder --task latex --output benchmarks/results/ladder.json  # keeps other tasks
    python -m benchmarks.ladder --output benchmarks/results/ladder.json
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Collection, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from benchmarks.harness.command import MeasurementError, Result, add_output, command_line, finish
from benchmarks.harness.machine import load, look
from benchmarks.ladder.held_out import data_set
from i2s_sdk import ladder
from i2s_sdk.data import open_data
from i2s_sdk.report.ladder import ladder_markdown
from i2s_sdk.settings import Settings
from i2s_sdk.stats.ladder import PairKind, TaskLadder
from i2s_sdk.tasks.registry import task_spec

EXAMPLES = Path(__file__).parents[2] / "examples"
SETS = (EXAMPLES, *(EXAMPLES / name for name in ("charts", "readoc", "sobench", "visualwebbench")))
BAR = 0.95
#: Tasks with fewer instances have no bar: a share of so few says nothing.
FEWEST = 8


def holds(one: TaskLadder) -> bool:
    """Return whether the recommended metric of a task meets both bars."""
    recommended = task_spec(one.task).headline_metrics[-1]
    order = next((each for each in one.metrics if each.metric == recommended), None)
    if order is None:
        return False
    shares = [order.shares[PairKind.ALL].value]
    if order.forms:
        shares.append(order.shares[PairKind.OVER_HALF].value)
    return all(share is not None and share >= BAR for share in shares)


def run(sets: list[Path], work: Path, only: Collection[str] = ()) -> Result:
    """Make the ladder of each data set, of all tasks or of some."""
    before = load()
    made = [
        ladder(data, out=work / data.name, tasks=tuple(only))
        for data in sets
        if not only or {instance.task for instance in open_data(data).instances} & {*only}
    ]
    if not made:
        raise MeasurementError(f"no data set has instances of {', '.join(only)}")
    machine = list(look({}, {}, before).lines())
    tasks = [task for each in made for task in each.tasks]
    whole = [task for task in tasks if not task.subset]
    bars = {one.task: holds(one) for one in whole if one.instances >= FEWEST}
    document: dict[str, Any] = {
        "machine": machine,
        "tasks": [task.to_json() for task in tasks],
        "recommended": {one.task: task_spec(one.task).headline_metrics[-1] for one in whole},
        "holds": bars,
    }
    missed = [task for task, held in bars.items() if not held]
    lines = [*machine, ladder_markdown(whole), f"bars missed: {', '.join(missed) or 'none'}"]
    return Result(document, lines, 1 if missed else 0)


def with_others(document: Mapping[str, Any], file: Path) -> dict[str, Any]:
    """Return a document with the tasks of the one in a file that it lacks."""
    there = json.loads(file.read_text("utf-8"))
    own = {task["task"] for task in document["tasks"]}
    others = [task for task in there["tasks"] if task["task"] not in own]
    added = {name: {**there[name], **document[name]} for name in ("recommended", "holds")}
    return {**document, "tasks": [*document["tasks"], *others], **added}


def main() -> int:
    """Return 0 if the recommended metrics meet the bars, else 1."""
    parser = command_line("ladder", __doc__)
    parser.add_argument("--data", type=Path, action="append", metavar="DIR", help="may be repeated")
    parser.add_argument("--task", action="append", default=[], help="only this one; may be repeated")
    parser.add_argument("--documents", action="store_true", help="the held-out documents")
    add_output(parser)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="i2s-benchmark-") as work:

        def measured() -> Result:
            sets = given.data or list(SETS)
            if given.documents:
                sets = [*(given.data or []), data_set(Path(work, "set", "documents"), Settings.load())]
            result = run(sets, Path(work), given.task)
            if given.task and given.output and given.output.exists():
                return replace(result, document=with_others(dict(result.document), given.output))
            return result

        return finish(given, measured)


if __name__ == "__main__":
    raise SystemExit(main())
