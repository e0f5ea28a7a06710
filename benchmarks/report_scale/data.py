"""Runs of several models on the same samples, as large as those of the benchmark, without asking anybody."""

from __future__ import annotations

import hashlib
import random
import struct
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from i2s_sdk.data import Instance, read_folder
from i2s_sdk.data.folder import read_content
from i2s_sdk.instances.images import read_header
from i2s_sdk.instances.instance import Content
from i2s_sdk.report.images import SHOWN_PIXELS, copy_name, quick_copy
from i2s_sdk.run.generate import stored_question
from i2s_sdk.run.storage.folder import RunFolder, write_points
from i2s_sdk.run.storage.manifest import Manifest, PlannedInstance, RunOptions
from i2s_sdk.run.storage.record import (
    FirstError,
    Outcome,
    Record,
    SampleAnswer,
    SampleInstance,
    SampleRendering,
    SampleScore,
    TokenUsage,
)
from i2s_sdk.tasks.registry import open_task
from i2s_sdk.tasks.structure import Structure
from i2s_wire.render.rendering import Verdict

EXAMPLES = Path(__file__).parents[2] / "examples"

#: Instances of the benchmark by task; runs of another number have the same shares.
MIX = {"latex": 1200, "webpage": 900, "music": 300}
LEVELS = ("easy", "medium", "hard")
METRICS = ("ems", "pixel", "ssim", "edit", "edit_tex", "edit_normal")
POINTS = {"baseline/blank": 0.6, "baseline/constant": 0.5, "baseline/shuffled": 0.65, "oracle": 1.0}

_UNUSABLE = 0.12


@dataclass(frozen=True, slots=True)
class Sample:
    """A sample of all runs: what is planned, and the bundled example that it is made of."""

    planned: PlannedInstance
    instance: Instance
    content: Content


def samples(number: int) -> list[Sample]:
    """Return samples made of the bundled examples, in the shares of MIX."""
    examples: dict[str, list[tuple[Instance, Content]]] = {}
    for one in read_folder(EXAMPLES).instances:
        examples.setdefault(one.task, []).append((one, read_content(one)))
    found = []
    for task, share in MIX.items():
        for at in range(round(number * share / sum(MIX.values()))):
            instance, content = examples[task][at % len(examples[task])]
            planned = PlannedInstance(
                f"{task}-{at:05}", task, instance.subset, LEVELS[at % 3], "CC0-1.0", "an example"
            )
            found.append(Sample(planned, instance, content))
    return found


def write_run(folder: Path, model: str, skill: float, known: Sequence[Sample]) -> None:
    """Write the folder of a run as an evaluation leaves it: answers, renderings, records, images.

    The report of the run is left out, but not the small copies of images that it makes.

    Args:
        folder: Folder of the run.
        model: Name of the model.
        skill: The mean of its values.
        known: Its samples.
    """
    options = RunOptions(
        profile="paper",
        model=model,
        model_fingerprint="",
        data_sha256="d" * 64,
        tasks=tuple(MIX),
        limit=None,
        prompts={},
        metrics=dict.fromkeys(METRICS, "1"),
        engines=dict.fromkeys(("render-latex", "render-html", "render-lilypond"), "e" * 64),
        sdk="1",
    )
    points: dict[str, list[Record]] = {name: [] for name in POINTS}
    with RunFolder.open(folder) as run:
        run.begin(Manifest(options), [one.planned for one in known])
        for one in known:
            _write_sample(run, one, model, skill)
            for name, value in POINTS.items():
                points[name].append(_point(one, value))
        write_points(run.storage, points)


def _write_sample(run: RunFolder, sample: Sample, model: str, skill: float) -> None:
    planned, content = sample.planned, sample.content
    chance = random.Random(f"{model} {planned.id}")
    reference = _put_image(run, sample, planned.id)
    structure = _spoiled(content.structure or _page(content), chance)
    completion = f"Here is the code.\n```\n{structure}\n```"
    task = open_task(planned.task)
    question = task.questions(sample.instance)[0]
    asked = stored_question(question, {path: reference for path in [sample.instance.image] if path})
    usage = TokenUsage(900 + chance.randrange(200), len(completion) // 4)
    answer = SampleAnswer(
        completion, finish="stop", usage=usage, cost=0.004, attempts=1, seconds=2.0, asked=asked
    )
    run.put_answer(planned.id, answer)
    usable = chance.random() > _UNUSABLE
    values = {name: min(1.0, max(0.0, chance.gauss(skill, 0.15))) for name in METRICS}
    assert task.rendering is not None
    document = task.rendering.document(Structure(structure)).source if planned.task == "latex" else None
    instance = SampleInstance(
        planned.id,
        planned.task,
        planned.subset,
        planned.difficulty,
        reference_sha256=reference,
        target_sha256=content.target_sha256,
    )
    rendering = SampleRendering(
        usable=usable,
        verdict=Verdict.RENDERED if usable else Verdict.COMPILE_ERROR,
        verdict_before_repair=Verdict.RENDERED if chance.random() > 0.1 and usable else Verdict.COMPILE_ERROR,
        error=None if usable else FirstError("Undefined control sequence.", "UNDEFINED_COMMAND", 12),
        structure=structure,
        sha256=_put_image(run, sample, f"{planned.id} {model}") if usable else "",
        document_sha256="f" * 64,
        width=700,
        height=100,
        pages=1,
        seconds=0.4,
        document=document,
        log=None if usable else "! Undefined control sequence.\n" + "l.12 \\unknown\n" * 40,
        target=content.structure,
    )
    run.put_rendering(instance, rendering)
    score = SampleScore(Outcome.SCORED, metrics=values if usable else dict.fromkeys(METRICS, 0.0))
    run.append(Record(instance, answer, rendering, score))


def _point(sample: Sample, value: float) -> Record:
    planned = sample.planned
    chance = random.Random(f"{value} {planned.id}")
    low = value if value == 1.0 else value - 0.1 + 0.2 * chance.random()
    instance = SampleInstance(
        planned.id,
        planned.task,
        planned.subset,
        planned.difficulty,
        reference_sha256=_digest_of(sample),
        target_sha256=sample.content.target_sha256,
    )
    score = SampleScore(Outcome.SCORED, metrics=dict.fromkeys(METRICS, low))
    return Record(instance, rendering=SampleRendering(usable=True), score=score)


def _digest_of(sample: Sample) -> str:
    return hashlib.sha256(_own(sample.content.reference, sample.planned.id)).hexdigest()


def _page(content: Content) -> str:
    """Return the page of a site."""
    pages = [one for name, one in (content.site or {}).items() if name.endswith((".html", ".md"))]
    return pages[0].decode() if pages else ""


def _spoiled(code: str, chance: random.Random) -> str:
    """Return code in which every tenth word is another one."""
    words = code.split(" ")
    return " ".join(_word(chance) if chance.random() < 0.1 else word for word in words)


def _word(chance: random.Random) -> str:
    return "".join(chance.choice("abcdefghijklmnopqrstuvwxyz") for _ in range(chance.randrange(2, 9)))


def _put_image(run: RunFolder, sample: Sample, text: str) -> str:
    """Keep the image of a sample with a text in its file, and its small copy; return its SHA-256."""
    digest = run.put_image(_own(sample.content.reference, text))
    small = _small(sample.content.reference)
    if small is not None:
        run.storage.write(copy_name(digest), small)
    return digest


@cache
def _small(png: bytes) -> bytes | None:
    header = read_header(png)
    return quick_copy(png) if header.width * header.height > SHOWN_PIXELS else None


def _own(png: bytes, text: str) -> bytes:
    """Return an image with a text in its file, so that it has a digest of its own."""
    body = b"tEXtowner\0" + text.encode("latin-1", "replace")
    chunk = struct.pack(">I", len(body) - 4) + body + struct.pack(">I", zlib.crc32(body))
    end = png.rindex(b"IEND") - 4
    return png[:end] + chunk + png[end:]
