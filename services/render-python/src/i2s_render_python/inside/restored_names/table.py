"""All names that can be put back."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from i2s_render_python.inside.restored_names import (
    matplotlib_names,
    numpy_names,
    other_names,
    pandas_names,
    scipy_names,
    seaborn_names,
)
from i2s_render_python.inside.restored_names.changes import Change

#: How each is put back.
CHANGES: Mapping[str, Change] = {
    **matplotlib_names.CHANGES,
    **numpy_names.CHANGES,
    **other_names.CHANGES,
    **pandas_names.CHANGES,
    **scipy_names.CHANGES,
    **seaborn_names.CHANGES,
}


def restore(names: Iterable[str]) -> None:
    """Put names back in this process.

    Raises:
        KeyError: A name is none of the table.
    """
    for name in names:
        CHANGES[name]()
