"""The hand-made order for names that several well-kept packages define."""

from __future__ import annotations

import tomllib
from functools import lru_cache
from importlib import resources

from i2s_wire.render.source_error import Provider, ProviderKind

from .definitions import Category

_SECTIONS = {"commands": Category.COMMAND, "environments": Category.ENVIRONMENT, "keys": Category.KEY}
_PREFIXES = {
    "class": ProviderKind.CLASS,
    "tikz": ProviderKind.TIKZ_LIBRARY,
    "pgfplots": ProviderKind.PGFPLOTS_LIBRARY,
}


def preferences_text() -> bytes:
    """Return the table as it stands in its file."""
    return (resources.files(__package__) / "preferences.toml").read_bytes()


def _table() -> dict[str, dict[str, list[str]]]:
    return tomllib.loads(preferences_text().decode())


@lru_cache(maxsize=1)
def last() -> frozenset[Provider]:
    """Return the providers that come last for every name."""
    return frozenset(_provider(text) for text in _table()["last"]["packages"])


@lru_cache(maxsize=1)
def preferences() -> dict[tuple[Category, str], tuple[Provider, ...]]:
    """Return the preferred providers by category and name, best first."""
    table = _table()
    preferred: dict[tuple[Category, str], tuple[Provider, ...]] = {}
    for section, category in _SECTIONS.items():
        for providers, names in table.get(section, {}).items():
            for name in names:
                preferred[category, name] = tuple(_provider(text) for text in providers.split())
    return preferred


def _provider(text: str) -> Provider:
    prefix, colon, name = text.partition(":")
    return Provider(_PREFIXES[prefix], name) if colon else Provider(ProviderKind.PACKAGE, text)
