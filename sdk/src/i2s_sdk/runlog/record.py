"""What is kept of one sample, and its form as a line of JSON."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from typing import Any

from i2s_sdk.runlog.outcome import Outcome
from i2s_sdk.runlog.typed_fields import with_checked_fields
from i2s_wire.render.rendering import Verdict

#: Fields that a line has only if they say something.
_OPTIONAL = ("parts", "detail", "cached_cost", "error_before_repair", "target_sha256")


@dataclass(frozen=True, slots=True)
class FirstError:
    """The first error of an engine: its words, the sort, and the line of the document (0: unknown)."""

    message: str
    kind: str
    line: int = 0


@dataclass(frozen=True, slots=True)
class Failure:
    """What stopped a sample: the name of the error and its message."""

    kind: str
    message: str


@dataclass(frozen=True, slots=True)
class RepairNote:
    """One repair that was made: its sort, to what, and the error that it answers."""

    kind: str
    detail: str
    error: str = ""


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of the call that was answered, as the server counted them; None where it did not say."""

    input_tokens: int | None = None
    output_tokens: int | None = None


@dataclass(frozen=True, slots=True)
class Record:
    """One sample of a run.

    Attributes:
        id: Of the instance.
        task: Of the instance.
        subset: Of the instance.
        difficulty: Of the instance; empty where unknown.
        outcome: How the sample ended.
        usable: Whether the task could read a structure and, where it is rendered, got a picture, and its
            scorers could work on it.
        verdict: Of the last render; None where nothing was rendered.
        verdict_before_repair: Of the first render; None also where the answer had to be mended before that.
        metrics: Values by name; None where a metric is not defined for the pair. A sample that is not
            usable has in each what the metric says of such a sample. Empty where the sample has no score.
        undefined: Why a metric is not defined, by name.
        parts: Numerator and denominator of each metric that is pooled over samples, by name.
        detail: What a report shows of how the values came about, by the name of the scorer.
        repairs: In the order made.
        message: What the renderer said of the last render, why the sample is not usable, or how the model
            refused.
        error: The first error of the last render.
        completion: What the model said, verbatim; None where it said nothing.
        structure: The code taken from it.
        assets: Names of the files that the answer could use.
        failure: What stopped the sample.
        reference_sha256: Of the reference picture.
        rendering_sha256: Of the rendering; empty where there is none. Pictures are kept by this name.
        document_sha256: Of the document that was rendered last.
        width: Of the rendering, in pixels.
        height: Of the rendering, in pixels.
        pages: That the engine made.
        engine_digest: Of the engine that made the rendering.
        isolation: The tier that the render ran in.
        seconds: On the clock, by stage: "generate", "render", "score".
        finish: Why the completion ends where it does, such as "stop" or "length".
        usage: Tokens of the completion.
        cost: Of the completion in US dollars by the list of prices; None where it is not known.
        cached: Whether the completion was kept from an earlier call and nothing was paid now.
        attempts: Calls made for it; 0 where nothing was asked.
        cached_cost: Part of ``cost`` that was not paid now, if only some of the completions of several
            questions were kept from earlier calls.
        error_before_repair: The first error of the first render, if another render followed; its line is that
            of the document before any repair of a document.
        target_sha256: Of the ground truth that is no picture; empty if there is none, and in records of
            earlier versions.
    """

    id: str
    task: str
    subset: str
    difficulty: str
    outcome: Outcome
    usable: bool = False
    verdict: Verdict | None = None
    verdict_before_repair: Verdict | None = None
    metrics: Mapping[str, float | None] = field(default_factory=dict)
    undefined: Mapping[str, str] = field(default_factory=dict)
    parts: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    detail: Mapping[str, Any] = field(default_factory=dict)
    repairs: tuple[RepairNote, ...] = ()
    message: str = ""
    error: FirstError | None = None
    completion: str | None = None
    structure: str | None = None
    assets: tuple[str, ...] = ()
    failure: Failure | None = None
    reference_sha256: str = ""
    rendering_sha256: str = ""
    document_sha256: str = ""
    width: int = 0
    height: int = 0
    pages: int = 0
    engine_digest: str = ""
    isolation: str = ""
    seconds: Mapping[str, float] = field(default_factory=dict)
    finish: str = ""
    usage: Usage = field(default_factory=Usage)
    cost: float | None = None
    cached: bool = False
    attempts: int = 0
    cached_cost: float = 0.0
    error_before_repair: FirstError | None = None
    target_sha256: str = ""

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

    def has_data_of(self, other: Record) -> bool:
        """Return whether two records are of the same instance: of one id, reference picture and target.

        Records of earlier versions do not say which target they were compared with; theirs is every target.
        """
        same = (self.id, self.reference_sha256) == (other.id, other.reference_sha256)
        return same and same_targets((self, other))

    def to_json(self) -> dict[str, Any]:
        """Return the record as JSON has it: enums by name, without fields that only some tasks fill."""
        plain = asdict(self)
        for name in _OPTIONAL:
            if not plain[name]:
                del plain[name]
        plain["outcome"] = str(self.outcome)
        for name in ("verdict", "verdict_before_repair"):
            verdict: Verdict | None = getattr(self, name)
            plain[name] = verdict.name if verdict is not None else None
        return plain

    @classmethod
    def from_json(cls, plain: Mapping[str, Any]) -> Record:
        """Return the record of a line; fields of later versions are left out.

        Raises:
            KeyError, TypeError, ValueError: It is not a record.
        """
        if not isinstance(plain, Mapping):
            raise TypeError("it is not an object")
        known = {one.name for one in fields(cls)}
        values = {name: value for name, value in plain.items() if name in known}
        values["outcome"] = Outcome(values["outcome"])
        for name in ("verdict", "verdict_before_repair"):
            values[name] = Verdict[values[name]] if values.get(name) else None
        if "usable" not in values:  # written before there were tasks without a rendering
            values["usable"] = values["verdict"] is not None and values["verdict"].has_picture
        values["assets"] = tuple(values.get("assets", ()))
        values["parts"] = {
            name: (top, bottom) for name, (top, bottom) in dict(values.get("parts", {})).items()
        }
        values["repairs"] = tuple(with_checked_fields(RepairNote(**one)) for one in values.get("repairs", ()))
        for name in ("error", "error_before_repair"):
            values[name] = with_checked_fields(FirstError(**values[name])) if values.get(name) else None
        values["failure"] = (
            with_checked_fields(Failure(**values["failure"])) if values.get("failure") else None
        )
        values["usage"] = with_checked_fields(Usage(**values["usage"])) if values.get("usage") else Usage()
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
    )
