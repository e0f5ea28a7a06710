"""Options that several commands have."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any, TypeVar

import click

from i2s_sdk.settings import Settings

F = TypeVar("F", bound=Callable[..., Any])

#: Names of the parameters that ``settings_options`` adds, and the field of the settings that each sets.
_FLAGS = {
    "render_latex_at": "render_latex",
    "render_html_at": "render_html",
    "render_lilypond_at": "render_lilypond",
    "metrics_at": "metrics",
    "tls_ca": "tls_ca",
    "tls_cert": "tls_cert",
    "tls_key": "tls_key",
    "deadline": "deadline",
    "retry_seconds": "retry_seconds",
    "start_seconds": "start_seconds",
}


def settings_options(command: F) -> F:
    """Add the options that set what holds for every command."""
    options = (
        click.option("--config", metavar="FILE", help="Configuration file.  [I2S_CONFIG; default: i2s.toml]"),
        click.option(
            "--render-latex-at", metavar="ADDRESS", help="Running LaTeX renderer.  [I2S_RENDER_LATEX]"
        ),
        click.option("--render-html-at", metavar="ADDRESS", help="Running site renderer.  [I2S_RENDER_HTML]"),
        click.option(
            "--render-lilypond-at",
            metavar="ADDRESS",
            help="Running LilyPond renderer.  [I2S_RENDER_LILYPOND]",
        ),
        click.option("--metrics-at", metavar="ADDRESS", help="Running metric service.  [I2S_METRICS]"),
        click.option(
            "--tls-ca",
            metavar="FILE",
            help="Check running services against these certificates.  [I2S_TLS_CA]",
        ),
        click.option("--tls-cert", metavar="FILE", help="Our certificate, where asked for.  [I2S_TLS_CERT]"),
        click.option("--tls-key", metavar="FILE", help="Private key of it.  [I2S_TLS_KEY]"),
        click.option("--deadline", metavar="SECONDS", help="For one attempt of a call.  [I2S_DEADLINE; 120]"),
        click.option(
            "--retry-seconds", metavar="SECONDS", help="For all attempts.  [I2S_RETRY_SECONDS; 300]"
        ),
        click.option(
            "--start-seconds", metavar="SECONDS", help="To start a service.  [I2S_START_SECONDS; 600]"
        ),
        click.option("--print-config", is_flag=True, help="Print the settings in force and end."),
    )
    for option in reversed(options):
        command = option(command)
    return command


def profile_option(command: F) -> F:
    """Add ``--profile``."""
    choice = click.Choice(["paper", "helm"])
    return click.option("--profile", type=choice, help="Rule book.  [I2S_PROFILE; paper]")(command)


def json_option(command: F) -> F:
    """Add ``--json``."""
    return click.option("--json", "as_json", is_flag=True, help="Print one JSON document, nothing else.")(
        command
    )


def load_settings(given: Mapping[str, str | bool | None], **more: object | None) -> Settings:
    """Return the settings of a command.

    Args:
        given: Parameters that ``settings_options`` added.
        more: Further fields that the command has flags for; None is "not given".
    """
    flags = {field: given[flag] for flag, field in _FLAGS.items()}
    config = given["config"]
    settings = Settings.load({**flags, **more}, config=Path(config) if isinstance(config, str) else None)
    if given["print_config"]:
        for field in fields(Settings):
            click.echo(_toml(field.name, getattr(settings, field.name)))
        raise click.exceptions.Exit(0)
    return settings


def _toml(name: str, value: object) -> str:
    """Return a line of the configuration file."""
    if value is None:
        return f"# {name} is not set"
    return f"{name} = {value if isinstance(value, int | float) else json.dumps(str(value))}"
