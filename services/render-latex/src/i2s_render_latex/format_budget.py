"""How much CPU time background builds of formats may use: a share for each caller, and a bound on all."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass

_MINUTE = 60.0
_MAX_CALLERS = 4096


@dataclass(frozen=True, slots=True)
class BuildShares:
    """CPU seconds of builds for each minute.

    Attributes:
        total: CPU seconds for all callers together.
        caller: CPU seconds for each caller.
    """

    total: float = 6.0
    caller: float = 3.0


class BuildBudget:
    """CPU time of builds, refilled steadily up to the share of one minute.

    A build may begin while something is left and is charged what it has used, so a balance can fall below
    zero; then nothing is built until it has been refilled.
    """

    def __init__(self, shares: BuildShares, clock: Callable[[], float] = time.monotonic) -> None:
        self._shares, self._clock = shares, clock
        self._all = _Balance(shares.total, clock())
        self._callers: OrderedDict[str, _Balance] = OrderedDict()  # those with debts or charges, oldest first

    def allows(self, caller: str) -> bool:
        """Return whether a build for a caller may begin now."""
        now = self._clock()
        own = self._callers.get(caller)
        return self._all.at(now) > 0 and (own is None or own.at(now) > 0)

    def charge(self, caller: str, cpu_seconds: float) -> None:
        """Take from the balances what a build for a caller has used."""
        now = self._clock()
        self._all.take(cpu_seconds, now)
        own = self._callers.pop(caller, None) or _Balance(self._shares.caller, now)
        own.take(cpu_seconds, now)
        self._callers[caller] = own
        for name in [name for name, balance in self._callers.items() if balance.is_full(now)]:
            del self._callers[name]
        if len(self._callers) > _MAX_CALLERS:
            self._callers.popitem(last=False)


class _Balance:
    """Seconds that are left of a share; full at the beginning."""

    def __init__(self, share: float, now: float) -> None:
        self._share, self._left, self._since = share, share, now

    def at(self, now: float) -> float:
        self._left = min(self._share, self._left + (now - self._since) * self._share / _MINUTE)
        self._since = now
        return self._left

    def take(self, seconds: float, now: float) -> None:
        self._left = self.at(now) - seconds

    def is_full(self, now: float) -> bool:
        return self.at(now) >= self._share
