"""docs/adding.md lists what a new renderer touches: all of it, and nothing that is not there."""

import re
from pathlib import Path

import pytest

from i2s_sdk.stack.deployment import deployment_files

PAGE = Path("docs/adding.md")
RENDERERS = ("latex", "html", "lilypond", "python")
#: Their files are about single renderers, whichever those are.
NOT_LISTED = ("benchmarks", "examples", "tests", "CHANGELOG.md")


def rows(texts, heading):
    """The paths in the first column of the table below a heading."""
    section = texts[PAGE].partition(f"### {heading}\n")[2].partition("\n### ")[0]
    cells = [line.split("|")[1] for line in section.splitlines() if line.startswith("| `")]
    return [Path(path) for cell in cells for path in re.findall(r"`([^`]+)`", cell)]


def named(text):
    return {name for name in RENDERERS if re.search(rf"render[-_]{name}\b", text)}


@pytest.mark.parametrize("name", RENDERERS)
def test_each_renderer_has_every_file_that_is_its_own(root, texts, name):
    wanted = rows(texts, "What a renderer has of its own")
    assert len(wanted) > 10
    paths = [str(path).replace("{name}", name) for path in wanted]
    assert [path for path in paths if not (root / path).is_file()] == []


def test_each_file_of_the_second_list_names_all_renderers(root, texts):
    listed = rows(texts, "What names all renderers")
    assert len(listed) > 10
    silent = [
        str(path) for path in listed if named((root / path).read_text(encoding="utf-8")) != set(RENDERERS)
    ]
    assert silent == []


def test_no_other_file_names_all_renderers(root, texts):
    written = {Path("deploy") / path for path in deployment_files()}
    listed = {*rows(texts, "What names all renderers"), PAGE, *written}
    others = [
        str(path)
        for path, text in texts.items()
        if path.parts[0] not in NOT_LISTED and path not in listed and named(text) == set(RENDERERS)
    ]
    assert others == []
