"""The score that is sent to the renderer."""

from __future__ import annotations

import re
from dataclasses import dataclass

_VERSION = re.compile(r'^[^%\n]*\\version\s*"', re.MULTILINE)


@dataclass(frozen=True, slots=True)
class LilypondDocument:
    r"""A LilyPond score.

    Attributes:
        code: What the model wrote.
        assume_version: Version to convert from if the code has no ``\version``; empty converts nothing.
    """

    code: str
    assume_version: str = ""

    @property
    def source(self) -> str:
        """The code, after a comment that says from where it is converted."""
        return f"% converted from {self.assume_version}\n{self.code}" if self.assume_version else self.code

    @property
    def states_version(self) -> bool:
        r"""Whether the code has a ``\version`` outside of line comments."""
        return _VERSION.search(self.code) is not None
