"""The turns of a run: what is asked again, when a conversation ends, what remains after an interruption."""

from __future__ import annotations

import asyncio
import io
import json
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from PIL import Image

from i2s_sdk.data import Instance, Selection, read_folder
from i2s_sdk.errors import RunConflictError, UsageError, WriteError
from i2s_sdk.models import Completion, Finish, ModelFailedError, ModelRefusedError, open_model
from i2s_sdk.models.completion import ModelInputRejectedError
from i2s_sdk.models.costs import Estimate
from i2s_sdk.models.model import Model
from i2s_sdk.run.failures import LikeFailures
from i2s_sdk.run.generate import GenerateStage
from i2s_sdk.run.pipeline import Sample, instance_facts, say_nothing
from i2s_sdk.run.plan import Plan, choose, dry_run, plan_run
from i2s_sdk.run.runner import Runner, StageName
from i2s_sdk.run.stages import generate, render_run
from i2s_sdk.run.storage.folder import OF_TURNS, RunFolder
from i2s_sdk.run.storage.local import DRAFTS
from i2s_sdk.run.storage.manifest import Manifest
from i2s_sdk.run.storage.record import (
    FirstError,
    Outcome,
    ReadingNote,
    Record,
    SampleAnswer,
    SampleRendering,
    SampleScore,
    SampleTurn,
    TurnEnd,
)
from i2s_sdk.run.turns import Conversation, ConversationImages, Turns, end_of, first_error
from i2s_sdk.settings import Settings
from i2s_sdk.tasks.latex import LatexTask
from i2s_sdk.tasks.question import ImagePart, Question, TextPart
from i2s_wire.metrics.profile import Profile
from i2s_wire.render.rendering import Verdict
from small_disk import small_disk
from tiny_formulas import write_tiny_formulas

LATEX, FIRST = LatexTask(), SampleTurn()


class Scripted(Model):
    """Answers with what it is given, and remembers what it was asked."""

    name, fingerprint = "mine", ""

    def __init__(self, *answers: str | Exception) -> None:
        self.answers, self.asked = list(answers), list[Question]()

    async def complete(self, instance: Instance, question: Question) -> Completion:
        self.asked.append(question)
        for part in question.parts:
            if isinstance(part, ImagePart):
                Image.open(part.path).load()
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return Completion(answer, Finish.STOP, 9, 3, 0.5, attempts=1)


@pytest.fixture
def plan(tmp_path: Path) -> Plan:
    data = read_folder(write_tiny_formulas(tmp_path / "data", 3).folder)
    return plan_run(choose(data, Profile.PAPER, (), Selection(), turns=3), "mine", "")


@pytest.fixture
def instance(plan: Plan) -> Instance:
    return plan.instances[0]


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[RunFolder]:
    with RunFolder.open(tmp_path / "run") as folder:
        yield folder


def _png(color: str) -> bytes:
    file = io.BytesIO()
    Image.new("RGB", (20, 10), color).save(file, "PNG")
    return file.getvalue()


def _record(
    folder: RunFolder,
    instance: Instance,
    completion: str = "$x$",
    turn: SampleTurn = FIRST,
    **rendering: object,
) -> Record:
    facts = instance_facts(instance, reference=folder.put_image(_png("white")))
    fields = {"usable": True, "verdict": Verdict.RENDERED, "structure": completion, **rendering}
    rendered = SampleRendering(sha256=folder.put_image(_png("black")), **fields)  # type: ignore[arg-type]
    score = SampleScore(Outcome.SCORED, metrics={"ems": 0.5})
    return Record(facts, SampleAnswer(completion, finish="stop"), rendered, score, turn)


def _ended(folder: RunFolder, instance: Instance, turn: int, ended: TurnEnd | None = None) -> None:
    folder.append(_record(folder, instance, turn=SampleTurn(turn, ended)))


def _failed(folder: RunFolder, instance: Instance, turn: int) -> None:
    failed = SampleRendering(outcome=Outcome.RENDER_FAILURE)
    folder.append(Record(instance_facts(instance), rendering=failed, turn=SampleTurn(turn)))


def _turns(plan: Plan, folder: RunFolder, model: Model | None = None) -> Turns:
    return Turns(folder, plan.tasks, plan.turns, model or Scripted())


# ---- the end of a conversation


def test_a_conversation_goes_on_after_an_answer_with_another_structure(
    folder: RunFolder, instance: Instance
) -> None:
    first, second = _record(folder, instance), _record(folder, instance, "$y$", SampleTurn(2))
    assert end_of(first, None, LATEX) is None
    assert end_of(second, first, LATEX) is None


def test_the_same_structure_again_ends_it(folder: RunFolder, instance: Instance) -> None:
    first = _record(folder, instance)
    again = replace(first, answer=SampleAnswer("Here it is again: $x$"), turn=SampleTurn(2))
    assert end_of(again, first, LATEX) is TurnEnd.UNCHANGED


def test_two_answers_without_structure_are_not_the_same(folder: RunFolder, instance: Instance) -> None:
    nothing = SampleRendering(outcome=Outcome.NO_STRUCTURE, message="there is no code")
    first = replace(_record(folder, instance), rendering=nothing)
    assert end_of(replace(first, turn=SampleTurn(2)), first, LATEX) is None


@pytest.mark.parametrize(
    ("answer", "outcome", "end"),
    [
        (SampleAnswer("No.", outcome=Outcome.REFUSED), Outcome.REFUSED, TurnEnd.REFUSED),
        (SampleAnswer(""), Outcome.NO_STRUCTURE, TurnEnd.NO_ANSWER),
        (SampleAnswer("<think>hm"), Outcome.ENDED_IN_REASONING, TurnEnd.NO_ANSWER),
        (SampleAnswer("x" * 9, finish="too_long"), Outcome.NO_STRUCTURE, TurnEnd.NO_ANSWER),
        (SampleAnswer(None), Outcome.MODEL_FAILURE, None),
        (SampleAnswer("$x$"), Outcome.RENDER_FAILURE, None),
        (SampleAnswer("$x$"), Outcome.METRIC_FAILURE, None),
    ],
)
def test_an_answer_that_cannot_be_shown_ends_it_and_a_failure_of_ours_does_not(
    instance: Instance, answer: SampleAnswer, outcome: Outcome, end: TurnEnd | None
) -> None:
    record = Record(instance_facts(instance), answer, score=SampleScore(outcome))
    assert end_of(record, None, LATEX) is end


def test_a_model_without_further_turns_ends_it_at_the_first_and_says_why(
    plan: Plan, folder: RunFolder, instance: Instance
) -> None:
    turns = _turns(plan, folder, open_model("baseline/blank"))
    placed = turns.placed(instance, _record(folder, instance))
    assert placed == SampleTurn(1, TurnEnd.NO_TURN, "it looks at nothing")


def test_the_last_turn_of_a_run_needs_no_reason(plan: Plan, folder: RunFolder, instance: Instance) -> None:
    _ended(folder, instance, 2)
    last = _record(folder, instance, "$z$", SampleTurn(3))
    assert _turns(plan, folder, open_model("baseline/blank")).placed(instance, last) == SampleTurn(3)


# ---- what remains after an interruption


def test_a_turn_remains_until_it_has_a_score(plan: Plan, folder: RunFolder, instance: Instance) -> None:
    turns = _turns(plan, folder)

    def left() -> list[int]:
        return [turn for turn in (2, 3) if turns.remaining([instance], turn)]

    assert (left(), turns.any_remaining(instance)) == ([], False)
    _failed(folder, instance, 1)
    assert left() == []
    _ended(folder, instance, 1)
    assert left() == [2]
    _failed(folder, instance, 2)
    assert left() == [2]
    _ended(folder, instance, 2)
    assert left() == [3]
    _ended(folder, instance, 3)
    assert (left(), turns.any_remaining(instance)) == ([], False)


@pytest.mark.parametrize("end", list(TurnEnd))
def test_nothing_remains_of_a_conversation_that_has_ended(
    plan: Plan, folder: RunFolder, instance: Instance, end: TurnEnd
) -> None:
    _ended(folder, instance, 1, end)
    assert not _turns(plan, folder).any_remaining(instance)


async def test_a_run_whose_turns_remain_is_pending_and_one_whose_turns_ended_is_not(
    plan: Plan, folder: RunFolder
) -> None:
    folder.begin(Manifest(plan.options({}, {"ems": "2"})), plan.whole)
    runner = Runner(plan, folder, tuple(StageName), Settings(), say_nothing, Scripted())
    for one in plan.instances:
        _ended(folder, one, 1)
    _ended(folder, plan.instances[0], 2, TurnEnd.DONE)
    assert await runner.pending() == list(plan.instances[1:])
    assert runner.needs(plan.instances[1:]).renderers == {"render-latex"}
    for one in plan.instances[1:]:
        _ended(folder, one, 2, TurnEnd.UNCHANGED)
    assert await runner.pending() is None


# ---- the questions of turns


def _stage(folder: RunFolder, model: Model) -> GenerateStage:
    return GenerateStage({"latex": LATEX}, model, folder)


async def test_a_turn_is_asked_in_the_conversation_before_it(folder: RunFolder, instance: Instance) -> None:
    error = FirstError("Undefined control sequence.", "UNDEFINED_COMMAND", 120, 2)
    folder.append(_record(folder, instance, "<think>so</think>$x$", error=error))
    folder.append(_record(folder, instance, "$y$", SampleTurn(2)))
    model = Scripted("$z$")
    sample = await _stage(folder, model)(Sample(instance, turn=3))
    assert sample.answer is not None
    assert (sample.answer.completion, sample.ended) == ("$z$", False)
    (question,) = model.asked
    assert [one.answer for one in question.earlier] == ["$x$", "$y$"]
    assert ImagePart(instance.image) in question.earlier[0].parts
    texts = "".join(part.text for part in question.earlier[1].parts if isinstance(part, TextPart))
    assert "in line 2 of your answer: Undefined control sequence." in texts
    assert "first error" not in "".join(part.text for part in question.parts if isinstance(part, TextPart))


async def test_images_of_a_turn_lie_where_the_next_that_opens_the_run_clears_what_a_kill_left(
    folder: RunFolder, instance: Instance, tmp_path: Path
) -> None:
    folder.append(_record(folder, instance))
    conversation = Conversation(folder, LATEX)
    async with conversation.question(instance, 2) as question:
        paths = [part.path for part in question.parts if isinstance(part, ImagePart)]
        assert len(paths) == 2
        assert all(path.is_absolute() and path.is_relative_to(tmp_path / "run" / DRAFTS) for path in paths)
    assert not any(path.exists() for path in paths)


class Counting(Model):
    """Counts the questions that wait at once, up to a number that it waits for."""

    name, fingerprint = "mine", ""

    def __init__(self, awaited: int) -> None:
        self.awaited, self.waiting, self.most = awaited, 0, 0

    async def complete(self, instance: Instance, question: Question) -> Completion:
        self.waiting += 1
        self.most = max(self.most, self.waiting)
        while self.most < self.awaited:
            await asyncio.sleep(0)
        self.waiting -= 1
        return Completion("$y$", Finish.STOP)


@pytest.mark.parametrize(("most_bytes", "awaited"), [(1, 1), (2**30, 3)])
async def test_conversations_wait_together_until_their_images_are_too_many(
    plan: Plan, folder: RunFolder, most_bytes: int, awaited: int
) -> None:
    for one in plan.instances:
        _ended(folder, one, 1)
    model = Counting(awaited)
    stage = replace(_stage(folder, model), images=ConversationImages(most_bytes, 1))
    samples = await asyncio.gather(*(stage(Sample(one, turn=2)) for one in plan.instances))
    assert [sample.answer is not None for sample in samples] == [True] * 3
    assert model.most == awaited


async def test_a_disk_that_does_not_take_the_images_of_a_turn_is_told(
    instance: Instance, tmp_path: Path
) -> None:
    with small_disk(tmp_path / "disk", 2 * 2**20) as disk, RunFolder.open(disk / "run") as folder:
        folder.append(_record(folder, instance))
        with pytest.raises(OSError, match="No space left"):
            (disk / "filler").write_bytes(bytes(4 * 2**20))
        with pytest.raises(WriteError, match=r"No space left.*free some space"):
            async with Conversation(folder, LATEX).question(instance, 2):
                pass


async def test_an_answer_of_a_turn_is_paid_and_stored_under_its_name_and_never_asked_again(
    folder: RunFolder, instance: Instance, tmp_path: Path
) -> None:
    folder.append(_record(folder, instance))
    await _stage(folder, Scripted("$y$"))(Sample(instance, turn=2))
    (line,) = [json.loads(one) for one in (tmp_path / "run" / "answers.jsonl").read_text().splitlines()]
    assert (line["question"], line["completion"], line["cost"]) == ("turn-2", "$y$", 0.5)
    images = [part["sha256"] for part in line["asked"]["parts"] if part.get("sha256")]
    assert len(images) == 2
    assert all(folder.image(image) for image in images)
    assert (folder.paid, folder.answered) == (0.5, 0)
    silent = Scripted()
    again = await _stage(folder, silent)(Sample(instance, turn=2))
    assert again.answer is not None
    assert (again.answer.completion, silent.asked) == ("$y$", [])


async def test_an_answer_that_says_done_keeps_rendering_and_values_whenever_it_is_read(
    folder: RunFolder, instance: Instance
) -> None:
    before = _record(folder, instance)
    folder.append(before)
    for model in (Scripted("DONE"), Scripted()):  # asked, and found on disk after an interruption
        sample = await _stage(folder, model)(Sample(instance, turn=2))
        assert sample.record is not None
        assert sample.record.turn == SampleTurn(2, TurnEnd.DONE)
        assert sample.record.rendering.sha256 == before.rendering.sha256
        assert sample.record.score.metrics == {"ems": 0.5}
        assert sample.record.answer.completion == "DONE"


async def test_an_answer_that_says_done_has_neither_reading_nor_seconds_of_the_one_before_it(
    folder: RunFolder, instance: Instance
) -> None:
    before = _record(folder, instance, reading=ReadingNote(3, 7), seconds=1.5)
    folder.append(replace(before, score=replace(before.score, seconds=2.5)))
    sample = await _stage(folder, Scripted("DONE"))(Sample(instance, turn=2))
    assert sample.record is not None
    assert sample.record.rendering.reading is None
    assert set(sample.record.seconds) == {"generate"}


async def test_a_failed_call_of_a_turn_is_an_outcome_that_is_tried_again(
    folder: RunFolder, instance: Instance
) -> None:
    folder.append(_record(folder, instance))
    model = Scripted(ModelFailedError("no answer", 3), "$y$")
    sample = await _stage(folder, model)(Sample(instance, turn=2))
    assert sample.record is not None
    assert (sample.record.outcome, sample.record.turn.turn) == (Outcome.MODEL_FAILURE, 2)
    assert not (await _stage(folder, model)(Sample(instance, turn=2))).ended


async def test_an_input_that_the_server_rejects_ends_a_conversation_with_the_answer_before_it(
    plan: Plan, folder: RunFolder, instance: Instance
) -> None:
    _ended(folder, instance, 1)
    rejected = ModelInputRejectedError("HTTP 400: maximum context length is 8192 tokens", 1)
    sample = await _stage(folder, Scripted(rejected))(Sample(instance, turn=2))
    assert sample.record is not None
    turns = _turns(plan, folder)
    folder.append(replace(sample.record, turn=turns.placed(instance, sample.record)))
    record = folder.record(instance.id, 2)
    assert record is not None
    assert record.turn == SampleTurn(2, TurnEnd.NO_TURN, "HTTP 400: maximum context length is 8192 tokens")
    assert (record.outcome, record.failure, record.score.metrics) == (Outcome.SCORED, None, {"ems": 0.5})
    assert (record.keeps_answer_before, turns.any_remaining(instance)) == (True, False)


async def test_inputs_that_are_rejected_in_a_turn_never_pause_the_run(folder: RunFolder, plan: Plan) -> None:
    rejected = ModelInputRejectedError("HTTP 400: too long", 1)
    stage = replace(_stage(folder, Scripted(*[rejected] * 3)), like_failures=LikeFailures(2))
    for one in plan.instances:
        _ended(folder, one, 1)
        sample = await stage(Sample(one, turn=2))
        assert sample.record is not None
        assert sample.record.turn.ended is TurnEnd.NO_TURN
    assert stage.like_failures.pause is None


async def test_a_refusal_of_a_turn_is_one_of_its_record(folder: RunFolder, instance: Instance) -> None:
    folder.append(_record(folder, instance))
    refusal = ModelRefusedError("refused", Completion("No.", Finish.REFUSED, attempts=1))
    sample = await _stage(folder, Scripted(refusal))(Sample(instance, turn=2))
    assert sample.answer is not None
    assert sample.answer.outcome is Outcome.REFUSED


def test_an_error_that_a_repair_mended_is_not_shown() -> None:
    error = FirstError("Missing $ inserted.", "MISSING_MATH", 3, 1)
    mended = SampleRendering(usable=True, verdict=Verdict.RENDERED, error_before_repair=error)
    assert first_error(mended) == ("", 0)
    assert first_error(SampleRendering(verdict=Verdict.NO_OUTPUT, message="no page")) == ("no page", 0)


# ---- runs with and without


def test_a_run_without_turns_has_neither_their_files_nor_their_option(tmp_path: Path, plan: Plan) -> None:
    alone = replace(plan, turns=1)
    with RunFolder.open(tmp_path / "alone") as folder:
        folder.begin(Manifest(alone.options({}, {})), plan.whole)
        _ended(folder, plan.instances[0], 1)
    assert not [turn for turn in OF_TURNS if (tmp_path / "alone" / turn).exists()]
    assert "turns" not in json.loads((tmp_path / "alone/manifest.json").read_text())["options"]
    assert "turn" not in json.loads((tmp_path / "alone/records.jsonl").read_text())


def test_a_run_with_other_turns_is_another_run(tmp_path: Path, plan: Plan) -> None:
    with RunFolder.open(tmp_path / "run") as folder:
        folder.begin(Manifest(plan.options({}, {})), plan.whole)
        with pytest.raises(RunConflictError, match="turns: 3 there, 2 now"):
            folder.begin(Manifest(replace(plan, turns=2).options({}, {})))


def test_the_texts_of_turns_are_in_the_digest_of_prompts(plan: Plan) -> None:
    first, three, two = (replace(plan, turns=turns).options({}, {}).prompts for turns in (1, 3, 2))
    assert three == two
    assert first != three


def test_a_task_that_renders_nothing_has_no_turns(plan: Plan) -> None:
    other = replace(plan.data, instances=tuple(replace(one, task="sobench") for one in plan.instances))
    with pytest.raises(UsageError, match="sobench has no turns"):
        choose(other, Profile.PAPER, (), Selection(), turns=2)


def test_stages_alone_say_that_they_have_no_turns(tmp_path: Path, plan: Plan) -> None:
    with pytest.raises(UsageError, match="first answers alone"):
        generate(plan.data.folder, "oracle", out=tmp_path / "run", turns=2, settings=Settings())
    with RunFolder.open(tmp_path / "run") as folder:
        folder.begin(Manifest(plan.options({}, {})), plan.whole)
    with pytest.raises(UsageError, match="i2s-sdk evaluate --turns 3"):
        render_run(tmp_path / "run", settings=Settings())


def test_a_dry_run_counts_the_most_calls(tmp_path: Path, plan: Plan) -> None:
    one, three = (
        dry_run(plan.data.folder, "openai/gpt-4o", turns=turns, settings=Settings()) for turns in (1, 3)
    )
    assert (one.estimate.calls, three.estimate.calls) == (3, 9)
    assert three.estimate.tokens_out == 3 * one.estimate.tokens_out
    assert three.estimate.tokens_in > 3 * one.estimate.tokens_in


def test_a_dry_run_holds_one_answer_of_each_length_and_one_question_at_a_time(
    plan: Plan, monkeypatch: pytest.MonkeyPatch
) -> None:
    answers: list[str] = []
    lazy: list[bool] = []

    def counted(model: str, questions: Iterable[tuple[Instance, Question]], options: object) -> Estimate:
        lazy.append(iter(questions) is questions)
        answers.extend(one.answer for _, question in questions for one in question.earlier)
        return Estimate(0, 0, 0, 0, 0.0)

    monkeypatch.setattr("i2s_sdk.run.plan.estimate", counted)
    dry_run(plan.data.folder, "openai/gpt-4o", turns=3, settings=Settings())
    assert (len(answers), len({id(answer) for answer in answers}), all(lazy)) == (9, 1, True)


def test_a_dry_run_counts_instances_with_several_questions_as_without_turns(
    plan: Plan, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = LatexTask.questions

    def several(task: LatexTask, instance: Instance) -> tuple[Question, ...]:
        (first,) = asked(task, instance)
        return first, replace(first, name="again")

    monkeypatch.setattr(LatexTask, "questions", several)
    counted = dry_run(plan.data.folder, "openai/gpt-4o", turns=3, settings=Settings())
    assert (counted.estimate.calls, counted.without_turns) == (6, 3)
