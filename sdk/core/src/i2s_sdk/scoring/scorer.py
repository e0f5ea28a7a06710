"""The interface of a scorer, which compares a sample with what its instance asks for, and its limits."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Protocol, runtime_checkable

from i2s_sdk.instances.instance import Instance

#: The longest detail of a sample, as JSON in bytes.
DETAIL_BYTES = 1 << 16


class Aggregate(StrEnum):
    """How the values of samples become the value of a group of samples."""

    #: The mean over the samples that have a value.
    MEAN = "mean"
    #: The same of values that are 0 or 1, with the interval of a share.
    SHARE = "share"
    #: The sum of the numerators divided by the sum of the denominators of all samples.
    POOLED = "pooled"


@dataclass(frozen=True, slots=True)
class Metric:
    """A column of values."""

    #: Name as tables and records call it.
    name: str
    #: The value of a sample that is not usable; None if such a sample has no value.
    unusable: float | None = 0.0
    #: The least value.
    low: float = 0.0
    #: The greatest value.
    high: float = 1.0
    #: How the values of samples become the value of a group.
    aggregate: Aggregate = Aggregate.MEAN
    #: What it measures, in one sentence; empty if nothing is said.
    summary: str = field(default="", compare=False)
    #: Whether less is better, as in distances. No run is ranked, and no skill computed, by such a metric.
    lower_is_better: bool = False


@dataclass(frozen=True, slots=True)
class Average:
    """A column that is the mean of other columns of a group of samples; samples have no value in it."""

    #: Name as tables call it.
    name: str
    #: Names of the metrics; those without a value in a group are left out there.
    of: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Scorable:
    """All that a scorer may look at. It can be sent to another process as JSON."""

    #: Id of the instance.
    id: str
    #: What the task read out of the completion.
    structure: str | None = None
    #: Inputs of the instance, as its line has them; paths of files are relative to the data set.
    inputs: Mapping[str, Any] = field(default_factory=dict)
    #: Target of the instance, as its line has it; None if there is none.
    target: Any = None
    #: Text of the rendering, for tasks that compare texts of pages; None if there is none.
    text: str | None = None
    #: Text that ``text`` is compared with; None if there is none.
    truth: str | None = None
    #: What the engine drew, as JSON; None if there is nothing.
    drawn: str | None = None
    #: The same of the ground truth, with which ``drawn`` is compared.
    drawn_truth: str | None = None
    #: Subset of the instance; empty if it is not known.
    subset: str = ""
    #: Results by the key of each conversion that was asked for; None if the text cannot be converted.
    conversions: Mapping[str, str | None] = field(default_factory=dict)


#: The format of conversions that are drawn and not converted to HTML.
FORMULA = "formula"


@dataclass(frozen=True, slots=True)
class Conversion:
    """A text that a service converts.

    The documents service makes HTML of "markdown" and "latex", as pandoc reads them. The LaTeX renderer draws
    "formula", the LaTeX of a formula without delimiters; its result is what ``page_tokens.read_drawn`` reads.
    """

    #: "markdown", "latex" or FORMULA.
    format: str
    #: A piece of a document, such as a table.
    text: str

    @property
    def key(self) -> str:
        """SHA-256 of format and text, by which the result is found."""
        return hashlib.sha256(f"{self.format}\n{self.text}".encode("utf-8", "surrogatepass")).hexdigest()


@dataclass(frozen=True, slots=True)
class MetricValues:
    """The values of a sample that a scorer computed."""

    #: Values by name; None if a metric is not defined for the sample.
    metrics: Mapping[str, float | None]
    #: Why a metric is not defined, by name.
    undefined: Mapping[str, str] = field(default_factory=dict)
    #: Numerator and denominator of each metric whose aggregate is POOLED; the value of such a metric is their
    #: quotient, or None if the denominator is 0.
    parts: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    #: What a report shows of how the values came about, as a JSON object. One of more than DETAIL_BYTES is
    #: not kept.
    detail: Mapping[str, Any] = field(default_factory=dict)


def values_of_unusable(metrics: Iterable[Metric]) -> MetricValues:
    """Return what a sample counts that is not usable, as its metrics say it."""
    return MetricValues({metric.name: metric.unusable for metric in metrics})


@dataclass(frozen=True, slots=True)
class NotUsable:
    """The structure cannot be scored, and that is the model's doing; ``reason`` is a sentence for people."""

    reason: str
    #: Whether a limit of a worker was met, which says nothing of what other scorers compare.
    by_limit: bool = field(default=False, compare=False)


class Scorer(Protocol):
    """Computes some metrics of a task."""

    @property
    def name(self) -> str:
        """Name of the scorer in the manifest of a run."""
        ...

    @property
    def version(self) -> str:
        """Grows whenever a value can change; stands in the manifest."""
        ...

    @property
    def metrics(self) -> tuple[Metric, ...]:
        """The metrics that it computes, in the order in which they are shown."""
        ...

    @property
    def in_worker(self) -> bool:
        """Whether it runs in a worker process with limits of CPU time and memory.

        It has to if the time or memory that it takes depends on what a model wrote. Such a scorer can be
        pickled.
        """
        ...

    def applies(self, sample: Scorable) -> bool:
        """Return whether the instance has what the values need; otherwise the sample has none of them."""
        ...

    def score(self, sample: Scorable) -> MetricValues | NotUsable:
        """Return the values of a usable sample to which the scorer applies."""
        ...

    def unusable(self, sample: Scorable) -> MetricValues:
        """Return what a sample counts to which the scorer applies and that is not usable.

        For scorers that inherit from this class it is what the metrics say. It must take little time: the
        structure may be missing, and is not looked at.
        """
        return values_of_unusable(self.metrics)


@runtime_checkable
class ConvertingScorer(Scorer, Protocol):
    """A scorer that needs pieces of the texts converted, and asks for that before it scores."""

    def conversions(self, sample: Scorable) -> tuple[Conversion, ...]:
        """Return the texts to be converted before the sample can be scored further.

        It is called again with their results until it returns nothing. Those in ``sample.conversions`` are
        not among them.
        """
        ...


@runtime_checkable
class FormulaScorer(ConvertingScorer, Protocol):
    """A scorer whose conversions are not only HTML."""

    @property
    def conversion_formats(self) -> frozenset[str]:
        """The formats that it asks for, by which services are started."""
        ...


@runtime_checkable
class OptionalConversions(Protocol):
    """A scorer that a run can do without, if a service for its conversions is not here."""

    @property
    def conversions_optional(self) -> bool:
        """Whether its metrics are missing then, instead of the run being stopped."""
        ...

    def may_convert(self, instance: Instance) -> bool:
        """Return whether it could ask for conversions for an instance: runs of no such instance lack it."""
        ...


@runtime_checkable
class OptionalFormulas(Protocol):
    """A scorer some of whose metrics need drawn formulas: without the renderer a run lacks these alone."""

    @property
    def formula_metrics(self) -> tuple[str, ...]:
        """Names of the metrics that are missing if formulas cannot be drawn."""
        ...

    def may_draw(self, instance: Instance) -> bool:
        """Return whether formulas could have to be drawn for an instance."""
        ...

    def without_formulas(self) -> Scorer:
        """Return the scorer that has no formula drawn, and no values of these metrics."""
        ...


#: Why a metric of formulas has no value without the renderer.
FORMULAS_NOT_DRAWN = "formulas are not drawn: the LaTeX renderer is not here"
#: Formats of a scorer that does not say which ones it asks for.
_HTML_FORMATS = frozenset({"markdown", "latex"})


def conversion_formats(scorer: Scorer) -> frozenset[str]:
    """Return the formats of the conversions that a scorer asks for; none if it asks for none."""
    if isinstance(scorer, FormulaScorer):
        return scorer.conversion_formats
    return _HTML_FORMATS if isinstance(scorer, ConvertingScorer) else frozenset()


@runtime_checkable
class ScoresUnusable(Protocol):
    """A scorer that computes the values of samples that are not usable, instead of fixed ones.

    For such a sample ``score`` is called with ``structure`` None, in a worker if the scorer asks for one.
    If that fails by a limit, ``unusable`` has the values.
    """

    @property
    def scores_unusable(self) -> bool:
        """Whether answers that are not usable are scored too."""
        ...


@runtime_checkable
class DrawnScorer(Protocol):
    """A scorer that compares what the engine drew, so that the ground truth is rendered too."""

    @property
    def compares_drawn(self) -> bool:
        """Whether ``drawn`` of samples is needed."""
        ...


@dataclass(frozen=True, slots=True)
class ScorerLimits:
    """The CPU time and memory that one sample may take in a worker."""

    #: CPU time.
    cpu_seconds: float = 60.0
    #: Memory, beside what the interpreter and the scorer's modules need.
    memory_bytes: int = 1 << 30

    def within(self, others: ScorerLimits) -> ScorerLimits:
        """Return the lower one of each limit."""
        return ScorerLimits(
            min(self.cpu_seconds, others.cpu_seconds), min(self.memory_bytes, others.memory_bytes)
        )


#: Limits of scorers if nothing else is set.
DEFAULT_LIMITS = ScorerLimits()


@runtime_checkable
class LimitedScorer(Protocol):
    """A scorer with limits of its own, which hold if those of the settings are not lower."""

    @property
    def limits(self) -> ScorerLimits:
        """Limits of the scoring of one sample."""
        ...


def limits_of(scorer: object, settings: ScorerLimits) -> ScorerLimits:
    """Return the limits of a scorer.

    Args:
        scorer: May have limits of its own.
        settings: The limits of every scorer.
    """
    return settings.within(scorer.limits) if isinstance(scorer, LimitedScorer) else settings
