"""The score that is sent to the renderer, and the repairs of profile ``paper``.

A score without a version may be in the syntax of an older LilyPond.

Source: Image2Struct, appendix on post-processing; the versions are the stable ones that models saw most of.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from i2s_sdk.tasks.repair import Repair, Repaired, RepairKind
from i2s_wire.render.rendering import Rendering, Verdict

_VERSION = re.compile(r'^[^%\n]*\\version\s*"', re.MULTILINE)


@dataclass(frozen=True, slots=True)
class LilypondDocument:
    r"""A LilyPond score."""

    #: What the model wrote.
    code: str
    #: Version to convert from if the code has no ``\version``; empty converts nothing.
    assume_version: str = ""

    @property
    def source(self) -> str:
        """The code, after a comment that says from where it is converted."""
        return f"% converted from {self.assume_version}\n{self.code}" if self.assume_version else self.code

    @property
    def states_version(self) -> bool:
        r"""Whether the code has a ``\version`` outside of line comments."""
        return _VERSION.search(self.code) is not None


#: Versions to convert from, in the order in which they are tried.
VERSIONS = ("2.12.0", "2.18.0", "2.22.0")

_FAILED = (Verdict.COMPILE_ERROR, Verdict.NO_OUTPUT)


def repair(
    score: LilypondDocument, rendering: Rendering, past: Sequence[Repair]
) -> Repaired[LilypondDocument] | None:
    """Return the score converted from the next older version, or None if that cannot help.

    Args:
        score: Score as it was rendered.
        rendering: What became of it; a score with an image is left alone.
        past: Repairs that led to ``score``.
    """
    if rendering.verdict not in _FAILED or score.states_version or len(past) >= len(VERSIONS):
        return None
    version = VERSIONS[len(past)]
    said = rendering.error.message if rendering.error else rendering.message
    return Repaired(replace(score, assume_version=version), Repair(RepairKind.ASSUME_VERSION, version, said))
