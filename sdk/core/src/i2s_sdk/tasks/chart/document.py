"""The program that is sent to the renderer."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from i2s_wire.render.options import PythonOptions

_FUTURE = re.compile(r"from[ \t]+__future__[ \t]+import\b")
_END = "\n"
_ENDS = ("\n", "\r")


@dataclass(frozen=True, slots=True)
class ChartProgram:
    """A Python program that draws a chart.

    Attributes:
        code: What the model wrote, or the ground truth.
        imports: Names of modules, such as "numpy as np", that are imported before it.
        files: The files beside it, by relative path.
        restored_names: Names that libraries have removed and that are put back for it.
    """

    code: str
    imports: tuple[str, ...] = ()
    files: Mapping[str, bytes] = field(default_factory=dict)
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
