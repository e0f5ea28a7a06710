"""The program that is sent to the renderer, and its repairs.

A module that is used is imported, a name that a library has removed is put back, and lines of notebooks are
left out.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from i2s_sdk.tasks.chart.reading import without_notebook_line
from i2s_sdk.tasks.repair import Repair, Repaired, RepairKind
from i2s_wire.render.options import PythonOptions
from i2s_wire.render.rendering import Rendering
from i2s_wire.render.source_error import ErrorKind, ProviderKind, SourceError

_FUTURE = re.compile(r"from[ \t]+__future__[ \t]+import\b")
_END = "\n"
_ENDS = ("\n", "\r")


@dataclass(frozen=True, slots=True)
class ChartProgram:
    """A Python program that draws a chart."""

    #: What the model wrote, or the ground truth.
    code: str
    #: Names of modules, such as "numpy as np", that are imported before it.
    imports: tuple[str, ...] = ()
    #: The files beside it, by relative path.
    files: Mapping[str, bytes] = field(default_factory=dict)
    #: Names that libraries have removed and that are put back for it.
    restored_names: tuple[str, ...] = ()

    @property
    def options(self) -> PythonOptions:
        """How it is run: with the objects of its figures."""
        return PythonOptions(want_objects=True, restored_names=self.restored_names)

    @property
    def source(self) -> str:
        """The program with a line of its imports: before all else but imports from ``__future__``."""
        head = "; ".join(f"import {name}" for name in self.imports)
        if not head:
            return self.code
        lines = self.code.splitlines(keepends=True)
        place = next((at for at in range(len(lines), 0, -1) if _FUTURE.match(lines[at - 1])), 0)
        before = "".join(lines[:place])
        return (
            f"{before}{'' if before.endswith(_ENDS) or not before else _END}{head}\n{''.join(lines[place:])}"
        )


#: The most repairs of one program.
MAX_REPAIRS = 12


def repair(
    program: ChartProgram, rendering: Rendering, past: Sequence[Repair] = (), *, notebooks: bool = True
) -> Repaired[ChartProgram] | None:
    """Return the program after one more repair, or None if nothing can help.

    Args:
        program: Program as it was run.
        rendering: What became of it; a program with a figure is left alone.
        past: Repairs that led to ``program``.
        notebooks: Whether lines of notebooks and interpreters are left out.
    """
    error = rendering.error
    if rendering.verdict.has_picture or error is None or len(past) >= MAX_REPAIRS:
        return None
    if error.kind is ErrorKind.SYNTAX:
        return _without_line(program, error) if notebooks else None
    for provider in error.undefined.providers if error.undefined is not None else ():
        name = provider.name
        if provider.kind is ProviderKind.MODULE and name not in program.imports:
            imported = replace(program, imports=(*program.imports, name))
            return Repaired(imported, Repair(RepairKind.ADD_IMPORT, name, error.message))
        if provider.kind is ProviderKind.RESTORED_NAME and name not in program.restored_names:
            restored = replace(program, restored_names=(*program.restored_names, name))
            return Repaired(restored, Repair(RepairKind.RESTORE_NAME, name, error.message))
    return None


def _without_line(program: ChartProgram, error: SourceError) -> Repaired[ChartProgram] | None:
    """Return the program without the line at which Python cannot read it, if that is none of Python."""
    if error.file or program.imports:  # lines of another file, or lines that are counted from an import
        return None
    changed = without_notebook_line(program.code, error.line)
    if changed is None:
        return None
    code, left_out = changed
    return Repaired(replace(program, code=code), Repair(RepairKind.LEAVE_OUT_LINE, left_out, error.message))
