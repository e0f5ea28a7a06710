"""Which renderings of cut LaTeX are references: one page, nothing undefined, nothing far over its width."""

from __future__ import annotations

import re

from i2s_collect.candidates import Dropped, Piece, Reason
from i2s_wire.render.rendering import LogExcerpt, Rendering
from i2s_wire.render.source_error import ErrorKind

#: How far a box may reach over its width or height, in points.
MAX_OVERFULL = 20.0

_OVERFULL = re.compile(r"Overfull \\([hv])box \((\d{1,7}(?:\.\d{1,7})?)pt too (?:wide|high)\)")
_UNDEFINED = frozenset({ErrorKind.UNDEFINED_COMMAND, ErrorKind.UNDEFINED_ENVIRONMENT})


def reference_fault(piece: Piece, rendering: Rendering) -> Dropped | None:
    """Return why a rendering is no reference, or None.

    The log is read as far as the renderer returns it.
    """
    error = rendering.error
    if error is not None and error.kind in _UNDEFINED:
        name = error.undefined.name if error.undefined else error.message
        return Dropped(Reason.UNDEFINED_COMMAND, name[:100], subset=piece.subset)
    if not rendering.verdict.has_picture:
        return None
    if rendering.total_pages != 1:
        return Dropped(Reason.SEVERAL_PAGES, f"{rendering.total_pages} pages", subset=piece.subset)
    most = overfull(rendering.log)
    if most > MAX_OVERFULL:
        return Dropped(Reason.OVERFULL, f"{most:g} pt, more than {MAX_OVERFULL:g}", subset=piece.subset)
    return None


def overfull(log: LogExcerpt) -> float:
    """Return by how many points the widest box of a log is too wide, or the highest too high; 0 for none."""
    text = f"{log.head}\n{log.tail}"
    return max((float(found[2]) for found in _OVERFULL.finditer(text)), default=0.0)
