"""Help of commands: options in groups, and what other packages provide."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import click

from i2s_client.plugins import PluginGroup, package_of, plugins

_DATA = ("data", "tasks", "subsets", "difficulties", "samples", "limit", "seed", "shard")
_MODEL = ("model", "models", "prompts", "predictions", "systems")
_RUN = ("profile", "out", "jobs", "fail_on_error", "dry_run", "repeats", "no_render_cache", "no_score_cache")
_RESULT = ("requirements", "junit", "log_to", "as_json")

#: Names of parameters by the heading under which ``--help`` shows them, in its order. Parameters that begin
#: with "model_" belong to the model; all others stand under "Services and settings".
GROUPS: Mapping[str, Sequence[str]] = {
    "Instances": _DATA,
    "Model": _MODEL,
    "Run": _RUN,
    "Results": _RESULT,
}

_OTHERS = "Services and settings"

_TITLES = {
    PluginGroup.TASKS: "tasks",
    PluginGroup.SCORERS: "scorers",
    PluginGroup.MODELS: "models",
    PluginGroup.RENDERERS: "renderers",
}


class GroupedCommand(click.Command):
    """A command whose help shows its options in groups, then what other packages provide."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options, each group under its heading."""
        groups: dict[str, list[tuple[str, str]]] = {name: [] for name in (*GROUPS, _OTHERS)}
        for one in self.get_params(ctx):
            record = one.get_help_record(ctx)
            if record is not None:
                groups[group_of(one)].append(record)
        for name, records in groups.items():
            if records:
                with formatter.section(name):
                    formatter.write_dl(records)

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the names that other packages provide."""
        super().format_epilog(ctx, formatter)
        records = provided_names()
        if records:
            with formatter.section("Provided by other packages"):
                formatter.write_dl(records)


def group_of(parameter: click.Parameter) -> str:
    """Return the heading of a parameter."""
    name = parameter.name or ""
    if name.startswith("model_"):
        return "Model"
    return next((heading for heading, names in GROUPS.items() if name in names), _OTHERS)


def provided_names() -> list[tuple[str, str]]:
    """Return the kind of things that other packages provide, and their names with the packages."""
    records: list[tuple[str, Any]] = []
    for group, title in _TITLES.items():
        suffix = "/NAME" if group is PluginGroup.MODELS else ""
        names = [f"{name}{suffix} ({package_of(one)})" for name, one in plugins(group).items()]
        if names:
            records.append((title, ", ".join(names)))
    return records
