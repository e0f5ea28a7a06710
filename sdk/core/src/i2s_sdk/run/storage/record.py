"""The record of a sample, composed of the parts that its stages write."""

from __future__ import annotations

import enum
import hashlib
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any

from i2s_sdk.plain_fields import plain_fields
from i2s_sdk.reading import AnswerText
from i2s_sdk.run.storage.typed_fields import with_checked_fields
from i2s_sdk.tasks.structure import NO_CHOICE, NoStructure, Origin, Structure
from i2s_wire.render.rendering import Verdict


class Outcome(enum.StrEnum):
    """A closed list. SCORED, NO_STRUCTURE, REFUSED and ENDED_IN_REASONING are the model's, the rest ours.

    A sample whose model refused, or whose answer ends within its reasoning, has 0 in every metric, as one
    whose answer holds no code. INPUT_REJECTED: the server of the model rejected this one input (status 400,
    413 or 422), so that there is no answer and no score.
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


#: Fields that a line has only if they say something.
_OPTIONAL_OF_SAMPLE = ("error_before_repair", "target_sha256", "reading")


@dataclass(frozen=True, slots=True)
class FirstError:
    """The first error of an engine: its words, the sort, and the line of the document (0: unknown)."""

    message: str
    kind: str
    line: int = 0


@dataclass(frozen=True, slots=True)
class RepairNote:
    """One repair that was made: its sort, to what, and the error that it answers."""

    kind: str
    detail: str
    error: str = ""


@dataclass(frozen=True, slots=True)
class ReadingNote:
    """The stretch of a completion that was read as its answer, and the choice among its blocks.

    Attributes:
        start: Where the answer begins in the completion, in characters; reasoning and markers stand before
            it.
        end: The place behind its last character.
        blocks: Number of its fenced blocks.
        taken: Numbers of those that are the structure, from 1.
        origin: "unclosed_fence" if the structure is a block that was cut off, "excerpt" if it was taken out
            of prose; empty otherwise.
    """

    start: int
    end: int
    blocks: int = 0
    taken: tuple[int, ...] = ()
    origin: str = ""

    @classmethod
    def of(cls, answer: AnswerText, structure: Structure | NoStructure) -> ReadingNote | None:
        """Return the note of a reading; None if all of the completion was read and nothing was chosen."""
        choice = structure.choice if isinstance(structure, Structure) else NO_CHOICE
        origin = structure.origin if isinstance(structure, Structure) else Origin.BARE
        told = str(origin) if origin in (Origin.UNCLOSED_FENCE, Origin.EXCERPT) else ""
        whole = (answer.start, answer.end) == (0, len(answer.completion))
        if whole and choice == NO_CHOICE and not told:
            return None
        return cls(answer.start, answer.end, choice.blocks, choice.taken, told)

    @classmethod
    def from_json(cls, plain: Mapping[str, Any]) -> ReadingNote:
        """Return the note of a line.

        Raises:
            KeyError, TypeError, ValueError: It is none.
        """
        return with_checked_fields(cls(**{**plain, "taken": tuple(plain.get("taken", ()))}))


@dataclass(frozen=True, slots=True)
class ReadSample:
    """What was read out of the completion of a sample and rendered, if its task renders.

    Attributes:
        id: Id of the instance.
        task: Task of the instance.
        subset: Subset of the instance.
        difficulty: Difficulty of the instance; empty if unknown.
        usable: Whether the task could read a structure and, if it is rendered, got a picture, and its
            scorers could work on it.
        verdict: Verdict of the last render; None if nothing was rendered.
        verdict_before_repair: Verdict of the first render; None also if the answer was changed before it was
            rendered at all.
        repairs: Repairs in the order made.
        message: What the renderer said of the last render, why the sample is not usable, or how the model
            refused.
        error: The first error of the last render.
        structure: The code taken from the completion.
        assets: Names of the files that the answer could use.
        reference_sha256: SHA-256 of the reference picture.
        rendering_sha256: SHA-256 of the rendering; empty if there is none. Pictures are kept by this name.
        document_sha256: SHA-256 of the document that was rendered last.
        width: Width of the rendering, in pixels.
        height: Height of the rendering, in pixels.
        pages: Pages that the engine made.
        engine_digest: Digest of the engine that made the rendering.
        isolation: The tier that the render ran in.
        seconds: Wall time in seconds by stage: "generate", "render", "score".
        error_before_repair: The first error of the first render, if another render followed; its line is that
            of the document before any repair of a document.
        target_sha256: SHA-256 of the ground truth that is no picture; empty if there is none, and in records
            of earlier versions.
        reading: The part of the completion that was read; None for all of it.
    """

    id: str
    task: str
    subset: str
    difficulty: str
    usable: bool = False
    verdict: Verdict | None = None
    verdict_before_repair: Verdict | None = None
    repairs: tuple[RepairNote, ...] = ()
    message: str = ""
    error: FirstError | None = None
    structure: str | None = None
    assets: tuple[str, ...] = ()
    reference_sha256: str = ""
    rendering_sha256: str = ""
    document_sha256: str = ""
    width: int = 0
    height: int = 0
    pages: int = 0
    engine_digest: str = ""
    isolation: str = ""
    seconds: Mapping[str, float] = field(default_factory=dict)
    error_before_repair: FirstError | None = None
    target_sha256: str = ""
    reading: ReadingNote | None = None

    @property
    def has_picture(self) -> bool:
        """Whether the sample was rendered."""
        return self.verdict is not None and self.verdict.has_picture

    @property
    def usable_before_repair(self) -> bool:
        """Whether the sample was usable without any repair."""
        if self.verdict is None:
            return self.usable and not self.repairs
        return self.verdict_before_repair is not None and self.verdict_before_repair.has_picture

    def to_json(self) -> dict[str, Any]:
        """Return the fields as JSON has them: verdicts by name, without empty optional ones."""
        plain = plain_fields(self)
        for name in _OPTIONAL_OF_SAMPLE:
            if not plain[name]:
                del plain[name]
        for name in ("verdict", "verdict_before_repair"):
            verdict: Verdict | None = getattr(self, name)
            plain[name] = verdict.name if verdict is not None else None
        return plain


def read_values(kind: type[ReadSample], plain: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of a line by which a sample is made; those of later versions are left out.

    Args:
        kind: The class to be made; its own fields are returned as the line has them.
        plain: The line.

    Raises:
        KeyError, TypeError, ValueError: It is not of this kind.
    """
    if not isinstance(plain, Mapping):
        raise TypeError("it is not an object")
    known = {one.name for one in fields(kind)}
    values = {name: value for name, value in plain.items() if name in known}
    for name in ("verdict", "verdict_before_repair"):
        values[name] = Verdict[values[name]] if values.get(name) else None
    if "usable" not in values:  # written before there were tasks without a rendering
        values["usable"] = values["verdict"] is not None and values["verdict"].has_picture
    values["assets"] = tuple(values.get("assets", ()))
    values["repairs"] = tuple(with_checked_fields(RepairNote(**one)) for one in values.get("repairs", ()))
    values["reading"] = ReadingNote.from_json(values["reading"]) if values.get("reading") else None
    for name in ("error", "error_before_repair"):
        values[name] = with_checked_fields(FirstError(**values[name])) if values.get(name) else None
    return values


#: Fields that a line has only if they say something, beside those of ReadSample.
_OPTIONAL = ("parts", "detail", "cached_cost", "cached_at", "reasoning")
#: Fields that a line begins with.
_FIRST = ("id", "task", "subset", "difficulty", "outcome")
#: Bytes of the digest of a completion in memory.
_DIGEST_BYTES = 16


@dataclass(frozen=True, slots=True)
class Failure:
    """What stopped a sample: the name of the error and its message."""

    kind: str
    message: str


@dataclass(frozen=True, slots=True)
class TokenUsage:
    """Tokens of the call that was answered, as the server counted them; None if it did not say."""

    input_tokens: int | None = None
    output_tokens: int | None = None


@dataclass(frozen=True, slots=True)
class Record(ReadSample):
    """One sample of a run: what its three stages found, joined. ``usable`` is that of the last stage.

    Attributes:
        outcome: How the sample ended.
        metrics: Values by name; None if a metric is not defined for the pair. A sample that is not
            usable has in each what the metric says of such a sample. Empty if the sample has no score.
        undefined: Why a metric is not defined, by name.
        parts: Numerator and denominator of each metric that is pooled over samples, by name.
        detail: What a report shows of how the values came about, by the name of the scorer.
        completion: What the model said, verbatim; None if it said nothing.
        failure: What stopped the sample.
        finish: Why the completion ends where it does, such as "stop" or "length".
        usage: Tokens of the completion.
        cost: Cost of the completion in US dollars by the list of prices; None if it is not known.
        cached: Whether the completion was kept from an earlier call and nothing was paid now.
        attempts: Calls made for it; 0 if nothing was asked.
        cached_cost: Part of ``cost`` that was not paid now, if only some of the completions of several
            questions were kept from earlier calls.
        cached_at: When the completion was given, if it or a part of it came from the answer cache, in ISO
            8601: the earliest date; empty otherwise.
        reasoning: Reasoning that the provider returned apart from the completion, or its beginning.
        kept_digest: The digest of the completion of a record without texts. It is not written.
    """

    outcome: Outcome = field(kw_only=True)
    metrics: Mapping[str, float | None] = field(default_factory=dict)
    undefined: Mapping[str, str] = field(default_factory=dict)
    parts: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    detail: Mapping[str, Any] = field(default_factory=dict)
    completion: str | None = None
    failure: Failure | None = None
    finish: str = ""
    usage: TokenUsage = field(default_factory=TokenUsage)
    cost: float | None = None
    cached: bool = False
    attempts: int = 0
    cached_cost: float = 0.0
    cached_at: str = ""
    reasoning: str = ""
    kept_digest: str = field(default="", repr=False, compare=False)

    @property
    def completion_digest(self) -> str:
        """A digest of the completion without white space around it, by which equal ones are found."""
        if self.kept_digest or self.completion is None:
            return self.kept_digest
        text = self.completion.strip().encode("utf-8", "surrogatepass")
        return hashlib.blake2b(text, digest_size=_DIGEST_BYTES).hexdigest()

    def has_data_of(self, other: Record) -> bool:
        """Return whether two records are of the same instance: of one id, reference picture and target.

        Records of earlier versions do not say which target they were compared with; theirs is every target.
        """
        same = (self.id, self.reference_sha256) == (other.id, other.reference_sha256)
        return same and same_targets((self, other))

    def to_json(self) -> dict[str, Any]:
        """Return the record as JSON has it: enums by name, without fields that only some tasks fill."""
        plain = ReadSample.to_json(self)
        for name in _OPTIONAL:
            if not plain[name]:
                del plain[name]
        del plain["kept_digest"]
        plain["outcome"] = str(self.outcome)
        return {name: plain[name] for name in _FIRST} | plain

    @classmethod
    def from_json(cls, plain: Mapping[str, Any]) -> Record:
        """Return the record of a line; fields of later versions are left out.

        Raises:
            KeyError, TypeError, ValueError: It is not a record.
        """
        values = read_values(cls, plain)
        values.pop("kept_digest", None)
        values["outcome"] = Outcome(values["outcome"])
        values["parts"] = {
            name: (top, bottom) for name, (top, bottom) in dict(values.get("parts", {})).items()
        }
        values["failure"] = (
            with_checked_fields(Failure(**values["failure"])) if values.get("failure") else None
        )
        values["usage"] = (
            with_checked_fields(TokenUsage(**values["usage"])) if values.get("usage") else TokenUsage()
        )
        return with_checked_fields(cls(**values))


def same_targets(records: Iterable[Record]) -> bool:
    """Return whether records can be of one target; one of an earlier version can be of any."""
    return len({one.target_sha256 for one in records} - {""}) < 2


def without_texts(record: Record) -> Record:
    """Return a record without what takes most of its memory: completion, structure, messages.

    A text that many records of a run have in common is there once.
    """
    return replace(
        record,
        completion=None if record.completion is None else "",
        reasoning="",
        structure=None if record.structure is None else "",
        message="",
        error=None,
        error_before_repair=None,
        repairs=(),
        undefined={},
        detail={},
        task=sys.intern(record.task),
        subset=sys.intern(record.subset),
        difficulty=sys.intern(record.difficulty),
        finish=sys.intern(record.finish),
        engine_digest=sys.intern(record.engine_digest),
        isolation=sys.intern(record.isolation),
        metrics={sys.intern(name): value for name, value in record.metrics.items()},
        seconds={},
        kept_digest=record.completion_digest,
    )


#: Fields that a line has only if there is something.
_KEPT = ("document", "log", "target")


@dataclass(frozen=True, slots=True)
class SampleRendering(ReadSample):
    """A sample whose completion was read, and rendered if its task renders.

    Attributes:
        outcome: NO_STRUCTURE or REFUSED if the sample is not usable for these reasons; None if it is still to
            be scored.
        text: Text of the rendering, for metrics of texts; None if it has none or none is wanted.
        truth: Text that it is compared with; None if there is none or none is wanted.
        document: What was rendered last, as its engine counts the lines; None if it is the structure, or was
            not kept since it is too long.
        log: What the engine wrote in the last render, bounded; None if it wrote nothing.
        target: The structure of the ground truth, which a report shows beside that of the answer; None if
            there is none, or it is too long.
    """

    outcome: Outcome | None = field(default=None, kw_only=True)
    text: str | None = None
    truth: str | None = None
    document: str | None = None
    log: str | None = None
    target: str | None = None

    def to_json(self) -> dict[str, Any]:
        """Return what this stage decides as JSON has it; the outcome of a sample to be scored is null."""
        plain = ReadSample.to_json(self)
        plain["outcome"] = str(self.outcome) if self.outcome is not None else None
        return {name: value for name, value in plain.items() if name not in _KEPT or value is not None}

    @classmethod
    def from_json(cls, plain: Mapping[str, Any]) -> SampleRendering:
        """Return what a line holds, also one with the fields of other stages, as they were written once.

        Raises:
            KeyError, TypeError, ValueError: It is nothing of this kind.
        """
        values = read_values(cls, plain)
        values |= {name: plain[name] for name in ("text", "truth")}
        # Lines of earlier versions call a sample that is still to be scored "cancelled".
        outcome = Outcome(plain["outcome"]) if plain["outcome"] else Outcome.CANCELLED
        values["outcome"] = None if outcome is Outcome.CANCELLED else outcome
        return with_checked_fields(cls(**values))
