"""Which of several machines a suite of minutes is run on, as a variable of the environment says it.

Unset: on none, and the tests are skipped with that reason. "1": on all. Else on those that it names, with
commas between them.
"""

from __future__ import annotations

import os
from collections.abc import Iterable


def chosen(variable: str, names: Iterable[str]) -> tuple[str, ...]:
    """Return the names that a variable chooses, in their order; all of them where it is unset.

    Raises:
        ValueError: It names something else.
    """
    known, value = tuple(names), os.environ.get(variable, "")
    if value in ("", "1"):
        return known
    wanted = value.split(",")
    unknown = sorted(set(wanted) - set(known))
    if unknown:
        raise ValueError(f"{variable} names {', '.join(unknown)}; there are {', '.join(known)}")
    return tuple(name for name in known if name in wanted)


def why_not(variable: str, suite: str) -> str | None:
    """Return why a suite is not run, None where it is."""
    if os.environ.get(variable):
        return None
    return f"takes many minutes; `make test SUITE={suite}` runs it, or set {variable}"
