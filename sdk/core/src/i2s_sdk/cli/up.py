"""``i2s-sdk up``."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from i2s_client.service_table import GATEWAY
from i2s_sdk.cli.main import group
from i2s_sdk.cli.options import json_option
from i2s_sdk.cli.terminal import say
from i2s_sdk.errors import UsageError
from i2s_sdk.settings import Settings

if TYPE_CHECKING:
    from i2s_sdk.stack.state import Up


@click.command("up", short_help="Start the services and let them serve until down.")
@click.argument("names", nargs=-1, metavar="[SERVICE]...")
@click.option("--docker", is_flag=True, help="As containers of the local Docker Engine.")
@click.option("--http", is_flag=True, help="With an HTTP gateway in front of them; see `i2s-sdk http`.")
@click.option(
    "--http-listen",
    metavar="HOST:PORT",
    default="127.0.0.1:7780",
    show_default=True,
    help="Where the gateway listens, on this machine.",
)
@click.option("--start-seconds", metavar="SECONDS", help="To start a service.  [I2S_START_SECONDS; 600]")
@json_option
def command(
    names: tuple[str, ...],
    docker: bool,
    http: bool,
    http_listen: str,
    start_seconds: str | None,
    as_json: bool,
) -> None:
    """Start services that stay, so that later commands need not start their own.

    All that are installed, or those that are named: render-latex, render-html, render-lilypond,
    render-python, documents, metrics. Every command finds them by itself, unless an option, a variable or
    the configuration file names others. Containers have the restrictions of deploy/compose/compose.yaml;
    deploy/images/build makes their images.

    \b
    Examples:
      i2s-sdk up
      i2s-sdk up render-latex metrics
      i2s-sdk up --http
      i2s-sdk up --docker
    """  # noqa: D301 - \b is for click
    settings = Settings.load({"start_seconds": start_seconds})
    if http:
        _check_http(docker, http_listen)
    from i2s_sdk.stack.lifecycle import up

    running = up(
        names, docker=docker, http=http_listen if http else "", settings=settings, on_wait=_say_waiting
    )
    if as_json:
        say(json.dumps(asdict(running), indent=2))
    else:
        show(running)


def _check_http(docker: bool, listen: str) -> None:
    """Check that a gateway is installed and can be started as it is wanted.

    Raises:
        UsageError: It is not, or cannot.
    """
    if docker:
        raise UsageError("--http with --docker: start `i2s-sdk http` beside the containers, which finds them")
    from i2s_client.connection import is_loopback

    group.get_command(click.get_current_context(), GATEWAY)
    host, port = listen.rpartition(":")[::2]
    if not host or not port.isdigit():
        raise UsageError(f"--http-listen: {listen!r} is not an address such as 127.0.0.1:7780")
    if not is_loopback(listen):
        raise UsageError(
            f"--http-listen {listen} is not an address of this machine alone; `i2s-sdk http` serves others, "
            "with HTTPS and tokens"
        )


def _say_waiting() -> None:
    say("another `i2s-sdk up` is starting services; waiting for it", err=True)


def show(running: Up) -> None:
    """Print what is up."""
    for service in running.services:
        address = f"http://{service.address}" if service.name == GATEWAY else service.address
        say(f"{service.name:<16} {address:<22} {service.runs_as}".rstrip())
    for name, reason in running.missing.items():
        say(f"{name:<16} missing: {reason}", err=True)
