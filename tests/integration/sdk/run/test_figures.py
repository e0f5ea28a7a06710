"""Charts and figures from text, run by the real services: the ground truth reaches every score."""

import json
import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from i2s_sdk import evaluate
from i2s_sdk.run.storage.folder import read_records
from i2s_sdk.settings import Settings
from i2s_sdk.tasks.chart.published import PUBLISHED
from i2s_wire.metrics.profile import Profile
from i2s_wire.render.rendering import Verdict
from kept_services import kept_addresses

pytestmark = pytest.mark.integration

ELEMENTS = ("text", "text_place", "kind", "color", "layout", "data")


@pytest.fixture(scope="module")
def figures(running: Settings, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Settings]:
    """The services of all tests, and what runs plotting programs."""
    with kept_addresses(tmp_path_factory.mktemp("logs"), os.environ, ["render-python"]) as (_, addresses):
        yield replace(running, render_python=addresses["render-python"])


@pytest.mark.parametrize("profile", [Profile.PAPER, Profile.HELM])
def test_the_programs_of_the_example_charts_reach_every_score(
    figures: Settings, tmp_path: Path, profile: Profile
) -> None:
    assert figures.examples is not None
    result = evaluate(
        figures.examples / "charts", out=tmp_path / "run", tasks=["chart"], profile=profile, settings=figures
    )
    assert result.summary.scored == 12
    # The released definition of pixel similarity is below 1 for equal images.
    further = PUBLISHED if profile is Profile.HELM else ("pixel", "exact")
    names = (*ELEMENTS, "ems", "ssim", *further)
    for record in read_records(tmp_path / "run").values():
        assert record.rendering.verdict is Verdict.RENDERED, record.message
        found = {name: record.score.metrics[name] for name in names}
        assert found == dict.fromkeys(found, 1.0), record.instance.id


def test_the_code_of_the_examples_of_scimage_compiles(figures: Settings, tmp_path: Path) -> None:
    assert figures.examples is not None
    result = evaluate(figures.examples / "scimage", out=tmp_path / "run", tasks=["scimage"], settings=figures)
    assert result.summary.scored == 8
    records = read_records(tmp_path / "run")
    assert {record.score.metrics["compiled"] for record in records.values()} == {1.0}
    named = [
        value for record in records.values() for value in record.score.metrics.values() if value is not None
    ]
    assert named == [1.0] * len(named)
    assert records["en-python"].score.metrics["objects"] == 1.0
    assert records["zh-tikz"].score.metrics["labels"] == records["fa-tikz"].score.metrics["labels"] == 1.0
    assert "objects" in records["zh-tikz"].score.undefined


#: Programs as answers have them, with what is repaired.
ANSWERS = {
    "names": ("IMPORT\nplt.boxplot([[1, 2, 3], [2, 3, 4]], labels=['a', 'b'])", ["restore_name"]),
    "notebook": ("%matplotlib inline\n!pip install x\nIMPORT\nplt.plot([1, 2])", ["leave_out_line"] * 2),
    "interpreter": (">>> IMPORT\n>>> plt.plot([1, 2])\n[<Line2D>]\n>>> plt.show()", ["leave_out_line"]),
}


def test_answers_and_ground_truth_of_former_years_and_notebooks_are_repaired(
    figures: Settings, tmp_path: Path
) -> None:
    assert figures.examples is not None
    data, rows = tmp_path / "data", []
    data.mkdir()
    image = next((figures.examples / "charts").rglob("*.png")).read_bytes()
    for name, (code, _) in ANSWERS.items():
        (data / f"{name}.png").write_bytes(image)
        (data / f"{name}.py").write_text(code.replace("IMPORT", "import matplotlib.pyplot as plt"))
        inputs, target = {"image": f"{name}.png"}, {"structure": f"{name}.py"}
        rows.append({"id": name, "task": "chart", "subset": "chart", "inputs": inputs, "target": target})
    (data / "instances.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    evaluate(data, out=tmp_path / "run", tasks=["chart"], settings=figures)
    records = read_records(tmp_path / "run")
    for name, (_, repairs) in ANSWERS.items():
        record = records[name]
        assert record.rendering.verdict is Verdict.RENDERED, record.message
        assert record.rendering.verdict_before_repair is Verdict.COMPILE_ERROR
        assert [str(repair.kind) for repair in record.rendering.repairs] == repairs
        # The program of the ground truth is the same, and is repaired in the same way.
        assert {name: record.score.metrics[name] for name in ELEMENTS} == dict.fromkeys(ELEMENTS, 1.0)
