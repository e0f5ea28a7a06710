"""Facts of a run for people who do not have its machine: no paths, and the command that repeats it."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Mapping
from pathlib import PurePath

from i2s_sdk.data.locations import BUNDLED
from i2s_sdk.models.options import OPTIONS_FACT, REPEAT
from i2s_sdk.report.published import DATA_SET
from i2s_sdk.report.view import RunView, shareable_model, without_paths

#: Facts of a manifest that were paths of the machine in runs of earlier versions.
_PATHS = ("data", "merged from")


def shareable_facts(view: RunView) -> dict[str, str]:
    """Return the facts of a run without paths: of the data set, its name stays."""
    about = view.manifest.about
    facts = {name: fact for name, fact in about.items() if name not in _PATHS}
    if "merged from" in about:
        merged = about["merged from"]  # runs of earlier versions have the paths of their shards
        facts["merged from"] = f"{len(merged.split(', '))} shards" if "/" in merged else merged
    facts = {name: without_paths(fact) for name, fact in facts.items()}
    return {"data": PurePath(about["data"]).name, **facts} if "data" in about else facts


def is_digest(fact: str) -> bool:
    """Return whether a fact is a digest, which is folded away."""
    return len(fact) >= 40 and all(character in "0123456789abcdef" for character in fact)


def repeat_command(view: RunView) -> str:
    """Return the command that makes a run again, with the name of its data set in place of a path.

    All tasks of the run are named: whether they were chosen, or are those that the data set has, is not
    known, and makes no difference to the instances.
    """
    options, about = view.manifest.options, view.manifest.about
    words = ["i2s-sdk", "evaluate"]
    for flag, value in (
        ("--data", _data(about)),
        ("--model", shareable_model(options.model).partition(REPEAT)[0]),
        ("--profile", options.profile),
    ):
        words += [flag, value] if value else []
    chosen = {
        "--task": options.tasks,
        "--subset": options.subsets,
        "--difficulty": options.difficulties,
        "--sample-id": options.samples,
    }
    for flag, values in chosen.items():
        for value in values:
            words += [flag, value]
    for flag, number in (("--limit", options.limit), ("--seed", options.seed)):
        words += [] if number is None else [flag, str(number)]
    words += ["--shard", options.shard] if options.shard else []
    words += shlex.split(about.get(OPTIONS_FACT, ""))
    return shlex.join(words)


def _data(about: Mapping[str, str]) -> str:
    """Return what ``--data`` was given; empty for the bundled examples."""
    if BUNDLED in about:
        return ""
    origin = about.get(DATA_SET, "")
    if origin.startswith("hf:") and ", " not in origin:
        return origin
    return PurePath(about.get("data", "")).name


def licences(views: list[RunView]) -> list[tuple[str, int]]:
    """Return the licences of the instances of all runs, the most frequent first, each with its count."""
    by_instance = {
        planned_sample.id: planned_sample.licence for view in views for planned_sample in view.planned
    }
    return [(name, count) for name, count in Counter(by_instance.values()).most_common() if name]
