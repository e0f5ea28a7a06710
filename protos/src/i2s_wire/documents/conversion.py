"""Fragments of Markdown or LaTeX, and the HTML that pandoc makes of them."""

from __future__ import annotations

import enum
from dataclasses import dataclass, field

from i2s_wire.fields import Checked, wire_name
from i2s_wire.render.isolation import Isolation, PolicyEvent
from i2s_wire.render.rendering import Engine, Verdict
from i2s_wire.render.resources import Limits, Usage


class FragmentFormat(enum.IntEnum):
    """The language of a fragment. Values equal those of the wire."""

    MARKDOWN = 1
    LATEX = 2


@dataclass(frozen=True, slots=True)
class Fragment:
    """A piece of text to convert to HTML."""

    #: Returned with the result.
    id: str
    #: Its language, as pandoc reads it without extensions added or removed.
    format: FragmentFormat
    #: The text. One with a lone surrogate is sent too, and the service says why it is no text.
    text: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class ConversionFailure:
    """The reason why there is no HTML."""

    #: COMPILE_ERROR if pandoc refused the fragment, else a limit, CRASHED or INVALID_INPUT.
    verdict: Verdict
    #: One sentence for people.
    message: str = ""


@dataclass(frozen=True, slots=True)
class Converted(Checked):
    """The outcome of one fragment: HTML, or the reason why there is none."""

    #: Id of the fragment.
    id: str
    #: The output of pandoc; None if there is a failure.
    html: str | None = None
    #: None if there is HTML.
    failure: ConversionFailure | None = None

    @property
    def verdict(self) -> Verdict | None:
        """What kind of failure it is; None if there is HTML."""
        return self.failure.verdict if self.failure is not None else None

    @property
    def reason(self) -> str:
        """One sentence that says why there is no HTML; else empty."""
        return self.failure.message if self.failure is not None else ""

    def problem(self) -> str:
        """Return why this is not an outcome: there is none."""
        empty = self.html is None and self.failure is None
        return f"neither HTML nor a reason for {self.id!r}" if empty else ""


@dataclass(frozen=True, slots=True)
class Conversions:
    """The response to one request for conversions."""

    #: Results in the order of the fragments; fewer than were sent if the bounds of a request were reached.
    converted: tuple[Converted, ...] = field(metadata=wire_name("conversions"))
    #: Usage of all conversions together.
    usage: Usage = field(default_factory=Usage)
    #: Limits in force for each fragment.
    limits: Limits = field(default_factory=Limits)
    #: The sandbox that pandoc ran in.
    isolation: Isolation = field(default_factory=Isolation)
    #: Pandoc.
    engine: Engine = field(default_factory=Engine)
    #: What was tried and prevented.
    policy_events: tuple[PolicyEvent, ...] = ()
