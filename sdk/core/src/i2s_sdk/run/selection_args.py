"""What of a data set a caller wants, by which rules: arguments that all who begin a run share."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TypedDict, Unpack

from i2s_sdk.data import Selection, Shard
from i2s_sdk.data.opening import open_data
from i2s_sdk.run.plan import ResolvedSelection, choose
from i2s_sdk.settings import Settings
from i2s_wire.metrics.profile import Profile


class SelectionArgs(TypedDict, total=False):
    """Arguments by name; each may be left out.

    Attributes:
        profile: Profile whose rules are followed; None takes that of the settings.
        tasks: Tasks that are evaluated; none means all that the data set has.
        subsets: The same.
        difficulties: The same.
        samples: Ids of single instances; none means all.
        limit: The most instances; None is all.
        seed: Seed of a choice of ``limit`` instances; None takes the first in the order of the data set.
        shard: The part that is done here, such as "1/3"; None is all. ``merge`` joins the parts.
    """

    profile: Profile | str | None
    tasks: Sequence[str]
    subsets: Sequence[str]
    difficulties: Sequence[str]
    samples: Sequence[str]
    limit: int | None
    seed: int | None
    shard: Shard | str | None


def resolve_selection(
    data: Path | str | None, settings: Settings, **wanted: Unpack[SelectionArgs]
) -> ResolvedSelection:
    """Open a data set and return what of it is wanted.

    Args:
        data: A folder, or ``hf:OWNER/NAME``; None takes the bundled examples.
        settings: Where the examples lie, and the profile if none is wanted.
        wanted: See ``SelectionArgs``.

    Raises:
        TypeError: There is no argument of that name.
        UsageError: A name or the data set does not fit; says why.
    """
    unknown = ", ".join(sorted(wanted.keys() - SelectionArgs.__annotations__.keys()))
    if unknown:
        raise TypeError(
            f"unexpected keyword argument {unknown}; there are {', '.join(SelectionArgs.__annotations__)}"
        )
    shard = wanted.get("shard")
    selection = Selection(
        tuple(wanted.get("subsets", ())),
        tuple(wanted.get("difficulties", ())),
        tuple(wanted.get("samples", ())),
        wanted.get("limit"),
        wanted.get("seed"),
        Shard.parse(shard) if isinstance(shard, str) else shard,
    )
    dataset = open_data(data, examples=settings.examples, subsets=selection.subsets)
    profile = Profile(wanted.get("profile") or settings.profile)
    return choose(dataset, profile, wanted.get("tasks", ()), selection, settings)
