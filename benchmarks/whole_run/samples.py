"""The samples of the comparison: instances with a ground truth, laid down as one data set with two models."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from benchmarks.whole_run.answers import LINES, completion
from benchmarks.whole_run.figures import INSTANCES
from i2s_sdk.data import Instance, open_data
from i2s_sdk.data.content import read_content
from i2s_sdk.tasks.registry import open_task
from i2s_sdk.tasks.structure import NoStructure
from i2s_sdk.tasks.task import RenderedTask
from i2s_wire.metrics.profile import Profile
from i2s_wire.metrics.score import SizePolicy
from i2s_wire.render.request import LatexSource, LilypondSource, RenderRequest, SiteSource


class NoSampleError(Exception):
    """The data has no usable instance of a task; says which."""


@dataclass(frozen=True, slots=True)
class Sample:
    """One sample of the comparison."""

    id: str  #: Id of its instance.
    task: str  #: Task of its instance.
    reference: Path  #: File of the reference image.
    source: Path  #: What the procedure renders: a file, or the folder of a site.
    request: RenderRequest  #: The rendering of the second model's answer by profile ``paper``.
    size_policy: SizePolicy  #: How images of different size are compared.


def evenly(instances: Sequence[Instance], number: int) -> list[Instance]:
    """Return so many instances at equal distances, so that all subsets are among them; 0 returns all."""
    if number == 0 or number >= len(instances):
        return list(instances)
    return [instances[place * len(instances) // number] for place in range(number)]


def choose(data: Path | None, more: Iterable[Path], number: int) -> list[Instance]:
    """Return the instances that are measured, task by task.

    Args:
        data: Folder of a data set; None takes the bundled examples.
        more: Folders of further data sets.
        number: Instances of each task; 0 takes all.

    Raises:
        NoSampleError: A task has none with an image and a ground truth.
    """
    instances: dict[str, Instance] = {}
    for name in (data, *more):
        for one in open_data(name).instances:
            if one.task in INSTANCES and one.structure is not None and one.image is not None:
                instances.setdefault(one.id, one)
    chosen: list[Instance] = []
    for task in INSTANCES:
        own = [one for one in instances.values() if one.task == task]
        if not own:
            raise NoSampleError(f"the data has no instance of the task {task} with a ground truth")
        chosen += evenly(own, number)
    return chosen


def lay_down(instances: Sequence[Instance], folder: Path) -> list[Sample]:
    """Write a data set, the answers of both models, and what the procedure renders; returns the samples.

    Args:
        instances: See ``choose``.
        folder: Gets ``data``, ``first.jsonl``, ``second.jsonl`` and ``sources``.
    """
    data, sources = folder / "data", folder / "sources"
    data.mkdir()
    sources.mkdir()
    index, samples = [], []
    answers: dict[str, list[str]] = {model: [] for model in LINES}
    for number, one in enumerate(instances):
        index.append(json.dumps(_line(one, number, data)))
        content = read_content(one)
        texts = {model: completion(one.task, content, model) for model in LINES}
        for model, text in texts.items():
            answers[model].append(json.dumps({"id": one.id, "completion": text}))
        samples.append(_sample(one, texts["second"], sources / f"{number:04}"))
    (data / "instances.jsonl").write_text("\n".join(index) + "\n")
    for model, lines in answers.items():
        (folder / f"{model}.jsonl").write_text("\n".join(lines) + "\n")
    return samples


def _line(one: Instance, number: int, data: Path) -> dict[str, Any]:
    """Copy the files of an instance, and return its line of the index."""

    def copied(path: Path, name: str) -> str:
        target = data / f"{number:04}" / name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, target)
        return str(target.relative_to(data))

    assert one.image is not None
    assert one.structure is not None
    suffix = ".tar.gz" if one.structure.name.endswith(".tar.gz") else one.structure.suffix
    return {
        "id": one.id,
        "task": one.task,
        "subset": one.subset,
        "difficulty": one.difficulty or None,
        "image": copied(one.image, f"image{one.image.suffix}"),
        "structure": copied(one.structure, f"structure{suffix}"),
        "text": one.text,
        "assets": [
            asset.name
            if asset.path is None
            else {"name": asset.name, "path": copied(asset.path, f"assets/{place}{asset.path.suffix}")}
            for place, asset in enumerate(one.assets)
        ],
    }


def _sample(one: Instance, text: str, source: Path) -> Sample:
    content = read_content(one)
    helm, paper = (cast("RenderedTask[Any]", open_task(one.task, profile)) for profile in _PROFILES)
    _write(_request(helm, text, content.assets).source, source)
    assert one.image is not None
    return Sample(
        id=one.id,
        task=one.task,
        reference=one.image,
        source=source,
        request=_request(paper, text, content.assets),
        size_policy=paper.size_policy,
    )


_PROFILES = (Profile.HELM, Profile.PAPER)


def _request(task: RenderedTask[Any], text: str, assets: Mapping[str, bytes]) -> RenderRequest:
    structure = task.structure_from(text, tuple(assets))
    if isinstance(structure, NoStructure):
        raise NoSampleError(f"an answer to the task {task.name} cannot be read: {structure.reason}")
    return task.request(task.document(structure, assets))


def _write(source: object, target: Path) -> None:
    """Write what the procedure renders: one file, or the files of a site with their assets."""
    match source:
        case LatexSource(document):
            target.write_bytes(document)
        case LilypondSource(score):
            target.write_bytes(score)
        case SiteSource(files, assets):
            for name, content in {**files, **assets}.items():
                file = target / name
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_bytes(content)
