"""The stage that asks the model, without any service."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from i2s_sdk.data import Instance, read_folder
from i2s_sdk.data.folder import read_content
from i2s_sdk.errors import CommandMissingError, DataError
from i2s_sdk.models import Completion, Finish, ModelAccessError, ModelFailedError, ModelRefusedError
from i2s_sdk.models.completion import AllCallsFailedError
from i2s_sdk.models.model import Model
from i2s_sdk.run.failures import LikeFailures
from i2s_sdk.run.generate import GenerateStage, SampleAnswer
from i2s_sdk.run.pipeline import Sample
from i2s_sdk.run.render import RenderStage
from i2s_sdk.run.storage.folder import RunFolder, read_asked
from i2s_sdk.run.storage.record import Outcome
from i2s_sdk.tasks.own_prompts import Example, OwnPrompt
from i2s_sdk.tasks.question import Question
from i2s_sdk.tasks.registry import open_task
from tiny_formulas import write_tiny_formulas


class Scripted(Model):
    """A model of one's own: counts, and does what a test wants."""

    name, fingerprint = "mine", ""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.raises: Exception | None = None

    async def complete(self, instance: Instance, question: Question) -> Completion:
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


def _stage(folder: RunFolder, model: Scripted, **missing: CommandMissingError) -> GenerateStage:
    named = {name.replace("_", "-"): error for name, error in missing.items()}
    return GenerateStage({"latex": open_task("latex")}, model, folder, named)


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
    assert (sample.record.outcome, sample.record.answer.attempts) == (Outcome.MODEL_FAILURE, 5)
    assert sample.record.failure is not None
    assert folder.image(sample.record.instance.reference_sha256) == instance.image.read_bytes()
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


async def test_an_answer_that_is_too_long_is_final_and_kept_only_in_part(
    folder: RunFolder, instance: Instance
) -> None:
    class Verbose(Scripted):
        async def complete(self, instance: Instance, question: Question) -> Completion:
            self.asked.append(instance.id)
            return Completion("x" * 2_000_000, Finish.STOP, attempts=1)

    model = Verbose()
    for _ in range(2):
        sample = await _stage(folder, model)(Sample(instance))
    assert sample.answer is not None
    assert sample.answer.outcome is Outcome.NO_STRUCTURE
    assert sample.answer.completion == "x" * 1000
    assert sample.answer.message.startswith("not usable: too long")
    assert len(model.asked) == 1


async def test_no_model_is_called_for_a_reference_that_is_damaged(
    folder: RunFolder, instance: Instance
) -> None:
    raw = bytearray(instance.image.read_bytes())
    at = raw.index(b"IDAT") + 8
    body = bytes(len(raw) - at - 16)
    instance.image.write_bytes(bytes(raw[:at]) + body + bytes(raw[at + len(body) :]))
    model = Scripted()
    with pytest.raises(DataError, match="the reference is a damaged image"):
        await _stage(folder, model)(Sample(instance))
    assert model.asked == []


async def test_every_call_that_fails_alike_ends_the_run_with_the_reason(
    folder: RunFolder, instance: Instance
) -> None:
    model = Scripted()
    model.raises = ModelFailedError("no answer after 5 attempts; the last: HTTP 500", 5, "HTTP 500: gone")
    stage = GenerateStage({"latex": open_task("latex")}, model, folder, like_failures=LikeFailures(3))
    for _ in range(2):
        assert (await stage(Sample(instance))).ended
    with pytest.raises(AllCallsFailedError, match="HTTP 500"):
        await stage(Sample(instance))
    assert len(model.asked) == 3


async def test_a_model_that_fails_in_the_middle_is_asked_no_more_and_its_samples_end(
    folder: RunFolder, instance: Instance
) -> None:
    model = Scripted()
    stage = GenerateStage({"latex": open_task("latex")}, model, folder, like_failures=LikeFailures(3))
    other = replace(instance, id="other")
    await stage(Sample(other))
    model.raises = ModelFailedError("no answer", 5, "HTTP 500: gone")
    for _ in range(5):
        ended = await stage(Sample(instance))
        assert ended.ended
    assert len(model.asked) == 1 + 3
    answer = folder.answer(instance.id)
    assert answer is None, "it is asked again at the next start"
    assert "calls before it failed" in ended.answer.failure.message


async def test_an_answer_that_nobody_was_asked_for_does_not_keep_the_run_going(
    folder: RunFolder, instance: Instance, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def cached(instance: Instance, question: Question) -> Completion:
        return Completion("$x$", Finish.STOP, attempts=0)

    model = Scripted()
    stage = GenerateStage({"latex": open_task("latex")}, model, folder, like_failures=LikeFailures(2))
    with monkeypatch.context() as patch:
        patch.setattr(model, "complete", cached)
        await stage(Sample(replace(instance, id="other")))
    model.raises = ModelFailedError("no answer", 5, "HTTP 500: gone")
    assert (await stage(Sample(instance))).ended
    with pytest.raises(AllCallsFailedError):
        await stage(Sample(instance))


@pytest.mark.parametrize("attempts", [0, 1, 3])
async def test_what_cost_something_is_flushed_before_the_sample_goes_on(
    folder: RunFolder, instance: Instance, monkeypatch: pytest.MonkeyPatch, attempts: int
) -> None:
    """An appended line survives the process only once it is flushed, as in an object store."""
    model, flushed = Scripted(), asyncio.Event()
    flushing = asyncio.Event()

    async def complete(instance: Instance, question: Question) -> Completion:
        return Completion("$x$", Finish.STOP, attempts=attempts)

    async def wait_durable() -> None:
        assert len(folder.answers) == 1
        flushing.set()
        await flushed.wait()

    monkeypatch.setattr(model, "complete", complete)
    monkeypatch.setattr(folder.answers, "wait_durable", wait_durable)
    sample = asyncio.ensure_future(_stage(folder, model)(Sample(instance)))
    if attempts:
        await flushing.wait()
        assert not sample.done()
        flushed.set()
    assert (await sample).answer is not None
    assert flushing.is_set() is bool(attempts)


async def test_the_question_is_kept_with_own_prompts_and_the_images_of_examples(
    folder: RunFolder, instance: Instance, tmp_path: Path
) -> None:
    assert instance.image is not None
    shown = tmp_path / "example.png"
    shown.write_bytes(instance.image.read_bytes() + b"\0")
    example = Example(shown, "", "x^2")
    own = OwnPrompt("Copy it. {question}", "Be exact.", (example,))
    stage = replace(_stage(folder, Scripted()), prompts={"latex": own})
    await stage(Sample(instance))
    folder.storage.flush()
    [(name, asked)] = read_asked(folder.storage)[instance.id]
    assert (name, asked.system) == ("", "Be exact.")
    assert asked.parts[0].text.startswith("Copy it. ")
    assert asked.parts[2].text == "\nAnswer:\nx^2\n\n"
    kept = [folder.image(digest) for digest in asked.images]
    assert kept == [shown.read_bytes(), instance.image.read_bytes()]


async def test_a_record_has_the_digest_of_its_target_text(folder: RunFolder, instance: Instance) -> None:
    missing = CommandMissingError("install it")
    first = await _stage(folder, Scripted(), render_latex=missing)(Sample(instance))
    assert instance.structure is not None
    instance.structure.write_text("$y$")
    second = await _stage(folder, Scripted(), render_latex=missing)(Sample(instance))
    assert first.record is not None
    assert second.record is not None
    assert first.record.instance.target_sha256
    assert first.record.instance.reference_sha256 == second.record.instance.reference_sha256
    assert first.record.instance.target_sha256 != second.record.instance.target_sha256


async def test_what_is_rendered_has_the_digest_of_its_target_text(
    folder: RunFolder, instance: Instance
) -> None:
    sample = Sample(instance, SampleAnswer("$x$"))
    stage = RenderStage({"latex": CommandMissingError("install it")}, folder)
    record = (await stage(sample)).record
    assert record is not None
    assert record.instance.target_sha256 == read_content(instance).target_sha256 != ""
