"""Run folders as an evaluation leaves them, without one."""

from __future__ import annotations

import hashlib
import io
import json
import random
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from PIL import Image, ImageDraw

from i2s_sdk.data.selection import Shard
from i2s_sdk.run.storage.codec import record_line
from i2s_sdk.run.storage.folder import MANIFEST, RECORDS, TURN_RECORDS, image_name
from i2s_sdk.run.storage.manifest import INSTANCES, Manifest, PlannedInstance, RunOptions, planned_lines
from i2s_sdk.run.storage.record import (
    Failure,
    FirstError,
    Outcome,
    Record,
    RepairNote,
    SampleRendering,
    SampleScore,
    SampleTurn,
    TokenUsage,
    TurnEnd,
)
from i2s_wire.render.rendering import Verdict
from sample_records import changed, flat_record

METRICS = {"ems": "1", "pixel": "1", "ssim": "1", "edit": "1"}


def options(**changes: object) -> RunOptions:
    """Return the options of a run of all tasks."""
    plain = RunOptions(
        profile="paper",
        model="model-a",
        model_fingerprint="",
        data_sha256="d" * 64,
        tasks=("latex", "webpage", "music"),
        limit=None,
        prompts={},
        metrics=METRICS,
        engines={"render-latex": "e1"},
        sdk="1",
    )
    return replace(plain, **changes)  # type: ignore[arg-type]


def instances(number: int) -> list[PlannedInstance]:
    """Return instances of all tasks, subsets and difficulties."""
    kinds = [
        ("latex", "equation"),
        ("latex", "table"),
        ("webpage", "css"),
        ("music", "music"),
        ("latex", "wild"),
    ]
    levels = ("easy", "medium", "hard")
    found = []
    for at in range(number):
        task, subset = kinds[at % len(kinds)]
        found.append(PlannedInstance(f"{subset}-{at:04}", task, subset, levels[at // 5 % 3]))
    return found


def picture(seed: str, size: tuple[int, int] = (120, 48)) -> bytes:
    """Return a small image of its own for each seed."""
    chance = random.Random(seed)
    canvas = Image.new("RGB", size, "white")
    pen = ImageDraw.Draw(canvas)
    for _ in range(4):
        x, y = chance.randrange(size[0]), chance.randrange(size[1])
        pen.rectangle(
            (x, y, x + size[0] // 5, y + size[1] // 5), fill=chance.choice(["navy", "brown", "black"])
        )
    content = io.BytesIO()
    canvas.save(content, "PNG")
    return content.getvalue()


def keep_picture(folder: Path, png: bytes) -> str:
    """Put an image where a run keeps it and return its name."""
    digest = hashlib.sha256(png).hexdigest()
    path = folder / image_name(digest)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(png)
    return digest


def rendered_of(record: Record, **kept: str | None) -> SampleRendering:
    """Return what the stage "render" keeps of a sample that ended so; ``kept`` are the texts beside it."""
    outcome = None if record.outcome is Outcome.SCORED else record.outcome
    return replace(record.rendering, outcome=outcome, **kept)


def record_of(one: PlannedInstance, salt: str = "", folder: Path | None = None) -> Record:
    """Return how a sample ended: most were rendered, the others in every way there is."""
    chance = random.Random(one.id + salt)
    plain = flat_record(
        one.id, one.task, one.subset, one.difficulty, outcome=Outcome.SCORED, completion=f"answer {one.id}"
    )
    reference = keep_picture(folder, picture(one.id)) if folder else ""
    plain = changed(plain, reference_sha256=reference, seconds={"generate": chance.random()})
    zeros = dict.fromkeys(METRICS, 0.0)
    match chance.randrange(10):
        case 0:
            error = FirstError("Undefined control sequence.", "UNDEFINED_COMMAND", 3)
            failed = Verdict.COMPILE_ERROR
            return changed(plain, verdict=failed, verdict_before_repair=failed, metrics=zeros, error=error)
        case 1:
            return changed(plain, outcome=Outcome.NO_STRUCTURE, metrics=zeros, message="there is no code")
        case 2:
            return changed(plain, outcome=Outcome.REFUSED, metrics=zeros, completion="No.")
        case 3:
            failure = Failure("ServiceUnavailableError", "nobody there")
            return changed(plain, outcome=Outcome.RENDER_FAILURE, failure=failure)
    repaired = chance.random() < 0.3
    return changed(
        plain,
        usable=True,
        verdict=Verdict.RENDERED,
        verdict_before_repair=Verdict.COMPILE_ERROR if repaired else Verdict.RENDERED,
        repairs=(RepairNote("wrap_math", "", "Missing $ inserted."),) if repaired else (),
        metrics={name: chance.random() for name in METRICS},
        structure=f"\\frac{{{one.id}}}{{2}} % half",
        rendering_sha256=keep_picture(folder, picture(one.id + salt, (100, 52))) if folder else "",
        width=100,
        height=52,
        pages=1,
    )


def write_run(
    path: Path,
    planned: Sequence[PlannedInstance],
    records: Mapping[str, Record],
    given: RunOptions | None = None,
) -> Path:
    """Write a run folder and return it; of a shard, only its own records are kept."""
    given = given or options()
    shard = Shard.parse(given.shard) if given.shard else None
    path.mkdir(parents=True, exist_ok=True)
    manifest = Manifest(given, {"cis": "no weights"}, {"started": "2026-01-01T00:00:00+00:00"})
    (path / MANIFEST).write_text(manifest.to_json())
    (path / INSTANCES).write_bytes(planned_lines(planned))
    own = [record for name, record in records.items() if shard is None or shard.has(name)]
    (path / RECORDS).write_text("".join(json.dumps(record_line(one)) + "\n" for one in own))
    return path


def write_turns(path: Path, later: Mapping[str, Sequence[Record]]) -> Path:
    """Write the answers after the first into a run folder; of a shard, only its own."""
    manifest = json.loads((path / MANIFEST).read_text())
    shard = Shard.parse(manifest["options"]["shard"]) if manifest["options"]["shard"] else None
    own = [one for name, of_one in later.items() if shard is None or shard.has(name) for one in of_one]
    (path / TURN_RECORDS).write_text("".join(json.dumps(record_line(one)) + "\n" for one in own))
    return path


def turns_of(first: Record, turns: int) -> tuple[Record, tuple[Record, ...]]:
    """Return a record as the first answer of a conversation, and those after it, if there are any."""
    chance = random.Random(f"{first.instance.id} turns")
    if not first.outcome.counts:
        return first, ()
    if chance.random() < 0.2:
        return replace(first, turn=SampleTurn(1, TurnEnd.NO_TURN, "it looks at nothing")), ()
    later = []
    for turn in range(2, turns + 1):
        ended = TurnEnd.DONE if chance.random() < 0.3 else None
        values = {name: chance.random() for name in METRICS}
        answer = replace(first.answer, usage=TokenUsage(100 * turn, 10 * turn), attempts=1, cost=0.5)
        score = SampleScore(Outcome.SCORED, metrics=values)
        one = replace(first, answer=answer, score=score, turn=SampleTurn(turn, ended))
        later.append(replace(one, rendering=replace(one.rendering, usable=True, outcome=None)))
        if ended:
            break
    return first, tuple(later)


def make_run(path: Path, number: int, *, salt: str = "", pictures: bool = True, **changes: object) -> Path:
    """Write a run of that many samples, all of which have ended, and return its folder."""
    planned = instances(number)
    records = {one.id: record_of(one, salt, path if pictures else None) for one in planned}
    return write_run(path, planned, records, options(**changes))


def write_run_to_judge(path: Path, number: int) -> Path:
    """Write a run of so many images, figure-0 and so on, of a task with a rubric, and return its folder."""
    planned = [PlannedInstance(f"figure-{at}", "scimage", "en-tikz") for at in range(number)]
    records = {
        one.id: flat_record(
            one.id,
            one.task,
            one.subset,
            "",
            outcome=Outcome.SCORED,
            usable=True,
            verdict=Verdict.RENDERED,
            rendering_sha256=keep_picture(path, picture(one.id)),
            detail={"scimage": {"prompt": "A figure."}},
            metrics={"compiled": 1.0},
        )
        for one in planned
    }
    return write_run(
        path, planned, records, options(tasks=("scimage",), metrics={"compiled": "1"}, engines={})
    )
