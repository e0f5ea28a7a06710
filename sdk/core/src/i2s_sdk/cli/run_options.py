"""Options of the commands that begin a run: groups in the help, defaults from the configuration file."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from i2s_client.plugins import PluginGroup, package_of, plugins
from i2s_sdk.cli.completion import (
    complete_data,
    complete_difficulties,
    complete_files,
    complete_models,
    complete_subsets,
    complete_tasks,
)
from i2s_sdk.cli.options import profile_option
from i2s_sdk.cli.terminal import say
from i2s_sdk.errors import SettingsError, UsageError

if TYPE_CHECKING:
    from i2s_sdk.models.options import Batching, ModelOptions
    from i2s_sdk.run.failures import FailureReason
    from i2s_sdk.settings import Settings


_DATA = ("data", "tasks", "subsets", "difficulties", "samples", "limit", "seed", "shard")
_MODEL = ("model", "models", "prompts", "predictions", "systems")
_RUN = (
    *("profile", "out", "label", "note", "jobs", "fail_on_error", "dry_run", "repeats", "turns"),
    *("no_reference_points", "no_render_cache", "no_score_cache"),
)
_RESULT = ("scorers", "requirements", "junit", "log_to", "as_json")

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
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx)
            if record is not None:
                groups[group_of(parameter)].append(record)
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
        names = [f"{name}{suffix} ({package_of(plugin)})" for name, plugin in plugins(group).items()]
        if names:
            records.append((title, ", ".join(names)))
    return records


F = TypeVar("F", bound=Callable[..., Any])


def options_from_file(command: F) -> F:
    """Let a command, which has ``--config`` already, take its options from its table of that file."""
    for option in command.__click_params__:  # type: ignore[attr-defined]
        if option.name == "config":
            option.callback, option.is_eager = _read_table, True
    return command


def _read_table(context: click.Context, option: click.Parameter, config: str | None) -> str | None:
    """Take what the configuration file says of this command as its defaults.

    Raises:
        SettingsError: The file cannot be read, or a key is not an option of the command.
    """
    from i2s_sdk.settings_sources import command_tables

    name = context.command.name or ""
    path, tables = command_tables(config)
    table = tables.get(name, {})
    known = {_flag(param): param for param in context.command.params if isinstance(param, click.Option)}
    defaults: dict[str, Any] = {}
    for key, value in table.items():
        flag = key.replace("_", "-")
        if flag not in known or flag in ("config", "help"):
            close = difflib.get_close_matches(flag, known, n=1)
            meant = f"; did you mean {close[0]!r}?" if close else ""
            raise SettingsError(f"{path}: [{name}] has no option {key!r}{meant}")
        defaults[known[flag].name or ""] = _as_given(known[flag], value)
    context.default_map = {**defaults, **(context.default_map or {})}
    return config


def _flag(option: click.Option) -> str:
    return max(option.opts, key=len).lstrip("-")


def _as_given(option: click.Option, value: object) -> object:
    """Return a value of the file as it would be typed; a list for an option that may be repeated."""
    if option.multiple:
        return [str(one) for one in value] if isinstance(value, list) else [str(value)]
    return value if isinstance(value, bool) else str(value)


_NONE = "none"

#: The answer cache of the user; a folder of that name is ./answers.
_ANSWERS = "answers"


def _number_or_none(context: click.Context, option: click.Parameter, value: str | None) -> float | str | None:
    if value is None or value == _NONE:
        return value
    try:
        return float(value)
    except ValueError:
        raise click.BadParameter(f"{value!r} is neither a number nor {_NONE}", context, option) from None


def model_options(command: F) -> F:
    """Add the options of called models; they reach the command as ``model_*`` parameters."""
    options = (
        click.option("--base-url", "model_base_url", metavar="URL", help="Server of the model."),
        click.option(
            "--key-env", "model_key_env", metavar="NAME", help="Environment variable that holds its key."
        ),
        click.option(
            "--temperature",
            "model_temperature",
            callback=_number_or_none,
            metavar="T|none",
            help="none leaves it to the server.  [default: the task's, else 0]",
        ),
        click.option(
            "--max-tokens",
            "model_max_tokens",
            type=click.IntRange(min=1),
            metavar="N",
            help="Of an answer.  [default: 2000]",
        ),
        click.option(
            "--top-p",
            "model_top_p",
            type=float,
            metavar="P",
            help="Draw from the most probable tokens only; with --temperature.",
        ),
        click.option(
            "--model-seed",
            "model_seed",
            type=int,
            metavar="N",
            help="Seed of its draws, for servers that take one.",
        ),
        click.option(
            "--stop",
            "model_stop",
            multiple=True,
            metavar="TEXT",
            help="Text at which an answer ends; may be repeated.",
        ),
        click.option(
            "--reasoning-effort",
            "model_reasoning_effort",
            metavar="WORD",
            help="How much it thinks, in the words of its server, such as low or high.",
        ),
        click.option(
            "--extra-body",
            "model_extra_body",
            metavar="JSON",
            help="Further fields of each request, such as '{\"chat_template_kwargs\": {}}'.",
        ),
        click.option(
            "--model-jobs",
            "model_concurrency",
            type=click.IntRange(min=1),
            metavar="N",
            help="Calls of the model in flight at most.  [default: 16]",
        ),
        click.option(
            "--timeout",
            "model_call_seconds",
            type=float,
            metavar="SECONDS",
            help="Until a call without an answer is repeated, by a server that works on several at once.  "
            "[default: 300]",
        ),
        click.option(
            "--retry-seconds",
            "model_retry_seconds",
            type=float,
            metavar="SECONDS",
            help="For all attempts of a call of the model together.  [default: 900]",
        ),
        click.option(
            "--no-preflight",
            "model_no_preflight",
            is_flag=True,
            help="Begin without asking the server a small question first.",
        ),
        click.option(
            "--batch",
            "model_batch",
            is_flag=True,
            help="Ask by the batch API of the vendor (openai, anthropic): cheaper, answered within hours.",
        ),
        click.option(
            "--batch-size",
            "model_batch_size",
            type=click.IntRange(min=1),
            metavar="N",
            help="Questions of a batch at most.  [default: 1000]",
        ),
        click.option(
            "--cache",
            "model_cache",
            metavar="answers|FOLDER",
            help="Take answers of earlier runs: of the user's caches, of a folder.  [I2S_ANSWER_CACHE; none]",
        ),
        click.option(
            "--prices",
            "model_prices",
            type=click.Path(exists=True, dir_okay=False, path_type=Path),
            metavar="FILE",
            help="Prices in place of the bundled ones.",
        ),
        click.option(
            "--budget",
            "model_cost",
            type=float,
            metavar="USD",
            help="Make no more calls once those of this command have cost so much.",
        ),
        click.option(
            "--token-budget",
            "model_tokens",
            type=int,
            metavar="N",
            help="The same by tokens read and written.",
        ),
    )
    for option in reversed(options):
        command = option(command)
    return command


def chosen_options(given: Mapping[str, object], settings: Settings) -> ModelOptions:
    """Return the options that the parameters of ``model_options`` say, with the settings of completions.

    Raises:
        UsageError: A value does not fit.
    """
    from i2s_sdk.models.options import Budget, options_from, parse_extra_body

    fields: dict[str, Any] = {
        name.removeprefix("model_"): value
        for name, value in given.items()
        if name.startswith("model_") and value is not None
    }
    if fields.get("temperature") == _NONE:
        fields["temperature"] = None
    fields["preflight"] = not fields.pop("no_preflight", False)
    fields["batching"] = _batching(fields.pop("batch", False), fields.pop("batch_size", None))
    fields["budget"] = Budget(fields.pop("cost", None), fields.pop("tokens", None))
    if "extra_body" in fields:
        fields["extra_body"] = parse_extra_body(fields["extra_body"])
    if "cache" in fields:
        fields["cache"] = _cache(fields["cache"])
    return replace(options_from(settings), **fields)


def _cache(chosen: str) -> Path | None:
    """Return the folder of the answer cache that ``--cache`` names; None for none."""
    from i2s_sdk.models.options import default_cache_folder

    if chosen == _NONE:
        return None
    return default_cache_folder() if chosen == _ANSWERS else Path(chosen)


def _batching(chosen: bool, size: int | None) -> Batching | None:
    """Return how batches are made; None if none are.

    Raises:
        UsageError: There is a size without batches.
    """
    from i2s_sdk.models.options import Batching

    if not chosen:
        if size is not None:
            raise UsageError("--batch-size needs --batch")
        return None
    return Batching() if size is None else Batching(requests=size)


#: Names of the parameters that ``run_options`` adds and that choose instances.
_CHOICE = ("tasks", "subsets", "difficulties", "samples", "limit", "seed", "shard")

#: Names of instances that a message shows.
MOST_NAMES = 5

_MOST_REASONS = 5  # that are shown


def run_options(command: F) -> F:
    """Add the options that say what a run is: data, model, profile, folder and choice of instances."""
    return _with_options(
        command,
        click.option(
            "--model",
            default="oracle",
            metavar="NAME",
            shell_complete=complete_models,
            help="One of those above.  [default: oracle]",
        ),
        click.option("--prompts", metavar="FILE", help=_PROMPTS),
    )


class _ModelName(click.ParamType[str]):
    """Name of a model; in a variable, several stand in lines of their own, since names may have spaces."""

    name = "model"
    envvar_list_splitter = "\n"


def runs_options(command: F) -> F:
    """Add the options that say what the runs of several models are; see ``run_options``."""
    return _with_options(
        command,
        click.option(
            "--model",
            "models",
            multiple=True,
            type=_ModelName(),
            shell_complete=complete_models,
            metavar="NAME",
            help="One of those above; may be repeated.  [default: oracle]",
        ),
        click.option(
            "--prompts",
            multiple=True,
            type=click.Path(),
            metavar="FILE",
            help=f"{_PROMPTS[:-1]}; repeated, a run for each file.",
        ),
    )


_PROMPTS = "Own prompts in place of those of the tasks (TOML)."


def _with_options(command: F, model: Callable[[F], F], prompts: Callable[[F], F]) -> F:
    options = (
        click.option(
            "--data",
            metavar="DATA",
            shell_complete=complete_data,
            help="Folder, or hf:OWNER/NAME.  [default: the bundled examples]",
        ),
        model,
        profile_option,
        prompts,
        click.option(
            "--out",
            metavar="FOLDER",
            shell_complete=complete_files,
            help="Run folder, or its URL (s3://…).  [default: runs/DATA-MODEL-PROFILE]",
        ),
        click.option(
            "--task",
            "tasks",
            multiple=True,
            metavar="T",
            shell_complete=complete_tasks,
            help="Only this task; may be repeated.",
        ),
        click.option(
            "--subset",
            "subsets",
            multiple=True,
            metavar="S",
            shell_complete=complete_subsets,
            help="Only this subset; the same.",
        ),
        click.option(
            "--difficulty",
            "difficulties",
            multiple=True,
            metavar="D",
            shell_complete=complete_difficulties,
            help="Only this difficulty; the same.",
        ),
        click.option(
            "--sample-id", "samples", multiple=True, metavar="ID", help="Only this instance; the same."
        ),
        click.option("--limit", type=int, metavar="N", help="Only N instances: the first."),
        click.option("--seed", type=int, metavar="N", help="With --limit: a choice, the same for a seed."),
        click.option("--shard", metavar="I/N", help="Only one of N parts, such as 1/3."),
    )
    for option in reversed(options):
        command = option(command)
    return command


def chosen_instances(given: dict[str, Any]) -> dict[str, Any]:
    """Take the parameters that choose instances, and return them as ``evaluate`` has them."""
    return {name: given.pop(name) for name in _CHOICE}


def run_folder(given: Mapping[str, Any], settings: Settings) -> Path | str:
    """Return the folder of a run, or its URL; if none was given, the same for the same command.

    Args:
        given: The parameters.
        settings: Settings with the profile.
    """
    from i2s_sdk.run.storage.interface import is_url

    if given["out"]:
        return given["out"] if is_url(given["out"]) else Path(given["out"])
    return default_folder(
        given["data"], given["model"], str(settings.profile), given["shard"], given.get("turns", 1)
    )


def default_folder(
    data: str | None, model: str, profile: str, shard: str | None = None, turns: int = 1
) -> Path:
    """Return the folder of a run that was given none: the same for the same command."""
    source = "examples" if not data else data if data.startswith("hf:") else Path(data).resolve().name
    further = [f"{turns} turns"] if turns > 1 else []
    parts = (source, model, profile, *further, *([f"shard {shard}"] if shard else []))
    return Path("runs") / "-".join(re.sub(r"[^\w.]+", "-", part).strip("-") for part in parts)


def tell_unanswered(calls: Mapping[str, int]) -> None:
    """Say which calls of earlier starts may have been billed without an answer, if there are any."""
    count = sum(calls.values())
    if count:
        names = ", ".join(list(calls)[:MOST_NAMES]) + (", …" if len(calls) > MOST_NAMES else "")
        subject = "1 call of the model was" if count == 1 else f"{count} calls of the model were"
        say(
            f"{subject} in flight when an earlier start was stopped, and may have been billed: {names}",
            err=True,
        )


def tell_failures(failures: Sequence[FailureReason]) -> None:
    """Say why samples have no score, the most frequent reasons, if there are any."""
    for reason in failures[:_MOST_REASONS]:
        label = f"{reason.count} {reason.outcome}{', such as' if reason.count > 1 else ''}"
        say(f"  {label}: {' '.join(reason.message.split())}", err=True)
    if len(failures) > _MOST_REASONS:
        say(f"  and {sum(failure.count for failure in failures[_MOST_REASONS:])} for other reasons", err=True)
