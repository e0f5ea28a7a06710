"""The procedure on all samples, one at a time, and its values beside those of this project."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.harness.command import say
from benchmarks.harness.images import image_difference
from benchmarks.harness.programs import Program, running
from benchmarks.whole_run.report import Cost, Costs
from benchmarks.whole_run.samples import Sample

#: The greatest difference of a value. cv2.EMD computes in float32; the other metrics are computed alike.
TOLERANCES: Mapping[str, float] = {"ems": 5e-5, "ssim": 1e-9, "pixel": 1e-12}
#: Tasks whose renderings must be equal in every pixel. Two browsers differ in the edges of glyphs.
EXACT_TASKS = ("latex", "music")


@dataclass(frozen=True, slots=True)
class Beside:
    """A sample as both ways have it."""

    id: str  #: Id of the sample.
    task: str  #: Name of its task.
    #: Values of the procedure by metric, for the image that ``ours`` belong to.
    procedure: Mapping[str, float]
    ours: Mapping[str, float | None]  #: Values of this project by metric, profile ``helm``.
    #: Greatest mean difference of a channel of both renderings, in levels of 255; None if only one of the
    #: ways has a rendering, or their sizes differ.
    difference: float | None
    refused: str = ""  #: Why the procedure has no rendering; empty if it has one.

    def faults(self) -> list[str]:
        """Return what must be equal and is not."""
        if self.refused:
            return (
                [] if not any(self.ours.values()) else [f"{self.id}: only ours was rendered: {self.refused}"]
            )
        found = []
        if self.task in EXACT_TASKS and self.difference != 0.0:
            found.append(f"{self.id}: the renderings differ")
        for name, tolerance in TOLERANCES.items():
            theirs, value = self.procedure[name], self.ours.get(name)
            if value is None or not abs(value - theirs) <= tolerance:
                found.append(f"{self.id}: {name} is {theirs!r} by the procedure and {value!r} by ours")
        return found


@dataclass(frozen=True, slots=True)
class Procedure:
    """What the procedure took, and what it gave."""

    costs: Costs  #: Costs by task.
    beside: Sequence[Beside]  #: How each sample compares with that of this project.
    counted: str  #: How its CPU time was counted.


async def run_procedure(
    samples: Sequence[Sample], ours: Mapping[str, Mapping[str, Any]], chromium: Path, folder: Path
) -> Procedure:
    """Run the procedure on all samples, one at a time.

    Args:
        samples: The samples.
        ours: What this project has of the same answers in profile ``helm``, by id.
        chromium: The browser of the procedure.
        folder: Folder for its images.

    Raises:
        MeasurementError: The procedure ended.
    """
    answers: defaultdict[str, list[Mapping[str, Any]]] = defaultdict(list)
    beside: list[Beside] = []
    async with running("whole_run.procedure", str(chromium)) as program:
        counted = (await program.read())["counted"]
        for number, sample in enumerate(samples, 1):
            say(f"procedure: {number} of {len(samples)}, {sample.id}")
            image = folder / f"{number:04}.png"
            job = {"task": sample.task, "reference": str(sample.reference)}
            answer = await program.ask({**job, "source": str(sample.source), "picture": str(image)})
            if "refused" not in answer:
                answers[sample.task].append(answer)
            beside.append(await _beside(program, sample, job, answer, image, ours[sample.id]))
        await program.end()
    return Procedure({task: _cost(own) for task, own in answers.items()}, beside, counted)


def _cost(answers: Sequence[Mapping[str, Any]]) -> Cost:
    stages: defaultdict[str, float] = defaultdict(float)
    for answer in answers:
        other = max(0.0, answer["cpu"] - sum(answer["stages"].values()))
        for name, seconds in (*answer["stages"].items(), ("other", other)):
            stages[name] += seconds
    return Cost(len(answers), dict(stages), sum(answer["wall"] for answer in answers))


async def _beside(
    program: Program,
    sample: Sample,
    job: Mapping[str, str],
    answer: Mapping[str, Any],
    image: Path,
    ours: Mapping[str, Any],
) -> Beside:
    if "refused" in answer:
        return Beside(sample.id, sample.task, {}, ours["values"], None, answer["refused"])
    difference, values = None, answer["values"]
    if ours["rendered"]:
        difference = image_difference(image, Path(ours["picture"]))
        if difference != 0.0:  # what the metrics compute is compared on one and the same image
            values = (await program.ask({**job, "prediction": ours["picture"]}))["values"]
    return Beside(sample.id, sample.task, values, ours["values"], difference)
