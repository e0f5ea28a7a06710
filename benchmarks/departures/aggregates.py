"""Win rates of Table 2 by three rules for ties, and means over groups in place of instances."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from importlib.resources import files
from statistics import fmean
from typing import Any

from benchmarks.departures.sets import ROOT, instances
from benchmarks.departures.size import Count, Found
from benchmarks.harness.command import say
from i2s_sdk.run.storage.record import Outcome
from i2s_sdk.stats.leaderboard import Column, mean_win_rates

_RESULTS = ROOT / "tests" / "recorded" / "results"
#: Greatest difference of a value from one that was rounded to three decimals.
_ROUNDED = 0.0005


def measure() -> list[Found]:
    """Return the sizes of the departures of aggregates."""
    say("aggregates: win rates of Table 2, means over groups")
    rules = {"half a win": 0.5, "a loss": 0.0, "a win": 1.0}
    found: list[Found] = [_win_rates(name, tie) for name, tie in rules.items()]
    found += [_groups(model) for model in ("replay", "baseline")]
    return [*found, *(_profiles(model) for model in ("replay", "baseline"))]


def printed() -> tuple[list[str], list[Column], dict[str, float]]:
    """Return the models of Table 2, its six columns, and the win rates that it prints."""
    text = files("i2s_sdk.tasks").joinpath("published.json").read_text(encoding="utf-8")
    table = json.loads(text)["tables"]["2"]
    rows: Mapping[str, Sequence[float]] = table["rows"]
    names = table["columns"]
    columns = [
        Column(name, {model: row[at] for model, row in rows.items()})
        for at, name in enumerate(names)
        if name != "win_rate"
    ]
    rates = {model: row[names.index("win_rate")] for model, row in rows.items()}
    return list(rows), columns, rates


def _win_rates(name: str, tie: float) -> Found:
    models, columns, rates = printed()
    halves = mean_win_rates(models, columns)
    wrong = {}
    for model in models:
        ties = [
            sum(value == column.values[model] for value in column.values.values()) - 1 for column in columns
        ]
        half = halves[model]
        assert half is not None
        rate = half + (tie - 0.5) * fmean(ties) / (len(models) - 1)
        if abs(rate - rates[model]) > _ROUNDED:
            wrong[f"{model}, printed {rates[model]}"] = round(rate, 3)
    return Count(
        f"win rates, a tie is {name}", "14 models of Table 2", {"do not follow": len(wrong), **wrong}
    )


def _groups(model: str) -> Found:
    groups: dict[str, dict[tuple[str, str], list[float]]] = defaultdict(lambda: defaultdict(list))
    for row, sample in _counted(model, "paper"):
        groups[row["task"]][row["subset"], row["difficulty"]].append(sample["metrics"]["ems"])
    numbers: dict[str, float] = {}
    for task, own in groups.items():
        every = [value for some in own.values() for value in some]
        numbers[f"{task}, over instances"] = round(fmean(every), 4)
        numbers[f"{task}, over {len(own)} groups"] = round(fmean(map(fmean, own.values())), 4)
    return Count("mean ems over groups, as helm", f"recorded results of {model}", numbers)


def _profiles(model: str) -> Found:
    """Return what all departures together change: the recorded results of both profiles."""
    numbers: dict[str, float] = {}
    for profile in ("paper", "helm"):
        values = defaultdict(list)
        rendered = defaultdict(list)
        for row, sample in _counted(model, profile):
            values[row["task"]].append(sample["metrics"]["ems"])
            rendered[row["task"]].append(sample["width"] > 0)
        for task, own in values.items():
            numbers[f"{task}, ems, {profile}"] = round(fmean(own), 4)
            numbers[f"{task}, rendered, {profile}"] = sum(rendered[task])
    return Count("all departures together", f"recorded results of {model}", numbers)


def _counted(model: str, profile: str) -> Iterator[tuple[Mapping[str, Any], Mapping[str, Any]]]:
    recorded = json.loads((_RESULTS / f"{model}-{profile}.json").read_text())["samples"]
    for row in instances():
        sample = recorded.get(row["id"])
        if sample and Outcome(sample["outcome"]).counts:
            yield row, sample
