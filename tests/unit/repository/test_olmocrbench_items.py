"""The pages of examples/olmocrbench: what the script writes; their own Markdown passes their tests."""

from __future__ import annotations

import runpy
import sys
from collections import Counter
from pathlib import Path

import pytest

from i2s_sdk.data.check import check
from i2s_sdk.data.folder import read_folder
from i2s_sdk.instances.instance import Instance
from i2s_sdk.scoring.scorer import MetricValues, Scorable
from i2s_sdk.tasks.olmocrbench.scorer import PageTestsScorer

FOLDER = Path(__file__).parents[3] / "examples" / "olmocrbench"
INSTANCES = read_folder(FOLDER).instances


def test_every_kind_of_test_is_there_and_no_page_has_a_fault() -> None:
    assert check(FOLDER).faults == ()
    kinds = Counter(test["type"] for instance in INSTANCES for test in instance.target["tests"])
    assert set(kinds) == {"present", "absent", "order", "table", "math", "baseline"}
    assert {instance.licence for instance in INSTANCES} == {"CC0-1.0"}


def test_every_document_is_named_by_one_instance_and_the_index_is_what_the_script_writes() -> None:
    named = sorted(instance.files["document"] for instance in INSTANCES)
    assert named == sorted(FOLDER.glob("pdfs/*/*.pdf"))
    sys.path.insert(0, str(FOLDER.parent))
    try:
        script = runpy.run_path(str(FOLDER.parent / "make_olmocrbench_items.py"))
    finally:
        sys.path.remove(str(FOLDER.parent))
    assert (FOLDER / "instances.jsonl").read_text(encoding="utf-8") == script["index"]()


@pytest.mark.parametrize("instance", INSTANCES, ids=lambda one: one.id)
def test_the_markdown_of_a_page_passes_all_tests_that_need_no_drawing(instance: Instance) -> None:
    tests = [test for test in instance.target["tests"] if test["type"] != "math"]
    page = instance.target["markdown"]
    values = PageTestsScorer().score(Scorable(instance.id, page, target={"tests": tests}))
    assert isinstance(values, MetricValues)
    assert all(passed == number for passed, number in values.parts.values()), values.detail
