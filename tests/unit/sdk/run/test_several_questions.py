"""Samples with several questions: each is asked, paid, kept and resumed by itself."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from i2s_sdk.data import Instance, read_folder
from i2s_sdk.models import (
    Completion,
    Finish,
    ModelFailedError,
    ModelInputRejectedError,
    ModelOptions,
    ModelRefusedError,
    open_model,
)
from i2s_sdk.models.completion import AllCallsFailedError
from i2s_sdk.models.model import Model
from i2s_sdk.run import plan as plan_module
from i2s_sdk.run.failures import LikeFailures
from i2s_sdk.run.generate import GenerateStage, answer_of
from i2s_sdk.run.pipeline import Sample, instance_facts
from i2s_sdk.run.plan import dry_run
from i2s_sdk.run.storage.codec import answer_line, record_line
from i2s_sdk.run.storage.folder import RunFolder
from i2s_sdk.run.storage.record import Outcome, Record, TokenUsage
from i2s_sdk.tasks import ImagePart, Question, TextPart
from i2s_sdk.tasks.latex import LatexTask
from i2s_wire.metrics.profile import Profile
from tiny_formulas import write_tiny_formulas

PAGES = ("page-1", "page-2", "page-3")


class Paged(LatexTask):
    """The task latex, if it asked one question a page."""

    def questions(self, instance: Instance) -> tuple[Question, ...]:
        image = ImagePart(instance.image)
        return tuple(Question((TextPart(f"Write {name}."), image), name=name) for name in PAGES)

    def join(self, completions: Sequence[str]) -> str:
        return "\n\n".join(completions)


class KilledError(Exception):
    """The process ends here."""


class Scripted(Model):
    """A model of one's own: counts, and does with each question what a test wants."""

    name, fingerprint = "mine", ""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.ends: dict[str, Exception | Completion] = {}

    async def complete(self, instance: Instance, question: Question) -> Completion:
        self.asked.append(question.name)
        end = self.ends.get(question.name)
        if isinstance(end, Exception):
            raise end
        return end or Completion(f"text of {question.name}", Finish.STOP, 9, 3, 0.5, attempts=1)


@pytest.fixture
def instance(tmp_path: Path) -> Instance:
    return read_folder(write_tiny_formulas(tmp_path / "data", 1).folder).instances[0]


@pytest.fixture
def run(tmp_path: Path) -> Path:
    return tmp_path / "run"


@pytest.fixture
def folder(run: Path) -> Iterator[RunFolder]:
    with RunFolder.open(run) as folder:
        yield folder


def _stage(folder: RunFolder, model: Scripted, **more: object) -> GenerateStage:
    return GenerateStage({"latex": Paged(Profile.PAPER)}, model, folder, **more)  # type: ignore[arg-type]


def _lines(run: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in (run / "answers.jsonl").read_text().splitlines()]


async def test_the_answer_of_a_sample_joins_those_to_its_questions(
    folder: RunFolder, instance: Instance, run: Path
) -> None:
    model = Scripted()
    model.ends["page-2"] = Completion("cut", Finish.LENGTH, 1, 2, 0.25, attempts=2)
    sample = await _stage(folder, model)(Sample(instance))
    answer = sample.answer
    assert answer is not None
    assert answer.completion == "text of page-1\n\ncut\n\ntext of page-3"
    assert (answer.usage, answer.cost, answer.attempts) == (TokenUsage(19, 8), 1.25, 4)
    assert (answer.finish, answer.outcome, answer.questions) == ("length", None, PAGES)
    assert folder.answer(instance.id) == answer
    assert [line.get("question") for line in _lines(run)] == [*PAGES, None]
    assert (folder.answered, folder.paid) == (1, 1.25)


async def test_each_answer_is_on_disk_before_the_next_question_is_asked(
    folder: RunFolder, instance: Instance, monkeypatch: pytest.MonkeyPatch
) -> None:
    steps: list[str] = []

    class Telling(Scripted):
        async def complete(self, instance: Instance, question: Question) -> Completion:
            steps.append(question.name)
            return await super().complete(instance, question)

    async def wait_durable() -> None:
        steps.append(f"{len(folder.answers)} durable")

    monkeypatch.setattr(folder.answers, "wait_durable", wait_durable)
    await _stage(folder, Telling())(Sample(instance))
    assert steps == ["page-1", "1 durable", "page-2", "2 durable", "page-3", "3 durable"]


@pytest.mark.parametrize("killed_at", PAGES)
async def test_a_resumed_run_asks_only_the_questions_that_have_no_answer(
    run: Path, instance: Instance, killed_at: str
) -> None:
    model = Scripted()
    model.ends[killed_at] = KilledError()
    with RunFolder.open(run) as folder, pytest.raises(KilledError):
        await _stage(folder, model)(Sample(instance))
    before = PAGES.index(killed_at)
    with RunFolder.open(run) as folder:
        assert (folder.answered, folder.paid, folder.answer(instance.id)) == (0, 0.5 * before, None)
        model.ends, model.asked = {}, []
        sample = await _stage(folder, model)(Sample(instance))
        assert model.asked == list(PAGES[before:])
        assert sample.answer is not None
        assert sample.answer.completion == "\n\n".join(f"text of {name}" for name in PAGES)
    with RunFolder.open(run) as folder:
        assert (folder.answered, folder.paid) == (1, 1.5)
        assert folder.answer(instance.id) == sample.answer
        await _stage(folder, model)(Sample(instance))
    assert model.asked == list(PAGES[before:])


async def test_a_run_that_was_killed_before_the_answers_were_joined_asks_nothing(
    run: Path, instance: Instance
) -> None:
    model = Scripted()
    with RunFolder.open(run) as folder:
        await _stage(folder, model)(Sample(instance))
    lines = (run / "answers.jsonl").read_text().splitlines(keepends=True)
    (run / "answers.jsonl").write_text("".join(lines[:-1]))
    with RunFolder.open(run) as folder:
        assert folder.answer(instance.id) is None
        sample = await _stage(folder, model)(Sample(instance))
        assert folder.answer(instance.id) == sample.answer
    assert model.asked == list(PAGES)
    assert (run / "answers.jsonl").read_text().splitlines(keepends=True) == lines


async def test_a_failed_question_fails_the_sample_and_keeps_what_was_answered(
    folder: RunFolder, instance: Instance
) -> None:
    model = Scripted()
    model.ends["page-2"] = ModelFailedError("no answer after 5 attempts", 5)
    sample = await _stage(folder, model)(Sample(instance))
    record = sample.record
    assert record is not None
    assert record.failure is not None
    assert (record.outcome, record.failure.message) == (Outcome.MODEL_FAILURE, "no answer after 5 attempts")
    assert (record.answer.attempts, record.answer.cost, record.answer.completion) == (6, 0.5, None)
    assert (folder.answered, folder.paid) == (0, 0.5)
    assert model.asked == ["page-1", "page-2"]
    model.ends = {}
    again = await _stage(folder, model)(Sample(instance))
    assert not again.ended
    assert model.asked == ["page-1", "page-2", "page-2", "page-3"]
    assert (folder.answered, folder.paid) == (1, 1.5)


async def test_a_rejected_question_ends_the_sample_by_its_own_outcome_and_is_asked_again(
    folder: RunFolder, instance: Instance
) -> None:
    model = Scripted()
    model.ends["page-2"] = ModelInputRejectedError("mine rejected this input: too small", 1, "HTTP 400")
    sample = await _stage(folder, model)(Sample(instance))
    assert sample.record is not None
    assert sample.record.failure is not None
    assert (sample.record.outcome, sample.record.answer.finish) == (Outcome.INPUT_REJECTED, "")
    assert sample.record.failure.message == "mine rejected this input: too small"
    assert folder.answered == 0
    model.ends = {}
    assert not (await _stage(folder, model)(Sample(instance))).ended
    assert model.asked == ["page-1", "page-2", "page-2", "page-3"]


async def test_rejected_inputs_alone_end_a_run_as_other_failures_that_are_alike(
    folder: RunFolder, instance: Instance
) -> None:
    model = Scripted()
    model.ends["page-1"] = ModelInputRejectedError("mine rejected this input", 1, "HTTP 400: no images")
    with pytest.raises(AllCallsFailedError, match="1 failed alike"):
        await _stage(folder, model, like_failures=LikeFailures(1))(Sample(instance))


@pytest.mark.parametrize("how", ["refused", "too long"])
async def test_a_question_without_a_usable_answer_ends_the_sample_as_it_would_alone(
    folder: RunFolder, instance: Instance, how: str
) -> None:
    model = Scripted()
    refusal = Completion("no", Finish.REFUSED, 1, 1, 0.25, attempts=1)
    model.ends["page-2"] = (
        ModelRefusedError("mine refused: no", refusal) if how == "refused" else Completion("x" * 101)
    )
    sample = await _stage(folder, model, completion_characters=100)(Sample(instance))
    assert not sample.ended
    assert sample.answer is not None
    assert sample.answer.final
    assert sample.answer.outcome is (Outcome.REFUSED if how == "refused" else Outcome.NO_STRUCTURE)
    assert sample.answer.questions == ("page-1", "page-2")
    assert (folder.answer(instance.id), folder.answered) == (sample.answer, 1)
    await _stage(folder, model)(Sample(instance))
    assert model.asked == ["page-1", "page-2"]


async def test_answers_that_are_too_long_together_are_too_long(folder: RunFolder, instance: Instance) -> None:
    sample = await _stage(folder, Scripted(), completion_characters=40)(Sample(instance))
    assert sample.answer is not None
    assert (sample.answer.outcome, sample.answer.finish) == (Outcome.NO_STRUCTURE, "too_long")


async def test_every_failed_question_counts_among_failures_that_are_alike(
    folder: RunFolder, instance: Instance
) -> None:
    model = Scripted()
    model.ends["page-2"] = ModelFailedError("no answer", 5, "HTTP 500")
    stage = _stage(folder, model, like_failures=LikeFailures(1))
    assert (await stage(Sample(instance))).ended  # page-1 was answered, so not all calls fail alike


async def test_what_is_not_known_of_one_question_is_not_known_of_the_sample(
    folder: RunFolder, instance: Instance
) -> None:
    model = Scripted()
    model.ends["page-2"] = Completion("x", Finish.STOP, 5, cached=True, cost=None)
    sample = await _stage(folder, model)(Sample(instance))
    assert sample.answer is not None
    assert (sample.answer.usage, sample.answer.cost) == (TokenUsage(23, None), None)
    assert not sample.answer.cached
    assert folder.paid == 1.0


async def test_names_that_do_not_tell_questions_apart_are_an_error(
    folder: RunFolder, instance: Instance
) -> None:
    class Unnamed(Paged):
        def questions(self, instance: Instance) -> tuple[Question, ...]:
            return tuple(replace(question, name="") for question in super().questions(instance))

    stage = replace(_stage(folder, Scripted()), tasks={"latex": Unnamed(Profile.PAPER)})
    with pytest.raises(ValueError, match="need a name each"):
        await stage(Sample(instance))


async def test_a_line_of_a_sample_with_one_question_is_as_it_was() -> None:
    """Runs of before are read, and what is written now is read by them."""
    fields = "id completion outcome message failure finish usage cost cached attempts seconds".split()
    assert list(answer_line("a", answer_of(Completion("x"), 0.5))) == fields


async def test_the_record_of_a_sample_has_the_sums(folder: RunFolder, instance: Instance) -> None:
    sample = await _stage(folder, Scripted())(Sample(instance))
    assert sample.answer is not None
    line = record_line(Record(instance_facts(instance), sample.answer))
    assert (line["usage"], line["cost"]) == ({"input_tokens": 27, "output_tokens": 9}, 1.5)
    assert line["attempts"] == 3


def test_a_dry_run_counts_calls_and_not_samples(
    tmp_path: Path, instance: Instance, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(plan_module, "open_task", lambda name, profile=Profile.PAPER, _=None: Paged(profile))
    with RunFolder.open(tmp_path / "run") as folder:
        said = answer_of(Completion("x"), 0.0)
        folder.put_answer(instance.id, replace(said, question="page-2"))
    options = ModelOptions(cache=None, max_tokens=10)
    found = dry_run(tmp_path / "data", "openai/tiny", out=tmp_path / "run", options=options)
    assert (found.samples, found.answered) == (1, 0)
    assert (found.estimate.calls, found.estimate.images, found.estimate.tokens_out) == (2, 2, 20)


async def test_a_replay_answers_each_question_from_the_answers_of_a_run(
    folder: RunFolder, instance: Instance, run: Path
) -> None:
    model = Scripted()
    sample = await _stage(folder, model)(Sample(instance))
    replay = open_model(f"replay:{run / 'answers.jsonl'}")
    asked = Paged(Profile.PAPER).questions(instance)
    found = [(await replay.complete(instance, one)).text for one in asked]
    assert found == [f"text of {name}" for name in PAGES]
    assert sample.answer is not None
    whole = await replay.complete(instance, replace(asked[0], name=""))
    assert whole.text == sample.answer.completion
