"""The program that is sent to the renderer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class ChartProgram:
    """A Python program that draws a chart.

    Attributes:
        code: What the model wrote, or the ground truth.
        imports: Names of modules, such as "numpy as np", that are imported before it.
        files: The files beside it, by relative path.
    """

    code: str
    imports: tuple[str, ...] = ()
    files: Mapping[str, bytes] = field(default_factory=dict)

    @property
    def source(self) -> str:
        """The program after a line with its imports."""
        head = "; ".join(f"import {name}" for name in self.imports)
        return f"{head}\n{self.code}" if head else self.code
