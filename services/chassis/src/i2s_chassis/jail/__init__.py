"""Run hostile programs: confined, limited, reaped, their results fetched safely.

jail = await Jail.start(JailSettings())                  # the strongest tier that passes its escape tests
async with jail.cell(limits, {"doc.tex": tex}) as cell:  # a fresh work folder that nobody else sees
ended = await cell.run(["pdflatex", "doc.tex"])      # killed with all it started at any limit
pdf = await cell.fetch("doc.pdf")                    # a regular file, no links, bounded
await jail.close()
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from i2s_chassis.jail.errors import (
    CellError,
    CellLostError,
    JailError,
    KilledError,
    NoNestingError,
    NoTierError,
    OutputError,
    OutputReason,
    StarvedError,
)
from i2s_chassis.jail.model import (
    Cause,
    Ended,
    Excerpt,
    Fill,
    Isolation,
    JailSettings,
    PolicyEvent,
    PolicyKind,
    ProcessIsolation,
    Tier,
    Usage,
)

if TYPE_CHECKING:
    from i2s_chassis.jail.cell import Cell
    from i2s_chassis.jail.jail import Jail

__all__ = [
    "Cause",
    "Cell",
    "CellError",
    "CellLostError",
    "Ended",
    "Excerpt",
    "Fill",
    "Isolation",
    "Jail",
    "JailError",
    "JailSettings",
    "KilledError",
    "NoNestingError",
    "NoTierError",
    "OutputError",
    "OutputReason",
    "PolicyEvent",
    "PolicyKind",
    "ProcessIsolation",
    "StarvedError",
    "Tier",
    "Usage",
]


def __getattr__(name: str) -> object:
    # The spawner imports this package too, and stays small without asyncio.
    if name == "Cell":
        from i2s_chassis.jail.cell import Cell

        return Cell
    if name == "Jail":
        from i2s_chassis.jail.jail import Jail

        return Jail
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
