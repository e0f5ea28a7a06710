"""The document that is sent to the renderer."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass


@dataclass(frozen=True)
class LatexDocument(ABC):
    r"""A complete LaTeX document, from ``\documentclass`` to ``\end{document}``."""

    @property
    @abstractmethod
    def source(self) -> str:
        """The text that the engine reads."""

    @property
    @abstractmethod
    def text(self) -> str:
        """The part that the metric ``edit`` compares: no preamble, spaces normalised."""
