"""The turns of a run: the questions after the first answer, and the end of the conversation.

The turns of a run are passes over its samples: each pass takes the samples whose conversation goes on through
the stages of a run, with the questions of that turn. What was asked and answered before is read from the run
folder, so that a pass goes on after any interruption.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from i2s_sdk.errors import DataError
from i2s_sdk.files import writing
from i2s_sdk.instances.images import ImageFaultError
from i2s_sdk.instances.instance import Instance
from i2s_sdk.models.model import Finish, Model
from i2s_sdk.run.storage.folder import RunFolder
from i2s_sdk.run.storage.record import Outcome, Record, SampleAnswer, SampleRendering, SampleTurn, TurnEnd
from i2s_sdk.tasks.own_prompts import OwnPrompt
from i2s_sdk.tasks.question import Exchange, ImagePart, Question
from i2s_sdk.tasks.task import Task
from i2s_sdk.tasks.turn import TurnResult, follow_up, observe, says_done, spoken, turn_name
from i2s_sdk.threads import to_thread_until_done

#: The most bytes of the images of all conversations that wait for an answer at the same time; see
#: ``ConversationImages``.
MOST_WAITING_BYTES = 2 * 2**30


@dataclass(frozen=True, slots=True)
class Conversation:
    """The conversations about the instances of a task."""

    #: The run, which has what was asked and answered before.
    folder: RunFolder
    #: The task, which renders.
    task: Task
    #: Prompt of the user in place of that of the task; None keeps it.
    prompt: OwnPrompt | None = None

    @asynccontextmanager
    async def question(self, instance: Instance, turn: int) -> AsyncIterator[Question]:
        """Have the question of a turn after the first, with the conversation before it, within the block.

        Raises:
            DataError: An image of the run is not there any more, or the reference cannot be shown.
            WriteError: The disk does not take the images.
        """
        with self.folder.storage.passing_folder() as folder:
            yield await to_thread_until_done(self._question, instance, turn, folder)

    def _question(self, instance: Instance, turn: int, folder: Path) -> Question:
        (first,) = self.task.questions(instance)
        if self.prompt is not None:
            first = self.prompt.applied(first)
        question, earlier = first, list[Exchange]()
        for before in range(1, turn):
            record = self.folder.record(instance.id, before)
            assert record is not None, "a turn follows one that has ended"
            earlier.append(Exchange(question.parts, spoken(self.task, record.answer.completion or "")))
            reference = record.instance.reference_sha256
            try:
                observation = observe(
                    self.task, self._result(record), self.folder.image(reference) if reference else b""
                )
            except ImageFaultError as fault:
                raise DataError(instance.file, 0, f"{fault}, and cannot be shown beside an answer") from None
            images = folder / str(before)
            with writing(self.folder.path):
                images.mkdir()
                question = follow_up(first, earlier, observation, before + 1, images)
        return question

    def _result(self, record: Record) -> TurnResult:
        rendering = record.rendering
        image = self.folder.image(rendering.sha256) if rendering.has_image else None
        error, line = first_error(rendering)
        return TurnResult(image, rendering.verdict, error, line, rendering.structure or "")

    def kept(self, instance: Instance, answer: SampleAnswer, turn: int) -> Record | None:
        """Return the record of an answer after which the one before it stays; None of another answer.

        The answer says so, or there is none since the server rejected the question, as it does if the
        conversation is longer than the context of the model. The record has rendering and values of the
        answer before it, but neither its reading note nor its seconds.
        """
        if answer.outcome is Outcome.INPUT_REJECTED:
            reason = answer.failure.message if answer.failure is not None else ""
            place = SampleTurn(turn, TurnEnd.NO_TURN, reason)
            answer = replace(answer, outcome=None, failure=None)
        elif answer.outcome is None and says_done(self.task, answer.completion or ""):
            place = SampleTurn(turn, TurnEnd.DONE)
        else:
            return None
        before = self.folder.record(instance.id, turn - 1)
        assert before is not None, "a turn follows one that has ended"
        # Where it was read, and the time that it took, are those of the completion before.
        rendering = replace(before.rendering, reading=None, seconds=None)
        return Record(before.instance, answer, rendering, replace(before.score, seconds=None), place)


class ConversationImages:
    """Bounds the images of the conversations that wait for an answer at the same time.

    They are in memory and on the disk as long as one waits, which is a day in a batch.

    Args:
        most_bytes: The most bytes of these images, of all conversations. No further question is made once
            they are reached; those that are made then are asked all the same.
        made_at_once: The most questions that are made at the same time.
    """

    def __init__(self, most_bytes: int = MOST_WAITING_BYTES, made_at_once: int = 8) -> None:
        self._most, self._held = most_bytes, 0
        self._making, self._less = asyncio.Semaphore(made_at_once), asyncio.Event()

    @asynccontextmanager
    async def question(
        self, conversation: Conversation, instance: Instance, turn: int
    ) -> AsyncIterator[Question]:
        """Have a question within the block once there is room for it; see ``Conversation.question``."""
        async with AsyncExitStack() as opened:
            async with self._making:
                while self._held >= self._most:
                    self._less.clear()
                    await self._less.wait()
                question = await opened.enter_async_context(conversation.question(instance, turn))
                size = _image_bytes(question)
                self._held += size
            try:
                yield question
            finally:
                self._held -= size
                self._less.set()


def _image_bytes(question: Question) -> int:
    """Return the bytes of the images of a conversation; one that is not there is told when it is read."""
    parts = [*question.parts, *(part for before in question.earlier for part in before.parts)]
    paths = [part.path for part in parts if isinstance(part, ImagePart)]
    return sum(path.stat().st_size for path in paths if path.exists())


def first_error(rendering: SampleRendering) -> tuple[str, int]:
    """Return the first error of the last render and its line in the answer, or why there is no image.

    An error that a repair mended is none: the profile permits it, and the answer counts as it was rendered.
    """
    if rendering.error is not None:
        return rendering.error.message, rendering.error.answer_line
    return ("", 0) if rendering.has_image else (rendering.message, 0)


def end_of(record: Record, before: Record | None, task: Task) -> TurnEnd | None:
    """Return why a conversation ends with an answer, as far as the answer decides; None if it goes on.

    Args:
        record: The record of the answer.
        before: That of the answer before it; None of the first.
        task: The task.
    """
    if record.turn.ended is not None or not record.outcome.counts:
        return record.turn.ended
    if record.outcome is Outcome.REFUSED:
        return TurnEnd.REFUSED
    if record.answer.finish == Finish.TOO_LONG or not spoken(task, record.answer.completion or "").strip():
        return TurnEnd.NO_ANSWER
    structure = record.rendering.structure
    if before is not None and structure is not None and structure == before.rendering.structure:
        return TurnEnd.UNCHANGED
    return None


@dataclass(frozen=True, slots=True)
class Turns:
    """The passes of a run over its samples."""

    #: The run.
    folder: RunFolder
    #: Tasks by name.
    tasks: Mapping[str, Task]
    #: Answers of a conversation at most.
    most: int
    #: The model that is asked.
    model: Model

    def remaining(self, instances: Iterable[Instance], turn: int) -> list[Instance]:
        """Return the instances whose conversation goes on with a turn that has not ended yet."""
        return [instance for instance in instances if self._goes_on(instance.id, turn)]

    def any_remaining(self, instance: Instance) -> bool:
        """Return whether the conversation about an instance goes on with a turn after the first."""
        return any(self._goes_on(instance.id, turn) for turn in range(2, self.most + 1))

    def _goes_on(self, identity: str, turn: int) -> bool:
        before, now = self.folder.mark(identity, turn - 1), self.folder.mark(identity, turn)
        if before is None or not before.outcome.counts or before.turn_end is not None:
            return False
        return now is None or not now.outcome.counts

    def placed(self, instance: Instance, record: Record) -> SampleTurn:
        """Return the place of an answer in its conversation, and why that ends with it if it does."""
        if record.turn.ended is not None:
            return record.turn
        turn, task = record.turn.turn, self.tasks[instance.task]
        before = self.folder.record(instance.id, turn - 1) if turn > 1 else None
        ended = end_of(record, before, task)
        if ended is not None or turn == self.most or not record.outcome.counts:
            return SampleTurn(turn, ended)
        reason = self.model.no_turn(instance, turn_name(turn + 1))
        if not reason and [question.name for question in task.questions(instance)] != [""]:
            reason = "the task asks several questions of an instance"
        return SampleTurn(turn, TurnEnd.NO_TURN if reason else None, reason)
