"""Check a score before anything reads it; name the job's own files."""

from __future__ import annotations

from i2s_chassis.limits import Limits

#: LilyPond's name for the job; its files are called so.
JOB_NAME = "score"
SCORE = f"{JOB_NAME}.ly"
POSTSCRIPT = f"{JOB_NAME}.ps"
PAPER = f"{JOB_NAME}.paper"
LOG = f"{JOB_NAME}.log"
CONVERT_LOG = "convert.log"

_BLOCK = 4096
# Work folders hold what LilyPond writes too: log, PostScript, size of the paper.
_BY_PRODUCTS = 4


def complaint(score: bytes, *, max_bytes: int) -> str | None:
    """Return why a score cannot be given to LilyPond, None where it can.

    Args:
        score: The text.
        max_bytes: Bound on it.

    Returns:
        One sentence that begins with the field at fault.
    """
    if not score.strip():
        return "lilypond.score: is empty"
    if len(score) > max_bytes:
        return f"lilypond.score: has {len(score)} bytes, at most {max_bytes} are taken"
    if b"\0" in score:
        return f"lilypond.score: holds a NUL at byte {score.index(0)}; remove it"
    try:
        score.decode("utf-8")
    except UnicodeDecodeError as error:
        return f"lilypond.score: is not UTF-8: {error.reason} at byte {error.start}"
    return None


def disk_complaint(score: bytes, limits: Limits) -> str | None:
    """Return why the score alone fills a work folder of these limits, None where it does not."""
    used = -(-len(score) // _BLOCK) * _BLOCK
    if used >= limits.disk_bytes:
        return f"The score alone takes {used} of the limit of {limits.disk_bytes} bytes on disk."
    if limits.inodes < _BY_PRODUCTS:
        return f"A score needs {_BY_PRODUCTS} files, more than the limit of {limits.inodes}."
    return None
