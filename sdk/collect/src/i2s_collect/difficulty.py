"""How difficult an instance is: by the terciles of a length within its subset."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from i2s_sdk.errors import DataError
from i2s_sdk.instances.images import decode_image
from i2s_sdk.json_text import read_json

EASY, MEDIUM, HARD = DIFFICULTIES = ("easy", "medium", "hard")


@dataclass(frozen=True, slots=True)
class Thresholds:
    """Lengths that divide a subset."""

    #: Longer instances are at least medium.
    medium: int
    #: Longer instances are hard.
    hard: int

    def of(self, length: int) -> str:
        """Return the difficulty of a length."""
        if length > self.hard:
            return HARD
        return MEDIUM if length > self.medium else EASY


def thresholds(lengths: Sequence[int]) -> Thresholds | None:
    """Return the terciles of lengths as the published benchmark has them; None if there are no lengths.

    They are the values at the positions n // 3 and 2 (n // 3) of the sorted lengths, counted from 0.
    """
    if not lengths:
        return None
    ordered, third = sorted(lengths), len(lengths) // 3
    return Thresholds(ordered[third], ordered[2 * third])


def ink_length(png: bytes) -> int:
    """Return the length of an image of music: its values below a quarter of its largest value.

    Values are those of the three channels of red, green and blue.
    """
    values = np.asarray(decode_image(png).convert("RGB"))
    return int(np.count_nonzero(values < values.max() / 4))


def read_thresholds(path: Path) -> dict[str, Thresholds]:
    """Return the thresholds of an earlier collection, by subset.

    Raises:
        DataError: The file is none of thresholds.
    """
    try:
        stored = read_json(path.read_bytes())
        return {subset: Thresholds(int(one["medium"]), int(one["hard"])) for subset, one in stored.items()}
    except OSError as error:
        raise DataError(path, 0, f"cannot be read: {error.strerror}") from None
    except (ValueError, KeyError, TypeError, AttributeError):
        raise DataError(
            path, 0, 'is no file of thresholds, as {"equation": {"medium": 80, "hard": 160}}'
        ) from None


def as_text(divided: Mapping[str, Thresholds]) -> str:
    """Return thresholds as ``read_thresholds`` reads them."""
    stored = {subset: {"medium": one.medium, "hard": one.hard} for subset, one in divided.items()}
    return json.dumps(stored, indent=2, sort_keys=True) + "\n"
