"""Options that several commands have."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any, TypeVar

import click

from i2s_client.credentials import Token
from i2s_client.service_table import OWN_SERVICES, SERVICES
from i2s_sdk.cli.terminal import say
from i2s_sdk.errors import SettingsError
from i2s_sdk.settings import Settings
from i2s_sdk.settings_sources import ADDRESSES

F = TypeVar("F", bound=Callable[..., Any])


def settings_options_for(*services: str) -> Callable[[F], F]:
    """Return a decorator that adds the options of settings.

    Every command takes all of them, so that one configuration fits all; its help shows the addresses of the
    services that it uses.

    Args:
        services: Names of these services.
    """
    return lambda command: _with_settings(command, frozenset(services))


def settings_options(command: F) -> F:
    """Add the options of settings to a command that may use every service."""
    return _with_settings(command, OWN_SERVICES)


def _with_settings(command: F, shown: frozenset[str]) -> F:
    options = (
        click.option("--config", metavar="FILE", help="Configuration file.  [I2S_CONFIG; default: i2s.toml]"),
        *(
            click.option(
                one.flag,
                metavar="ADDRESS",
                hidden=one.name not in shown,
                help=f"Running {one.title}.  [I2S_{one.setting.upper()}]",
            )
            for one in SERVICES
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


def profile_option(command: F) -> F:
    """Add ``--profile``."""
    choice = click.Choice(["paper", "helm", "reference"])
    return click.option(
        "--profile",
        type=choice,
        metavar="P",
        help="Rules: paper, helm, or reference, which is helm.  [I2S_PROFILE; paper]",
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
        for field in fields(Settings):
            say(_toml(field.name, getattr(settings, field.name)))
        raise click.exceptions.Exit(0)
    return settings


def _chosen(pairs: Sequence[str]) -> dict[str, str]:
    """Return the settings of ``--set NAME=VALUE``."""
    found = {}
    for pair in pairs:
        name, equals, value = pair.partition("=")
        if not equals:
            raise SettingsError(f"--set {pair}: is not of the form NAME=VALUE, such as deadline=60")
        found[name.strip().replace("-", "_")] = value
    return found


def _toml(name: str, value: object) -> str:
    """Return a line of the configuration file."""
    if value is None:
        return f"# {name} is not set"
    if isinstance(value, Token):
        return f"# {name} is set and not shown"
    return f"{name} = {value if isinstance(value, int | float) else json.dumps(str(value))}"
