"""What is too long reaches neither extraction nor renderer; a bad reference ends a run before its model."""

from __future__ import annotations

from pathlib import Path

import pytest

from i2s_sdk.cli.main import run
from i2s_sdk.instances.instance import Content
from i2s_sdk.models import Completion
from i2s_sdk.run.generate import answer_of
from i2s_sdk.run.render import RenderStep, StructureStep
from i2s_sdk.run.storage.record import Outcome, SampleInstance
from i2s_sdk.tasks.registry import SPECS, open_task
from tiny_formulas import write_tiny_formulas


@pytest.mark.parametrize("task", [name for name in SPECS if SPECS[name].renders])
async def test_nothing_is_extracted_from_or_sent_of_a_completion_that_is_too_long(task: str) -> None:
    answer = answer_of(Completion("x" * 45_000_000), 0.0)
    facts = SampleInstance("a", task, "s", "")
    nobody: dict = {}  # to ask a renderer raises
    rendering = open_task(task).rendering
    assert rendering is not None
    step = RenderStep(rendering, nobody, with_texts=False)
    rendered, picture = await step.render(facts, Content(b""), answer)
    assert picture is None
    assert rendered.outcome is Outcome.NO_STRUCTURE
    assert rendered.message.startswith("not usable: too long")


@pytest.mark.parametrize("task", [name for name in SPECS if not SPECS[name].renders])
async def test_nothing_is_read_out_of_a_completion_that_is_too_long_where_nothing_is_rendered(
    task: str,
) -> None:
    answer = answer_of(Completion("x" * 45_000_000), 0.0)
    facts = SampleInstance("a", task, "s", "")
    rendered, _ = await StructureStep(open_task(task)).render(facts, Content(b""), answer)
    assert rendered.outcome is Outcome.NO_STRUCTURE
    assert rendered.message.startswith("not usable: too long")


@pytest.mark.parametrize(
    "content", [b"no picture", b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 9 9\n", b""]
)
def test_a_reference_that_is_no_picture_ends_the_run_before_the_model_is_called(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], content: bytes
) -> None:
    monkeypatch.chdir(tmp_path)
    folder = write_tiny_formulas(tmp_path / "data", 3).folder
    program = tmp_path / "model"
    program.write_text("#!/bin/sh\ntouch called\necho x\n")
    program.chmod(0o755)
    pictures = sorted(folder.rglob("*.png"))
    pictures[-1].write_bytes(content)
    arguments = ["--data", str(folder), "--model", f"command:{program} {{image}}", "--out", "run"]
    for command in ("generate", "evaluate"):
        assert run([command, *arguments]) == 2
        told = capsys.readouterr().err.splitlines()[-1]
        assert f"{pictures[-1].name}: the reference is not an image in PNG, JPEG or WebP" in told
        assert not (tmp_path / "run").exists()
    assert not (tmp_path / "called").exists()
