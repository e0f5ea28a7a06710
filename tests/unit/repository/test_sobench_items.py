"""The items of examples/sobench: what the script makes, and what they have to show."""

import json
import runpy
import sys
from collections import Counter
from pathlib import Path

import pytest
from PIL import Image, ImageChops, ImageStat

from i2s_sdk.data.check import check
from i2s_sdk.data.folder import read_folder
from i2s_sdk.scoring.scorer import Scorable
from i2s_sdk.tasks.registry import open_task
from i2s_wire.metrics.profile import Profile

FOLDER = Path(__file__).parents[3] / "examples" / "sobench"
INSTANCES = read_folder(FOLDER).instances


@pytest.fixture(scope="module")
def script():
    sys.path.insert(0, str(FOLDER.parent))
    try:
        return runpy.run_path(str(FOLDER.parent / "make_sobench_items.py"))
    finally:
        sys.path.remove(str(FOLDER.parent))


def words(label):
    """The leaves of labels."""
    if isinstance(label, dict):
        return [word for one in label.values() for word in words(one)]
    return [word for one in label for word in words(one)] if isinstance(label, list) else [label]


def test_there_are_24_items_of_five_kinds_and_none_has_a_fault():
    assert check(FOLDER).faults == ()
    assert Counter(instance.subset for instance in INSTANCES) == {
        "receipt": 5, "table": 5, "chart": 5, "form": 5, "screen": 4,
    }  # fmt: skip
    assert {instance.difficulty for instance in INSTANCES} == {"easy", "medium", "hard"}
    assert {instance.licence for instance in INSTANCES} == {"CC0-1.0"}


def test_schemas_and_labels_have_every_form():
    schemas = json.dumps([instance.inputs["schema"] for instance in INSTANCES])
    for keyword in (
        "$defs",
        "$ref",
        "enum",
        "anyOf",
        "oneOf",
        "const",
        "pattern",
        "uniqueItems",
        "null",
        "$schema",
    ):
        assert f'"{keyword}"' in schemas
    assert {word for instance in INSTANCES for word in words(instance.target["labels"])} == {
        "exact",
        "fuzzy",
        "ignore",
    }


def test_the_index_is_what_the_script_writes(script):
    assert (FOLDER / "instances.jsonl").read_text() == "".join(map(script["line"], script["ITEMS"]))


def test_the_images_are_what_the_script_draws(script):
    """Versions of FreeType smooth letters in slightly different ways."""
    names = {f"{item.id}.png" for item in script["ITEMS"]}
    assert {path.name for path in (FOLDER / "images").iterdir()} == names
    for item in script["ITEMS"]:
        drawn = item.draw()
        with Image.open(FOLDER / "images" / f"{item.id}.png") as kept:
            assert kept.size == drawn.size, item.id
            difference = ImageStat.Stat(ImageChops.difference(kept.convert("RGB"), drawn)).mean
        assert max(difference) < 1, item.id


@pytest.mark.parametrize("profile", Profile)
@pytest.mark.parametrize("instance", INSTANCES, ids=lambda one: one.id)
def test_the_gold_answer_has_1_in_every_metric(instance, profile):
    (scorer,) = open_task("sobench", profile).scorers
    text = json.dumps(instance.target["answer"])
    found = scorer.score(Scorable(instance.id, text, instance.inputs, instance.target))
    assert set(found.metrics.values()) == {1.0}
