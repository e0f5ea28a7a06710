r"""The repairs of profile ``paper``: a score without ``\version`` may be in the syntax of an older LilyPond.

Source: Image2Struct, appendix on post-processing; the versions are the stable ones that models saw most of.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from i2s_sdk.tasks.music.document import LilypondDocument
from i2s_sdk.tasks.repair import Repair, Repaired, RepairKind
from i2s_wire.render.rendering import Rendering, Verdict

#: Versions to convert from, in the order in which they are tried.
VERSIONS = ("2.12.0", "2.18.0", "2.22.0")

_FAILED = (Verdict.COMPILE_ERROR, Verdict.NO_OUTPUT)


def repair(
    score: LilypondDocument, rendering: Rendering, past: Sequence[Repair]
) -> Repaired[LilypondDocument] | None:
    """Return the score converted from the next older version, or None if that cannot help.

    Args:
        score: Score as it was rendered.
        rendering: What became of it; a score with a picture is left alone.
        past: Repairs that led to ``score``.
    """
    if rendering.verdict not in _FAILED or score.states_version or len(past) >= len(VERSIONS):
        return None
    version = VERSIONS[len(past)]
    said = rendering.error.message if rendering.error else rendering.message
    return Repaired(replace(score, assume_version=version), Repair(RepairKind.ASSUME_VERSION, version, said))
