"""How far `edit` of web pages depends on which text is compared, over the bundled pages.

``python tests/support/text_departures.py`` prints what docs/metrics.md shows: every page is taken as the
answer for every other one, and the texts of both are compared in three forms.
"""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Callable
from pathlib import Path
from statistics import median

from i2s_sdk.instances.site_files import read_tar
from i2s_sdk.tasks.webpage.page_text import html_to_text, without_front_matter
from i2s_sdk.tasks.webpage.site import as_json
from i2s_sdk.text.edit_similarity import edit_similarity

EXAMPLES = Path(__file__).parents[2] / "examples"
_IMAGE = re.compile(r"!\[[^\]]*\]\([^)]*\)")
_INDEXES = ("index.html", "index.md")

Files = dict[str, str]


def pages() -> list[Files]:
    """Return the text files of the bundled web pages."""
    rows = map(json.loads, (EXAMPLES / "instances.jsonl").read_text().splitlines())
    archives = (EXAMPLES / row["structure"] for row in rows if row["task"] == "webpage")
    return [_text_files(read_tar(archive.read_bytes())) for archive in archives]


def structure(files: Files) -> str:
    """Return the answer that would have these files, as a model writes it."""
    return as_json(files)


def text_with_images(files: Files) -> str:
    """Return the text of the index page as profile ``helm`` compares it."""
    name = next(one for one in _INDEXES if one in files)
    return html_to_text(without_front_matter(files[name]))


def text_without_images(files: Files) -> str:
    """Return the same less the images."""
    return _IMAGE.sub("", text_with_images(files))


def similarities(form: Callable[[Files], str]) -> list[float]:
    """Return `edit` of every page against every other one."""
    texts = [form(files) for files in pages()]
    return [edit_similarity(one, other) for one, other in itertools.permutations(texts, 2)]


def main() -> None:
    """Print the differences."""
    as_structure, shown, bare = map(similarities, (structure, text_with_images, text_without_images))
    for name, first, second in (
        ("text in place of the structure", as_structure, shown),
        ("text without images in place of the text", shown, bare),
    ):
        steps = [after - before for before, after in zip(first, second, strict=True)]
        changed = sum(abs(step) >= 0.0001 for step in steps)
        print(
            f"{name}: {changed} of {len(steps)} pairs change, by {min(steps):+.3f} to {max(steps):+.3f}, "
            f"median size {median(map(abs, steps)):.3f}; means {sum(first) / len(first):.3f} and "
            f"{sum(second) / len(second):.3f}"
        )


def _text_files(files: dict[str, bytes]) -> Files:
    found = {}
    for name, content in files.items():
        try:
            found[name] = content.decode("utf-8")
        except UnicodeDecodeError:
            continue
    return found


if __name__ == "__main__":
    main()
