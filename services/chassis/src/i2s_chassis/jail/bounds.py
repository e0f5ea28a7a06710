"""What the spawner permits to the plans that it is sent, fixed before the service gives up its rights.

The spawner keeps the rights that the service was started with, and reads what a service sends that may have
been taken over. So a plan may choose its name, its limits up to ceilings, what it reads of a list, and its
channels. Everything else must be what was fixed at the start.
"""

from __future__ import annotations

import math
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

from i2s_chassis.fields import fields_of
from i2s_chassis.jail.errors import CellError
from i2s_chassis.jail.plan import CHANNEL_NUMBERS, CellPlan
from i2s_chassis.job_limits import Limits

_NAME = re.compile(r"[0-9a-f]{8}-[0-9]{1,12}")
_CHOSEN = ("name", "limits", "readable", "channels", "nesting")
_MOST_PATHS = 256
#: Ceiling for a program that stays: its budget is renewed with each job, so that of a job does not apply.
_MOST_SECONDS = 366 * 86_400.0


class RefusedError(CellError):
    """A plan asks for more than is permitted."""


@dataclass(frozen=True, slots=True)
class PlanBounds:
    """What plans may ask for.

    Attributes:
        template: What every plan must equal but for its name, limits, readable paths, channels and nesting.
        readable: Files and folders; a plan may name these and what lies below them.
        ceilings: Most of each limit. Times are bounded by a year, as a program that stays has them renewed.
    """

    template: CellPlan
    readable: tuple[str, ...]
    ceilings: Limits

    def permitted(self, plan: CellPlan) -> CellPlan:
        """Return a plan that is permitted, made of the template.

        Raises:
            RefusedError: It asks for something else; says what.
        """
        chosen = {name: getattr(plan, name) for name in _CHOSEN}
        made = replace(self.template, **chosen)
        if plan != made:
            different = [
                one.name for one in fields(CellPlan) if getattr(plan, one.name) != getattr(made, one.name)
            ]
            raise RefusedError(f"a plan with other {', '.join(different)} than fixed at the start")
        if not isinstance(plan.name, str) or not _NAME.fullmatch(plan.name):
            raise RefusedError("a plan with a name that is none")
        if not isinstance(plan.nesting, bool):
            raise RefusedError("a plan with a nesting that is neither true nor false")
        if not set(plan.channels) <= CHANNEL_NUMBERS or len(set(plan.channels)) < len(plan.channels):
            raise RefusedError("a plan with channels that are none")
        self.check_limits(plan.limits)
        self._check_readable(plan.readable)
        return made

    def check_limits(self, limits: Limits) -> None:
        """Check limits against the ceilings.

        Raises:
            RefusedError: One is above its ceiling, or no number above 0.
        """
        for name, value in fields_of(limits).items():
            most = _MOST_SECONDS if name.endswith("_seconds") else getattr(self.ceilings, name)
            whole = not name.endswith("_seconds")
            kinds = (int,) if whole else (int, float)
            if isinstance(value, bool) or not isinstance(value, kinds) or not math.isfinite(value):
                raise RefusedError(f"a limit {name} that is no number")
            if not 0 < value <= most:
                raise RefusedError(f"a limit {name} of {value}, which is not above 0 and at most {most}")

    def _check_readable(self, paths: tuple[str, ...]) -> None:
        if len(paths) > _MOST_PATHS:
            raise RefusedError(f"a plan with {len(paths)} readable paths")
        for path in paths:
            if not isinstance(path, str) or not path.startswith("/") or os.path.normpath(path) != path:
                raise RefusedError("a readable path that is not absolute and plain")
            real = os.path.realpath(path)
            if not any(
                _is_below(path, root) and _is_below(real, os.path.realpath(root)) for root in self.readable
            ):
                raise RefusedError(f"a readable path beyond those fixed at the start: {path[:200]}")

    def to_json(self) -> dict[str, Any]:
        """Return what from_json understands."""
        return {
            "template": self.template.to_json(),
            "readable": list(self.readable),
            "ceilings": fields_of(self.ceilings),
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> PlanBounds:
        """Return the bounds that to_json was called on."""
        template = CellPlan.from_json(data["template"])
        return cls(template, tuple(data["readable"]), Limits(**data["ceilings"]))


def _is_below(path: str, root: str) -> bool:
    return path == root or path.startswith(root.rstrip("/") + "/")


@dataclass(frozen=True, slots=True)
class Terms:
    """What the spawner receives once, before anything else.

    Attributes:
        uid_base: First of the users that jobs run as if the spawner is root.
        uid_count: Number of those users.
        folder: Where work folders are made.
        removed_at_end: Folder that the monitor removes; empty if the service does so itself.
        bounds: What plans may ask for; None if who sends them has the rights of the spawner anyway.
    """

    uid_base: int
    uid_count: int
    folder: str
    removed_at_end: str
    bounds: PlanBounds | None = None

    def to_json(self) -> dict[str, Any]:
        """Return what from_json understands."""
        data = {field.name: getattr(self, field.name) for field in fields(self) if field.name != "bounds"}
        return {**data, "bounds": None if self.bounds is None else self.bounds.to_json()}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Terms:
        """Return the terms that to_json was called on."""
        bounds = data["bounds"]
        return cls(**{**data, "bounds": None if bounds is None else PlanBounds.from_json(bounds)})
