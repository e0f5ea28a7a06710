"""The bundled data set has the form that the documentation gives it."""

import json
from collections import Counter
from pathlib import Path

import pytest
from PIL import Image, ImageChops

from i2s_sdk.tasks.own_prompts import read_prompts
from i2s_sdk.tasks.question import task_prompt

SUBSETS = {
    "latex": {"equation", "table", "algorithm", "plot"},
    "webpage": {"css", "html", "javascript"},
    "music": {"music"},
}


@pytest.fixture(scope="module")
def examples(root) -> Path:
    return root / "examples"


@pytest.fixture(scope="module")
def instances(examples) -> list[dict]:
    return [
        json.loads(line) for line in (examples / "instances.jsonl").read_text(encoding="utf-8").splitlines()
    ]


@pytest.fixture(scope="module")
def latex(instances) -> list[dict]:
    return [row for row in instances if row["task"] == "latex"]


def test_ids_are_unique(instances):
    assert [name for name, count in Counter(row["id"] for row in instances).items() if count > 1] == []


@pytest.mark.parametrize("task", SUBSETS)
def test_every_subset_has_four_instances_or_more_and_all_difficulties(instances, task):
    rows = [row for row in instances if row["task"] == task]
    counts = Counter(row["subset"] for row in rows)
    assert set(counts) == SUBSETS[task]
    assert min(counts.values()) >= 4
    for subset in SUBSETS[task]:
        assert {r["difficulty"] for r in rows if r["subset"] == subset} == {"easy", "medium", "hard"}


def test_every_file_is_named_by_one_instance_and_every_name_is_a_file(examples, instances):
    for field, folder in (("image", "references"), ("structure", "structures")):
        named = [row[field] for row in instances]
        assert sorted(named) == sorted(str(p.relative_to(examples)) for p in (examples / folder).iterdir())


def test_structures_are_bare_environments_in_the_form_of_profile_paper(examples, latex):
    for row in latex:
        structure = (examples / row["structure"]).read_text(encoding="utf-8")
        assert structure.startswith(r"\begin{"), row["id"]
        for word in (
            r"\documentclass",
            r"\usepackage",
            r"\begin{document}",
            r"\label",
            "{equation}",
            "{align}",
        ):
            assert word not in structure, f"{row['id']} holds {word}"


def test_references_are_colour_pictures_without_a_margin(examples, instances):
    for row in instances:
        if row["task"] == "webpage":
            continue  # whole viewports
        with Image.open(examples / row["image"]) as picture:
            assert (picture.format, picture.mode) == ("PNG", "RGB"), row["id"]
            ink = ImageChops.difference(picture, Image.new("RGB", picture.size, "white")).getbbox()
            assert ink == (0, 0, *picture.size), row["id"]


def test_the_recorded_answers_are_for_the_latex_instances(examples, latex):
    lines = (examples / "try/replay.jsonl").read_text(encoding="utf-8").splitlines()
    answers = [json.loads(line) for line in lines]
    assert [answer["id"] for answer in answers] == [row["id"] for row in latex]
    assert all(answer["completion"].strip() for answer in answers)


def test_the_prompt_of_the_paper_lacks_the_line_before_it_and_nothing_else(examples):
    (own,) = read_prompts(examples / "try/paper-prompts.toml").values()
    line, text = task_prompt("latex")
    assert own.text == text.removeprefix("\n")
    assert line == "Just give a short answer without answering in a complete sentence."
