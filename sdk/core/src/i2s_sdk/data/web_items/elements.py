"""The elements of a drawn page: those that an item can be made of, and the marks on the image of the page."""

from __future__ import annotations

import io
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from urllib.parse import unquote, urlsplit

from PIL import Image, ImageDraw, ImageFont

from i2s_sdk.instances.images import decode_image
from i2s_sdk.tasks.visualwebbench.boxes import Box
from i2s_sdk.tasks.visualwebbench.letters import LETTERS
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
    """A page."""

    #: Name of its site.
    site: str
    #: Path within the site, such as "about/index.html".
    path: str
    #: Scheme and host under which the page was drawn.
    origin: str
    #: The image of the window, WIDTH x HEIGHT pixels.
    png: bytes = field(repr=False)
    #: Text of the page, as it is shown.
    text: str = field(repr=False)
    #: Elements in the order of the document.
    elements: tuple[Element, ...] = field(repr=False)

    @property
    def description(self) -> str:
        """The description of the page in its meta element; empty if it has none."""
        return next(
            (" ".join(element.text.split()) for element in self.elements if element.tag == "meta"), ""
        )

    def target(self, element: Element) -> str | None:
        """Return the path of the page of the same site that a link leads to; None if it leads elsewhere."""
        return path_of(element.href, self.origin) if element.href else None


def path_of(url: str, origin: str) -> str | None:
    """Return the path within a site that a URL names, or None if it is not a page of the site.

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
    return {(page.site, page.path): page for page in pages}


_RED, _WHITE = (220, 0, 0), (255, 255, 255)
_LINE = 3  # pixels of a frame's line, drawn outside of the element
_TAG = 20  # side of the square with a letter


class NoRoomError(ValueError):
    """There is no place beside an element where a letter covers neither an element nor another letter."""


def ratios(element: Element, width: int, height: int) -> list[float]:
    """Return the box of an element as ratios of the image, with four decimals."""
    left, top = element.x / width, element.y / height
    right, bottom = (element.x + element.width) / width, (element.y + element.height) / height
    return [round(one, 4) for one in (left, top, right, bottom)]


def framed(png: bytes, element: Element) -> bytes:
    """Return an image with a red frame around an element."""
    image = decode_image(png).convert("RGB")
    _frame(ImageDraw.Draw(image), _pixels(element))
    return _png(image)


def lettered(png: bytes, elements: Sequence[Element], near: Sequence[Element] = ()) -> bytes:
    """Return an image with a frame around each element and a letter beside it, A for the first.

    Args:
        png: The image.
        elements: Elements to be lettered, at most eight; they do not overlap.
        near: Other elements of the page, over which no letter is drawn if another place is free.

    Raises:
        NoRoomError: A letter has no place.
    """
    image = decode_image(png).convert("RGB")
    draw = ImageDraw.Draw(image)
    boxes = [_pixels(element) for element in elements]
    font = ImageFont.load_default(_TAG - 4)
    others = [
        _pixels(element) for element in near if not any(_inside(box, _pixels(element)) for box in boxes)
    ]
    tags: list[Box] = []
    for box in boxes:
        free = [one for one in _tags(box, image.size) if not _hit(one, (*boxes, *tags))]
        if not free:
            raise NoRoomError("no room for a letter")
        tags.append(next((one for one in free if not _hit(one, others)), free[0]))
    for box in boxes:
        _frame(draw, box)
    for letter, tag in zip(LETTERS, tags, strict=False):
        draw.rectangle((tag[0], tag[1], tag[2] - 1, tag[3] - 1), fill=_RED)
        middle = (tag[0] + tag[2]) / 2, (tag[1] + tag[3]) / 2
        draw.text(middle, letter, fill=_WHITE, font=font, anchor="mm")
    return _png(image)


def _tags(box: Box, size: tuple[int, int]) -> Iterator[Box]:
    """Yield the squares beside a box that lie in the image, the usual place first."""
    left, top, right, bottom = box
    places = (
        (left - _LINE, top - _LINE - _TAG),
        (left - _LINE, bottom + _LINE),
        (left - _LINE - _TAG, top - _LINE),
        (left - _LINE - _TAG, (top + bottom - _TAG) / 2),
        (right + _LINE, top - _LINE),
        (right + _LINE - _TAG, top - _LINE - _TAG),
        (right + _LINE - _TAG, bottom + _LINE),
    )
    for x, y in places:
        if x >= 0 and y >= 0 and x + _TAG <= size[0] and y + _TAG <= size[1]:
            yield x, y, x + _TAG, y + _TAG


def _hit(tag: Box, boxes: Sequence[Box]) -> bool:
    return any(tag[0] < box[2] and box[0] < tag[2] and tag[1] < box[3] and box[1] < tag[3] for box in boxes)


def _inside(box: Box, outer: Box) -> bool:
    return outer[0] <= box[0] and outer[1] <= box[1] and box[2] <= outer[2] and box[3] <= outer[3]


def _pixels(element: Element) -> Box:
    left, top = round(element.x), round(element.y)
    return left, top, round(element.x + element.width), round(element.y + element.height)


def _frame(draw: ImageDraw.ImageDraw, box: Box) -> None:
    left, top, right, bottom = box
    around = (left - _LINE, top - _LINE, right + _LINE - 1, bottom + _LINE - 1)
    draw.rectangle(around, outline=_RED, width=_LINE)


def _png(image: Image.Image) -> bytes:
    content = io.BytesIO()
    image.save(content, "PNG", optimize=True)
    return content.getvalue()


#: Characters of the longest text; the renderer cuts off what is longer.
LONGEST_TEXT = 199
#: Sides of the smallest element in pixels, and the largest share of the window.
LEAST_WIDTH, LEAST_HEIGHT, MOST_SHARE = 12.0, 10.0, 0.25

#: Roles whose elements show no text of their own that the renderer knows.
_WITHOUT_TEXT = frozenset(
    {
        "checkbox",
        "radio",
        "slider",
        "combobox",
        "listbox",
        "textbox",
        "searchbox",
        "spinbutton",
        "switch",
        "img",
    }
)
_SAME_PLACE = 0.8  # of the smaller of two areas: two elements with one text are one thing


@dataclass(frozen=True, slots=True)
class Fit:
    """The elements of a page that can be pointed at."""

    #: Elements with a text that stands on the page once.
    texts: tuple[Element, ...]
    #: Elements without such a text: fit to be wrong choices alone.
    others: tuple[Element, ...]
    #: Number of elements that were refused for each reason.
    refused: Counter[str]


def fit_elements(page: DrawnPage) -> Fit:
    """Return the elements of a page that can be pointed at."""
    refused: Counter[str] = Counter()
    whole: list[Element] = []
    seen = [one for one in page.elements if one.visible and _shared(_window(), _corners(one)) > 0]
    for element in page.elements:
        if element.tag == "meta":
            continue
        reason = _fault(element)
        if reason:
            refused[reason] += 1
        else:
            whole.append(element)
    texts: list[Element] = []
    others: list[Element] = []
    shown = _plain(page.text)
    for element in _innermost(whole):
        reason = text_fault(element, shown, seen)
        if reason:
            refused[reason] += 1
        (others if reason else texts).append(element)
    return Fit(tuple(texts), tuple(others), refused)


def text_of(element: Element) -> str:
    """Return the text of an element with white space made one space."""
    return " ".join(element.text.split())


def text_fault(element: Element, shown: str, seen: Sequence[Element]) -> str:
    """Return why an element cannot be told by its text, empty if it can.

    Args:
        element: The element.
        shown: Text of the page in lower case, white space made one space.
        seen: Elements that are in the image, wholly or in part.
    """
    text = text_of(element)
    if not any(map(str.isalnum, text)) or element.role in _WITHOUT_TEXT:
        return "without text"
    if len(element.text) > LONGEST_TEXT:
        return "text too long"
    if element.joined:
        return "text has no spaces between its pieces"
    # The value of a button is not a text of the document.
    if element.tag != "input" and _plain(text) not in shown:
        return "text is not shown"
    alike = [one for one in seen if _plain(one.text) == _plain(text) and not _one_thing(one, element)]
    return "text stands twice" if alike else ""


def _fault(element: Element) -> str:
    """Return why an element cannot be pointed at, empty if it can."""
    if not element.visible:
        return "hidden"
    left, top, right, bottom = _corners(element)
    if left < 0 or top < 0 or right > WIDTH or bottom > HEIGHT:
        return "off-screen"
    if element.covered:
        return "covered"
    if element.clipped:
        return "cut off"
    if element.rectangles != 1:
        return "wraps over several lines"
    if element.width < LEAST_WIDTH or element.height < LEAST_HEIGHT:
        return "too small"
    if element.width * element.height > MOST_SHARE * WIDTH * HEIGHT:
        return "too large"
    return ""


def _innermost(elements: Sequence[Element]) -> list[Element]:
    """Return elements without those whose text another one shows: a link counts, not its list item."""
    kept: list[Element] = []
    for element in elements:
        same = [
            one
            for one in elements
            if one is not element and text_of(one) == text_of(element) != "" and _one_thing(one, element)
        ]
        if not any(_before(one, element, elements) for one in same):
            kept.append(element)
    return kept


def _before(first: Element, other: Element, order: Sequence[Element]) -> bool:
    """Return whether one of two elements that are one thing is taken rather than the other."""
    if first.clickable != other.clickable:
        return first.clickable
    sizes = first.width * first.height, other.width * other.height
    if sizes[0] != sizes[1]:
        return sizes[0] < sizes[1]
    return _place(first, order) > _place(other, order)


def _place(element: Element, order: Sequence[Element]) -> int:
    return next(number for number, one in enumerate(order) if one is element)


def _one_thing(first: Element, other: Element) -> bool:
    """Return whether one of two elements lies in the other, or is it."""
    smaller = min(first.width * first.height, other.width * other.height)
    return _shared(_corners(first), _corners(other)) >= _SAME_PLACE * smaller


def overlap(first: Element, other: Element, margin: float = 0.0) -> bool:
    """Return whether two elements come closer than a margin in pixels."""
    left, top, right, bottom = _corners(first)
    return _shared((left - margin, top - margin, right + margin, bottom + margin), _corners(other)) > 0


def _corners(element: Element) -> tuple[float, float, float, float]:
    return element.x, element.y, element.x + element.width, element.y + element.height


def _window() -> tuple[float, float, float, float]:
    return 0.0, 0.0, float(WIDTH), float(HEIGHT)


def _shared(first: tuple[float, float, float, float], other: tuple[float, float, float, float]) -> float:
    width = min(first[2], other[2]) - max(first[0], other[0])
    height = min(first[3], other[3]) - max(first[1], other[1])
    return max(0.0, width) * max(0.0, height)


def _plain(text: str) -> str:
    return " ".join(text.split()).lower()
