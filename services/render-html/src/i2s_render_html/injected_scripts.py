"""The scripts beside this module that are run inside of pages, as text."""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files

#: Name of the property by which a frame's clock is moved.
CLOCK_HANDLE = "__i2s_clock_advance"

_SEED = 0x1D2C3B4A
_MOST_MESSAGES = 1000


@cache
def text_of(name: str) -> str:
    """Return a script of the folder ``scripts``, such as "calm"."""
    return (files("i2s_render_html") / "scripts" / f"{name}.js").read_text(encoding="utf-8")


def clock_script(epoch_seconds: int) -> str:
    """Return what gives every frame its own still clock, which stands at a time when it begins."""
    options = {
        "epoch": epoch_seconds * 1000,
        "seed": _SEED,
        "handle": CLOCK_HANDLE,
        "mostMessages": _MOST_MESSAGES,
    }
    return text_of("clock").replace("OPTIONS", json.dumps(options))


def digest_text() -> str:
    """Return everything here that can change an image, for a digest."""
    return "\0".join(text_of(name) for name in ("calm", "clock", "window"))
