"""The record of a sample, composed of the parts that its stages write.

::

    Record
    ├── instance    SampleInstance     what is evaluated: its groups, the digests of what is compared with
    ├── answer      SampleAnswer       stage "generate": how the model was asked and what it said
    ├── rendering   SampleRendering    stage "render": the structure of the answer, in some tasks its image
    ├── score       SampleScore        stage "score": the values of the metrics
    └── turn        SampleTurn         which answer of the conversation it is, and why that ended with it

Each part is written once, by its stage. A part that has its defaults belongs to a stage that the sample did
not reach. ``codec`` has the form of a record as a line of JSON.
"""

from __future__ import annotations

import enum
import hashlib
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from i2s_sdk.errors import I2SError
from i2s_wire.render.rendering import Verdict

#: Bytes of the digest of a completion in memory.
_DIGEST_BYTES = 16


class TurnEnd(enum.StrEnum):
    """Why a conversation ended before the last turn of its run.

    DONE: The model said that its answer is to stay. UNCHANGED: It gave the same structure again. REFUSED: It,
    or its provider, refused. NO_ANSWER: There is no text that could be shown as its answer. NO_TURN: The
    model has no answers to further turns, or its server rejects the question of the next one.
    """

    DONE = "done"
    UNCHANGED = "unchanged"
    REFUSED = "refused"
    NO_ANSWER = "no_answer"
    NO_TURN = "no_turn"


class Outcome(enum.StrEnum):
    """How a sample ended.

    SCORED, NO_STRUCTURE, REFUSED and ENDED_IN_REASONING are the model's, the rest ours. A sample whose model
    refused, or whose answer ends within its reasoning, has 0 in every metric, as one whose answer holds no
    code. INPUT_REJECTED: the server of the model rejected this one input (status 400, 413 or 422), so that
    there is no answer and no score.
    """

    SCORED = "scored"
    NO_STRUCTURE = "no_structure"
    REFUSED = "refused"
    ENDED_IN_REASONING = "ended_in_reasoning"
    INPUT_REJECTED = "input_rejected"
    MODEL_FAILURE = "model_failure"
    RENDER_FAILURE = "render_failure"
    METRIC_FAILURE = "metric_failure"
    CANCELLED = "cancelled"

    @property
    def asked_again(self) -> bool:
        """Whether the model is asked again when the run is resumed, since there is no answer."""
        return self in (Outcome.MODEL_FAILURE, Outcome.INPUT_REJECTED)

    @property
    def counts(self) -> bool:
        """Whether the sample has a score: that of its rendering, or 0 for there being none."""
        return self in (Outcome.SCORED, Outcome.NO_STRUCTURE, Outcome.REFUSED, Outcome.ENDED_IN_REASONING)


@dataclass(frozen=True, slots=True)
class Failure:
    """An infrastructure error that stopped a sample: the name of the error and its message."""

    kind: str
    message: str

    @classmethod
    def of(cls, error: I2SError) -> Failure:
        """Return the failure that an error is."""
        return cls(type(error).__name__, error.message)


@dataclass(frozen=True, slots=True)
class SampleInstance:
    """The instance of a sample, without its content."""

    id: str
    task: str
    subset: str
    #: Empty if unknown.
    difficulty: str
    #: Names of the files that the answer could use.
    assets: tuple[str, ...] = ()
    #: SHA-256 of the reference image; empty if there is none.
    reference_sha256: str = ""
    #: SHA-256 of the ground truth that is not an image; empty if there is none, and in records of earlier
    #: versions.
    target_sha256: str = ""

    def has_data_of(self, other: SampleInstance) -> bool:
        """Return whether two samples are of the same instance: of one id, reference image and target.

        Records of earlier versions do not say which target they were compared with; theirs is every target.
        """
        same = (self.id, self.reference_sha256) == (other.id, other.reference_sha256)
        return same and _are_one_target((self, other))


@dataclass(frozen=True, slots=True)
class TokenUsage:
    """Tokens of the call that was answered, as the server counted them; None if it did not say."""

    input_tokens: int | None = None
    output_tokens: int | None = None


@dataclass(frozen=True, slots=True)
class QuestionPart:
    """A text or a file of a question."""

    #: The text; empty for a file.
    text: str = ""
    #: Digest of an image, by which the run stores it; empty for a text, and for a file that is not stored.
    sha256: str = ""
    #: Name of a file without its folder; empty for a text.
    file: str = ""


@dataclass(frozen=True, slots=True)
class StoredQuestion:
    """A question as the model was asked it; own prompts of the user and examples are in it."""

    #: Texts and files in the order in which the model reads them.
    parts: tuple[QuestionPart, ...]
    #: The system text; empty for none.
    system: str = ""
    #: JSON Schema of the answer as JSON; empty for none.
    schema: str = ""

    @property
    def images(self) -> tuple[str, ...]:
        """Digests of its images that the run stores."""
        return tuple(part.sha256 for part in self.parts if part.sha256)


@dataclass(frozen=True, slots=True)
class SampleAnswer:
    """How a model was asked and what it said: to one question, or joined of the answers to several."""

    #: Verbatim; None if there is no answer.
    completion: str | None = None
    #: REFUSED, MODEL_FAILURE, INPUT_REJECTED, ENDED_IN_REASONING if the provider returned nothing but
    #: reasoning, or NO_STRUCTURE if the completion is too long or the model called a tool instead of
    #: answering. None if there is a completion to render. A record that was read from its line has only the
    #: two with a failure.
    outcome: Outcome | None = None
    #: How the model refused, or why the completion is not usable.
    message: str = ""
    #: Why there is no answer.
    failure: Failure | None = None
    #: Why the completion ends where it does, such as "stop" or "length".
    finish: str = ""
    usage: TokenUsage = field(default_factory=TokenUsage)
    #: Cost in US dollars by the list of prices; None if it is not known.
    cost: float | None = None
    #: Whether it was stored by an earlier call and nothing was paid now.
    cached: bool = False
    #: Calls made for it; 0 if nothing was asked.
    attempts: int = 0
    #: Wall time in seconds from question to answer; None if nothing was asked.
    seconds: float | None = None
    #: Name of the question, if the instance has several and this is the answer to one of them.
    question: str = ""
    #: Names of the questions whose answers this one joins, up to the first that ended the sample.
    questions: tuple[str, ...] = ()
    #: Part of ``cost`` that was not paid now, if only some of the joined answers were stored by earlier
    #: calls.
    cached_cost: float = 0.0
    #: What the model was asked; None for an answer that joins others, in records, and in older runs.
    asked: StoredQuestion | None = None
    #: Reasoning that the provider returned apart from the completion, or its beginning; empty for none, for
    #: an answer that joins others, and in older runs.
    reasoning: str = ""
    #: When the answer was given, if it came from the answer cache, in ISO 8601; of one that joins others, the
    #: earliest of theirs. Empty if none came from it, and in older runs.
    cached_at: str = ""
    #: The digest of the completion of a record without texts. It is not written.
    kept_digest: str = field(default="", repr=False, compare=False)

    @property
    def final(self) -> bool:
        """Whether the model is not asked again."""
        return self.outcome is None or not self.outcome.asked_again

    @property
    def paid(self) -> float:
        """US dollars that are known to have been paid for it in this run; what it joins has its own."""
        return 0.0 if self.cached or self.cost is None or self.questions else self.cost

    @property
    def completion_digest(self) -> str:
        """A digest of the completion without white space around it, by which equal ones are found."""
        if self.kept_digest or self.completion is None:
            return self.kept_digest
        text = self.completion.strip().encode("utf-8", "surrogatepass")
        return hashlib.blake2b(text, digest_size=_DIGEST_BYTES).hexdigest()


@dataclass(frozen=True, slots=True)
class FirstError:
    """The first error of an engine."""

    #: Its words.
    message: str
    #: Its sort.
    kind: str
    #: Line of the document that the engine read; 0 if it is not known.
    line: int = 0
    #: The same line in the answer of the model; 0 if it is not known, or is not one of the answer.
    answer_line: int = 0


@dataclass(frozen=True, slots=True)
class RepairNote:
    """One repair that was made: its sort, to what, and the error that it answers."""

    kind: str
    detail: str
    error: str = ""


@dataclass(frozen=True, slots=True)
class ReadingNote:
    """The stretch of a completion that was read as its answer, and the choice among its blocks."""

    #: Where the answer begins in the completion, in characters; reasoning and markers stand before it.
    start: int
    #: The place behind its last character.
    end: int
    #: Number of its fenced blocks.
    blocks: int = 0
    #: Numbers of those that are the structure, from 1.
    taken: tuple[int, ...] = ()
    #: "unclosed_fence" if the structure is a block that was cut off, "excerpt" if it was taken out of prose;
    #: empty otherwise.
    origin: str = ""


@dataclass(frozen=True, slots=True)
class SampleRendering:
    """The structure that was read out of an answer and, if its task renders, the image of it."""

    #: NO_STRUCTURE, REFUSED or ENDED_IN_REASONING if the answer is not usable for these reasons, and is
    #: scored as such; RENDER_FAILURE if a service did not answer; None if the structure is to be scored. Of a
    #: record that was read from its line, only RENDER_FAILURE.
    outcome: Outcome | None = None
    #: Why a service did not answer.
    failure: Failure | None = None
    #: Whether the task could read a structure and, if it is rendered, got an image.
    usable: bool = False
    #: Verdict of the last render; None if nothing was rendered.
    verdict: Verdict | None = None
    #: Verdict of the first render; None also if the answer was changed before it was rendered at all.
    verdict_before_repair: Verdict | None = None
    #: Repairs in the order made.
    repairs: tuple[RepairNote, ...] = ()
    #: What the renderer said of the last render, why the answer is not usable, or how the model refused.
    message: str = ""
    #: The first error of the last render.
    error: FirstError | None = None
    #: The first error of the first render, if another render followed; its line is that of the document
    #: before any repair of a document.
    error_before_repair: FirstError | None = None
    #: The code taken from the completion.
    structure: str | None = None
    #: The part of the completion that was read; None for all of it.
    reading: ReadingNote | None = None
    #: SHA-256 of the image; empty if there is none. Images are stored by this name.
    sha256: str = ""
    #: SHA-256 of the document that was rendered last.
    document_sha256: str = ""
    #: Width and height of the image, in pixels.
    width: int = 0
    height: int = 0
    #: Pages that the engine made.
    pages: int = 0
    #: Digest of the engine that made the image.
    engine_digest: str = ""
    #: The sandbox tier that the render ran in.
    isolation: str = ""
    #: Wall time in seconds; None if nothing was read.
    seconds: float | None = None
    #: Text of the image, for metrics of texts; None if it has none or none is wanted. This and the following
    #: texts are only in the line of the rendering, not in that of the record.
    text: str | None = None
    #: Text that it is compared with; None if there is none or none is wanted.
    truth: str | None = None
    #: What the engine drew, as JSON; None if it drew nothing, or nothing is wanted.
    drawn: str | None = None
    #: The same of the ground truth.
    drawn_truth: str | None = None
    #: Why there is nothing of the ground truth to compare with, although it would have it; else empty.
    no_truth: str = ""
    #: What was rendered last, as its engine counts the lines; None if it is the structure, or was not stored
    #: since it is too long.
    document: str | None = None
    #: What the engine wrote in the last render, bounded; None if it wrote nothing.
    log: str | None = None
    #: The structure of the ground truth, which a report shows beside that of the answer; None if there is
    #: none, or it is too long.
    target: str | None = None

    @property
    def has_image(self) -> bool:
        """Whether there is an image."""
        return self.verdict is not None and self.verdict.has_picture


@dataclass(frozen=True, slots=True)
class SampleScore:
    """The values of a sample."""

    #: SCORED, or the outcome of an answer that is not usable, with what the metrics say of such a sample;
    #: METRIC_FAILURE without values; None if the sample did not get here.
    outcome: Outcome | None = None
    #: Why the metric service or a scorer did not answer.
    failure: Failure | None = None
    #: Values by name; None if a metric is not defined for the pair. Empty if the sample has no score.
    metrics: Mapping[str, float | None] = field(default_factory=dict)
    #: Why a metric is not defined, by name.
    undefined: Mapping[str, str] = field(default_factory=dict)
    #: Numerator and denominator of each metric that is pooled over samples, by name.
    parts: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    #: What a report shows of how the values came about, by the name of the scorer.
    detail: Mapping[str, object] = field(default_factory=dict)
    #: Why a scorer could not work on a structure that the task could read; None if all could. Of a record
    #: that was read from its line, the part of the rendering says so.
    not_usable: str | None = None
    #: Wall time in seconds.
    seconds: float | None = None


@dataclass(frozen=True, slots=True)
class SampleTurn:
    """The place of an answer in its conversation."""

    #: Number of the answer, from 1.
    turn: int = 1
    #: Why the conversation ended with it; None if it went on, or the run has no further turn.
    ended: TurnEnd | None = None
    #: The words of a model that has no further turn, or of its server; otherwise empty.
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Record:
    """One sample of a run, as far as it got; of a run with turns, one of its answers."""

    instance: SampleInstance
    answer: SampleAnswer = SampleAnswer()
    rendering: SampleRendering = SampleRendering()
    score: SampleScore = SampleScore()
    turn: SampleTurn = SampleTurn()

    @property
    def outcome(self) -> Outcome:
        """How the sample ended: as the last stage says that says something; CANCELLED if none does."""
        return self.score.outcome or self.rendering.outcome or self.answer.outcome or Outcome.CANCELLED

    @property
    def failure(self) -> Failure | None:
        """The infrastructure error that stopped the sample; None if none did."""
        return self.score.failure or self.rendering.failure or self.answer.failure

    @property
    def usable(self) -> bool:
        """Whether there is a structure and, if its task renders, an image, and scorers could work on it."""
        return self.rendering.usable and self.score.not_usable is None

    @property
    def usable_before_repair(self) -> bool:
        """Whether the sample was usable without any repair."""
        rendering = self.rendering
        if rendering.verdict is None:
            return self.usable and not rendering.repairs
        before = rendering.verdict_before_repair
        return before is not None and before.has_picture

    @property
    def keeps_answer_before(self) -> bool:
        """Whether it has rendering and values of the answer before it, which is the last of the conversation.

        The model said so, or its server rejected the question, so that there is no other answer.
        """
        ended, first = self.turn.ended, self.turn.turn == 1
        unanswered = self.answer.completion is None and ended is TurnEnd.NO_TURN
        return not first and (ended is TurnEnd.DONE or unanswered)

    @property
    def seconds(self) -> Mapping[str, float]:
        """Wall time in seconds by stage, of those that the sample went through."""
        parts = {
            "generate": self.answer.seconds,
            "render": self.rendering.seconds,
            "score": self.score.seconds,
        }
        return {stage: seconds for stage, seconds in parts.items() if seconds is not None}

    @property
    def message(self) -> str:
        """The message of the renderer, the reason why the sample is not usable, or the words of a refusal."""
        return self.rendering.message if self.score.not_usable is None else self.score.not_usable


def same_targets(records: Iterable[Record]) -> bool:
    """Return whether records can be of one target; one of an earlier version can be of any."""
    return _are_one_target(record.instance for record in records)


def _are_one_target(instances: Iterable[SampleInstance]) -> bool:
    return len({instance.target_sha256 for instance in instances} - {""}) < 2


def without_texts(record: Record) -> Record:
    """Return a record without what takes most of its memory: completion, structure, messages.

    A text that many records of a run have in common is there once.
    """
    instance, answer, rendering, score = record.instance, record.answer, record.rendering, record.score
    return Record(
        replace(
            instance,
            task=sys.intern(instance.task),
            subset=sys.intern(instance.subset),
            difficulty=sys.intern(instance.difficulty),
        ),
        replace(
            answer,
            completion=None if answer.completion is None else "",
            reasoning="",
            finish=sys.intern(answer.finish),
            kept_digest=answer.completion_digest,
        ),
        replace(
            rendering,
            structure=None if rendering.structure is None else "",
            message="",
            error=None,
            error_before_repair=None,
            repairs=(),
            engine_digest=sys.intern(rendering.engine_digest),
            isolation=sys.intern(rendering.isolation),
        ),
        replace(
            score,
            metrics={sys.intern(name): value for name, value in score.metrics.items()},
            undefined={},
            detail={},
            not_usable=None if score.not_usable is None else "",
        ),
        replace(record.turn, reason=""),
    )
