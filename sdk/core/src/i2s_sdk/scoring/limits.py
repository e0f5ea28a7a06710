"""What one sample may take of a worker process."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, runtime_checkable


@dataclass(frozen=True, slots=True)
class ScorerLimits:
    """What one sample may take in a worker.

    Attributes:
        cpu_seconds: CPU time.
        memory_bytes: Memory, beside what the interpreter and the scorer's modules need.
    """

    cpu_seconds: float = 60.0
    memory_bytes: int = 1 << 30

    def within(self, others: ScorerLimits) -> ScorerLimits:
        """Return the lower one of each limit."""
        return ScorerLimits(
            min(self.cpu_seconds, others.cpu_seconds), min(self.memory_bytes, others.memory_bytes)
        )


#: Limits of scorers if nothing else is set.
DEFAULT_LIMITS = ScorerLimits()


@runtime_checkable
class LimitedScorer(Protocol):
    """A scorer with limits of its own, which hold if those of the settings are not lower."""

    @property
    def limits(self) -> ScorerLimits:
        """Limits of the scoring of one sample."""
        ...


def limits_of(scorer: object, settings: ScorerLimits) -> ScorerLimits:
    """Return the limits of a scorer.

    Args:
        scorer: May have limits of its own.
        settings: The limits of every scorer.
    """
    return settings.within(scorer.limits) if isinstance(scorer, LimitedScorer) else settings
