"""The metric ``edit``: how many tokens of one text have to change for it to become another.

Tokens are those of NLTK's Treebank tokenizer. The package nltk imports all that it has, and scipy.stats and
sklearn with it if they are installed: 2.6 CPU seconds in every process that computes a score. The tokenizer
alone takes 0.14 (NLTK 3.10, SciPy 1.17), so it is imported without the rest.
"""

from __future__ import annotations

import contextlib
import importlib
import importlib.util
import sys
import threading
import types
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Protocol

from rapidfuzz.distance import Levenshtein

from i2s_wire.metrics.profile import Profile

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
        # A copy is made at once; other threads import modules meanwhile.
        for name in [module for module in sys.modules.copy() if module.partition(".")[0] == "nltk"]:
            del sys.modules[name]


#: What the metric is called in tables and records.
EDIT = "edit"


def edit_similarity(prediction: str, reference: str, profile: Profile = Profile.PAPER) -> float:
    """Return 1 − Levenshtein(tokens) / length of the longer token list.

    Profile ``helm`` first cuts the reference to as many characters as the prediction has, so a correct
    prefix scores 1, and scores 0 if either text has no token. Profile ``paper`` compares the whole
    texts; two texts without any token are equal.

    Args:
        prediction: Text of the structure that was rendered.
        reference: Text of the ground truth.
        profile: Profile whose rules are followed.

    Returns:
        A value in [0, 1], higher is better.

    Source: Image2Struct, section on metrics; the truncation is that of HELM's copyright metrics.
    """
    if profile is Profile.HELM:
        reference = reference[: len(prediction)]
    predicted, expected = treebank().tokenize(prediction), treebank().tokenize(reference)
    if not predicted and not expected and profile is Profile.HELM:
        return 0.0
    return token_similarity(predicted, expected)


def token_similarity(predicted: Sequence[str], expected: Sequence[str]) -> float:
    """Return 1 − Levenshtein distance / length of the longer list; two empty lists are equal.

    Args:
        predicted: Tokens of one text.
        expected: Tokens of the other one.

    Returns:
        A value in [0, 1], higher is better.
    """
    if not predicted and not expected:
        return 1.0
    return 1.0 - Levenshtein.distance(predicted, expected) / max(len(predicted), len(expected))
