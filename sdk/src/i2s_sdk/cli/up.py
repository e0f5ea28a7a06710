"""``i2s-sdk up``."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from i2s_sdk.cli.options import json_option
from i2s_sdk.cli.terminal import say
from i2s_sdk.settings import Settings

if TYPE_CHECKING:
    from i2s_sdk.stack.state import Up


@click.command("up", short_help="Start the services and let them serve until down.")
@click.argument("names", nargs=-1, metavar="[SERVICE]...")
@click.option("--docker", is_flag=True, help="As containers of the local Docker Engine.")
@click.option("--start-seconds", metavar="SECONDS", help="To start a service.  [I2S_START_SECONDS; 600]")
@json_option
def command(names: tuple[str, ...], docker: bool, start_seconds: str | None, as_json: bool) -> None:
    """Start services that stay, so that later commands need not start their own.

    All that are installed, or those that are named: render-latex, render-html, render-lilypond,
    render-python, documents, metrics. Every command finds them by itself, unless an option, a variable or
    the configuration file names others. Containers have the restrictions of deploy/compose/compose.yaml;
    deploy/images/build makes their images.

    \b
    Examples:
      i2s-sdk up
      i2s-sdk up render-latex metrics
      i2s-sdk up --docker
    """  # noqa: D301 - \b is for click
    settings = Settings.load({"start_seconds": start_seconds})
    from i2s_sdk.stack.lifecycle import up

    running = up(names, docker=docker, settings=settings, on_wait=_say_waiting)
    if as_json:
        say(json.dumps(asdict(running), indent=2))
    else:
        show(running)


def _say_waiting() -> None:
    say("another `i2s-sdk up` is starting services; waiting for it", err=True)


def show(running: Up) -> None:
    """Print what is up."""
    for service in running.services:
        say(f"{service.name:<16} {service.address:<22} {service.runs_as}".rstrip())
    for name, reason in running.missing.items():
        say(f"{name:<16} missing: {reason}", err=True)
