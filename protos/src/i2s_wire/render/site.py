"""What a renderer of sites answers beside the image."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Element:
    """An element of a page; x, y, width and height in CSS pixels from the top left of the page."""

    #: Name of the tag, in lower case.
    tag: str
    #: The text that it shows, or its label; at most 200 characters. For a meta element, its content.
    text: str
    #: Its role for assistive technology, such as "link"; empty if there is none.
    role: str
    #: Whether a user can interact with it.
    clickable: bool
    #: Left edge.
    x: float
    #: Top edge.
    y: float
    #: Width of its rectangle.
    width: float
    #: Height of its rectangle.
    height: float
    #: Where a link leads, as an absolute URL; empty for other elements.
    href: str = ""
    #: Whether it has an area and is neither hidden nor transparent.
    visible: bool = False
    #: Whether something that is neither inside of it nor around it lies in front of it.
    covered: bool = False
    #: Whether a part of its content is cut off.
    clipped: bool = False
    #: How many it consists of; text within a line that wraps has more than one.
    rectangles: int = 0
    #: Whether pieces that stand apart in the image follow one another in ``text`` without white space.
    joined: bool = False


@dataclass(frozen=True, slots=True)
class PageBlock:
    """A text node that has an area; x, y, width and height in CSS pixels from the top left of the page."""

    #: At most 2,000 characters; white space is as the source has it, but for its ends.
    text: str
    #: Left edge of the union of its rectangles, as far as nothing around it cuts them off.
    x: float
    #: Top edge.
    y: float
    #: Width.
    width: float
    #: Height.
    height: float
    #: Computed colour of the letters, "#rrggbbaa"; empty where they are filled with an image.
    color: str
    #: The first background that is not transparent, of its element and those around it.
    background: str
    #: Whether it is not shown: by ``visibility``, or with an opacity of 0.
    hidden: bool = False
    #: Whether a part of it is cut off by an element around it.
    clipped: bool = False
    #: Whether something else lies in front of its middle; known only within the window.
    covered: bool = False
    #: Whether it lies entirely outside of the image.
    outside: bool = False
    #: Names of the elements that it lies in, such as "html>body>p".
    path: str = ""
    #: 1 + the index in the tree of the element whose own text it is.
    element: int = 0


@dataclass(frozen=True, slots=True)
class ElementTree:
    """Elements in the order of the document, with their parents."""

    #: Names, each once.
    names: tuple[str, ...] = ()
    #: Of each element, the index of its name.
    name_of: tuple[int, ...] = ()
    #: Of each element, 1 + the index of its parent; 0 for a root.
    parent_of: tuple[int, ...] = ()
    #: Whether elements were left out.
    truncated: bool = False


@dataclass(frozen=True, slots=True)
class PageLayout:
    """What the browser laid out, with open shadow trees and frames of the same site."""

    #: Width of the page in CSS pixels.
    width: float = 0.0
    #: Height of the page in CSS pixels.
    height: float = 0.0
    #: In the order of the document.
    blocks: tuple[PageBlock, ...] = ()
    #: The elements.
    tree: ElementTree = ElementTree()
    #: Whether blocks were left out.
    blocks_truncated: bool = False


@dataclass(frozen=True, slots=True)
class ConsoleEntry:
    """One message of a page's console; ``level`` is "log", "warning", "error" or "exception"."""

    level: str
    text: str


@dataclass(frozen=True, slots=True)
class SiteResult:
    """What is known of a page beside its image."""

    #: Title of the page.
    title: str = ""
    #: Text as the DOM shows it; empty if it was not asked for.
    text: str = ""
    #: Messages and errors of the page, bounded.
    console: tuple[ConsoleEntry, ...] = ()
    #: Elements that were asked for.
    elements: tuple[Element, ...] = ()
    #: Whether fonts, requests and frames came to rest within the bound.
    settled: bool = False
    #: Whether Jekyll built the site.
    jekyll: bool = False
    #: Files that the page asked for and the site does not have, bounded.
    missing: tuple[str, ...] = ()
    #: Sentences about the build: those of left_out, then warnings of Jekyll and of its converter of style
    #: sheets in their words, bounded.
    warnings: tuple[str, ...] = ()
    #: The warnings that name what GitHub Pages would have built and Jekyll did not: plugins and themes that
    #: are not installed.
    left_out: tuple[str, ...] = ()
    #: The page as the browser laid it out; None if it was not asked for.
    layout: PageLayout | None = None
