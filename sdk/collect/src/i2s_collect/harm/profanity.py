"""Profane words, by the linear model of alt-profanity-check; nothing leaves the machine.

The model knows single words of English and how often they stood in comments that people marked as offensive.
It knows nothing of sense, threats, other languages or pictures.
"""

from __future__ import annotations

import hashlib
import importlib.util
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any

from i2s_sdk.errors import UsageError
from i2s_wire.installation import install_command

PACKAGE = "profanity_check"

#: SHA-256 of the files of the model, in version 1.9.1. They are pickles, which run code when they are read.
DIGESTS = {
    "model.joblib": "aeafc04849d4d93db4721cf30a86ebf22085595294b8a07d51918e7fa98f538b",
    "vectorizer.joblib": "19c5200dc6a41f026e0558e2f164f5fe8d8f58e502b46b37e4385037fcfa4831",
}

#: A text whose worst window has a greater value is left out.
LIMIT = 0.95

#: Words of a window, and by how many words the next one begins later.
WINDOW_WORDS, WINDOW_STEP = 12, 6

#: Windows that are judged at once.
BATCH = 256


class ProfanityJudge:
    """Implements ``TextJudge``. The value of a text is that of its worst window.

    Args:
        limit: A text with a greater value is left out.

    Raises:
        UsageError: The extra ``collect`` is not installed, or the model is not the one that is known.
    """

    name = "alt-profanity-check"

    def __init__(self, limit: float = LIMIT) -> None:
        self.limit = limit
        check_model(_folder())
        self.version = f"{version(self.name)} {DIGESTS['model.joblib'][:12]}"
        self._predict: Any = None

    def judge(self, text: str) -> float:
        """Return the probability of the worst window, from 0 to 1; 0 for a text without words."""
        if self._predict is None:
            from profanity_check import predict_prob

            self._predict = predict_prob
        worst = 0.0
        pieces = list(windows(text))
        for first in range(0, len(pieces), BATCH):
            worst = max(worst, float(self._predict(pieces[first : first + BATCH]).max()))
        return min(1.0, worst)


def windows(text: str) -> Iterator[str]:
    """Yield overlapping windows of the words of a text; none if it has no words."""
    words = text.split()
    for first in range(0, max(1, len(words) - WINDOW_WORDS + WINDOW_STEP), WINDOW_STEP):
        if part := words[first : first + WINDOW_WORDS]:
            yield " ".join(part)


def check_model(folder: Path) -> None:
    """Check the files of the model before anything reads them.

    Args:
        folder: Folder in which they are.

    Raises:
        UsageError: A file is missing or another.
    """
    for name, digest in DIGESTS.items():
        path = folder / name
        try:
            found = hashlib.sha256(path.read_bytes()).hexdigest()
        except OSError as error:
            raise UsageError(f"{path}: cannot be read: {error.strerror}") from None
        if found != digest:
            raise UsageError(
                f"{path}: is not the model of alt-profanity-check 1.9.1; install that version of the package"
            )


def _folder() -> Path:
    found = importlib.util.find_spec(PACKAGE)
    if found is None or found.origin is None:
        raise UsageError(f"collecting needs the extra `collect`: {install_command('i2s-sdk[collect]')}")
    return Path(found.origin).parent / "data"
