"""Models that look at nothing."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path

import pytest

from i2s_sdk.errors import ModelError
from i2s_sdk.instances.instance import Instance
from i2s_sdk.models import open_model
from i2s_sdk.models.baselines import ShuffledBaseline
from i2s_sdk.tasks.registry import SPECS
from questions import complete


def instance(folder: Path, identity: str, subset: str = "equation", *, known: bool = True) -> Instance:
    structure = folder / f"{identity}.tex"
    structure.write_text(f"truth of {identity}")
    return Instance(identity, "latex", subset, None, structure=structure if known else None)


async def said(model: ShuffledBaseline, asked: Instance) -> str:
    found: str = (await complete(model, asked)).text
    return found


def prepared(instances: Sequence[Instance]) -> ShuffledBaseline:
    model = open_model("baseline/shuffled")
    assert isinstance(model, ShuffledBaseline)
    model.prepare(instances)
    return model


async def test_everybody_gets_the_truth_of_somebody_else_of_the_subset_and_each_is_used_once(
    tmp_path: Path,
) -> None:
    found = [instance(tmp_path, str(number)) for number in range(9)]
    others = [instance(tmp_path, f"t{number}", "table") for number in range(2)]
    model = prepared([*found, *others])
    answers = [await said(model, one) for one in found]
    assert sorted(answers) == sorted(f"```latex\ntruth of {one.id}\n```" for one in found)
    assert all(f"truth of {one.id}\n" not in answer for one, answer in zip(found, answers, strict=True))
    assert [await said(model, one) for one in others] == [
        "```latex\ntruth of t1\n```",
        "```latex\ntruth of t0\n```",
    ]


async def test_the_order_of_the_instances_does_not_matter(tmp_path: Path) -> None:
    found = [instance(tmp_path, str(number)) for number in range(9)]
    one, two = prepared(found), prepared(found[::-1])
    assert [await said(one, asked) for asked in found] == [await said(two, asked) for asked in found]


async def test_an_instance_without_truth_gets_one_and_lends_none(tmp_path: Path) -> None:
    found = [instance(tmp_path, str(number), known=number > 3) for number in range(8)]
    model = prepared(found)
    answers = {one.id: await said(model, one) for one in found}
    assert not any(f"truth of {number}\n" in answer for number in range(4) for answer in answers.values())
    assert all(f"truth of {identity}\n" not in answer for identity, answer in answers.items())


async def test_alone_in_its_subset_it_has_no_answer(tmp_path: Path) -> None:
    (alone,) = [instance(tmp_path, "a")]
    with pytest.raises(ModelError, match="no other instance of subset 'equation' has ground truth"):
        await said(prepared([alone]), alone)


@pytest.mark.parametrize("task", sorted(SPECS))
async def test_the_constant_is_the_same_for_every_instance(task: str, tmp_path: Path) -> None:
    model = open_model("baseline/constant")
    answers = {(await complete(model, Instance(one, task, "s", None))).text for one in ("a", "b")}
    assert answers == {SPECS[task].constant}


@pytest.mark.parametrize("task", ["latex", "webpage", "music", "chart"])
def test_the_constant_and_the_blank_answer_are_structures_without_repair(task: str) -> None:
    from i2s_sdk.tasks.registry import open_task
    from i2s_sdk.tasks.structure import Structure

    for answer in (SPECS[task].constant, SPECS[task].blank((300, 200)), SPECS[task].blank(None)):
        found = open_task(task).structure_from(answer)
        assert isinstance(found, Structure)
        assert found.repairs == ()


async def test_the_blank_answer_depends_on_the_size_of_the_reference_alone(tmp_path: Path) -> None:
    from PIL import Image

    model = open_model("baseline/blank")
    answers = []
    for number, (size, color) in enumerate([((80, 40), 0), ((80, 40), 200), ((90, 40), 0)]):
        path = tmp_path / f"{number}.png"
        Image.new("L", size, color).save(path)
        answers.append((await complete(model, Instance(str(number), "latex", "s", path))).text)
    assert answers[0] == answers[1] != answers[2]
    broken = tmp_path / "broken.png"
    broken.write_bytes(b"no picture")
    with pytest.raises(ModelError, match=r"broken\.png"):
        await complete(model, Instance("x", "latex", "s", broken))


def test_answers_to_other_constants_are_another_model() -> None:
    fingerprint = open_model("baseline/constant").fingerprint
    texts = sorted((name, spec.constant) for name, spec in SPECS.items())
    assert fingerprint == hashlib.sha256(repr(texts).encode()).hexdigest()[:16]
