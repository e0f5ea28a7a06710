"""Calls that were begun, and what of them may have been billed."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from i2s_sdk.data import Instance
from i2s_sdk.models import ModelOptions
from i2s_sdk.models.called import CalledModel
from i2s_sdk.models.model import Finish
from i2s_sdk.models.oracle import Oracle
from i2s_sdk.models.provider import Answer as Said
from i2s_sdk.models.question import Question
from i2s_sdk.runs.answer import Answer
from i2s_sdk.runs.folder import RunFolder
from i2s_sdk.runs.journal import marked_calls
from i2s_sdk.tasks.prompts import Prompt


class Slow:
    """A provider that answers every question but that of "stuck"."""

    vendor, model, base_url, repeatable = "openai", "tiny", "", True
    parameters: dict[str, float | int | str | None] = {}  # noqa: RUF012 - as the protocol has it

    async def ask(self, question: Question) -> Said:
        if question.id == "stuck":
            await asyncio.Event().wait()
        return Said("$x$", Finish.STOP)

    async def close(self) -> None:
        pass


def _instance(tmp_path: Path, name: str) -> Instance:
    image = tmp_path / f"{name}.png"
    image.write_bytes(b"\x89PNG\r\n\x1a\n" + name.encode())
    return Instance(name, "latex", "equation", image)


async def test_a_call_is_on_disk_before_it_is_made_and_a_kept_answer_is_no_call(tmp_path: Path) -> None:
    model = CalledModel(Slow(), ModelOptions(cache=tmp_path / "cache"))
    prompt = Prompt(("Say it.",))
    with RunFolder.open(tmp_path / "run") as folder:
        with marked_calls(model, folder.calls):
            for name in ("a", "a"):
                completion = await model.complete(_instance(tmp_path, name), prompt)
                folder.put_answer(Answer.of(name, completion, 0.0))
            stuck = asyncio.create_task(model.complete(_instance(tmp_path, "stuck"), prompt))
            while "stuck" not in folder.calls:
                await asyncio.sleep(0)
            assert folder.unanswered_calls() == {"stuck": 1}
            stuck.cancel()
            with pytest.raises(asyncio.CancelledError):
                await stuck
        assert model.on_call is None
    with RunFolder.open(tmp_path / "run") as folder:
        assert folder.unanswered_calls() == {"stuck": 1}
        lines = (tmp_path / "run" / "calls.jsonl").read_text().splitlines()
        assert len(lines) == 2  # one of "a": the second answer was kept


def test_models_that_cost_nothing_leave_no_marks(tmp_path: Path) -> None:
    with RunFolder.open(tmp_path) as folder:
        with marked_calls(Oracle(), folder.calls):
            pass
        assert len(folder.calls) == 0
        assert folder.unanswered_calls() == {}
