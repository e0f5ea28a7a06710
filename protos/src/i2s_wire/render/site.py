"""What a renderer of sites answers beside the picture."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Element:
    """An element of a page; x, y, width and height in CSS pixels from the top left of the page."""

    tag: str
    text: str
    role: str
    clickable: bool
    x: float
    y: float
    width: float
    height: float


@dataclass(frozen=True, slots=True)
class ConsoleEntry:
    """One message of a page's console; ``level`` is "log", "warning", "error" or "exception"."""

    level: str
    text: str


@dataclass(frozen=True, slots=True)
class SiteResult:
    """What is known of a page beside its picture.

    Attributes:
        title: Of the page.
        text: As the DOM shows it; empty where it was not asked for.
        console: Messages and errors of the page, bounded.
        elements: Those that were asked for.
        settled: Whether fonts, requests and frames came to rest within the bound.
        jekyll: Whether Jekyll built the site.
        missing: Files that the page asked for and the site does not have, bounded.
        warnings: What GitHub Pages would have built and Jekyll did not: plugins and themes that are not
            installed, one sentence each.
    """

    title: str = ""
    text: str = ""
    console: tuple[ConsoleEntry, ...] = ()
    elements: tuple[Element, ...] = ()
    settled: bool = False
    jekyll: bool = False
    missing: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
