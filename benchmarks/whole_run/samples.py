"""The samples of the comparison: instances with a ground truth, and the answers of two models to them.

The answers are the ground truth with a line that it does not have, another one for each model. So nothing
that was rendered or scored for one of them can serve for the other. The line moves what follows it, so that
most patches of the rendering differ from those of the reference, as they do in answers of models.
"""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from typing import Any, cast

from benchmarks.harness.command import MeasurementError
from benchmarks.whole_run.report import INSTANCES
from i2s_sdk.data import Instance, open_data
from i2s_sdk.data.folder import read_content
from i2s_sdk.instances.instance import Content
from i2s_sdk.instances.site_files import INDEXES
from i2s_sdk.tasks.question import Question
from i2s_sdk.tasks.registry import open_task, task_spec
from i2s_sdk.tasks.structure import NoStructure
from i2s_sdk.tasks.task import RenderedTask
from i2s_wire.metrics.profile import Profile
from i2s_wire.metrics.score import SizePolicy
from i2s_wire.render.request import LatexSource, LilypondSource, RenderRequest, SiteSource

#: What the models are called, and the line that each adds.
LINES: Mapping[str, str] = {
    "first": "An answer of the first model",
    "second": "What a second model gives as its answer",
}

_BEGIN = r"\begin{document}"
_VERSION = re.compile(r'^[^%\n]*\\version\s*"[^"]*"', re.MULTILINE)
_BODY = re.compile(rb"<body\b[^>]*>", re.IGNORECASE)
_FRONT_MATTER = re.compile(rb"\A---[ \t]*\r?\n.*?^---[ \t]*\r?\n", re.DOTALL | re.MULTILINE)
_PROFILES = (Profile.HELM, Profile.PAPER)


def completion(task: str, content: Content, model: str) -> str:
    """Return what a model answers to an instance.

    Args:
        task: Name of the task of the instance.
        content: Files of the instance; it has a ground truth.
        model: One of ``LINES``.
    """
    line = LINES[model]
    if content.site is not None:
        content = replace(content, site=_site_with(content.site, line))
    elif task == "music":
        content = replace(content, structure=_score_with(content.structure or "", line))
    else:
        content = replace(content, structure=_latex_with(content.structure or "", line))
    return task_spec(task).answer(content, Question(()))


def _latex_with(code: str, line: str) -> str:
    before, begin, after = code.rpartition(_BEGIN)
    return f"{before}{begin}\n\\noindent {line}.\\par\n{after}" if begin else f"{line}.\n\n{code}"


def _score_with(code: str, line: str) -> str:
    version = _VERSION.search(code)
    at = version.end() if version else 0
    return f'{code[:at]}\n\\markup {{ "{line}" }}\n{code[at:]}'


def _site_with(site: Mapping[str, bytes], line: str) -> dict[str, bytes]:
    """Return a site with the line at the beginning of the body of its index page.

    A page whose body is in a layout has it after its front matter.
    """
    name = next((index for index in INDEXES if index in site), None)
    if name is None:
        return dict(site)
    page = site[name]
    found = _BODY.search(page) or _FRONT_MATTER.match(page)
    at = found.end() if found else len(page)
    is_markdown = PurePosixPath(name).suffix.lower() not in (".html", ".htm")
    text = f"\n{line}\n\n" if is_markdown else f"\n<p>{line}</p>\n"
    return {**site, name: page[:at] + text.encode() + page[at:]}


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
        MeasurementError: A task has none with an image and a ground truth.
    """
    instances: dict[str, Instance] = {}
    for name in (data, *more):
        for instance in open_data(name).instances:
            if instance.task in INSTANCES and instance.structure is not None and instance.image is not None:
                instances.setdefault(instance.id, instance)
    chosen: list[Instance] = []
    for task in INSTANCES:
        own = [instance for instance in instances.values() if instance.task == task]
        if not own:
            raise MeasurementError(f"the data has no instance of the task {task} with a ground truth")
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
    for number, instance in enumerate(instances):
        index.append(json.dumps(_line(instance, number, data)))
        content = read_content(instance)
        texts = {model: completion(instance.task, content, model) for model in LINES}
        for model, text in texts.items():
            answers[model].append(json.dumps({"id": instance.id, "completion": text}))
        samples.append(_sample(instance, texts["second"], sources / f"{number:04}"))
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


def _request(task: RenderedTask[Any], text: str, assets: Mapping[str, bytes]) -> RenderRequest:
    structure = task.structure_from(text, tuple(assets))
    if isinstance(structure, NoStructure):
        raise MeasurementError(f"an answer to the task {task.name} cannot be read: {structure.reason}")
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
