"""Sites to a data set of VisualWebBench: every page is drawn, and items are made of its elements."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from i2s_client.render import AsyncRenderClient
from i2s_sdk.data.format_2 import new_folder, write_index
from i2s_sdk.data.web_items.actions import action_items
from i2s_sdk.data.web_items.elements import HEIGHT, MOST_ELEMENTS, QUERY, WIDTH, DrawnPage, path_of
from i2s_sdk.data.web_items.items import Item, page_items
from i2s_sdk.errors import DataError
from i2s_sdk.settings import Settings
from i2s_sdk.single.languages.html import read_site
from i2s_sdk.stack.blocking import run_blocking
from i2s_sdk.stack.services import open_services, passing_logs
from i2s_sdk.tasks.webpage import Site, WebpageTask
from i2s_wire.render.options import ElementQuery, RenderOptions, SiteOptions, WindowOptions

#: Where the renderer shows sites.
ORIGIN = "http://localhost:4000"

_PAGES = (".html", ".htm")
_NO_NAME = re.compile(r"[^\w.-]+")


@dataclass(frozen=True, slots=True)
class Made:
    """The result of making items of some sites."""

    #: How many instances each task has.
    items: Mapping[str, int]
    #: How many pages were drawn.
    pages: int
    #: How often something could not be made, by reason.
    refused: Mapping[str, int]


def make_visualwebbench(
    sites: Sequence[Path | str],
    out: Path | str,
    *,
    seed: int = 0,
    per_page: int = 2,
    most_pages: int = 50,
    licence: str = "",
    settings: Settings | None = None,
) -> Made:
    """Draw the pages of sites and write a data set of items whose gold answers are known by construction.

    >>> make_visualwebbench(["shop.tar.gz"], "items/", seed=7)  # doctest: +SKIP

    The same sites, renderer and seed give the same data set.

    Args:
        sites: Folders, archives (.zip, .tar.gz) or HTML documents.
        out: Folder of the data set; must not exist, or be empty.
        seed: Decides which elements are taken, and the letters.
        per_page: The most items of a page for each of element_ocr, element_ground, action_prediction and
            action_ground.
        most_pages: The most pages of each site that are drawn, from the index page along links, then the
            others by name.
        licence: Licence of the sites, such as "CC0-1.0".
        settings: None reads environment and configuration file.

    Raises:
        DataError: A site cannot be read, or no item could be made.
        UsageError: The output folder is not empty.
        WriteError: The data set cannot be written.
        StackError: The renderer cannot be started.
        ServiceError: It does not answer.
    """
    settings = settings or Settings.load()
    names = _names(sites)
    task = WebpageTask(settings.profile)
    read = {name: read_site(site, task).site for name, site in names.items()}
    refused: Counter[str] = Counter()

    async def draw() -> tuple[DrawnPage, ...]:
        with passing_logs() as logs:
            async with open_services(settings, logs, task.services[:1]) as services:
                renderer = services.renderers[task.services[0]]
                drawn = [
                    await _drawn(renderer, name, site, most_pages, refused) for name, site in read.items()
                ]
        return tuple(page for pages in drawn for page in pages)

    with new_folder(Path(out)) as folder:
        pages = run_blocking(draw())
        items = [page_item for page in pages for page_item in page_items(page, per_page, seed, refused)]
        items += action_items(pages, per_page, seed, refused)
        if not items:
            raise DataError(Path(str(sites[0])), 0, f"no item could be made: {dict(refused)}")
        write_index(folder, _lines(items, folder, licence))
    return Made(Counter(item.task for item in items), len(pages), refused)


def _names(sites: Sequence[Path | str]) -> dict[str, Path]:
    """Return sites by names of their own, made of the names of their files."""
    names: dict[str, Path] = {}
    for site in map(Path, sites):
        stem = site.resolve().name
        for suffix in (".tar.gz", ".tar", ".tgz", ".zip", *_PAGES):
            stem = stem.removesuffix(suffix)
        name = base = _NO_NAME.sub("-", stem) or "site"
        for number in range(2, len(names) + 3):
            if name not in names:
                break
            name = f"{base}-{number}"
        names[name] = site
    return names


async def _drawn(
    renderer: AsyncRenderClient, name: str, site: Site, most: int, refused: Counter[str]
) -> list[DrawnPage]:
    """Return the pages of a site: the index page, what links lead to, then the other documents."""
    waiting = ["", *sorted(file for file in site.files if _is_page(file))]
    seen: set[str] = set()
    pages: list[DrawnPage] = []
    while waiting and len(pages) < most:
        entry = waiting.pop(0)
        path = entry or "index.html"
        if path in seen:
            continue
        seen.add(path)
        page = await _page(renderer, name, site, entry, path)
        if page is None:
            refused["page cannot be shown"] += 1
            continue
        pages.append(page)
        linked = [path_of(element.href, ORIGIN) for element in page.elements if element.href]
        waiting[:0] = [one for one in linked if one and _is_page(one)]
    return pages


def _is_page(path: str) -> bool:
    """Return whether a file may be a page; names with an underscore or a dot are of generators of sites."""
    parts = PurePosixPath(path).parts
    return parts[-1].lower().endswith(_PAGES) and not any(part.startswith(("_", ".")) for part in parts)


async def _page(
    renderer: AsyncRenderClient, name: str, site: Site, entry: str, path: str
) -> DrawnPage | None:
    options = RenderOptions(
        window=WindowOptions(WIDTH, HEIGHT, 1.0, False),
        site=SiteOptions(want_text=True, elements=ElementQuery(QUERY, MOST_ELEMENTS)),
    )
    rendering = await renderer.render_site(site.files, assets=site.assets, entry_path=entry, options=options)
    if not rendering.verdict.has_picture or rendering.site is None:
        return None
    facts = rendering.site
    return DrawnPage(name, path, ORIGIN, rendering.pictures[0].png, facts.text, facts.elements)


def _place(page: DrawnPage, taken: Mapping[tuple[str, str], str]) -> str:
    """Return the name of a page, which the names of its items begin with."""
    base = f"{page.site}-{_NO_NAME.sub('-', str(PurePosixPath(page.path).with_suffix('')))}"
    return f"{base}-{len(taken)}" if base in taken.values() else base


def _lines(items: Sequence[Item], folder: Path, licence: str) -> Iterator[dict[str, Any]]:
    """Write the images of items and yield their lines."""
    numbers: Counter[str] = Counter()
    for part in ("pages", "items"):
        (folder / part).mkdir()
    places: dict[tuple[str, str], str] = {}
    for item in items:
        page = item.page
        place = places.setdefault((page.site, page.path), _place(page, places))
        stem = f"{place}-{item.task}"
        numbers[stem] += 1
        identity = f"{stem}-{numbers[stem]}"
        raw = f"pages/{place}.png"
        (folder / raw).write_bytes(page.png)
        image = raw
        inputs = dict(item.inputs)
        if item.image is not None:
            image = f"items/{identity}.png"
            (folder / image).write_bytes(item.image)
            if "options" in inputs and "bbox" not in inputs:
                inputs["raw_image"] = raw
        yield {
            "id": identity,
            "task": item.task,
            "subset": page.site,
            "inputs": {"image": image, **inputs},
            "target": item.target,
            **({"licence": licence} if licence else {}),
            "provenance": {
                "source": f"{page.site}, {page.path}",
                "made_by": "i2s-sdk dataset make visualwebbench",
            },
        }
