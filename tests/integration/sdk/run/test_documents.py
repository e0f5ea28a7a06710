"""Documents with the real documents service: asked page by page, predictions of tools, and lines."""

from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path

import pytest
from PIL import Image, ImageDraw

from i2s_sdk import dry_run, evaluate, evaluate_predictions
from i2s_sdk.errors import DataError
from i2s_sdk.models import ModelOptions, open_model
from i2s_sdk.run.storage.folder import read_records
from i2s_sdk.run.storage.record import Outcome
from i2s_sdk.settings import Settings
from i2s_sdk.single.lines import LineScore, score_lines

pytestmark = pytest.mark.integration

GOLD = {
    "two": "# First\n\nSome words here.\n\n# Second\n\nOther words there.\n\n"
    "\\begin{table}\n\\begin{tabular}{ll}\na & b \\\\\n1 & 2 \\\\\n\\end{tabular}\n\\end{table}\n",
    "one": "# Only\n\nA line with \\(x\\) in it.",
}
PAGES = {"two": 2, "one": 1}

#: A model that says what it is shown, and fails at pages whose names stand in a file.
PROGRAM = """
import json, pathlib, sys
folder = pathlib.Path(sys.argv[1])
for line in sys.stdin:
    asked = json.loads(line)
    page = asked.get("question", "")
    with (folder / "asked").open("a") as log:
        log.write(f"{asked['instance']} {page} {asked['media_type']} {asked['max_tokens']}\\n")
    answer = {"completion": f"# {page}\\n\\n{asked['instance']}\\n"}
    if (folder / f"fail {page}").exists():
        answer = {"error": "no"}
    print(json.dumps({"id": asked["id"], **answer}), flush=True)
"""


@pytest.fixture
def data(tmp_path: Path) -> Path:
    folder = tmp_path / "data"
    folder.mkdir()
    lines = []
    for name, gold in GOLD.items():
        pages = [Image.new("RGB", (300, 200), "white") for _ in range(PAGES[name])]
        for number, page in enumerate(pages, start=1):
            ImageDraw.Draw(page).text((20, 20), f"{name} {number}", fill="black")
        pages[0].save(folder / f"{name}.pdf", save_all=True, append_images=pages[1:], resolution=72)
        (folder / f"{name}.md").write_text(gold)
        line = {"id": name, "task": "readoc", "subset": "arxiv", "inputs": {"document": f"{name}.pdf"}}
        lines.append(json.dumps({**line, "target": {"structure": f"{name}.md"}}) + "\n")
    (folder / "instances.jsonl").write_text("".join(lines))
    return folder


@pytest.fixture
def program(tmp_path: Path) -> str:
    (tmp_path / "program.py").write_text(PROGRAM)
    return "command:" + shlex.join([sys.executable, str(tmp_path / "program.py"), str(tmp_path)])


def _evaluate(data: Path, program: str, out: Path, settings: Settings) -> None:
    model = open_model(program, ModelOptions(failures=1, retry_seconds=5.0))
    evaluate(data, model, out=out, settings=settings)


def test_a_model_is_asked_page_by_page(data: Path, program: str, documents: Settings, tmp_path: Path) -> None:
    _evaluate(data, program, tmp_path / "run", documents)
    records = read_records(tmp_path / "run")
    assert records["two"].answer.completion == "# page-1\n\ntwo\n\n# page-2\n\ntwo"
    assert records["one"].answer.completion == "# page-1\n\none"
    assert {record.outcome for record in records.values()} == {Outcome.SCORED}
    asked = sorted((tmp_path / "asked").read_text().splitlines())
    assert asked == [
        f"{name} page-{page} image/jpeg 2048" for name, page in (("one", 1), ("two", 1), ("two", 2))
    ]


def test_a_page_that_was_answered_is_not_asked_again(
    data: Path, program: str, documents: Settings, tmp_path: Path
) -> None:
    (tmp_path / "fail page-2").touch()
    _evaluate(data, program, tmp_path / "run", documents)
    assert {name: record.outcome for name, record in read_records(tmp_path / "run").items()} == {
        "one": Outcome.SCORED,
        "two": Outcome.MODEL_FAILURE,
    }
    (tmp_path / "fail page-2").unlink()
    (tmp_path / "asked").unlink()
    _evaluate(data, program, tmp_path / "run", documents)
    assert (tmp_path / "asked").read_text() == "two page-2 image/jpeg 2048\n"
    assert {record.outcome for record in read_records(tmp_path / "run").values()} == {Outcome.SCORED}


def test_a_broken_document_is_a_fault_of_the_data(
    data: Path, program: str, documents: Settings, tmp_path: Path
) -> None:
    (data / "one.pdf").write_bytes(b"%PDF-1.7\nnothing more")
    with pytest.raises(DataError, match=r"one\.pdf: its pages cannot be drawn: .*no PDF that can be read"):
        _evaluate(data, program, tmp_path / "run", documents)


def test_a_dry_run_counts_pages(data: Path, documents: Settings) -> None:
    found = dry_run(data, "openai/gpt-4o", settings=documents)
    assert (found.samples, found.estimate.calls, found.estimate.images) == (2, 3, 3)
    assert found.estimate.tokens_out == 3 * 2048
    whole = dry_run(data, "oracle", settings=documents)
    assert (whole.samples, whole.estimate.calls) == (2, 0)


@pytest.mark.parametrize("profile", ["paper", "reference"])
def test_predictions_of_several_systems_are_scored_and_compared(
    data: Path, documents: Settings, tmp_path: Path, profile: str
) -> None:
    for system, text in {"gold": None, "words": "Some words here."}.items():
        folder = tmp_path / "predictions/arxiv" / system
        folder.mkdir(parents=True)
        (folder / "two.md").write_text(GOLD["two"] if text is None else text)
        if system == "gold":
            (folder / "one.md").write_text(GOLD["one"])
    out = tmp_path / "out"
    found = evaluate_predictions(data, tmp_path / "predictions", out=out, settings=documents, profile=profile)
    assert list(found.runs) == ["gold", "words"]
    gold, words = (run.summary.tasks["readoc"].total for run in found.runs.values())
    assert gold.metrics["average"].all.value == 1.0
    assert (gold.missing, words.missing) == (0, 1)
    assert (gold.rendered, words.rendered) == (2, 1)
    # What the gold document has counts 0 without a prediction; what it has not stays without a value.
    missing = read_records(out / "words")["one"]
    assert missing.answer.finish == "missing"
    assert {
        name: value for name, value in missing.score.metrics.items() if value is not None
    } == dict.fromkeys(
        (
            "text_concat",
            "text_vocab",
            "heading_concat",
            "heading_tree",
            "embed_concat",
            "block_order",
            "token_order",
        ),
        0.0,
    )
    assert found.report is not None
    assert [standing.label for standing in found.report.standings] == [
        "predictions/gold",
        "predictions/words",
    ]
    assert (out / "index.html").is_file()


def test_lines_are_scored_with_conversions(documents: Settings) -> None:
    pipe = "# First\n\n| a | b |\n|---|---|\n| 1 | 2 |\n"
    lines = [
        json.dumps({"id": "same", "completion": GOLD["two"], "target": GOLD["two"]}).encode(),
        json.dumps({"id": "pipe", "completion": pipe, "target": GOLD["two"]}).encode(),
        json.dumps({"id": "github", "completion": pipe, "target": GOLD["two"], "subset": "github"}).encode(),
        json.dumps({"id": "empty", "completion": " ", "target": GOLD["two"]}).encode(),
    ]
    scores: dict[str, LineScore] = {}
    score_lines(
        lines,
        "readoc",
        profile="reference",
        settings=documents,
        on_score=lambda one: scores.update({one.id: one}),
    )
    assert set(scores["same"].metrics.values()) == {1.0, None}
    assert 0.0 < scores["pipe"].metrics["table_tree"] < 1.0
    assert scores["github"].metrics["table_tree"] is None
    assert scores["github"].undefined["table_tree"] == "subset github does not have this column"
    assert (scores["empty"].usable, scores["empty"].metrics["table_tree"]) == (False, 0.0)
    assert scores["empty"].metrics["embed_concat"] is None


def test_only_a_model_that_is_shown_pages_has_the_fact_of_how_many(
    data: Path, program: str, documents: Settings, tmp_path: Path
) -> None:
    _evaluate(data, program, tmp_path / "pages", documents)
    _evaluate(data, "oracle", tmp_path / "whole", documents)
    name = "readoc pages in a request"
    about = [
        json.loads((tmp_path / run / "manifest.json").read_text())["about"] for run in ("pages", "whole")
    ]
    assert about[0][name] == "each"
    assert name not in about[1]
