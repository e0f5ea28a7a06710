"""Which elements of a page an item can be made of, and why the others cannot."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from i2s_sdk.data.web_items.pages import HEIGHT, WIDTH, DrawnPage
from i2s_wire.render.site import Element

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
    """The elements of a page that can be pointed at.

    Attributes:
        texts: Elements with a text that stands on the page once.
        others: Elements without such a text: fit to be wrong choices alone.
        refused: Number of elements that were refused for each reason.
    """

    texts: tuple[Element, ...]
    others: tuple[Element, ...]
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
        seen: Elements that are in the picture, wholly or in part.
    """
    text = text_of(element)
    if not any(map(str.isalnum, text)) or element.role in _WITHOUT_TEXT:
        return "without text"
    if len(element.text) > LONGEST_TEXT:
        return "text too long"
    if element.joined:
        return "text has no spaces between its pieces"
    # The value of a button is no text of the document.
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


def _before(one: Element, other: Element, order: Sequence[Element]) -> bool:
    """Return whether one of two elements that are one thing is taken rather than the other."""
    if one.clickable != other.clickable:
        return one.clickable
    sizes = one.width * one.height, other.width * other.height
    if sizes[0] != sizes[1]:
        return sizes[0] < sizes[1]
    return _place(one, order) > _place(other, order)


def _place(element: Element, order: Sequence[Element]) -> int:
    return next(number for number, one in enumerate(order) if one is element)


def _one_thing(one: Element, other: Element) -> bool:
    """Return whether one of two elements lies in the other, or is it."""
    smaller = min(one.width * one.height, other.width * other.height)
    return _shared(_corners(one), _corners(other)) >= _SAME_PLACE * smaller


def overlap(one: Element, other: Element, margin: float = 0.0) -> bool:
    """Return whether two elements come closer than a margin in pixels."""
    left, top, right, bottom = _corners(one)
    return _shared((left - margin, top - margin, right + margin, bottom + margin), _corners(other)) > 0


def _corners(element: Element) -> tuple[float, float, float, float]:
    return element.x, element.y, element.x + element.width, element.y + element.height


def _window() -> tuple[float, float, float, float]:
    return 0.0, 0.0, float(WIDTH), float(HEIGHT)


def _shared(one: tuple[float, float, float, float], other: tuple[float, float, float, float]) -> float:
    width = min(one[2], other[2]) - max(one[0], other[0])
    height = min(one[3], other[3]) - max(one[1], other[1])
    return max(0.0, width) * max(0.0, height)


def _plain(text: str) -> str:
    return " ".join(text.split()).lower()
