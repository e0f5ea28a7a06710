"""The checks of a renderer that starts: what is installed, whether jobs can read it, and the canary.

Programs, their words and digests of folders; the limits of the canary, and what a failure of it does.
"""

from __future__ import annotations

import glob
import hashlib
import os
import shutil
import stat
import subprocess
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from i2s_chassis.errors import EngineError, RendererError, StartError, UnavailableError
from i2s_chassis.jail import JailError
from i2s_chassis.limits import Limits, LimitTable
from i2s_chassis.renderer.model import RawRendering
from i2s_wire.render.rendering import Verdict
from i2s_wire.renderer import Need

if TYPE_CHECKING:
    from i2s_chassis.server.telemetry import Telemetry

R = TypeVar("R", bound=RawRendering)

#: Where the fonts of a distribution are.
SYSTEM_FONTS = Path("/usr/share/fonts")

_PROGRAM_SECONDS = 60


def find_program(name: str, package: str, other: str = "") -> Path:
    """Return the path of a program.

    Args:
        name: Looked for on the path of this process; or a path.
        package: The Debian package that has it.
        other: Another command that installs it, which ends in ", or ".

    Raises:
        StartError: There is none; says how to install it.
    """
    path = shutil.which(name)
    if path is None:
        raise StartError(f"{name} is not installed; install it with: {other}apt-get install {package}")
    return Path(path).resolve()


def program_output(program: Path, option: str) -> str:
    """Return what a program writes to standard output if it is given one option.

    Raises:
        StartError: It cannot be run, or takes more than a minute.
    """
    try:
        ended = subprocess.run(
            [program, option],
            capture_output=True,
            text=True,
            check=False,
            timeout=_PROGRAM_SECONDS,
            errors="replace",
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise StartError(f"{program} does not run: {error}") from None
    return ended.stdout


def find_fonts(patterns: Iterable[str], needs: Iterable[Need]) -> tuple[Path, ...]:
    """Return the files of fonts that match patterns, in their order.

    Args:
        patterns: Patterns of paths.
        needs: What the renderer needs of the system.

    Raises:
        StartError: There is no pattern, or no file of one of them, with which other images would be drawn;
            says how to install the fonts.
    """
    paths_of = {pattern: sorted(glob.glob(pattern)) for pattern in patterns}
    missing = [pattern for pattern, paths in paths_of.items() if not paths]
    if missing or not paths_of:
        packages = " ".join(need.package for need in needs if need.check == "font")
        raise StartError(
            f"no font is there of {', '.join(missing) or 'no pattern'}; install them with: apt-get install "
            f"{packages}; or name the fonts to draw with: --fonts"
        )
    return tuple(dict.fromkeys(Path(path) for paths in paths_of.values() for path in paths))


def check_readable_by_jobs(paths: Iterable[Path]) -> None:
    """Check that the users that jobs run as can reach some folders and read some files.

    They are our own user if we are not root.

    Raises:
        StartError: They cannot reach one; names it and the folder that is closed.
    """
    if os.geteuid() != 0:
        return
    for path in paths:
        closed = next((one for one in (path, *path.parents) if _is_closed(one)), None)
        if closed is not None:
            raise StartError(
                f"{path} cannot be read by the users that jobs run as, because {closed} is closed to "
                "others; open it, or install in another place"
            )


def _is_closed(path: Path) -> bool:
    needed = stat.S_IXOTH if path.is_dir() else stat.S_IROTH
    return not path.stat().st_mode & needed


def listed_files(folder: Path, only: tuple[str, ...] = ("",)) -> Iterator[str]:
    """Yield path and size of every file below a folder, in a fixed order.

    Args:
        folder: One that does not exist has no files.
        only: Endings of the names of files that count.
    """
    for parent, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if name != "__pycache__")
        for name in sorted(names):
            path = Path(parent) / name
            if name.endswith(only) and path.is_file():
                yield f"{path.relative_to(folder)}\0{path.stat().st_size}"


def listings_digest(*listings: Iterable[str]) -> str:
    """Return the SHA-256 over listings of files."""
    digest = hashlib.sha256()
    for listing in listings:
        for line in listing:
            digest.update(f"{line}\n".encode(errors="surrogateescape"))
    return digest.hexdigest()


def versions_digest(versions: Mapping[str, str]) -> str:
    """Return the SHA-256 over names and versions, whatever their order."""
    lines = "\n".join(f"{name} {value}" for name, value in sorted(versions.items()))
    return hashlib.sha256(lines.encode()).hexdigest()


#: The engine does not work, or its sandbox was lost or kept waiting for far too long.
_CANARY_FAILURES = (RendererError, JailError, UnavailableError)


def canary_limits(table: LimitTable) -> Limits:
    """Return the limits of a canary: the defaults of a job, except that it has as much wall time as any job.

    CPU seconds decide whether a renderer becomes ready. On a loaded machine, or while its programs are read
    from a slow disk for the first time, a canary needs more wall time for the same work.

    Args:
        table: Defaults and maxima of the service.
    """
    return replace(table.default, wall_seconds=table.maximum.wall_seconds)


def check_canary(rendering: R) -> R:
    """Return the rendering of a canary.

    Raises:
        EngineError: The canary did not become an image; says why.
    """
    if rendering.verdict is not Verdict.RENDERED:
        raise EngineError(f"the canary was not rendered: {rendering.verdict.name}: {rendering.message}")
    return rendering


def check_same_canary(cold: RawRendering, warm: RawRendering) -> None:
    """Check that a warm process draws the canary as one that was started anew: the same bytes.

    Raises:
        EngineError: The canary did not become an image, or not the same one; says why.
    """
    if check_canary(cold).pictures[0].png != check_canary(warm).pictures[0].png:
        raise EngineError("the canary looks different from a warm process")


@contextmanager
def canary_required(telemetry: Telemetry) -> Iterator[None]:
    """End the start of a service if its canary is not rendered within the block.

    Args:
        telemetry: The metrics that count the failure.

    Raises:
        StartError: The engine does not work, or its sandbox was lost or starved; says why in one line.
    """
    try:
        yield
    except _CANARY_FAILURES as error:
        telemetry.self_test_failure("canary")
        raise StartError(str(error)) from error
