"""The view of a sample in a report: question, gold and answer, and both on the image."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from i2s_sdk.json_text import read_json
from i2s_sdk.tasks.view import ImageMark, ImageMarkKind, MarkedImage, Panel, ShownSample, TextPanel
from i2s_sdk.tasks.visualwebbench.kinds import Form, TaskKind
from i2s_sdk.tasks.visualwebbench.letters import LETTERS, index_of

_ASKED = {"question": "Question", "elem_desc": "Description", "instruction": "Task"}


def view(kind: TaskKind, shown: ShownSample) -> tuple[Panel, ...]:
    """Return the panels of a sample.

    Args:
        kind: The task.
        shown: The sample; its detail has the inputs and the target that the scorer kept. One that was not
            scored has none, and no panel.
    """
    detail: Mapping[str, Any] | None = next(iter(shown.detail.values()), None)
    return () if detail is None else tuple(_panels(kind, shown, detail))


def _panels(kind: TaskKind, shown: ShownSample, detail: Mapping[str, Any]) -> Iterator[Panel]:
    for name, title in _ASKED.items():
        if name in detail:
            yield TextPanel(title, str(detail[name]))
    marks = tuple(_marks(kind, shown, detail))
    if marks:
        yield MarkedImage("Gold and answer", marks)
    options: Sequence[Any] = detail.get("options", ())
    if options and not kind.boxes:
        yield TextPanel("Choices", "\n".join(f"{a}. {b}" for a, b in zip(LETTERS, options, strict=False)))
    yield TextPanel("Gold", _gold(kind, detail))
    yield TextPanel("Answer as read", shown.structure if shown.structure is not None else "none")


def _gold(kind: TaskKind, detail: Mapping[str, Any]) -> str:
    target = detail.get("target")
    if isinstance(target, list):
        return "\n".join(map(str, target))
    if not isinstance(target, int):
        return "none" if target is None else str(target)
    options = detail.get("options", ())
    option = options[target] if target < len(options) else ""
    shown = json.dumps(option) if kind.boxes else option
    return f"{LETTERS[target]}. {shown}".removesuffix(". ")


def _marks(kind: TaskKind, shown: ShownSample, detail: Mapping[str, Any]) -> Iterator[ImageMark]:
    if "bbox" in detail:
        yield ImageMark(ImageMarkKind.SUBJECT, _box(detail["bbox"]))
    if not kind.boxes or "options" not in detail:
        return
    boxes = [_box(option) for option in detail["options"]]
    target = detail.get("target")
    chosen = index_of(shown.structure or "") if kind.form is Form.LETTER else -1
    if kind.raw:  # else the image itself has the letters
        for index, box in enumerate(boxes):
            if index not in (target, chosen):
                yield ImageMark(ImageMarkKind.CANDIDATE, box, LETTERS[index])
    if isinstance(target, int) and target < len(boxes):
        yield ImageMark(ImageMarkKind.GOLD, boxes[target], LETTERS[target])
    if kind.form is Form.LETTER and 0 <= chosen < len(boxes):
        yield ImageMark(ImageMarkKind.ANSWER, boxes[chosen], LETTERS[chosen])
    if kind.form is not Form.LETTER and shown.structure is not None:
        place = [float(one) for one in read_json(shown.structure)]
        yield ImageMark(ImageMarkKind.ANSWER, _box(place if kind.form is Form.BOX else place * 2))


def _box(given: Sequence[Any]) -> tuple[float, float, float, float]:
    x1, y1, x2, y2 = map(float, given)
    return x1, y1, x2, y2
