"""NLTK's Treebank tokenizer, without the rest of NLTK.

The package nltk imports all that it has, and scipy.stats and sklearn with it if they are installed: 2.6 CPU
seconds in every process that computes a score. The tokenizer alone takes 0.14 (NLTK 3.10, SciPy 1.17).
"""

from __future__ import annotations

import contextlib
import importlib
import importlib.util
import sys
import threading
import types
from collections.abc import Iterator
from functools import cache
from typing import Protocol

_PACKAGES = ("nltk", "nltk.tokenize")
_MODULE = "nltk.tokenize.treebank"
_importing = threading.Lock()


class Tokenizer(Protocol):
    """Cuts a text into tokens; whitespace is none."""

    def tokenize(self, text: str) -> list[str]:
        """Return the tokens of ``text`` in order."""
        ...


@cache
def treebank() -> Tokenizer:
    """Return the tokenizer. It is made of rules alone and needs no downloaded data."""
    tokenizer: Tokenizer = _module().TreebankWordTokenizer()
    return tokenizer


def _module() -> types.ModuleType:
    """Return the module of the tokenizer, with all of NLTK if this version needs more of itself."""
    with _importing:
        if "nltk" not in sys.modules:
            with contextlib.suppress(ImportError), _packages_without_content():
                return importlib.import_module(_MODULE)
        return importlib.import_module(_MODULE)


@contextlib.contextmanager
def _packages_without_content() -> Iterator[None]:
    """Have packages without content, whose modules can be imported; none of them stays imported."""
    try:
        for name in _PACKAGES:
            spec = importlib.util.find_spec(name)
            if spec is None or spec.submodule_search_locations is None:
                raise ImportError(f"{name} is no package", name=name)
            package = types.ModuleType(name)
            package.__path__ = list(spec.submodule_search_locations)
            package.__spec__ = spec
            sys.modules[name] = package
        yield
    finally:
        for name in [one for one in sys.modules if one.partition(".")[0] == "nltk"]:
            del sys.modules[name]
