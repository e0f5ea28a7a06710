"""The repair of programs: a module that is used and not imported is imported."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from i2s_sdk.tasks.chart.document import ChartProgram
from i2s_sdk.tasks.repair import Repair, Repaired, RepairKind
from i2s_wire.render.rendering import Rendering
from i2s_wire.render.source_error import ProviderKind

#: The most modules that are imported for one program.
MAX_REPAIRS = 8


def repair(
    program: ChartProgram, rendering: Rendering, past: Sequence[Repair] = ()
) -> Repaired[ChartProgram] | None:
    """Return the program with one more import, or None if that cannot help.

    Args:
        program: Program as it was run.
        rendering: What became of it; a program with a figure is left alone.
        past: Repairs that led to ``program``.
    """
    error = rendering.error
    if rendering.verdict.has_picture or error is None or error.undefined is None or len(past) >= MAX_REPAIRS:
        return None
    modules = (one.name for one in error.undefined.providers if one.kind is ProviderKind.MODULE)
    module = next((name for name in modules if name not in program.imports), None)
    if module is None:
        return None
    repaired = replace(program, imports=(*program.imports, module))
    return Repaired(repaired, Repair(RepairKind.ADD_IMPORT, module, error.message))
