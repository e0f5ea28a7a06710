"""The answer of a renderer, made of what came of a job: texts printable, paths short, numbers bounded.

Folders of the installation and of the sandbox say nothing to readers of an answer.
"""

from __future__ import annotations

import hashlib
import re
import sys
from dataclasses import replace

from i2s_chassis.jail import model as jail
from i2s_chassis.jail.plan import WORK_IN_NAMESPACE
from i2s_chassis.limits import Limits
from i2s_chassis.renderer import wire
from i2s_chassis.renderer.model import RawRendering
from i2s_chassis.renderer.wire import MAX_TEXT, printable
from i2s_wire.render.rendering import Engine, Picture, Rendering, Stage
from i2s_wire.render.resources import Usage
from i2s_wire.render.source_error import SourceError, Undefined


def answer_of(
    raw: RawRendering, queue_seconds: float, *, limits: Limits, isolation: jail.Isolation, engine: Engine
) -> Rendering:
    """Return the answer to a job.

    Args:
        raw: What came of it.
        queue_seconds: How long it waited for a slot.
        limits: Limits in force for it.
        isolation: The sandbox that it ran in.
        engine: What it ran on.
    """
    return Rendering(
        verdict=raw.verdict,
        message=_shown(raw.message),
        pictures=tuple(map(_with_digest, raw.pictures)),
        total_pages=raw.total_pages,
        error=_error(raw.error) if raw.error is not None else None,
        log=wire.wire_log(raw.log),
        stages=(
            Stage("queue", Usage(wall_seconds=queue_seconds)),
            *(Stage(one.name, wire.wire_usage(one.usage), one.detail) for one in raw.stages),
        ),
        usage=wire.wire_usage(raw.usage),
        limits=wire.wire_limits(limits),
        isolation=wire.wire_isolation(isolation),
        engine=engine,
        policy_events=wire.wire_policy_events(raw.events),
    )


def _shown(message: str) -> str:
    return with_short_paths(printable(message))[:MAX_TEXT]


def _with_digest(picture: Picture) -> Picture:
    return replace(picture, sha256=hashlib.sha256(picture.png).hexdigest())


def _error(error: SourceError) -> SourceError:
    undefined = error.undefined
    if undefined is not None:
        undefined = Undefined(printable(undefined.name), undefined.providers)
    return replace(
        error,
        message=_shown(error.message),
        file=printable(error.file),
        undefined=undefined,
        context=printable(error.context),
    )


_INSTALLED = {"/usr/share", "/usr/lib", "/usr/local/lib", "/var/lib", sys.prefix, sys.base_prefix} - {
    "/",
    "/usr",
}
# A work folder, outside of namespaces one of a jail, and in it the folder of a job of a warm process.
_WORK = rf"(?:{WORK_IN_NAMESPACE}|(?:/[\w.-]{{1,100}}){{1,9}}/i2s-jail-\w+/[\w-]+)(?:/job\d+)?"
_PATH = re.compile(
    rf"(?<![\w./~-])(?:(?P<work>{_WORK})|{'|'.join(map(re.escape, sorted(_INSTALLED, reverse=True)))})"
    r"(?![\w.-])"
    # What ends a path in the messages of engines, beside white space.
    r"(?P<below>/[^\s'\"`:;,()<>]*)?"
)


def with_short_paths(text: str) -> str:
    """Return a message in which files of the installation and of the sandbox have their names alone."""
    return _PATH.sub(_short_path, text)


def _short_path(path: re.Match[str]) -> str:
    name = (path["below"] or "").rstrip("/").rpartition("/")[2]
    if path["work"]:
        return name or "."
    return name or path[0].rpartition("/")[2]
