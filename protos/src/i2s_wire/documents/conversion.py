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
    """A piece of text to convert to HTML.

    Attributes:
        id: Returned with the result.
        format: Its language, as pandoc reads it without extensions added or removed.
        text: The text. One with a lone surrogate is sent too, and the service says why it is no text.
    """

    id: str
    format: FragmentFormat
    text: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class Converted:
    """What became of a fragment.

    Attributes:
        id: Id of the fragment.
        html: What pandoc wrote; None if there is none.
        reason: One sentence that says why there is no HTML; else empty.
        verdict: What kind of reason that is: COMPILE_ERROR if pandoc refused the fragment, else a limit,
            CRASHED or INVALID_INPUT; None if there is HTML.
    """

    id: str
    html: str | None
    reason: str = ""
    verdict: Verdict | None = None


@dataclass(frozen=True, slots=True)
class Conversions:
    """The response to one request for conversions.

    Attributes:
        converted: Results in the order of the fragments; fewer than were sent if the bounds of a request were
            reached.
        usage: Usage of all conversions together.
        limits: Limits in force for each fragment.
        isolation: The sandbox that pandoc ran in.
        engine: Pandoc.
        policy_events: What was tried and prevented.
    """

    converted: tuple[Converted, ...]
    usage: Usage = field(default_factory=Usage)
    limits: Limits = field(default_factory=Limits)
    isolation: Isolation = field(default_factory=Isolation)
    engine: Engine = field(default_factory=Engine)
    policy_events: tuple[PolicyEvent, ...] = ()
