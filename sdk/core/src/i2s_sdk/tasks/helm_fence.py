"""How profile ``helm`` takes code out of a completion, bug for bug."""

from __future__ import annotations

from i2s_sdk.tasks.structure import Origin

_FENCE = "```"


def helm_fenced(completion: str, opener: str) -> tuple[str, Origin]:
    """Return the text between the first ``opener`` and the next fence, else between the first two fences.

    The completion is trimmed first. Without a closing fence it is the text as a whole, fences included.

    Args:
        completion: Verbatim.
        opener: Opener, such as "```json".
    """
    text = completion.strip()
    for opening in (opener, _FENCE):
        _, opened, rest = text.partition(opening)
        code, closed, _ = rest.partition(_FENCE)
        if opened and closed:
            return code, Origin.FENCE
    return text, Origin.BARE
