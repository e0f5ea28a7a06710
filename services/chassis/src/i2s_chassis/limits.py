"""The defaults and the maxima of what one job may use, and clamping."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace

from i2s_chassis.job_limits import Limits

__all__ = ["DEFAULT_LIMITS", "MAX_LIMITS", "WALL_PER_CPU", "LimitTable", "Limits"]

_MIB = 1024 * 1024


#: Wall-clock seconds that a job gets for each CPU second where it asks for none.
WALL_PER_CPU = 3.0

#: Wall-clock seconds that a program of our own gets for each CPU second while it starts. CPU seconds decide
#: whether it works: wall time ends only what waits for something that never comes.
START_WALL_PER_CPU = 6.0

DEFAULT_LIMITS = Limits()

MAX_LIMITS = Limits(
    cpu_seconds=120.0,
    wall_seconds=360.0,
    memory_bytes=4096 * _MIB,
    processes=256,
    file_bytes=512 * _MIB,
    disk_bytes=1024 * _MIB,
    inodes=20_000,
    pages=1000,
    pixels=200_000_000,
    log_bytes=1024 * 1024,
    picture_bytes=128 * _MIB,
)


@dataclass(frozen=True, slots=True)
class LimitTable:
    """The defaults and maxima of one service.

    Raises:
        ValueError: A default is above its maximum, or a value is not positive.
    """

    default: Limits = DEFAULT_LIMITS
    maximum: Limits = MAX_LIMITS

    def __post_init__(self) -> None:
        for field in fields(Limits):
            default, maximum = getattr(self.default, field.name), getattr(self.maximum, field.name)
            if not 0 < default <= maximum:
                raise ValueError(
                    f"limit {field.name}: default {default} must be above 0 and at most the maximum {maximum}"
                )

    def resolve(self, wanted: dict[str, float | int]) -> Limits:
        """Return the limits in force for a request.

        Args:
            wanted: Limits by name as the caller asked for them; absent or 0 means default. If
                only ``cpu_seconds`` is wanted, the wall clock follows it (times WALL_PER_CPU).

        Returns:
            Every value clamped to the maximum.

        Raises:
            ValueError: A wanted value is negative or not finite; the message names the field.
        """
        chosen: dict[str, float | int] = {}
        for field in fields(Limits):
            value = wanted.get(field.name, 0)
            if not 0 <= value < float("inf"):
                raise ValueError(f"limits.{field.name}: {value} is not a number from 0 up")
            if value:
                chosen[field.name] = min(value, getattr(self.maximum, field.name))
        if "cpu_seconds" in chosen and "wall_seconds" not in chosen:
            wall = max(self.default.wall_seconds, chosen["cpu_seconds"] * WALL_PER_CPU)
            chosen["wall_seconds"] = min(wall, self.maximum.wall_seconds)
        return replace(self.default, **chosen)  # type: ignore[arg-type]
