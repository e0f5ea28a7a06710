"""Texts of a program as they can be sent."""

from __future__ import annotations

import re

_SURROGATE = re.compile("[\ud800-\udfff]")


def sendable(text: str) -> str:
    """Return a text without halves of surrogate pairs, which UTF-8 cannot hold: each becomes U+FFFD."""
    return _SURROGATE.sub("\N{REPLACEMENT CHARACTER}", text)
