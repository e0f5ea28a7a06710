"""docs/adding.md says what a new renderer is, and which shared files name single renderers: no others do."""

import re
from fnmatch import fnmatch
from pathlib import Path

import pytest

from i2s_sdk.stack.deployment import deployment_files
from i2s_wire.renderers import RENDERER_SPECS

PAGE = Path("docs/adding.md")
NAMES = [renderer_spec.name.removeprefix("render-") for renderer_spec in RENDERER_SPECS]
#: All ways to write the name of a renderer, or of the type of its sources.
SPELLED = re.compile(
    rf"render[-_]?({'|'.join(NAMES)})\b|(Latex|Lilypond|Python|Site)Source\b",
    re.IGNORECASE,
)
#: What is about single renderers or tasks, whichever those are; documentation, locks, the wire and the table.
THEIRS = [
    *("services/render-*", "sdk/core/src/i2s_sdk/single/languages/*", "sdk/core/src/i2s_sdk/cli/languages/*"),
    *(
        "sdk/core/src/i2s_sdk/tasks/*",
        "tests/*",
        "benchmarks/*",
        "examples/*",
        "scripts/tex_trials.py",
        ".ci/*",
    ),
    *("*.md", "mkdocs.yml", "requirements/*", "deploy/templates/*"),
    *("protos/i2s/*", "protos/src/i2s_wire/render/*", "protos/src/i2s_wire/renderer*.py"),
]


def rows(texts, heading):
    """The paths in the first column of the table below a heading."""
    section = texts[PAGE].partition(f"### {heading}\n")[2].partition("\n### ")[0]
    cells = [line.split("|")[1] for line in section.splitlines() if line.startswith("| `")]
    return [Path(path) for cell in cells for path in re.findall(r"`([^`]+)`", cell)]


@pytest.mark.parametrize("name", NAMES)
def test_each_renderer_has_every_file_that_is_its_own(root, texts, name):
    wanted = rows(texts, "In this repository")
    assert len(wanted) > 5
    paths = [str(path).replace("{name}", name) for path in wanted]
    assert [path for path in paths if not (root / path).is_file()] == []


def test_no_shared_file_names_a_single_renderer_but_those_that_the_page_lists(texts):
    written = {Path("deploy") / path for path in deployment_files()}
    shared = (
        (path, text)
        for path, text in texts.items()
        if path not in written and not any(fnmatch(str(path), pattern) for pattern in THEIRS)
    )
    naming = {str(path) for path, text in shared if SPELLED.search(text)}
    assert naming == set(map(str, rows(texts, "What names single renderers")))
