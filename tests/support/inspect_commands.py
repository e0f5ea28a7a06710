"""The commands that the documentation gives for inspect_ai."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

_PAGE = Path(__file__).resolve().parents[2] / "docs/integrations.md"


def inspect_commands() -> list[list[str]]:
    """Return the words of the commands: the installation, then evaluations."""
    text = _PAGE.read_text(encoding="utf-8").partition("\n## inspect_ai\n")[2]
    block = re.search(r"(?:^    .+\n)+", text, re.MULTILINE)
    assert block is not None
    return [shlex.split(line) for line in block[0].splitlines()]
