"""The documentation names only what exists."""

import re
from pathlib import Path

LINK = re.compile(r"!?\[[^\]]*\]\(([^)#\s]+)(?:#[^)]*)?\)")
PATH = re.compile(r"`((?:benchmarks|deploy|docs|examples|protos|scripts|sdk|services|tests)/[\w./-]*)`")
#: Data of an example: documents about software that there is not.
DATA = Path("examples/readoc/markdown")
COMMAND = re.compile(r"(?:^|`)make ([a-z-]+)", re.MULTILINE)


def test_relative_links_lead_somewhere(root, texts):
    broken = [
        f"{path}: {target}"
        for path, text in texts.items()
        if path.suffix == ".md"
        for target in LINK.findall(text)
        if "://" not in target and not (root / path.parent / target).exists()
    ]
    assert broken == []


def test_every_path_in_the_documentation_exists(root, texts):
    missing = [
        f"{path}: {name}"
        for path, text in texts.items()
        if path.suffix == ".md" and path.name != "CHANGELOG.md"
        for name in PATH.findall(text)
        if not (root / name).exists()
    ]
    assert missing == []


def test_every_make_command_in_the_documentation_exists(texts):
    targets = set(re.findall(r"^([a-z-]+):", texts[Path("Makefile")], re.MULTILINE))
    unknown = [
        f"{path}: make {name}"
        for path, text in texts.items()
        if path.suffix == ".md" and path.name != "CHANGELOG.md" and DATA not in path.parents
        for name in COMMAND.findall(text)
        if name not in targets
    ]
    assert unknown == []


def test_decisions_are_numbered_without_gaps_and_have_three_parts(texts):
    notes = sorted(path for path in texts if path.parent == Path("docs/decisions") and path.name[0].isdigit())
    assert [int(path.name[:4]) for path in notes] == list(range(1, len(notes) + 1))
    for path in notes:
        for heading in ("## Context", "## Decision", "## Consequences"):
            assert heading in texts[path], f"{path} lacks {heading}"
