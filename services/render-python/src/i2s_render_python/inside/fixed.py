"""Make a program do the same in every run: its randomness, its clock."""

from __future__ import annotations

import itertools
import multiprocessing.process  # noqa: F401 - draws a number when it is imported, as do the next two
import os
import random
import secrets  # noqa: F401
import tempfile  # noqa: F401
from collections.abc import Callable

import numpy as np
import time_machine

SEED = 0
_WORD = 2**32


def fix_randomness() -> None:
    """Seed what has a seed, and give those that draw one from the system the same ones in every run."""
    of_system, of_random, of_numpy = (random.Random(SEED) for _ in range(3))  # noqa: S311 - no secrets
    os.urandom = of_system.randbytes
    random._urandom = of_random.randbytes  # type: ignore[attr-defined]
    # The entropy of generators without a seed.
    np.random.bit_generator.randbits = of_numpy.getrandbits  # type: ignore[attr-defined]
    random.Random.seed = _seeding(random.Random.seed, itertools.count(SEED))  # type: ignore[method-assign]
    random.seed(SEED)
    np.random.seed(SEED)


def _seeding(seed: Callable[..., None], numbers: itertools.count[int]) -> Callable[..., None]:
    def seeded(self: random.Random, a: object = None, version: int = 2) -> None:
        seed(self, next(numbers) % _WORD if a is None else a, version)

    return seeded


def fix_clock(timestamp: float) -> None:
    """Let the time of day be one moment for as long as the process lasts. Clocks that measure go on.

    Args:
        timestamp: Seconds since 1970.
    """
    time_machine.travel(timestamp, tick=False).start()
