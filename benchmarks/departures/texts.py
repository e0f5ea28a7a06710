"""How far `edit` depends on which texts are compared: of web pages, and where the reference is cut."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable

from benchmarks.departures.sets import EXAMPLES, answers, of_task
from benchmarks.departures.size import Count, Found, size
from benchmarks.harness.command import say
from i2s_sdk.instances.site_files import read_tar
from i2s_sdk.tasks import Structure
from i2s_sdk.tasks.latex import LatexTask
from i2s_sdk.tasks.latex.paper_document import paper_document
from i2s_sdk.tasks.webpage.helm import html_to_text, is_available, without_front_matter
from i2s_sdk.tasks.webpage.site import as_json
from i2s_sdk.text.edit_similarity import edit_similarity
from i2s_wire.metrics.profile import Profile

_IMAGE = re.compile(r"!\[[^\]]*\]\([^)]*\)")
_INDEXES = ("index.html", "index.md")
_PAIRS = "132 exchanged pages"

Files = dict[str, str]


def measure() -> list[Found]:
    """Return the sizes of the departures of `edit`, and the length of ground truths."""
    say("texts: edit")
    found = [_truncated(), *_lengths()]
    if not is_available():
        say("texts: html2text is not installed, so texts of web pages are left out")
        return found
    as_structure, shown, bare = map(_similarities, (as_json, text_with_images, text_without_images))
    return [
        *found,
        size("edit of web pages: texts", "structures", _PAIRS, "edit", shown, as_structure),
        size("edit of web pages: images as Markdown", "left out", _PAIRS, "edit", shown, bare),
    ]


def pages() -> list[Files]:
    """Return the text files of the bundled web pages."""
    archives = (EXAMPLES / row["structure"] for row in of_task("webpage"))
    return [_text_files(read_tar(archive.read_bytes())) for archive in archives]


def text_with_images(files: Files) -> str:
    """Return the text of the index page as profile ``helm`` compares it."""
    name = next(index for index in _INDEXES if index in files)
    return html_to_text(without_front_matter(files[name]))


def text_without_images(files: Files) -> str:
    """Return the same less the images."""
    return _IMAGE.sub("", text_with_images(files))


def _similarities(form: Callable[[Files], str]) -> list[float]:
    """Return `edit` of every page against every other one."""
    texts = [form(files) for files in pages()]
    return [edit_similarity(one, other) for one, other in itertools.permutations(texts, 2)]


def _truncated() -> Found:
    """Return how `edit` changes if the reference is cut to the length of the prediction, as in ``helm``."""
    task = LatexTask(Profile.PAPER)
    truths = {row["id"]: (EXAMPLES / row["structure"]).read_text() for row in of_task("latex")}
    pairs = []
    for answer in answers():
        structure = task.structure_from(answer.completion)
        if answer.origin == "replay" and isinstance(structure, Structure):
            texts = (paper_document(structure.code).text, paper_document(truths[answer.name]).text)
            pairs.append(texts)
    before, changed = (
        [edit_similarity(prediction, reference, profile) for prediction, reference in pairs]
        for profile in (Profile.PAPER, Profile.HELM)
    )
    return size("edit: whole reference", "cut, as helm", "17 replayed answers", "edit", before, changed)


def _lengths() -> list[Found]:
    """Return the length of the ground truths as answers, of which models may write 2,000 tokens."""
    lengths = {
        "latex": [len((EXAMPLES / row["structure"]).read_text()) for row in of_task("latex")],
        "music": [len((EXAMPLES / row["structure"]).read_text()) for row in of_task("music")],
        "webpage": [len(as_json(files)) for files in pages()],
    }
    return [
        Count("2,000 tokens", f"bundled ground truths, {task}", {"most characters": max(some)})
        for task, some in lengths.items()
    ]


def _text_files(files: dict[str, bytes]) -> Files:
    found = {}
    for name, content in files.items():
        try:
            found[name] = content.decode("utf-8")
        except UnicodeDecodeError:
            continue
    return found
