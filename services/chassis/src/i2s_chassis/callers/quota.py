"""The quota of a single caller: bounds on jobs at once, and amounts for each minute."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

_MOST_ACCOUNTS = 8192  # beyond it those are dropped that owe nothing


@dataclass(frozen=True, slots=True)
class Quota:
    """Bounds of a caller; 0 is none.

    Attributes:
        slots: Jobs that run at once.
        queued: Jobs that wait at once.
        jobs_per_minute: Jobs that are taken in.
        cpu_seconds_per_minute: Processor time; of a job that does not report it, the time in its slot.
        bytes_per_minute: Bytes of requests.
    """

    slots: int = 0
    queued: int = 0
    jobs_per_minute: float = 0.0
    cpu_seconds_per_minute: float = 0.0
    bytes_per_minute: float = 0.0

    def __post_init__(self) -> None:
        for name in self.__dataclass_fields__:
            value = getattr(self, name)
            if not 0 <= value < float("inf"):
                raise ValueError(f"{name} must be 0 (no bound) or a number above it")


class _Minute:
    """An amount that refills evenly, up to that of one minute; may be overdrawn, and is then paid back."""

    def __init__(self, per_minute: float, now: float) -> None:
        self.per_minute = self._level = per_minute
        self._at = now

    def level(self, now: float) -> float:
        elapsed = max(0.0, now - self._at)
        self._level = min(self.per_minute, self._level + self.per_minute * elapsed / 60.0)
        self._at += elapsed
        return self._level

    def spend(self, amount: float, now: float) -> None:
        self._level = self.level(now) - amount

    def seconds_until(self, level: float, now: float) -> float:
        return max(0.0, (min(level, self.per_minute) - self.level(now)) * 60.0 / self.per_minute)


class CallerAccount:
    """The use of one caller.

    Attributes:
        quota: Its bounds.
        inside: Its jobs that run or wait.
    """

    def __init__(self, quota: Quota, now: float) -> None:
        self.quota, self.inside = quota, 0
        self._minutes = {
            name: _Minute(per_minute, now)
            for name, per_minute in (
                ("jobs", quota.jobs_per_minute),
                ("CPU seconds", quota.cpu_seconds_per_minute),
                ("bytes", quota.bytes_per_minute),
            )
            if per_minute
        }

    def overdrawn(self, now: float) -> tuple[str, float] | None:
        """Return which amount is used up and the seconds until it suffices; None if none is."""
        for name, minute in self._minutes.items():
            # A job is known to cost one job; what else it costs is known afterwards.
            if seconds := minute.seconds_until(1.0 if name == "jobs" else 0.0, now):
                return f"{minute.per_minute:g} {name} a minute", seconds
        return None

    def has_place(self, slots: int) -> bool:
        """Return whether another of its jobs may wait or run, of a service with so many slots."""
        return not self.quota.queued or self.inside < (self.quota.slots or slots) + self.quota.queued

    def spend(self, name: str, amount: float, now: float) -> None:
        """Charge "jobs", "CPU seconds" or "bytes"; a negative amount is given back."""
        if name in self._minutes:
            self._minutes[name].spend(amount, now)

    def is_settled(self, now: float) -> bool:
        """Return whether a new account would be the same."""
        return not self.inside and all(
            minute.level(now) >= minute.per_minute for minute in self._minutes.values()
        )


class CallerAccounts:
    """The accounts of all callers."""

    def __init__(
        self, default: Quota, clock: Callable[[], float], listed: Callable[[str], Quota | None] | None = None
    ) -> None:
        """Prepare.

        Args:
            default: Quota of callers that are not listed.
            clock: Returns the time in seconds.
            listed: Returns the quota of a caller that has one of its own.
        """
        self._default, self._clock = default, clock
        self._listed = listed or (lambda _: None)
        self._accounts: dict[str, CallerAccount] = {}

    def of(self, caller: str) -> CallerAccount:
        """Return the account of a caller, with its present quota."""
        quota, now = self._listed(caller) or self._default, self._clock()
        account = self._accounts.get(caller)
        if account is None or account.quota != quota:
            fresh = CallerAccount(quota, now)
            fresh.inside = account.inside if account else 0
            account = self._accounts[caller] = fresh
        if len(self._accounts) > _MOST_ACCOUNTS:
            settled = [
                name
                for name, caller_account in self._accounts.items()
                if caller_account.is_settled(now) and name != caller
            ]
            for name in settled:
                del self._accounts[name]
        return account
