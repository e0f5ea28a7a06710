r"""The fixed beginnings of documents, one file a profile.

Every document that the task makes begins with the text of such a file, so a renderer that is given the
files can prepare a format for each. A document that needs a package of the fixed list to be absent begins
with that text less some lines; such a beginning is prepared once it is seen often.
"""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files
from pathlib import Path

from i2s_wire.metrics.profile import Profile

#: Begins every preamble file, in a line of its own.
DOCUMENT_CLASS = r"\documentclass{article}"

_USEPACKAGE = re.compile(r"^\\usepackage(?:\[(?P<options>[^\]]*)\])?\{(?P<names>[^}]*)\}$", re.MULTILINE)
_LIBRARY = re.compile(r"^\\use(?:tikz|pgfplots)library\{(?P<names>[^}]*)\}$", re.MULTILINE)


def preamble_path(profile: Profile) -> Path:
    """Return the file that holds the fixed preamble of ``profile``."""
    return Path(str(files("i2s_sdk.tasks.latex").joinpath("preambles", f"{profile}.tex")))


def preamble_files() -> tuple[Path, ...]:
    """Return the preamble files of all profiles, for a renderer to prepare."""
    return tuple(preamble_path(profile) for profile in Profile)


@cache
def preamble(profile: Profile) -> str:
    """Return the fixed preamble of ``profile``; it ends with a line feed."""
    return preamble_path(profile).read_text(encoding="utf-8")


@cache
def preamble_without(profile: Profile, section: str) -> str:
    """Return the fixed preamble less one of its sections.

    A section begins with a comment line ``%% name`` and ends before the next such line.

    Raises:
        ValueError: There is no section of that name.
    """
    parts = re.split(r"(?m)^(?=%% )", preamble(profile))
    kept = [part for part in parts if not part.startswith(f"%% {section}\n")]
    if len(kept) == len(parts):
        raise ValueError(f"the preamble of profile {profile} has no section {section!r}")
    return "".join(kept)


@cache
def fixed_packages(text: str) -> dict[str, frozenset[str]]:
    """Return the packages that a preamble loads, with the options it gives to each."""
    loaded: dict[str, frozenset[str]] = {}
    for match in _USEPACKAGE.finditer(text):
        options = frozenset(filter(None, (match["options"] or "").split(",")))
        for name in match["names"].split(","):
            loaded[name] = loaded.get(name, frozenset()) | options
    return loaded


@cache
def fixed_libraries(text: str) -> frozenset[str]:
    """Return the TikZ and pgfplots libraries that a preamble loads."""
    return frozenset(name for match in _LIBRARY.finditer(text) for name in match["names"].split(","))
