"""A page of a site as it was drawn, with its elements."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import unquote, urlsplit

from i2s_wire.render.site import Element

#: The window that pages are drawn in, in CSS pixels; one of them is one pixel.
WIDTH, HEIGHT = 1280, 1024

#: Elements that items are made of, and the description of the page.
QUERY = (
    "meta[name=description], h1, h2, h3, h4, p, li, dt, dd, th, td, figcaption, blockquote, label, summary, "
    "a[href], button, input:not([type=hidden]), select, textarea"
)
#: The most elements of a page that are looked at.
MOST_ELEMENTS = 2000

_INDEXES = ("index.html", "index.htm")


@dataclass(frozen=True, slots=True)
class DrawnPage:
    """A page.

    Attributes:
        site: Name of its site.
        path: Path within the site, such as "about/index.html".
        origin: Scheme and host under which the page was drawn.
        png: The picture of the window, WIDTH x HEIGHT pixels.
        text: Text of the page, as it is shown.
        elements: Elements in the order of the document.
    """

    site: str
    path: str
    origin: str
    png: bytes = field(repr=False)
    text: str = field(repr=False)
    elements: tuple[Element, ...] = field(repr=False)

    @property
    def description(self) -> str:
        """What the page says of itself in its meta element; empty if it says nothing."""
        return next((" ".join(one.text.split()) for one in self.elements if one.tag == "meta"), "")

    def target(self, element: Element) -> str | None:
        """Return the path of the page of the same site that a link leads to; None if it leads elsewhere."""
        return path_of(element.href, self.origin) if element.href else None


def path_of(url: str, origin: str) -> str | None:
    """Return the path within a site that a URL names, or None if it is no page of the site.

    Args:
        url: Absolute.
        origin: Scheme and host of the site, such as "http://localhost:4000".
    """
    try:
        parts = urlsplit(url)
    except ValueError:
        return None
    if f"{parts.scheme}://{parts.netloc}" != origin:
        return None
    path = unquote(parts.path).lstrip("/")
    return f"{path}{_INDEXES[0]}" if not path or path.endswith("/") else path


def by_path(pages: tuple[DrawnPage, ...]) -> Mapping[tuple[str, str], DrawnPage]:
    """Return pages by site and path."""
    return {(one.site, one.path): one for one in pages}
