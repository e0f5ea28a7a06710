"""Options and arguments that several commands have."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from i2s_client.credentials import Token
from i2s_client.service_table import (
    DOCUMENTS,
    METRICS,
    OWN_SERVICES,
    RENDERERS,
    SERVICES,
    flag_of,
    service_names,
    setting_of,
    variable_name,
)
from i2s_sdk.cli.completion import complete_files
from i2s_sdk.cli.main import BELOW_COVERAGE
from i2s_sdk.cli.terminal import say
from i2s_sdk.errors import I2SError, SettingsError
from i2s_sdk.settings import Settings
from i2s_sdk.settings_sources import ADDRESSES

if TYPE_CHECKING:
    from i2s_sdk.report.experiment_logs import Destination
    from i2s_sdk.run.storage.interface import PathOrUrl
    from i2s_sdk.stats.aggregate import Summary
    from i2s_sdk.stats.requirements import Check, Requirement


F = TypeVar("F", bound=Callable[..., Any])

_TITLES = {service.name: service.title for service in SERVICES}


def settings_options_for(*services: str) -> Callable[[F], F]:
    """Return a decorator that adds the options of settings.

    Every command takes all of them, so that one configuration fits all; its help shows the addresses of the
    services that it uses.

    Args:
        services: Names of these services.
    """
    return lambda command: _with_settings(command, frozenset(services))


def settings_options(command: F) -> F:
    """Add the options of settings to a command that may use every service of this project."""
    return _with_settings(command, OWN_SERVICES)


def _with_settings(command: F, shown: frozenset[str]) -> F:
    options = (
        click.option("--config", metavar="FILE", help="Configuration file.  [I2S_CONFIG; default: i2s.toml]"),
        *(
            click.option(
                flag_of(name),
                metavar="ADDRESS",
                hidden=name not in shown,
                help=f"Running {_TITLES.get(name, name)}.  [{variable_name(name)}]",
            )
            for name in service_names()
        ),
        click.option(
            "--token-file",
            metavar="FILE",
            hidden=not shown,
            help="File with our token for services.  [I2S_TOKEN_FILE]",
        ),
        click.option(
            "--set",
            "chosen",
            multiple=True,
            metavar="NAME=VALUE",
            help="Any setting, such as deadline=60; may be repeated.  [I2S_NAME]",
        ),
        click.option("--print-config", is_flag=True, help="Print all settings in force and end."),
    )
    for option in reversed(options):
        command = option(command)
    return command


def names_services(command: click.Command) -> click.Command:
    """Put the names of services into the help of a command, in the place of words in braces."""
    first, *_ = RENDERERS
    words = {
        "services": ", ".join((*RENDERERS, DOCUMENTS, METRICS)),
        "short_names": ", ".join(
            (*(renderer.removeprefix("render-") for renderer in RENDERERS), DOCUMENTS, METRICS)
        ),
        "first": first,
        "FIRST": setting_of(first).upper(),
    }
    for word, names in words.items():
        command.help = str(command.help).replace(f"{{{word}}}", names)
    return command


def profile_option(command: F) -> F:
    """Add ``--profile``."""
    choice = click.Choice(["paper", "helm", "reference"])
    return click.option(
        "--profile",
        type=choice,
        metavar="P",
        help="Rules: paper, helm, or reference, which is helm.  [I2S_PROFILE; paper]",
    )(command)


def name_options(command: F) -> F:
    """Add ``--label`` and ``--note``, which a run keeps as the settings of these names."""
    label = click.option(
        "--label", metavar="NAME", help="Name of the run in tables and reports, in place of its model."
    )
    note = click.option(
        "--note", metavar="TEXT", help="A text that is kept with the run; its report shows it."
    )
    return label(note(command))


def scorer_option(command: F) -> F:
    """Add ``--scorer``."""
    return click.option(
        "--scorer",
        "scorers",
        multiple=True,
        metavar="FILE.py:NAME",
        shell_complete=complete_files,
        help="A function of yours that scores a sample, such as my.py:score; may be repeated.",
    )(command)


def json_option(command: F) -> F:
    """Add ``--json``."""
    return click.option("--json", "as_json", is_flag=True, help="Print one JSON document, nothing else.")(
        command
    )


def load_settings(given: Mapping[str, Any], **more: object | None) -> Settings:
    """Return the settings of a command.

    Args:
        given: Parameters that ``settings_options`` added.
        more: Further fields that the command has flags for; None is "not given".

    Raises:
        SettingsError: A value has no meaning, or there is no such setting.
    """
    flags = {name: given[f"{name}_at"] for name in ADDRESSES if given[f"{name}_at"] is not None}
    flags.update({name: value for name, value in more.items() if value is not None})
    if given["token_file"] is not None:
        flags["token_file"] = given["token_file"]
    config = given["config"]
    settings = Settings.load(
        {**_chosen(given["chosen"]), **flags}, config=Path(config) if isinstance(config, str) else None
    )
    if given["print_config"]:
        for name, value in settings.values().items():
            say(_toml(name, value))
        raise click.exceptions.Exit(0)
    return settings


def _chosen(pairs: Sequence[str]) -> dict[str, str]:
    """Return the settings of ``--set NAME=VALUE``."""
    values = {}
    for pair in pairs:
        name, equals, value = pair.partition("=")
        if not equals:
            raise SettingsError(f"--set {pair}: is not of the form NAME=VALUE, such as deadline=60")
        values[name.strip().replace("-", "_")] = value
    return values


def _toml(name: str, value: object) -> str:
    """Return a line of the configuration file."""
    if value is None:
        return f"# {name} is not set"
    if isinstance(value, Token):
        return f"# {name} is set and not shown"
    return f"{name} = {value if isinstance(value, int | float) else json.dumps(str(value))}"


def runs_argument(command: F) -> F:
    """Add the argument ``RUN...``; see ``all_runs``."""
    return click.argument(
        "runs",
        nargs=-1,
        required=True,
        metavar="RUN...",
        callback=lambda _, __, names: all_runs(names),
        shell_complete=complete_files,
    )(command)


def all_runs(names: Sequence[str]) -> tuple[str, ...]:
    """Return runs; a folder of runs, as an evaluation of several models leaves it, stands for all of them."""
    return tuple(run for name in names for run in _runs_in(name))


def _runs_in(name: str) -> list[str]:
    """Return the runs that a folder holds, by name; what is a run itself, or no folder, as it is."""
    from i2s_sdk.run.storage.folder import MANIFEST

    folder = Path(name)
    if not folder.is_dir() or (folder / MANIFEST).exists():
        return [name]
    runs = sorted(str(path.parent) for path in folder.glob(f"*/{MANIFEST}"))
    return runs or [name]


def log_to_option(command: F) -> F:
    """Add ``--log-to``."""
    return click.option(
        "--log-to",
        "log_to",
        multiple=True,
        metavar="WHERE",
        help="Send values of the run to wandb:PROJECT, mlflow:URI or hub:OWNER/NAME; may be repeated.",
    )(command)


def parse_destinations(texts: Sequence[str]) -> list[Destination]:
    """Return the destinations of ``--log-to``.

    Raises:
        UsageError: One of them is none, or its client is not installed.
    """
    if not texts:
        return []
    from i2s_sdk.report.experiment_logs import Destination

    return [Destination.parse(text) for text in texts]


def log_runs(runs: Iterable[PathOrUrl], destinations: Sequence[Destination], *, samples: bool = False) -> int:
    """Send finished runs, say where they are, and return the exit code.

    What cannot be sent is said in one line with the command that sends it later; the runs are kept.
    """
    code = 0
    for run in runs if destinations else ():
        from i2s_sdk.report.experiment_logs import log_run

        for target in destinations:
            try:
                say(f"{run} is logged to {target}: {log_run(run, target, samples=samples)}", err=True)
            except I2SError as error:
                again = f"i2s-sdk log-run {run} --to {target}{' --samples' if samples else ''}"
                say(f"{error.message}; the run is kept, try again with: {again}", err=True)
                code = max(code, error.exit_code)
    return code


def require_options(command: F) -> F:
    """Add ``--require`` and ``--junit``."""
    require = click.option(
        "--require",
        "requirements",
        multiple=True,
        metavar="CONDITION",
        help="Exit with 3 unless [TASK[/SUBSET]:]METRIC>=VALUE holds, such as ems>=0.8; may be repeated.",
    )
    junit = click.option(
        "--junit",
        type=click.Path(dir_okay=False, path_type=Path),
        metavar="FILE",
        help="Write a JUnit file of what was required.",
    )
    return require(junit(command))


def parse_requirements(texts: Sequence[str]) -> list[Requirement]:
    """Return the requirements of ``--require``.

    Raises:
        UsageError: One of them is not of the form.
    """
    if not texts:
        return []
    from i2s_sdk.stats.requirements import Requirement

    return [Requirement.parse(text) for text in texts]


def check_requirements(
    requirements: Sequence[Requirement], runs: Mapping[str, Summary], junit: Path | None
) -> list[Check]:
    """Check runs, and write the JUnit file if there is to be one.

    Raises:
        UnknownNameError: Neither a task nor a run has a metric.
        WriteError: The file cannot be written.
    """
    from i2s_sdk.stats.requirements import check_runs, write_junit

    of_runs = {name for summary in runs.values() for task in summary.tasks.values() for name in task.values}
    for requirement in requirements:
        requirement.require_metric(of_runs)
    checks = check_runs(requirements, runs)
    if junit is not None:
        write_junit(junit, runs, checks)
    return checks


def tell_failed(checks: Sequence[Check]) -> int:
    """Say which requirements do not hold, and return the exit code."""
    failed = [one for one in checks if one.failure]
    for check in failed:
        say(f"required {check.requirement.text} of {check.run}: {check.failure}", err=True)
    return BELOW_COVERAGE if failed else 0
