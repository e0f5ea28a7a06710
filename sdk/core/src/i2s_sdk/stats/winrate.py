"""Mean win rate: how often a model is ahead of another one.

Image2Struct, section 3.3: "the average fraction of other models that a model outperforms across scenarios,
using the compilation success rates and EMS scores". Ties and missing values as HELM v1.0 has them.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Column:
    """One quantity of several models.

    Attributes:
        name: Name, such as "latex ems".
        values: Values by model; a model that has none is left out of the column.
        lower_is_better: None if the quantity has no order, and the column is left out.
    """

    name: str
    values: Mapping[str, float]
    lower_is_better: bool | None = False


def win_rates(column: Column) -> dict[str, float]:
    """Return for each model of a column the share of the others that it beats; a tie is half a win.

    Empty if nobody can win: fewer than two models, or no order.
    """
    if column.lower_is_better is None or len(column.values) < 2:
        return {}
    sign = -1 if column.lower_is_better else 1
    values = {model: sign * value for model, value in column.values.items()}
    rates = {}
    for model, value in values.items():
        beaten = sum(other < value for other in values.values())
        tied = sum(other == value for other in values.values()) - 1
        rates[model] = (beaten + 0.5 * tied) / (len(values) - 1)
    return rates


def mean_win_rates(models: Sequence[str], columns: Sequence[Column]) -> dict[str, float | None]:
    """Return for each model the mean of its win rates over the columns that have one; None over none."""
    rates = [win_rates(column) for column in columns]
    found = {model: [rate[model] for rate in rates if model in rate] for model in models}
    return {model: math.fsum(own) / len(own) if own else None for model, own in found.items()}
