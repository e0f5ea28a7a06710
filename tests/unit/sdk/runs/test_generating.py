"""The stage that asks the model, without any service."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from i2s_sdk.data import Instance, read_folder
from i2s_sdk.errors import CommandMissingError
from i2s_sdk.models import Completion, Finish, ModelAccessError, ModelFailedError, ModelRefusedError
from i2s_sdk.runs.folder import RunFolder
from i2s_sdk.runs.generating import Generating
from i2s_sdk.runs.outcome import Outcome
from i2s_sdk.runs.sample import Sample
from i2s_sdk.tasks.prompts import Prompt
from i2s_sdk.tasks.registry import open_task
from tiny_formulas import write_tiny_formulas


class Scripted:
    """A model of one's own: counts, and does what a test wants."""

    name, fingerprint = "mine", ""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.raises: Exception | None = None

    async def complete(self, instance: Instance, prompt: Prompt) -> Completion:
        self.asked.append(instance.id)
        if self.raises:
            raise self.raises
        return Completion("$x$", Finish.STOP, 9, 3, 0.5, attempts=1)


@pytest.fixture
def instance(tmp_path: Path) -> Instance:
    return read_folder(write_tiny_formulas(tmp_path / "data", 1).folder).instances[0]


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[RunFolder]:
    with RunFolder.open(tmp_path / "run") as folder:
        yield folder


def _stage(folder: RunFolder, model: Scripted, **missing: CommandMissingError) -> Generating:
    named = {name.replace("_", "-"): error for name, error in missing.items()}
    return Generating({"latex": open_task("latex")}, model, folder, named)


async def test_an_answer_is_on_disk_before_the_sample_goes_on(folder: RunFolder, instance: Instance) -> None:
    sample = await _stage(folder, Scripted())(Sample(instance))
    assert not sample.ended
    assert sample.answer == folder.answer(instance.id)
    assert (folder.answered, folder.paid) == (1, 0.5)


async def test_what_was_answered_is_not_asked_again(folder: RunFolder, instance: Instance) -> None:
    model = Scripted()
    for _ in range(3):
        sample = await _stage(folder, model)(Sample(instance))
        assert sample.answer is not None
    assert model.asked == [instance.id]


async def test_a_refusal_goes_on_to_be_scored_with_0(folder: RunFolder, instance: Instance) -> None:
    model = Scripted()
    model.raises = ModelRefusedError("mine refused: no", Completion("no", Finish.REFUSED, attempts=1))
    sample = await _stage(folder, model)(Sample(instance))
    assert not sample.ended
    assert sample.answer is not None
    assert sample.answer.outcome is Outcome.REFUSED
    await _stage(folder, model)(Sample(instance))
    assert len(model.asked) == 1


async def test_a_failure_ends_the_sample_and_is_tried_again(folder: RunFolder, instance: Instance) -> None:
    model = Scripted()
    model.raises = ModelFailedError("no answer after 5 attempts", 5)
    sample = await _stage(folder, model)(Sample(instance))
    assert sample.record is not None
    assert (sample.record.outcome, sample.record.attempts) == (Outcome.MODEL_FAILURE, 5)
    assert sample.record.failure is not None
    assert folder.picture(sample.record.reference_sha256) == instance.image.read_bytes()
    assert (folder.answered, folder.answer(instance.id)) == (0, None)
    model.raises = None
    again = await _stage(folder, model)(Sample(instance))
    assert not again.ended
    assert folder.answered == 1


async def test_a_missing_renderer_ends_the_sample_before_the_model_is_asked(
    folder: RunFolder, instance: Instance
) -> None:
    model = Scripted()
    stage = _stage(folder, model, render_latex=CommandMissingError("install it"))
    sample = await stage(Sample(instance))
    assert sample.record is not None
    assert sample.record.outcome is Outcome.RENDER_FAILURE
    assert sample.record.failure is not None
    assert sample.record.failure.message == "install it"
    assert model.asked == []


async def test_a_key_that_is_wrong_ends_the_run(folder: RunFolder, instance: Instance) -> None:
    model = Scripted()
    model.raises = ModelAccessError("the key is wrong")
    with pytest.raises(ModelAccessError):
        await _stage(folder, model)(Sample(instance))
    assert len(folder.answers) == 0
