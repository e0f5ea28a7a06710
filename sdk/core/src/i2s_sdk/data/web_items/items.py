"""Items of one page: its heading and description, texts of elements, and choices among eight elements."""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from i2s_sdk.data.web_items.elements import (
    HEIGHT,
    WIDTH,
    DrawnPage,
    Fit,
    NoRoomError,
    fit_elements,
    framed,
    lettered,
    overlap,
    ratios,
    text_of,
)
from i2s_sdk.tasks.visualwebbench.letters import LETTERS
from i2s_wire.render.site import Element

#: Least number of words of a description that is asked for.
LEAST_WORDS = 4
#: Characters of the longest text by which an element is described.
LONGEST_DESCRIPTION = 80

_APART = 4.0  # pixels between elements that are chosen from, so that their frames do not touch
_NOUNS = {
    "link": "link",
    "button": "button",
    "heading": "heading",
    "listitem": "list item",
    "cell": "table cell",
    "columnheader": "column header",
    "paragraph": "paragraph",
}


@dataclass(frozen=True, slots=True)
class Item:
    """An instance that is to be written."""

    #: Task of the benchmark.
    task: str
    #: Page that it is made of.
    page: DrawnPage
    #: What the model is shown, as PNG; None for the page without marks.
    image: bytes | None = field(repr=False)
    #: Inputs of the instance without files.
    inputs: Mapping[str, Any]
    #: Gold answer.
    target: str | int | list[str]


def page_items(page: DrawnPage, per_page: int, seed: int, refused: Counter[str]) -> Iterator[Item]:
    """Yield the items of one page that need no other page.

    Args:
        page: Page as it was drawn.
        per_page: The most items of element_ocr and of element_ground.
        seed: Decides which elements are taken, with the names of site and page.
        refused: Counter of what could not be made, by task and reason.
    """
    fit = fit_elements(page)
    for reason, count in fit.refused.items():
        refused[f"element: {reason}"] += count
    yield from _caption(page, refused)
    yield from _heading(page, fit, refused)
    chance = random.Random(f"{seed} {page.site} {page.path}")  # noqa: S311 - a repeatable choice
    yield from _element_texts(page, fit, per_page, chance)
    yield from _element_choices(page, fit, per_page, chance, refused)


def _caption(page: DrawnPage, refused: Counter[str]) -> Iterator[Item]:
    if len(page.description.split()) < LEAST_WORDS:
        refused["web_caption: no description of the page"] += 1
        return
    yield Item("web_caption", page, None, {"website": page.site}, page.description)


def _heading(page: DrawnPage, fit: Fit, refused: Counter[str]) -> Iterator[Item]:
    """Yield the heading: the tallest of the elements h1, if it is the only one of its height."""
    headings = [element for element in page.elements if element.tag == "h1" and element.visible]
    tallest = [heading for heading in headings if heading.height >= max(other.height for other in headings)]
    texts = {text_of(text) for text in fit.texts}
    if len(tallest) != 1:
        refused[f"heading_ocr: {'several headings' if tallest else 'no heading'}"] += 1
    elif text_of(tallest[0]) not in texts:
        refused["heading_ocr: the heading is not fit"] += 1
    else:
        yield Item("heading_ocr", page, None, {"website": page.site}, text_of(tallest[0]))


def _element_texts(page: DrawnPage, fit: Fit, most: int, chance: random.Random) -> Iterator[Item]:
    texts = [text for text in fit.texts if len(text_of(text)) > 1]
    for element in chance.sample(texts, min(most, len(texts))):
        inputs = {"website": page.site, "bbox": ratios(element, WIDTH, HEIGHT)}
        yield Item("element_ocr", page, framed(page.png, element), inputs, text_of(element))


def _element_choices(
    page: DrawnPage, fit: Fit, most: int, chance: random.Random, refused: Counter[str]
) -> Iterator[Item]:
    golds = [text for text in fit.texts if len(text_of(text)) <= LONGEST_DESCRIPTION]
    made = 0
    for gold in chance.sample(golds, len(golds)):
        if made >= most:
            return
        pool = [text for text in (*fit.texts, *fit.others) if text_of(text) != text_of(gold)]
        inputs = {"elem_desc": description_of(gold)}
        items = list(choice_items("element_ground", page, gold, pool, inputs, chance, refused))
        made += bool(items)
        yield from items


def description_of(element: Element) -> str:
    """Return the words that tell an element: its kind and its text."""
    noun = _NOUNS.get(element.role) or ("clickable element" if element.clickable else "text")
    return f"the {noun} “{text_of(element)}”"


def choice_items(
    task: str,
    page: DrawnPage,
    gold: Element,
    pool: Sequence[Element],
    inputs: Mapping[str, Any],
    chance: random.Random,
    refused: Counter[str],
) -> Iterator[Item]:
    """Yield the choice of one element among eight, and the same for boxes and for points.

    The seven others are those of the same role and the nearest size that overlap neither the gold element
    nor one another.

    Args:
        task: element_ground or action_ground.
        page: Page as it was drawn.
        gold: The right element.
        pool: Elements that are wrong.
        inputs: What is asked for.
        chance: Decides between equals, and the letters.
        refused: Counter of what could not be made.
    """
    chosen = [gold]
    for other in sorted(chance.sample(pool, len(pool)), key=_likeness(gold)):
        if len(chosen) == len(LETTERS):
            break
        if not any(overlap(other, element, _APART) for element in chosen):
            chosen.append(other)
    if len(chosen) < len(LETTERS):
        refused[f"{task}: fewer than eight elements that do not overlap"] += 1
        return
    options = chance.sample(chosen, len(chosen))
    target = next(number for number, option in enumerate(options) if option is gold)
    asked = {
        "website": page.site,
        **inputs,
        "options": [ratios(option, WIDTH, HEIGHT) for option in options],
    }
    try:
        image = lettered(
            page.png, options, [element for element in page.elements if element.visible and element.text]
        )
    except NoRoomError as error:
        refused[f"{task}: {error}"] += 1
        return
    yield Item(task, page, image, asked, target)
    for form in ("box", "point"):
        yield Item(f"{task}_{form}", page, None, asked, target)


def _likeness(gold: Element) -> Callable[[Element], tuple[bool, bool, float]]:
    """Return the order in which wrong choices are taken: those that are most like the right one first."""
    size = gold.width * gold.height

    def key(other: Element) -> tuple[bool, bool, float]:
        ratio = abs(math.log(other.width * other.height / size))
        return other.role != gold.role, other.clickable != gold.clickable, ratio

    return key
