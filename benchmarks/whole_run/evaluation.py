"""Evaluations of one model on the tasks of the comparison, in a process of its own whose CPU time is counted.

    python -m benchmarks.whole_run.evaluation OPTIONS    # a JSON object; see ``Options``

The tasks are evaluated one after the other. Before the first sample of a task and after its report is written
a line of JSON is printed, and a line on standard input is awaited, so that the meters can be read.

What an evaluation does once must not be multiplied by the instances of the benchmark. So one sample of each
task is evaluated twice before, without caches: the first time to load what is loaded once in a process, such
as the tokenizer of the edit similarity, the second time measured, as the evaluation of a single sample.
"""

from __future__ import annotations

import dataclasses
import json
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from i2s_sdk import Settings, evaluate, read_run
from i2s_sdk.run.pipeline import OnProgress, Progress


@dataclass(frozen=True, slots=True)
class Options:
    """What is evaluated."""

    data: str  #: Folder of the data set.
    answers: str  #: File with the answers of the model.
    out: str  #: Folder of the runs; each task gets one of its name.
    profile: str  #: Profile whose rules are followed.
    tasks: list[str]  #: Tasks in order.
    jobs: int  #: Samples in each stage at the same time.
    addresses: dict[str, str]  #: Addresses of the services, by the name of their setting.


class Window:
    """Tells the other side when an evaluation begins with its samples, and when it has ended with its report.

    Args:
        task: Name of the task.
        single: Whether the evaluation has one sample only, and is measured for what an evaluation does once.
    """

    def __init__(self, task: str, *, single: bool) -> None:
        self._task, self._single = task, single
        self._began: float | None = None
        self._wall, self._samples = 0.0, 0

    def look(self, progress: Progress) -> None:
        """Take a notification of the evaluation."""
        if self._began is None:
            self._exchange({"at": "begin", "task": self._task})
            self._began = time.monotonic()
        elif progress.finished == progress.planned:
            self._wall, self._samples = time.monotonic() - self._began, progress.planned
        else:
            print(json.dumps({"at": "sample", "finished": progress.finished}), flush=True)

    def close(self) -> None:
        """Take that the evaluation has ended: part of numbers and report is done for each sample."""
        end = "single end" if self._single else "end"
        self._exchange({"at": end, "task": self._task, "wall": self._wall, "samples": self._samples})

    def _exchange(self, line: dict[str, object]) -> None:
        print(json.dumps(line), flush=True)
        sys.stdin.readline()


def _evaluate_single(options: Options, settings: Settings) -> None:
    """Evaluate one sample of each task without caches: first to load what is lazy, then measured."""
    settings = dataclasses.replace(settings, render_cache="no", score_cache="no")
    for task in options.tasks:
        _evaluate(options, settings, task, Path(options.out) / "loads" / task, None, limit=1)
        window = Window(task, single=True)
        _evaluate(options, settings, task, Path(options.out) / "single" / task, window.look, limit=1)
        window.close()


def _evaluate(
    options: Options, settings: Settings, task: str, out: Path, look: OnProgress | None, limit: int | None
) -> None:
    evaluate(
        options.data,
        f"replay:{options.answers}",
        out=out,
        settings=settings,
        on_progress=look,
        profile=options.profile,
        tasks=(task,),
        limit=limit,
    )


def main(text: str) -> None:
    """Evaluate, and print what became of each sample."""
    options = Options(**json.loads(text))
    settings = Settings(jobs=options.jobs, reference_points="no", **options.addresses)  # type: ignore[arg-type]
    _evaluate_single(options, settings)
    outcomes = []
    for task in options.tasks:
        out = Path(options.out) / task
        window = Window(task, single=False)
        _evaluate(options, settings, task, out, window.look, limit=None)
        window.close()
        for record in read_run(out).records.values():
            image = out / "pictures" / record.rendering.sha256[:2] / f"{record.rendering.sha256}.png"
            outcomes.append(
                {
                    "id": record.instance.id,
                    "outcome": str(record.outcome),
                    "rendered": record.rendering.has_image,
                    "values": dict(record.score.metrics),
                    "picture": str(image) if record.rendering.has_image else "",
                    "message": record.message,
                }
            )
    print(json.dumps({"at": "outcomes", "outcomes": outcomes}), flush=True)


if __name__ == "__main__":
    main(sys.argv[1])
