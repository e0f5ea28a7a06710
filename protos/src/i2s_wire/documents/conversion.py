"""Fragments of Markdown or LaTeX, and the HTML that pandoc makes of them."""

from __future__ import annotations

import enum
from dataclasses import dataclass, field

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
class Converted:
    """What became of a fragment."""

    #: Id of the fragment.
    id: str
    #: What pandoc wrote; None if there is none.
    html: str | None
    #: One sentence that says why there is no HTML; else empty.
    reason: str = ""
    #: What kind of reason that is: COMPILE_ERROR if pandoc refused the fragment, else a limit, CRASHED or
    #: INVALID_INPUT; None if there is HTML.
    verdict: Verdict | None = None


@dataclass(frozen=True, slots=True)
class Conversions:
    """The response to one request for conversions."""

    #: Results in the order of the fragments; fewer than were sent if the bounds of a request were reached.
    converted: tuple[Converted, ...]
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
