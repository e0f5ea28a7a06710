"""The command i2s-sdk as a process of its own."""

from __future__ import annotations

import json
import subprocess


def answer_of(command: list[str], environment: dict[str, str], *, seconds: float = 600) -> dict[str, object]:
    """Run a command that prints one JSON document to its end, and return the document."""
    ended = subprocess.run(
        command, env=environment, capture_output=True, text=True, check=False, timeout=seconds
    )
    assert ended.returncode == 0, ended.stderr
    document: dict[str, object] = json.loads(ended.stdout)
    return document
