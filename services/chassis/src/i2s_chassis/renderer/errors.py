"""What is a renderer's own fault, never a source's.

RendererError
├── EngineError     the engine did not even begin, or did not pass its canary
└── RasterError     a drawing is no picture of the kind that was asked for

A renderer with errors of its own derives them from RendererError.
"""

from __future__ import annotations


class RendererError(Exception):
    """Root of the tree."""


class EngineError(RendererError):
    """The engine did not even begin, or did not pass its canary: a fault of this installation."""


class RasterError(RendererError):
    """A drawing is no picture of the kind that was asked for."""
