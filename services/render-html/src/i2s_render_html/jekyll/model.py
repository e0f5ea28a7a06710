"""The types of Jekyll builds: settings, results, causes of failure, errors."""

from __future__ import annotations

import enum
import time
from collections.abc import Mapping
from dataclasses import dataclass, field

from i2s_chassis.errors import WarmKilledError
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
    """Why Jekyll refused a site."""

    #: One line, in Jekyll's words.
    message: str
    #: Path within the site; empty if Jekyll names none.
    file: str = ""
    #: Line of that file, from 1; None if Jekyll names none.
    line: int | None = None


@dataclass(frozen=True, slots=True)
class BuiltSite:
    """The result of a build."""

    #: How the build ended.
    cause: BuildCause
    #: The built site, relative path to content; None unless cause is BUILT.
    files: Mapping[str, bytes] | None
    #: Why not; None if cause is BUILT.
    error: BuildError | None
    #: Usage of this build alone, the loading of Jekyll not included; memory is that of the process with
    #: Jekyll in it.
    usage: Usage
    #: What Jekyll said.
    log: Excerpt
    #: What was found or tried and prevented.
    events: tuple[PolicyEvent, ...] = ()
    #: Whether a prepared process did it.
    warm: bool = True
    #: What GitHub Pages would have built otherwise, a sentence each: plugins and themes that are not
    #: installed.
    left_out: tuple[str, ...] = ()
    #: Warnings of Jekyll and libsass, and errors after which Jekyll went on.
    warnings: tuple[str, ...] = ()
    #: When the build ended, in nanoseconds since the epoch.
    ended_ns: int = field(default_factory=time.time_ns, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class JekyllSettings:
    """The settings of Jekyll."""

    #: Prepared processes that wait, each with Jekyll loaded, for one site each.
    processes: int = 1
    #: Limits of prepared processes. A site with other limits on memory, processes, files or log gets a
    #: process of its own, started for it.
    limits: Limits = DEFAULT_LIMITS
    #: Where pages will be served, without a "/" at the end; becomes the site's `url`, as `jekyll serve` does
    #: it.
    origin: str = "http://localhost:4000"
    #: The time it is during a build, in seconds since 1970. Posts of a later date are not published.
    epoch: int = 1_767_225_600
    #: Gems of this installation that a site may name as plugins; others stay out.
    plugins: tuple[str, ...] = tuple(PLUGINS)
    #: The Ruby program, by name or path.
    ruby: str = "ruby"
    #: CPU seconds that Ruby and Jekyll may use to load.
    start_seconds: float = 60.0
    #: Age at which a prepared process is replaced.
    idle_seconds: float = 3600.0


class JekyllError(Exception):
    """A fault of ours or of the installation, never of a site."""


class JekyllMissingError(JekyllError):
    """Ruby or Jekyll is not installed, or does not start in the jail; the message says what it said."""


class JekyllKilledError(JekyllError, WarmKilledError):
    """Something outside ended Jekyll while it loaded: an operator, or a kernel without memory."""
