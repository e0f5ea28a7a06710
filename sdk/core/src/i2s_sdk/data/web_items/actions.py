"""Items of two pages: what comes after a click, and where to click for a page that is described."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from i2s_sdk.data.web_items.elements import (
    HEIGHT,
    WIDTH,
    DrawnPage,
    by_path,
    fit_elements,
    framed,
    ratios,
    text_of,
)
from i2s_sdk.data.web_items.items import LEAST_WORDS, Item, choice_items
from i2s_sdk.tasks.visualwebbench.letters import LETTERS
from i2s_wire.render.site import Element


def action_items(
    pages: tuple[DrawnPage, ...], per_page: int, seed: int, refused: Counter[str]
) -> Iterator[Item]:
    """Yield the items of links that lead to another page of the same site.

    Args:
        pages: Pages of all sites.
        per_page: The most items of action_prediction and of action_ground of a page.
        seed: Decides which links are taken, with the names of site and page.
        refused: Counter of what could not be made, by task and reason.
    """
    descriptions = _described(pages, refused)
    known = by_path(pages)
    for page in pages:
        chance = random.Random(f"{seed} action {page.site} {page.path}")  # noqa: S311 - a repeatable choice
        links = _links(page, known, descriptions, refused)
        taken = chance.sample(links, min(per_page, len(links)))
        for link, target in taken:
            yield from _prediction(page, link, target, pages, descriptions, chance, refused)
        for link, target in taken:
            yield from _grounding(page, link, target, descriptions, chance, refused)


def _described(pages: Sequence[DrawnPage], refused: Counter[str]) -> Mapping[tuple[str, str], str]:
    """Return the descriptions of pages that tell them from all others."""
    count = Counter(drawn_page.description.lower() for drawn_page in pages)
    descriptions: dict[tuple[str, str], str] = {}
    for page in pages:
        if len(page.description.split()) < LEAST_WORDS:
            refused["action: no description of the page"] += 1
        elif count[page.description.lower()] > 1:
            refused["action: description stands twice"] += 1
        else:
            descriptions[page.site, page.path] = page.description
    return descriptions


def _links(
    page: DrawnPage,
    known: Mapping[tuple[str, str], DrawnPage],
    descriptions: Mapping[tuple[str, str], str],
    refused: Counter[str],
) -> list[tuple[Element, DrawnPage]]:
    """Return the links of a page that alone lead to a described page of the same site, with that page."""
    leading = Counter(page.target(one) for one in page.elements if one.href and one.visible)
    links: list[tuple[Element, DrawnPage]] = []
    for element in fit_elements(page).texts:
        path = page.target(element)
        if path is None or path == page.path or (page.site, path) not in known:
            continue
        if (page.site, path) not in descriptions:
            refused["action: the page behind the link has no description of its own"] += 1
        elif leading[path] > 1:
            refused["action: two links lead to the page"] += 1
        else:
            links.append((element, known[page.site, path]))
    return links


def _prediction(
    page: DrawnPage,
    link: Element,
    target: DrawnPage,
    pages: Sequence[DrawnPage],
    descriptions: Mapping[tuple[str, str], str],
    chance: random.Random,
    refused: Counter[str],
) -> Iterator[Item]:
    """Yield the choice of the page behind a link among eight descriptions, those of its own site first."""
    gold = descriptions[target.site, target.path]
    others = [
        drawn_page
        for drawn_page in pages
        if (drawn_page.site, drawn_page.path) in descriptions and drawn_page is not target
    ]
    order = sorted(chance.sample(others, len(others)), key=lambda one: one.site != page.site)
    wrong = [descriptions[drawn_page.site, drawn_page.path] for drawn_page in order][: len(LETTERS) - 1]
    if len(wrong) < len(LETTERS) - 1:
        refused["action_prediction: fewer than eight described pages"] += 1
        return
    options = chance.sample([gold, *wrong], len(LETTERS))
    inputs = {
        "website": page.site,
        "bbox": ratios(link, WIDTH, HEIGHT),
        "elem_desc": text_of(link),
        "options": options,
    }
    yield Item("action_prediction", page, framed(page.png, link), inputs, options.index(gold))


def _grounding(
    page: DrawnPage,
    link: Element,
    target: DrawnPage,
    descriptions: Mapping[tuple[str, str], str],
    chance: random.Random,
    refused: Counter[str],
) -> Iterator[Item]:
    """Yield the choice of the link to a described page among eight clickable elements, and its forms."""
    fit = fit_elements(page)
    pool = [
        text
        for text in (*fit.texts, *fit.others)
        if text.clickable and text is not link and page.target(text) != target.path
    ]
    wanted = f"open the page that describes itself as “{descriptions[target.site, target.path]}”"
    yield from choice_items("action_ground", page, link, pool, {"instruction": wanted}, chance, refused)
