"""The repairs of programs: a module is imported, a name that a library has removed is put back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from i2s_sdk.tasks.chart.document import ChartProgram
from i2s_sdk.tasks.repair import Repair, Repaired, RepairKind
from i2s_wire.render.rendering import Rendering
from i2s_wire.render.source_error import ProviderKind

#: The most repairs of one program.
MAX_REPAIRS = 12


def repair(
    program: ChartProgram, rendering: Rendering, past: Sequence[Repair] = ()
) -> Repaired[ChartProgram] | None:
    """Return the program with one more module imported or name restored, or None if neither can help.

    Args:
        program: Program as it was run.
        rendering: What became of it; a program with a figure is left alone.
        past: Repairs that led to ``program``.
    """
    error = rendering.error
    if rendering.verdict.has_picture or error is None or error.undefined is None or len(past) >= MAX_REPAIRS:
        return None
    for provider in error.undefined.providers:
        name = provider.name
        if provider.kind is ProviderKind.MODULE and name not in program.imports:
            imported = replace(program, imports=(*program.imports, name))
            return Repaired(imported, Repair(RepairKind.ADD_IMPORT, name, error.message))
        if provider.kind is ProviderKind.RESTORED_NAME and name not in program.restored_names:
            restored = replace(program, restored_names=(*program.restored_names, name))
            return Repaired(restored, Repair(RepairKind.RESTORE_NAME, name, error.message))
    return None
