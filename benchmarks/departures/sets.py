"""The sets that departures are measured on, all of them in the repository."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from i2s_metrics.functional.arrays import RgbArray
from i2s_wire.metrics.score import SizePolicy

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "examples"
_RECORDED_PAIRS = ROOT / "tests" / "fidelity" / "data" / "image_metrics.json"
_VECTORS = ROOT / "tests" / "fidelity" / "data" / "postprocessing.json"
_RECORDED_ANSWERS = ROOT / "tests" / "recorded" / "answers.jsonl"
_KINDS = {"latex": "latex", "lilypond": "music", "webpage": "webpage"}
_POLICIES = {"padding": SizePolicy.PAD, "resize": SizePolicy.RESIZE}

#: Pairs that the released code has scored, of several kinds and sizes.
RECORDED = "30 recorded pairs"


@dataclass(frozen=True, slots=True)
class Pair:
    """Two images, as they are before one gets the size of the other."""

    name: str  #: Short.
    prediction: RgbArray = field(repr=False)  #: Shape (height, width, 3).
    reference: RgbArray = field(repr=False)  #: The same, of any other height and width.
    policy: SizePolicy  #: How the task makes them comparable.


@dataclass(frozen=True, slots=True)
class Answer:
    """A completion that is recorded in the repository."""

    name: str  #: Name of the instance or of the vector.
    task: str  #: "latex", "webpage" or "music".
    completion: str  #: Completion, verbatim.
    origin: str  #: "replay", "recorded" or "vectors".
    reference: Path | None = None  #: Path of the reference; None if it has none among the bundled ones.
    assets: tuple[str, ...] = ()  #: Names of files that the answer may use.


@cache
def picture(path: Path) -> RgbArray:
    """Return an image as the metric service reads it."""
    with Image.open(path) as image:
        return np.asarray(image.convert("RGB"))


@cache
def instances() -> tuple[Mapping[str, Any], ...]:
    """Return the lines of the bundled data set."""
    return tuple(map(json.loads, (EXAMPLES / "instances.jsonl").read_text().splitlines()))


def of_task(task: str) -> list[Mapping[str, Any]]:
    """Return the bundled instances of a task."""
    return [instance for instance in instances() if instance["task"] == task]


def references(task: str) -> list[tuple[str, RgbArray]]:
    """Return the bundled references of a task by name."""
    return [(one["id"], picture(EXAMPLES / one["image"])) for one in of_task(task)]


def exchanged(task: str, following: int) -> list[Pair]:
    """Return each bundled reference of a task as the prediction for those that follow it.

    Args:
        task: Name of the task.
        following: Number of references that each one is compared with; after the last comes the first.
    """
    policy = SizePolicy.RESIZE if task == "webpage" else SizePolicy.PAD
    bundled = references(task)
    return [
        Pair(f"{first} for {second}", one, other, policy)
        for at, (first, one) in enumerate(bundled)
        for second, other in (bundled[(at + step) % len(bundled)] for step in range(1, following + 1))
    ]


def recorded_pairs() -> list[Pair]:
    """Return the pairs that the released code has scored."""
    rows = json.loads(_RECORDED_PAIRS.read_text())["rows"]
    folder = _RECORDED_PAIRS.parent
    return [
        Pair(
            row["name"],
            picture(folder / row["prediction"]),
            picture(folder / row["reference"]),
            _POLICIES[row["size_handling"]],
        )
        for row in rows
    ]


def answers() -> list[Answer]:
    """Return all completions: hand-written ones for the bundled instances, and those of tests."""
    return [*_replayed(), *_recorded(), *_of_vectors()]


def _replayed() -> Iterator[Answer]:
    rows = {instance["id"]: instance for instance in instances()}
    for line in (EXAMPLES / "try" / "replay.jsonl").read_text().splitlines():
        answer = json.loads(line)
        row = rows[answer["id"]]
        yield Answer(answer["id"], row["task"], answer["completion"], "replay", EXAMPLES / row["image"])


def _recorded() -> Iterator[Answer]:
    for line in _RECORDED_ANSWERS.read_text().splitlines():
        answer = json.loads(line)
        task = "webpage" if answer["id"].startswith("page") else "latex"
        yield Answer(answer["id"], task, answer["completion"], "recorded")


def _of_vectors() -> Iterator[Answer]:
    for vector in json.loads(_VECTORS.read_text())["vectors"]:
        if vector["kind"] in _KINDS:
            names = tuple(vector.get("asset_names", ()))
            yield Answer(vector["id"], _KINDS[vector["kind"]], vector["completion"], "vectors", assets=names)
