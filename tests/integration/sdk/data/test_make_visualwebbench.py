"""Items of VisualWebBench made from a site, drawn by the real renderer."""

from __future__ import annotations

from pathlib import Path

import pytest

from i2s_sdk import Settings, evaluate
from i2s_sdk.data.check import check
from i2s_sdk.data.folder import read_folder
from i2s_sdk.errors import CommandMissingError, DataError, UsageError
from i2s_sdk.single.web_items import make_visualwebbench
from i2s_sdk.stack.command import find_program
from i2s_sdk.tasks.visualwebbench.kinds import KINDS

pytestmark = pytest.mark.integration

SITE = Path(__file__).resolve().parents[4] / "examples/visualwebbench/harbour-library"


@pytest.fixture(autouse=True)
def _renderer() -> None:
    try:
        find_program("render-html")
    except CommandMissingError as error:
        pytest.skip(error.message)


def files(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.nightly(instead="unit tests of each kind of item (unit/sdk/data/web_items)")
def test_a_site_becomes_items_of_which_the_oracle_knows_all_and_again_the_same(tmp_path: Path) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    made = make_visualwebbench([SITE], one, seed=5, per_page=1, licence="Apache-2.0")
    assert made.pages == 9
    assert set(made.items) == {kind.name for kind in KINDS} - {"webqa"}
    assert set(made.items.values()) == {9}
    assert check(one).faults == ()
    instances = read_folder(one).instances
    assert {(instance.licence, instance.subset) for instance in instances} == {
        ("Apache-2.0", "harbour-library")
    }
    result = evaluate(one, "oracle", out=tmp_path / "run", settings=Settings())
    for task in result.summary.tasks.values():
        assert {metric.all.value for metric in task.total.metrics.values()} == {1.0}
    make_visualwebbench([SITE], two, seed=5, per_page=1, licence="Apache-2.0")
    assert files(one) == files(two)


def test_what_cannot_be_made_leaves_nothing(tmp_path: Path) -> None:
    (tmp_path / "blank.html").write_text("<title>Blank</title>")
    with pytest.raises(DataError, match=r"no item could be made.*no description of the page"):
        make_visualwebbench([tmp_path / "blank.html"], tmp_path / "out")
    assert not (tmp_path / "out").exists()
    with pytest.raises(UsageError, match="not empty"):
        make_visualwebbench([SITE], tmp_path)
