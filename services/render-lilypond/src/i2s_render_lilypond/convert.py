"""What convert-ly would do to a score, derived from its version."""

from __future__ import annotations

import enum
import io
import re

from i2s_wire.render.options import LilypondConvert

# The two patterns that convert-ly looks for a version with.
_STATED = re.compile(r'\\version *"[0-9.]+"')
_STRICT = re.compile(r'\\version *"([0-9]{1,9}(?:\.([0-9]{1,9}))(\.[0-9]{1,9})?)"')


class Need(enum.Enum):
    """The change that convert-ly would make to a score."""

    NOTHING = "nothing"  # it is not to run
    IDENTITY = "identity"  # no rule is newer than the score: it would copy it
    RULES = "rules"
    REFUSE = "refuse"  # it would report that it cannot find the version


def states_version(text: str) -> bool:
    """Whether a score states a version that convert-ly would look at."""
    return _STATED.search(text) is not None


def need(text: str, assume_version: str, convert: LilypondConvert, latest_rule: tuple[int, ...]) -> Need:
    """Return what convert-ly would do to a score.

    Args:
        text: The score.
        assume_version: The version to convert from if it states none.
        convert: Whether convert-ly is wanted.
        latest_rule: The newest version that convert-ly has a rule for.
    """
    if convert is LilypondConvert.OFF:
        return Need.NOTHING
    if not states_version(text):
        if assume_version:
            return Need.RULES
        return Need.REFUSE if convert is LilypondConvert.REQUIRED else Need.NOTHING
    strict = _STRICT.search(text)
    if strict is None or (strict[3] is None and int(strict[2]) % 2):
        return Need.RULES  # a version that convert-ly itself may refuse
    stated = tuple(int(part) for part in strict[1].split("."))
    return Need.RULES if stated < latest_rule else Need.IDENTITY


def copied(score: bytes) -> bytes:
    """Return what convert-ly writes of a score that no rule applies to: its lines end in newlines."""
    return io.StringIO(score.decode("utf-8"), newline=None).read().encode()
