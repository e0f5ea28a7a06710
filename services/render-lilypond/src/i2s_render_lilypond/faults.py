"""What is this service's own fault, never a score's.

LilypondFault
├── EngineError     an engine did not even begin, or did not pass its canary
├── RasterError     a drawing is no picture that can be read
└── WarmError       a warm process was lost or broke the protocol
"""

from __future__ import annotations


class LilypondFault(Exception):  # noqa: N818 - the root of the tree says what it holds
    """Root of the tree."""


class EngineError(LilypondFault):
    """An engine did not even begin, or did not pass its canary: a fault of this installation."""


class RasterError(LilypondFault):
    """A drawing is no picture that can be read."""


class WarmError(LilypondFault):
    """A warm process was lost or broke the protocol."""
