"""The stage "generate": asks the model, and stores its answer before anything else is done with it."""

from __future__ import annotations

import asyncio
import json
import math
import tempfile
from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from i2s_client.documents import AsyncDocumentsClient
from i2s_sdk.data.folder import read_content
from i2s_sdk.errors import DataError, I2SError, ModelError, ProtocolError, ServiceError
from i2s_sdk.files import KeptBytes, read_file
from i2s_sdk.instances.images import MAX_PIXELS
from i2s_sdk.instances.instance import Instance
from i2s_sdk.instances.references import require_decodable_reference
from i2s_sdk.models.completion import ModelFailedError, ModelInputRejectedError, ModelRefusedError
from i2s_sdk.models.completion_bound import bounded_completion, too_long_reason
from i2s_sdk.models.model import Completion, Finish, Model
from i2s_sdk.run.failures import LikeFailures
from i2s_sdk.run.pipeline import Sample, Watch, stored_facts
from i2s_sdk.run.storage.folder import RunFolder
from i2s_sdk.run.storage.record import (
    Failure,
    Outcome,
    QuestionPart,
    SampleAnswer,
    SampleInstance,
    SampleRendering,
    StoredQuestion,
    TokenUsage,
)
from i2s_sdk.run.turns import Conversation, ConversationImages
from i2s_sdk.settings import COMPLETION_CHARACTERS
from i2s_sdk.tasks.own_prompts import OwnPrompt
from i2s_sdk.tasks.question import ImagePart, Question, TextPart, joined_texts, require_names
from i2s_sdk.tasks.structure import NoStructure
from i2s_sdk.tasks.task import DocumentTask, Task
from i2s_sdk.tasks.turn import turn_name
from i2s_sdk.threads import to_thread_until_done
from i2s_sdk.visible import visible
from i2s_wire.documents import DrawnPages, ImageFormat, PageDrawing
from i2s_wire.tracing import span

#: Characters of a text of a question that are stored; of a longer one, the beginning is.
TEXT_CHARACTERS = 20_000

#: Images of a question that are stored with the run; further ones are only named.
MOST_IMAGES = 20

#: Why completions end, beginning with the reason that stands for several.
_FINISHES = (Finish.TOO_LONG, Finish.REFUSED, Finish.LENGTH, Finish.OTHER, Finish.STOP)


def answer_of(
    completion: Completion, seconds: float | None, most_characters: int = COMPLETION_CHARACTERS
) -> SampleAnswer:
    """Return the answer that a completion is; of one that is not an answer, or too long, with the reason.

    Args:
        completion: What the model said.
        seconds: Wall time from question to answer; None if nothing was asked.
        most_characters: The most characters of a completion; a longer one is not usable.
    """
    completion = bounded_completion(completion, most_characters)
    no_answer = completion.no_answer
    if completion.finish is Finish.TOO_LONG:
        no_answer = NoStructure(too_long_reason(most_characters))
    return SampleAnswer(
        completion=completion.text,
        outcome=None if no_answer is None else Outcome(str(no_answer.absence)),
        message="" if no_answer is None else no_answer.reason,
        finish=str(completion.finish),
        usage=TokenUsage(completion.tokens_in, completion.tokens_out),
        cost=completion.cost,
        cached=completion.cached,
        attempts=completion.attempts,
        seconds=seconds,
        reasoning=completion.reasoning,
        cached_at=completion.cached_at,
    )


def failed_answer(error: ModelError, seconds: float) -> SampleAnswer:
    """Return what remains if a model refused or failed, or its server rejected the input."""
    if isinstance(error, ModelRefusedError):
        refusal = answer_of(error.completion, seconds)
        return replace(refusal, outcome=Outcome.REFUSED, message=error.message, finish=str(Finish.REFUSED))
    rejected = isinstance(error, ModelInputRejectedError)
    return SampleAnswer(
        outcome=Outcome.INPUT_REJECTED if rejected else Outcome.MODEL_FAILURE,
        failure=Failure.of(error),
        attempts=error.attempts if isinstance(error, ModelFailedError) else 0,
        seconds=seconds,
    )


def joined_answer(
    answers: Sequence[SampleAnswer],
    join: Callable[[Sequence[str]], str],
    most_characters: int = COMPLETION_CHARACTERS,
) -> SampleAnswer:
    """Return the answer of a sample with several questions, made of the answers to these.

    An answer without a usable completion (refused, too long, failed, nothing but reasoning) ends the sample,
    which then ends as that answer does. Tokens and cost are the sums of those answers that are final, and not
    known if one of them is not; calls and seconds are those of all answers. It counts as stored by earlier
    calls if each was.

    Args:
        answers: Answers to the questions, in order, up to the first that ends the sample.
        join: The function that makes one text of all completions.
        most_characters: The most characters of the joined completion; a longer one is not usable.
    """
    final = [answer for answer in answers if answer.final]
    joined = next((answer for answer in answers if answer.outcome is not None), None)
    if joined is None:
        text = join([answer.completion or "" for answer in answers])
        joined = answer_of(Completion(text, _finish(answers)), 0.0, most_characters)
    return replace(
        joined,
        usage=TokenUsage(
            _sum(answer.usage.input_tokens for answer in final),
            _sum(answer.usage.output_tokens for answer in final),
        ),
        cost=_cost(final),
        cached=bool(final) and all(answer.cached for answer in final),
        attempts=sum(answer.attempts for answer in answers),
        seconds=round(math.fsum(answer.seconds or 0.0 for answer in answers), 4),
        question="",
        questions=tuple(answer.question for answer in answers),
        cached_cost=_cached_cost(final),
        asked=None,
        reasoning="",
        cached_at=min((answer.cached_at for answer in final if answer.cached_at), default=""),
    )


def stored_question(question: Question, images: Mapping[Path, str]) -> StoredQuestion:
    """Return a question as it is stored.

    Args:
        question: Question as the model is asked it.
        images: Digests of those of its images that the run stores.
    """
    parts = tuple(
        QuestionPart(text=_bounded(part.text))
        if isinstance(part, TextPart)
        else QuestionPart(
            sha256=images.get(part.path, "") if isinstance(part, ImagePart) else "",
            file=visible(part.path.name),
        )
        for part in joined_texts(question)
    )
    schema = "" if question.json_schema is None else json.dumps(question.json_schema, indent=1)
    return StoredQuestion(parts, _bounded(question.system), _bounded(schema))


def image_paths(question: Question) -> Sequence[Path]:
    """Return the images of a question that a run stores, in order."""
    paths = [part.path for part in question.parts if isinstance(part, ImagePart)]
    return list(dict.fromkeys(paths))[:MOST_IMAGES]


def _bounded(text: str) -> str:
    left = len(text) - TEXT_CHARACTERS
    kept = f"{text[:TEXT_CHARACTERS]}\n… {left} more characters" if left > 0 else text
    return kept.encode("utf-8", "replace").decode()


def _finish(answers: Sequence[SampleAnswer]) -> Finish:
    present = {answer.finish for answer in answers}
    return next((finish for finish in _FINISHES if str(finish) in present), Finish.OTHER)


def _sum(counts: Iterable[int | None]) -> int | None:
    counts = list(counts)
    known = [count for count in counts if count is not None]
    return sum(known) if known and len(known) == len(counts) else None


def _cached_cost(answers: Sequence[SampleAnswer]) -> float:
    """Return what answers that were stored cost once, if others were paid for now."""
    stored = [answer for answer in answers if answer.cached]
    return 0.0 if len(stored) == len(answers) else _cost(stored) or 0.0


def _cost(answers: Sequence[SampleAnswer]) -> float | None:
    known = [answer.cost for answer in answers if answer.cost is not None]
    return math.fsum(known) if known and len(known) == len(answers) else None


_SUFFIXES = {ImageFormat.JPEG: "jpg", ImageFormat.PNG: "png"}


@dataclass(frozen=True, slots=True)
class DocumentPages:
    """Draws documents."""

    #: The service that draws.
    documents: AsyncDocumentsClient

    @asynccontextmanager
    async def shown(self, instance: Instance, task: DocumentTask) -> AsyncIterator[Instance]:
        """Have the pages of an instance as files, as long as the block lasts.

        Yields:
            The instance with ``pages``; as it is if it has no document.

        Raises:
            DataError: The document cannot be drawn, which is a fault of the data; says why.
            ServiceError: The documents service does not answer.
        """
        document = task.document_of(instance)
        if document is None:
            yield instance
            return
        content = await asyncio.to_thread(read_file, document)
        drawn = await self.documents.draw_pages(content, task.drawing)
        async with _page_files(document, drawn, task.drawing) as paths:
            yield replace(instance, pages=paths)

    @asynccontextmanager
    async def sketched(self, instance: Instance, task: DocumentTask) -> AsyncIterator[Instance]:
        """Have an instance with as many ``pages`` as its document, all of which are the image of the first.

        It takes much less time than ``shown``, and estimates need no more.

        Raises:
            DataError, ServiceError: See ``shown``.
        """
        document = task.document_of(instance)
        if document is None:
            yield instance
            return
        content = await asyncio.to_thread(read_file, document)
        drawn = await self.documents.draw_pages(content, task.drawing, count=1)
        async with _page_files(document, drawn, task.drawing) as (first,):
            yield replace(instance, pages=(first,) * drawn.page_count)


@asynccontextmanager
async def _page_files(
    document: Path, drawn: DrawnPages, drawing: PageDrawing
) -> AsyncIterator[tuple[Path, ...]]:
    """Have images as files, as long as the block lasts.

    Raises:
        DataError: There are none.
    """
    if not drawn.pages:
        raise DataError(document, 0, f"its pages cannot be drawn: {drawn.message}")
    with tempfile.TemporaryDirectory(prefix="i2s-pages-") as folder:
        names = [f"page-{number}.{_SUFFIXES[drawing.format]}" for number in range(1, len(drawn.pages) + 1)]
        paths = tuple(Path(folder, name) for name in names)
        await to_thread_until_done(_write_images, paths, drawn.pages)
        yield paths


def _write_images(paths: Sequence[Path], contents: Sequence[bytes]) -> None:
    for path, content in zip(paths, contents, strict=True):
        path.write_bytes(content)


@dataclass(frozen=True, slots=True)
class GenerateStage:
    """Asks for the answers that the run does not have yet."""

    #: Tasks by name.
    tasks: Mapping[str, Task]
    #: The model that is asked.
    model: Model
    #: Folder of the run.
    folder: RunFolder
    #: Why a service is not here, by name. Samples that need it end before the model is asked, which may cost
    #: money.
    missing: Mapping[str, I2SError] = field(default_factory=dict)
    #: The most of a reference.
    reference_pixels: int = MAX_PIXELS
    #: The most characters of a completion; a longer one is not usable.
    completion_characters: int = COMPLETION_CHARACTERS
    #: What ends or pauses the run if calls fail alike.
    like_failures: LikeFailures = field(default_factory=LikeFailures)
    #: What draws documents for models that are asked page by page; None if no such model is asked.
    pages: DocumentPages | None = None
    #: Prompts of the user in place of those of the tasks, by the name of the task.
    prompts: Mapping[str, OwnPrompt] = field(default_factory=dict)
    #: Notes of references that were decoded before; None decodes all.
    decoded: KeptBytes | None = None
    #: What bounds the images of conversations that wait for an answer at once.
    images: ConversationImages = field(default_factory=ConversationImages)
    _kept_images: dict[Path, str] = field(default_factory=dict, init=False, repr=False, compare=False)

    async def __call__(self, sample: Sample) -> Sample:
        """Return the sample with its answer, or ended.

        Raises:
            DataError: The reference is not a whole image, or the ground truth cannot be read.
            ModelAccessError: The model cannot be asked at all.
            AllCallsFailedError: Every call has failed alike.
        """
        instance, turn = sample.instance, sample.turn
        sample = replace(sample, answer=self.folder.answer(instance.id, turn_name(turn)))
        rendering = self.tasks[instance.task].rendering
        needed = rendering.services if rendering is not None else ()
        missing = next((self.missing[one] for one in needed if one in self.missing), None)
        if missing is not None and not self.folder.is_rendered(instance.id, turn):
            return await self._not_rendered(sample, missing)
        if turn > 1:
            return await self._further_turn(sample)
        if sample.answer is not None:
            return sample
        await asyncio.to_thread(require_decodable_reference, instance, self.reference_pixels, self.decoded)
        try:
            answer = await self._answered(instance)
        except (ServiceError, ProtocolError) as error:  # no image of a page, so nothing was asked
            return await self._not_rendered(sample, error)
        sample = replace(sample, answer=answer)
        return sample if answer.final else sample.ended_as(await self._facts(instance))

    async def _further_turn(self, sample: Sample) -> Sample:
        """Return a sample of a turn after the first with its answer, or ended."""
        instance, answer = sample.instance, sample.answer
        conversation = Conversation(self.folder, self.tasks[instance.task], self.prompts.get(instance.task))
        if answer is None:
            async with self.images.question(conversation, instance, sample.turn) as question:
                answer = await self._asked(instance, question)
            sample = replace(sample, answer=answer)
        kept = await asyncio.to_thread(conversation.kept, instance, answer, sample.turn)
        if kept is not None:
            return replace(sample, record=kept)
        return sample if answer.final else sample.ended_as(await self._facts(instance))

    async def _answered(self, instance: Instance) -> SampleAnswer:
        """Return the answer of a sample.

        Raises:
            ServiceError, ProtocolError: The pages of a document cannot be drawn.
        """
        task = self.tasks[instance.task]
        if not isinstance(task, DocumentTask):
            return await self._all_asked(instance, task, task.questions(instance))
        if self.model.whole:
            return await self._all_asked(instance, task, (task.whole_question(instance),))
        if task.document_of(instance) is None:
            return await self._all_asked(instance, task, task.questions(instance))
        assert self.pages is not None, "a model that is asked page by page has the documents service"
        async with self.pages.shown(instance, task) as shown:
            return await self._all_asked(instance, task, task.questions(shown))

    async def _all_asked(
        self, instance: Instance, task: Task, questions: tuple[Question, ...]
    ) -> SampleAnswer:
        """Return the answer to all questions of a sample.

        Several are asked one after the other, until one has no usable completion.
        """
        require_names(questions)
        if own := self.prompts.get(task.name):
            questions = tuple(own.applied(one) for one in questions)
        if len(questions) == 1 and not questions[0].name:
            return await self._asked(instance, questions[0])
        answers: list[SampleAnswer] = []
        for question in questions:
            answer = self.folder.answer(instance.id, question.name)
            if answer is None:
                answer = await self._asked(instance, question)
            answers.append(answer)
            if answer.outcome is not None:
                break
        answer = joined_answer(answers, task.join, self.completion_characters)
        self.folder.put_answer(instance.id, answer)
        return answer

    async def _asked(self, instance: Instance, question: Question) -> SampleAnswer:
        """Return the answer to a question once it is stored."""
        asked = await asyncio.to_thread(self._stored_question, instance, question)
        watch = Watch()
        error: ModelError | None = None
        try:
            if (pause := self.like_failures.pause) is not None:
                raise pause
            with span("model", {"gen_ai.request.model": self.model.name, "i2s.question": question.name}):
                completion = await self.model.complete(instance, question)
            answer = answer_of(completion, watch.seconds, self.completion_characters)
        except ModelError as raised:
            answer = failed_answer(raised, watch.seconds)
            ends = (
                isinstance(raised, ModelInputRejectedError) and question.earlier
            )  # as ``Conversation.kept``
            error = None if answer.final or ends else raised
        answer = replace(answer, question=question.name, asked=asked)
        self.folder.put_answer(instance.id, answer)
        if answer.attempts:  # it cost something, and is to outlive this process before anything else is done
            await self.folder.answers.wait_durable()
        if isinstance(error, ModelFailedError):
            self.like_failures.failed(error)
        elif answer.attempts:
            self.like_failures.answered()
        return answer

    def _stored_question(self, instance: Instance, question: Question) -> StoredQuestion:
        """Return a question as readers see it; its images are stored, but for those of drawn pages."""
        digests: dict[Path, str] = {}
        for path in image_paths(question):
            if path in instance.pages:
                continue
            if path not in self._kept_images:
                try:
                    self._kept_images[path] = self.folder.put_image(path.read_bytes())
                except FileNotFoundError:  # the model says so if it reads the image
                    continue
            digests[path] = self._kept_images[path]
            if path in instance.images or question.earlier:
                del self._kept_images[path]
        return stored_question(question, digests)

    async def _not_rendered(self, sample: Sample, error: I2SError) -> Sample:
        """Return the sample ended, since a service that it needs is not here."""
        rendering = SampleRendering(outcome=Outcome.RENDER_FAILURE, failure=Failure.of(error))
        return sample.ended_as(await self._facts(sample.instance), rendering)

    async def _facts(self, instance: Instance) -> SampleInstance:
        content = await asyncio.to_thread(read_content, instance)
        return await asyncio.to_thread(stored_facts, self.folder, instance, content)
