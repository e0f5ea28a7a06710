"""The specification of the task: its data, its answers of known rank, and its view in the report."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

from i2s_sdk.instances.instance import Content, Instance
from i2s_sdk.tasks.benchmark import published_tables
from i2s_sdk.tasks.graded import FEWEST_TOKENS, SPELLING, Grade, Rung
from i2s_sdk.tasks.question import Question
from i2s_sdk.tasks.shapecode.program import ProgramError, read_program
from i2s_sdk.tasks.shapecode.scorer import EXACT, IOU, NAME
from i2s_sdk.tasks.shapecode.task import MAX_TOKENS, ShapeCodeTask
from i2s_sdk.tasks.spec import FILE, TaskSpec, fields
from i2s_sdk.tasks.view import DiffPanel, DiffRow, Panel, RowMark, ShownSample, TextRun

#: Subsets, by the number of shapes.
DIFFICULTIES = ("easy", "medium", "hard")


def instance_fault(instance: Instance) -> str:
    """Return what is wrong with the program of an instance, empty for nothing."""
    try:
        read_program((instance.target or {}).get("program", ""))
    except ProgramError as error:
        return f"instance {instance.id!r}: {error}"
    return ""


def view(shown: ShownSample) -> tuple[Panel, ...]:
    """Return the shapes of the truth, each beside the same one of the answer, then those that were added."""
    rows = tuple(
        DiffRow(RowMark(mark), _runs(gold), _runs(answer))
        for mark, gold, answer in shown.detail.get(NAME, {}).get("rows", ())
    )
    return (DiffPanel("Shapes", rows),) if rows else ()


def _runs(text: str) -> tuple[TextRun, ...]:
    return (TextRun(text),) if text else ()


def _answer(content: Content, question: Question) -> str:
    return str(content.target["program"]) if content.target else ""


def _changed(change: Callable[[list[str], Random], list[str] | None]) -> Callable[..., Content | None]:
    def changed(content: Content, chance: Random) -> Content | None:
        lines = content.target["program"].splitlines()
        after = change(lines, chance)
        if after is None or after == lines:
            return None
        target: dict[str, Any] = {**content.target, "program": "\n".join(after)}
        return Content(content.reference, target=target, inputs=content.inputs)

    return changed


def _wrong(lines: list[str], chance: Random) -> list[str]:
    """Return lines of which one has its centre 8 pixels to the side."""
    at = chance.randrange(len(lines))
    (shape,) = read_program(lines[at])
    moved = shape.cx + 8 if shape.cx < 256 else shape.cx - 8
    return [*lines[:at], lines[at].replace(f"cx={shape.cx}", f"cx={moved}"), *lines[at + 1 :]]


def _without(share: float) -> Callable[[list[str], Random], list[str] | None]:
    def without(lines: list[str], chance: Random) -> list[str] | None:
        number = round(share * len(lines))
        if len(lines) < FEWEST_TOKENS or not 1 <= number < len(lines):
            return None
        start = chance.randint(0, len(lines) - number)
        return [*lines[:start], *lines[start + number :]]

    return without


def _respelled(lines: list[str], _: Random) -> list[str]:
    """Return lines with other blanks."""
    return [line.replace(", ", " ,  ").replace("(", "( ") for line in lines]


SHAPECODE = TaskSpec(
    name="shapecode",
    title="ShapeCodeBench",
    main_metric=EXACT,
    recommended_metric=IOU,
    max_tokens=MAX_TOKENS,
    subsets=DIFFICULTIES,
    published_table="shapecode",
    published=published_tables("i2s_sdk.tasks.shapecode"),
    open=ShapeCodeTask,
    answer=_answer,
    inputs=fields({"image": FILE}),
    target=fields({"program": {"type": "string", "minLength": 1}}),
    instance_fault=instance_fault,
    view=view,
    constant="filled_circle(cx=256, cy=256, radius=100)",
    grades=(
        Grade(Rung.ONE_WRONG, Rung.ONE_WRONG, _changed(_wrong)),
        Grade(Rung.TENTH_MISSING, Rung.TENTH_MISSING, _changed(_without(0.1))),
        Grade(Rung.HALF_MISSING, Rung.HALF_MISSING, _changed(_without(0.5))),
        Grade(SPELLING, Rung.EQUIVALENT, _changed(_respelled)),
    ),
)
