"""What scorers need converted to HTML, fetched until they need no more."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from i2s_sdk.errors import ScorerError
from i2s_sdk.scoring.scorer import Conversion, ConvertingScorer, NotUsable, Scorable, Scorer
from i2s_sdk.scoring.workers import ScorerWorkers

#: How often a scorer may ask for more; that of READOC asks twice: for pipe tables, then for LaTeX tables.
_ROUNDS = 8


class Converter(Protocol):
    """Something that converts texts to HTML, such as the documents service."""

    async def __call__(self, conversions: Sequence[Conversion]) -> Mapping[str, str | None]:
        """Return HTML by key; None for a text that cannot be converted.

        Raises:
            ServiceError: The service does not answer.
        """
        ...


@dataclass(frozen=True, slots=True)
class ConversionFetcher:
    """Fetches what the scorers of a task need.

    Attributes:
        workers: Run the scorers that need limits.
        convert: Converts texts; None if no scorer of the task needs that.
    """

    workers: ScorerWorkers
    convert: Converter | None = None

    async def completed(self, scorer: Scorer, sample: Scorable) -> Scorable | NotUsable:
        """Return the sample with everything that the scorer needs converted, or why it cannot be scored.

        Raises:
            ScorerError: The scorer has a fault, or asks for ever.
            ServiceError: The service that converts does not answer.
        """
        if not isinstance(scorer, ConvertingScorer):
            return sample
        for _ in range(_ROUNDS):
            wanted = await self.workers.conversions(scorer, sample)
            if isinstance(wanted, NotUsable):
                return wanted
            if not wanted:
                return sample
            if self.convert is None:
                raise ScorerError(f"scorer {scorer.name} needs the documents service, which is not here")
            found = await self.convert(tuple({one.key: one for one in wanted}.values()))
            sample = replace(sample, conversions={**sample.conversions, **found})
        raise ScorerError(f"scorer {scorer.name} asks for conversions without end on {sample.id!r}")
