"""What a renderer of sites answers beside the picture."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Element:
    """An element of a page; x, y, width and height in CSS pixels from the top left of the page.

    Attributes:
        tag: Name of the tag, in lower case.
        text: The text that it shows, or its label; at most 200 characters. For a meta element, its content.
        role: Its role for assistive technology, such as "link"; empty if there is none.
        clickable: Whether a user can interact with it.
        x: Left edge.
        y: Top edge.
        width: Width of its rectangle.
        height: Height of its rectangle.
        href: Where a link leads, as an absolute URL; empty for other elements.
        visible: Whether it has an area and is neither hidden nor transparent.
        covered: Whether something that is neither inside of it nor around it lies in front of it.
        clipped: Whether a part of its content is cut off.
        rectangles: How many it consists of; text within a line that wraps has more than one.
        joined: Whether pieces that stand apart in the picture follow one another in ``text`` without white
            space.
    """

    tag: str
    text: str
    role: str
    clickable: bool
    x: float
    y: float
    width: float
    height: float
    href: str = ""
    visible: bool = False
    covered: bool = False
    clipped: bool = False
    rectangles: int = 0
    joined: bool = False


@dataclass(frozen=True, slots=True)
class ConsoleEntry:
    """One message of a page's console; ``level`` is "log", "warning", "error" or "exception"."""

    level: str
    text: str


@dataclass(frozen=True, slots=True)
class SiteResult:
    """What is known of a page beside its picture.

    Attributes:
        title: Title of the page.
        text: Text as the DOM shows it; empty if it was not asked for.
        console: Messages and errors of the page, bounded.
        elements: Elements that were asked for.
        settled: Whether fonts, requests and frames came to rest within the bound.
        jekyll: Whether Jekyll built the site.
        missing: Files that the page asked for and the site does not have, bounded.
        warnings: Sentences about the build: those of left_out, then warnings of Jekyll and of its converter
            of style sheets in their words, bounded.
        left_out: The warnings that name what GitHub Pages would have built and Jekyll did not: plugins and
            themes that are not installed.
    """

    title: str = ""
    text: str = ""
    console: tuple[ConsoleEntry, ...] = ()
    elements: tuple[Element, ...] = ()
    settled: bool = False
    jekyll: bool = False
    missing: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()
