"""The types of Jekyll builds: settings, results, causes of failure, errors."""

from __future__ import annotations

import enum
import time
from collections.abc import Mapping
from dataclasses import dataclass, field

from i2s_chassis.jail import Excerpt, PolicyEvent, Usage
from i2s_chassis.limits import DEFAULT_LIMITS, Limits
from i2s_render_html.jekyll.github_pages import PLUGINS


class BuildCause(enum.Enum):
    """The way in which a build ended."""

    BUILT = "built"
    FAILED = "failed"  # Jekyll refused the site; the error says why
    TIME_LIMIT = "time_limit"
    MEMORY_LIMIT = "memory_limit"
    PROCESS_LIMIT = "process_limit"
    OUTPUT_LIMIT = "output_limit"
    CRASHED = "crashed"  # the process ended without an answer


@dataclass(frozen=True, slots=True)
class BuildError:
    """Why Jekyll refused a site.

    Attributes:
        message: One line, in Jekyll's words.
        file: Path within the site; empty if Jekyll names none.
        line: Line of that file, from 1; None if Jekyll names none.
    """

    message: str
    file: str = ""
    line: int | None = None


@dataclass(frozen=True, slots=True)
class BuiltSite:
    """What came of a site.

    Attributes:
        cause: How the build ended.
        files: The built site, relative path to content; None unless cause is BUILT.
        error: Why not; None if cause is BUILT.
        usage: Usage of this build alone, the loading of Jekyll not included; memory is that of the
            process with Jekyll in it.
        log: What Jekyll said.
        events: What was found or tried and prevented.
        warm: Whether a prepared process did it.
        left_out: What GitHub Pages would have built otherwise, a sentence each: plugins and themes that
            are not installed.
        warnings: Warnings of Jekyll and libsass, and errors after which Jekyll went on.
        ended_ns: When the build ended, in nanoseconds since the epoch.
    """

    cause: BuildCause
    files: Mapping[str, bytes] | None
    error: BuildError | None
    usage: Usage
    log: Excerpt
    events: tuple[PolicyEvent, ...] = ()
    warm: bool = True
    left_out: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    ended_ns: int = field(default_factory=time.time_ns, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class JekyllSettings:
    """What an operator may decide about Jekyll.

    Attributes:
        processes: Prepared processes that wait, each with Jekyll loaded, for one site each.
        limits: Limits of prepared processes. A site with other limits on memory, processes, files or
            log gets a process of its own, started for it.
        origin: Where pages will be served, without a "/" at the end; becomes the site's `url`,
            as `jekyll serve` does it.
        epoch: The time it is during a build, in seconds since 1970. Posts of a later date are
            not published.
        plugins: Gems of this installation that a site may name as plugins; others stay out.
        ruby: The Ruby program, by name or path.
        start_seconds: CPU seconds that Ruby and Jekyll may use to load.
        idle_seconds: Age at which a prepared process is replaced.
    """

    processes: int = 1
    limits: Limits = DEFAULT_LIMITS
    origin: str = "http://localhost:4000"
    epoch: int = 1_767_225_600
    plugins: tuple[str, ...] = tuple(PLUGINS)
    ruby: str = "ruby"
    start_seconds: float = 60.0
    idle_seconds: float = 3600.0


class JekyllError(Exception):
    """A fault of ours or of the installation, never of a site."""


class JekyllMissingError(JekyllError):
    """Ruby or Jekyll is not installed, or does not start in the jail; the message says what it said."""


class JekyllKilledError(JekyllError):
    """A signal ended Jekyll while it loaded, as if an operator or a kernel without memory had killed it."""
