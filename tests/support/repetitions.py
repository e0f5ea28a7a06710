"""Cases of one test of which ``make test`` runs some, and ``make nightly`` all."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import pytest


def some(
    cases: Iterable[Any],
    *,
    one_in: int = 1,
    chosen: Callable[[Any], bool] = lambda case: True,
    instead: str,
    name: Callable[[Any], str | None] = lambda case: None,
) -> Iterator[Any]:
    """Yield all cases as parameters, and mark those that only the nightly run has.

    Args:
        cases: The cases; a tuple is several arguments of the test.
        one_in: Number of cases of which the first is always run.
        chosen: The function that says whether a case may be one of those that are always run.
        instead: The tests that are run instead of the others.
        name: The function that gives the name of a case; None for pytest's own.
    """
    mark = pytest.mark.nightly(instead=instead)
    for place, case in enumerate(cases):
        arguments = case if isinstance(case, tuple) else (case,)
        always = place % one_in == 0 and chosen(case)
        yield pytest.param(*arguments, id=name(case), marks=() if always else mark)
