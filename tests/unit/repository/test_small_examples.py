"""The examples of OMR and of ShapeCodeBench: the right answer has every value."""

from __future__ import annotations

from pathlib import Path

import pytest
from PIL import Image

from i2s_sdk.data.check import check
from i2s_sdk.data.folder import read_content, read_folder
from i2s_sdk.data.imports.shapecode import new_program
from i2s_sdk.scoring.scorer import MetricValues, Scorable
from i2s_sdk.tasks.question import Question
from i2s_sdk.tasks.registry import open_task, task_spec
from i2s_sdk.tasks.shapecode.program import draw
from i2s_sdk.tasks.structure import Structure

EXAMPLES = Path(__file__).parents[3] / "examples"


@pytest.mark.parametrize("name", ["omr", "shapecode"])
def test_the_right_answer_has_every_value(name: str) -> None:
    task = open_task(name)
    (scorer,) = task.scorers
    assert check(EXAMPLES / name).faults == ()
    for instance in read_folder(EXAMPLES / name).instances:
        content = read_content(instance)
        structure = task.structure_from(task_spec(name).answer(content, Question(())))
        assert isinstance(structure, Structure)
        target = content.structure or content.target
        values = scorer.score(Scorable(instance.id, structure.code, target=target))
        assert isinstance(values, MetricValues)
        best = {metric.name: 0.0 if metric.lower_is_better else 1.0 for metric in scorer.metrics}
        assert values.metrics == best, instance.id


def test_shapes_are_those_of_the_seed_and_their_images_show_them() -> None:
    for instance in read_folder(EXAMPLES / "shapecode").instances:
        shapes = new_program(instance.id, instance.subset)
        assert instance.target == {"program": "\n".join(map(str, shapes))}
        with Image.open(instance.files["image"]) as image:
            assert image.convert("L").tobytes() == draw(shapes).convert("L").tobytes(), instance.id
