"""Design2Code from the released folder to its values, with the renderer of pages alone."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from i2s_sdk import evaluate
from i2s_sdk.cli.main import run
from i2s_sdk.data.folder import read_content
from i2s_sdk.instances.instance import Instance
from i2s_sdk.models.baselines import Oracle
from i2s_sdk.models.model import Completion, Finish, Model
from i2s_sdk.settings import Settings
from i2s_sdk.tasks.question import ImagePart, Question, TextPart
from kept_services import kept_services

pytestmark = pytest.mark.integration

PAGES = Path(__file__).resolve().parents[4] / "examples" / "design2code" / "pages"


@pytest.fixture(scope="module")
def rendering(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Settings]:
    """Settings that name a renderer of pages: the profile compares no images."""
    with kept_services(tmp_path_factory.mktemp("logs"), os.environ, ("render-html",)) as settings:
        caches = str(tmp_path_factory.mktemp("caches"))
        yield replace(
            settings,
            reference_points="no",
            evaluation_caches=caches,
            design2code_prompt="text",
            fail_on_error="0",
        )


@pytest.fixture(scope="module")
def imported(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two pages of the released layout, imported."""
    folder = tmp_path_factory.mktemp("released")
    for name in ("1.html", "1.png", "3.html", "3.png", "rick.jpg"):
        shutil.copy(PAGES / name, folder)
    out = folder / "imported"
    assert run(["dataset", "import", "design2code", str(folder), "--out", str(out)]) == 0
    return out


class Revising(Model):
    """Answers with a heading, and in the second turn with the page."""

    name = "mine/revising"

    def __init__(self) -> None:
        self.asked: list[Question] = []

    async def complete(self, instance: Instance, question: Question) -> Completion:
        self.asked.append(question)
        code = (
            read_content(instance).structure
            if question.earlier
            else "<html><body><h1>Tide</h1></body></html>"
        )
        return Completion(f"```html\n{code}\n```", Finish.STOP)


def _values(folder: Path, name: str) -> dict[str, dict[str, float]]:
    lines = map(json.loads, (folder / name).read_text().splitlines())
    return {line["id"]: line["metrics"] for line in lines}


def test_the_page_itself_has_every_score(rendering: Settings, imported: Path, tmp_path: Path) -> None:
    evaluate(imported, Oracle(), out=tmp_path, settings=rendering, profile="reference")
    values = _values(tmp_path, "records.jsonl")
    assert len(values) == 2
    for of_page in values.values():
        assert of_page == pytest.approx(dict.fromkeys(of_page, 1.0))


def test_a_page_is_revised_in_the_published_words(
    rendering: Settings, imported: Path, tmp_path: Path
) -> None:
    model = Revising()
    evaluate(imported, model, out=tmp_path, settings=rendering, profile="reference", turns=2, limit=1)
    first, second = model.asked
    texts = [part.text for part in (*first.parts, *second.parts) if isinstance(part, TextPart)]
    assert "The text elements are:\nHarbour tide table\n" in texts.pop(0)
    assert "The current implementation I have is:\n<html><body><h1>Tide</h1>" in texts[0]
    assert sum(isinstance(part, ImagePart) for part in second.parts) == 2
    (before,), (after,) = (
        _values(tmp_path, name).values() for name in ("records.jsonl", "turn-records.jsonl")
    )
    assert before["design2code_dom"] < after["design2code_dom"] == 1


def test_an_image_alone_is_read_for_a_task_of_its_own(rendering: Settings, tmp_path: Path) -> None:
    pytest.importorskip("rapidocr")
    shutil.copy(PAGES / "4.png", tmp_path)
    out = tmp_path / "out"
    assert run(["dataset", "import", "design2code", str(tmp_path), "--out", str(out), "--ocr"]) == 0
    (line,) = (out / "instances.jsonl").read_text().splitlines()
    assert json.loads(line)["target"]["engine"].startswith("rapidocr ")
    assert "Open until ten" in json.loads(line)["inputs"]["texts"]
    evaluate(out, Oracle(), out=tmp_path / "run", settings=rendering, profile="reference")
    (values,) = _values(tmp_path / "run", "records.jsonl").values()
    assert values["design2code_ocr"] > 0.9
    assert "design2code_dom" not in values


def test_the_example_of_an_image_alone_has_its_values(rendering: Settings, tmp_path: Path) -> None:
    tasks = ["design2code_ocr"]
    evaluate(PAGES.parent, Oracle(), out=tmp_path, settings=rendering, profile="reference", tasks=tasks)
    (values,) = _values(tmp_path, "records.jsonl").values()
    assert values["ocr_block_match"] == values["ocr_block_text"] == 1
    assert values["design2code_ocr"] > 0.99
