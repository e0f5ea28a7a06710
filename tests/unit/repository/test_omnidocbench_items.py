"""The pages of examples/omnidocbench: what the script writes, and what they have to show."""

import json
import runpy
import sys
from collections import Counter
from pathlib import Path

import pytest

from i2s_sdk.data.check import check
from i2s_sdk.data.folder import read_folder
from i2s_sdk.scoring.scorer import Scorable
from i2s_sdk.tasks.omnidocbench.annotation import BlockKind, true_blocks
from i2s_sdk.tasks.omnidocbench.scorer import OmniDocBenchScorer
from i2s_sdk.tasks.omnidocbench.spec import markdown_of
from i2s_wire.metrics.profile import Profile

FOLDER = Path(__file__).parents[3] / "examples" / "omnidocbench"
INSTANCES = read_folder(FOLDER).instances


@pytest.fixture(scope="module")
def script():
    sys.path.insert(0, str(FOLDER.parent))
    try:
        return runpy.run_path(str(FOLDER.parent / "make_omnidocbench_items.py"))
    finally:
        sys.path.remove(str(FOLDER.parent))


def test_pages_have_all_kinds_of_elements_and_no_fault():
    assert check(FOLDER).faults == ()
    assert {instance.licence for instance in INSTANCES} == {"CC0-1.0"}
    kinds = Counter(block.kind for instance in INSTANCES for block in true_blocks(instance.target))
    assert set(kinds) == set(BlockKind)
    attributes = [instance.target["page_info"]["page_attribute"] for instance in INSTANCES]
    assert {attribute["language"] for attribute in attributes} == {"english", "simplified_chinese"}
    assert {attribute["layout"] for attribute in attributes} == {
        "single_column",
        "double_column",
        "three_column",
    }
    assert any(instance.target["extra"]["relation"] for instance in INSTANCES)


def test_every_file_is_named_by_one_instance():
    named = sorted(path for instance in INSTANCES for path in instance.files.values())
    assert named == sorted(path for path in FOLDER.glob("*/*") if path.is_file())


def test_every_element_has_a_box_on_the_page():
    for instance in INSTANCES:
        for block in true_blocks(instance.target):
            assert block.boxes
            assert all(0 <= side <= 1.01 for box in block.boxes for side in box), (instance.id, block)


def test_the_index_has_the_contents_that_the_script_writes(script):
    written = {page.id: script["annotation"](page, Everywhere()) for page in script["PAGES"]}
    for line in (FOLDER / "instances.jsonl").read_text(encoding="utf-8").splitlines():
        kept = json.loads(line)
        assert contents(kept["target"]) == contents(written[kept["id"]]), kept["id"]


class Everywhere(dict):
    def __missing__(self, key):
        return (0.0, 0.0, 1.0, 1.0)


def contents(annotation):
    return [{k: v for k, v in element.items() if k != "poly"} for element in annotation["layout_dets"]]


@pytest.mark.parametrize("profile", Profile)
@pytest.mark.parametrize("instance", INSTANCES, ids=lambda one: one.id)
def test_the_markdown_of_a_page_has_1_in_all_columns_that_need_no_drawing(instance, profile):
    sample = Scorable(instance.id, markdown_of(instance.target), target=instance.target)
    values = OmniDocBenchScorer(profile).score(sample)
    drawn = ("formula_cdm", "formula_glyph_f1")
    assert {value for name, value in values.metrics.items() if name not in drawn} <= {1.0, None}
