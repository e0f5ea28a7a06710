"""The spending of a run: calls, tokens and cost of its answers. Pure functions of records."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any

from i2s_sdk.run.storage.record import Record, TokenUsage


@dataclass(frozen=True, slots=True)
class FromCache:
    """The samples whose answers, or some of them, came from the answer cache."""

    #: How many they are.
    samples: int = 0
    #: When the first of these answers was given, in ISO 8601; empty if there are none.
    oldest: str = ""
    #: When the last was given.
    newest: str = ""

    def __str__(self) -> str:
        """Say it for people; empty if there are none."""
        if not self.samples:
            return ""
        first, last = self.oldest.partition("T")[0], self.newest.partition("T")[0]
        return f"{self.samples} from the answer cache, given {first}{f' to {last}' if last != first else ''}"


@dataclass(frozen=True, slots=True)
class Spending:
    """The calls, tokens and cost of some answers. Models that are not called (oracle, replay) have none."""

    #: Answers of a model that is called, refusals among them, kept ones too.
    answers: int = 0
    #: Answers that were kept from earlier calls.
    cached: int = 0
    #: Calls made, those that failed among them.
    calls: int = 0
    #: Tokens of all answers whose tokens are known.
    input_tokens: int = 0
    #: The same.
    output_tokens: int = 0
    #: Answers whose tokens are not known.
    tokens_unknown: int = 0
    #: Cost of all answers whose cost is known, in US dollars; None if none is.
    cost: float | None = None
    #: The part of it that was not ``cached``.
    paid: float | None = None
    #: Answers whose cost is not known.
    cost_unknown: int = 0
    #: Samples whose answers came from the answer cache, and from when.
    from_cache: FromCache = FromCache()

    def to_json(self) -> dict[str, Any]:
        """Return the numbers as JSON has them, without ``from_cache`` if nothing came from there."""
        plain = asdict(self)
        if not self.from_cache.samples:
            del plain["from_cache"]
        return plain

    def __str__(self) -> str:
        """Say it in one line for people; empty if no model was called."""
        if not self.answers and not self.calls:
            return ""
        tokens = f"{self.input_tokens} tokens in, {self.output_tokens} out"
        kept = f" ({self.cached} kept from before)" if self.cached else ""
        if self.from_cache.samples:
            kept = f" ({self.from_cache})"
        parts = [f"{self.answers} answers{kept}", f"{self.calls} calls", tokens, self._cost()]
        if self.tokens_unknown:
            parts[2] += f" (not known of {self.tokens_unknown})"
        return ", ".join(parts)

    def _cost(self) -> str:
        if self.cost is None:
            return "cost not known"
        unknown = f" and that of {self.cost_unknown} not known" if self.cost_unknown else ""
        return f"${self.cost:.4f}{unknown}, ${self.paid or 0.0:.4f} of it paid now"


def total_spending(records: Iterable[Record]) -> Spending:
    """Return what the records' answers took; sums are exact, so their order changes nothing."""
    calls = cached = answers = tokens_in = tokens_out = tokens_unknown = cost_unknown = 0
    costs: list[float] = []
    paid: list[float] = []
    dates: list[str] = []
    for answer in (record.answer for record in records):
        if answer.cached_at:
            dates.append(answer.cached_at)
        calls += answer.attempts
        # A sample whose later question failed has no completion, and yet answers that were paid for.
        has_answers = answer.completion is not None or answer.cost is not None or answer.usage != TokenUsage()
        if not has_answers or not (answer.attempts or answer.cached):
            continue
        answers += 1
        cached += answer.cached
        tokens_in += answer.usage.input_tokens or 0
        tokens_out += answer.usage.output_tokens or 0
        tokens_unknown += answer.usage.input_tokens is None or answer.usage.output_tokens is None
        if answer.cost is None:
            cost_unknown += 1
            continue
        costs.append(answer.cost)
        if not answer.cached:
            paid.append(answer.cost - answer.cached_cost)
    return Spending(
        answers=answers,
        cached=cached,
        calls=calls,
        input_tokens=tokens_in,
        output_tokens=tokens_out,
        tokens_unknown=tokens_unknown,
        cost=math.fsum(costs) if costs else None,
        paid=math.fsum(paid) if costs else None,
        cost_unknown=cost_unknown,
        from_cache=FromCache(len(dates), min(dates), max(dates)) if dates else FromCache(),
    )
