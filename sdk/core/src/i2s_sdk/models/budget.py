"""What calls of models may cost in one command."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from i2s_sdk.errors import UsageError
from i2s_sdk.models.errors import BudgetSpentError


@dataclass(slots=True)
class Budget:
    """Money and tokens that the calls of one command may take together; shared by all of its models.

    A call is made as long as less is spent than may be. Calls that are in flight then are finished and
    counted, so a little more can be spent. Answers from the cache cost nothing.

    Attributes:
        cost: USD; None sets no limit.
        tokens: The most tokens of questions and answers together; None sets no limit.
    """

    cost: float | None = None
    tokens: int | None = None
    _cost: float = field(default=0.0, init=False)
    _tokens: int = field(default=0, init=False)
    _unknown: str = field(default="", init=False)

    def __post_init__(self) -> None:
        if self.cost is not None and not 0 < self.cost < math.inf:
            raise UsageError(f"--budget {self.cost} is not a number of USD above 0")
        if self.tokens is not None and self.tokens < 1:
            raise UsageError(f"--token-budget {self.tokens} is below 1")

    @property
    def is_limited(self) -> bool:
        """Whether there is a limit."""
        return self.cost is not None or self.tokens is not None

    def require(self) -> None:
        """Check that another call may be made.

        Raises:
            BudgetSpentError: The budget is spent, or nobody knows how much of it.
        """
        if self._unknown:
            raise BudgetSpentError(f"not asked: {self._unknown}, so nobody knows what is left of the budget")
        if self.cost is not None and self._cost >= self.cost:
            raise BudgetSpentError(
                f"not asked: the budget of {self.cost:g} USD is spent ({self._cost:.4f} USD); {_GO_ON}"
            )
        if self.tokens is not None and self._tokens >= self.tokens:
            raise BudgetSpentError(
                f"not asked: the budget of {self.tokens} tokens is spent ({self._tokens}); {_GO_ON}"
            )

    def spend(self, cost: float | None, tokens_in: int | None, tokens_out: int | None) -> None:
        """Count what a call has cost.

        Args:
            cost: USD; None if nobody knows.
            tokens_in: Tokens of the question; None if the server did not say.
            tokens_out: Tokens of the answer; None if the server did not say.
        """
        if not self.is_limited:
            return
        if tokens_in is None or tokens_out is None:
            self._unknown = "the server does not say how many tokens it has read and written"
        elif cost is None and self.cost is not None:
            self._unknown = "the price of the model is not known"
        self._cost += cost or 0.0
        self._tokens += (tokens_in or 0) + (tokens_out or 0)


_GO_ON = "the same command goes on, with as much again"
