"""``i2s-sdk http``."""

from __future__ import annotations

import logging
from collections.abc import Callable, Coroutine, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from i2s_sdk.cli.options import load_settings, names_services, settings_options
from i2s_sdk.cli.terminal import say
from i2s_sdk.errors import UsageError

if TYPE_CHECKING:
    from i2s_gateway.settings import GatewaySettings
    from i2s_sdk.settings import Settings

F = TypeVar("F", bound=Callable[..., Any])


def _option(flag: str, metavar: str, kind: type, text: str, default: str) -> Callable[[F], F]:
    """Return an option that has a variable of its own: --body-bytes has I2S_HTTP_BODY_BYTES."""
    variable = f"I2S_HTTP_{flag.removeprefix('--').replace('-', '_').upper()}"
    shown = f"{text}  [{variable}; {default}]" if default else f"{text}  [{variable}]"
    return click.option(flag, envvar=variable, metavar=metavar, type=kind, help=shown)


@names_services
@click.command(
    "http",
    short_help="Serve the services by HTTP and JSON.",
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.argument("names", nargs=-1, metavar="[SERVICE]...")
@_option("--listen", "HOST:PORT", str, "Where to listen.", "127.0.0.1:7780")
@_option("--metrics-listen", "HOST:PORT", str, "Where Prometheus gets metrics, and probes /v1/live.", "")
@_option("--https-cert", "FILE", Path, "Certificate chain (PEM) for HTTPS.", "")
@_option("--https-key", "FILE", Path, "Its private key (PEM).", "")
@click.option(
    "--allow-host",
    "hosts",
    multiple=True,
    envvar="I2S_HTTP_ALLOW_HOST",
    metavar="NAME",
    help="Name that callers may use for this gateway, beside localhost and IP addresses; may be repeated.  "
    "[I2S_HTTP_ALLOW_HOST]",
)
@click.option(
    "--allow-origin",
    "origins",
    multiple=True,
    envvar="I2S_HTTP_ALLOW_ORIGIN",
    metavar="ORIGIN",
    help="Origin of web pages that may send requests; may be repeated.  [I2S_HTTP_ALLOW_ORIGIN]",
)
@click.option(
    "--insecure",
    is_flag=True,
    envvar="I2S_HTTP_INSECURE",
    help="Listen off the loopback without HTTPS, or in front of services that ask for no token.  "
    "[I2S_HTTP_INSECURE]",
)
@_option("--body-bytes", "N", int, "Size of the largest request.", "100663296")
@_option("--bodies-bytes", "N", int, "Size of all requests at a time.", "402653184")
@_option("--body-rate", "N", int, "Bytes a second that a request must bring on.", "4096")
@_option("--body-seconds", "S", float, "For a request to arrive, and an answer to be read.", "60")
@_option("--header-seconds", "S", float, "For the header of a request to arrive.", "10")
@_option("--connections", "N", int, "Most connections.", "256")
@_option("--connections-each", "N", int, "Most connections from one address.", "128")
@_option("--wait-seconds", "S", float, "For a service that is away or full, then 503 or 429.", "120")
@_option("--drain-seconds", "S", float, "For requests under way at the end.", "10")
@click.option(
    "--reward-task",
    "reward_tasks",
    multiple=True,
    envvar="I2S_HTTP_REWARD_TASK",
    metavar="TASK",
    help="Task that has rewards; may be repeated.  [I2S_HTTP_REWARD_TASK; all whose services are there]",
)
@_option("--reward-data", "DATA", str, "Data set whose instances rewards can name.", "the examples")
@_option("--reward-jobs", "N", int, "Answers of a task under way; 0 is twice the slots.", "0")
@_option("--reward-items", "N", int, "Most answers of one batch.", "4096")
@_option("--reward-waiting", "N", int, "Most answers that wait or are under way.", "16384")
@_option("--reward-bytes", "N", int, "Size of all of them with their references.", "536870912")
@_option("--reference-bytes", "N", int, "Size of all references that are kept.", "536870912")
@_option("--reward-seconds", "S", float, "For one batch.", "3600")
@_option("--episodes", "N", int, "Most episodes of all callers.", "4096")
@_option("--episodes-each", "N", int, "Most episodes of one caller.", "1024")
@_option("--episode-bytes", "N", int, "Size of all episodes.", "536870912")
@_option("--episode-seconds", "S", float, "After its last use for which an episode is kept.", "3600")
@_option("--store", "WHERE", str, "Folder or URL where replicas share references and episodes.", "memory")
@click.option("--announce", type=Path, hidden=True)
@settings_options
def command(
    names: tuple[str, ...],
    hosts: tuple[str, ...],
    origins: tuple[str, ...],
    insecure: bool,
    reward_tasks: tuple[str, ...],
    announce: Path | None,
    **given: Any,  # noqa: ANN401
) -> None:
    """Serve services by HTTP and JSON until Ctrl-C, for clients without gRPC.

    Those that are named or, without a name, all that are up, are configured or can be started here. GET /
    shows what can be asked and how, /openapi.json describes it for programs.

    The gateway has no credentials of its own: a token that a caller sends is passed on to the service.
    `i2s-sdk up --http` starts it in the background.

    \b
    Examples:
      i2s-sdk http
      i2s-sdk http {first} metrics --listen 127.0.0.1:8000
      i2s-sdk http --listen 0.0.0.0:7780 --https-cert cert.pem --https-key key.pem --allow-host i2s.lan
    """  # noqa: D301 - \b is for click
    wanted = {
        "listen": given.pop("listen"),
        "metrics_listen": given.pop("metrics_listen"),
        "certificate": given.pop("https_cert"),
        "key": given.pop("https_key"),
        "reward_tasks": reward_tasks,
        "reward_data": given.pop("reward_data"),
        "store": given.pop("store"),
        **{name: given.pop(name) for name in _BOUNDS},
    }
    settings = load_settings(given)
    gateway = _gateway_settings(wanted, hosts, origins, insecure, settings)
    from i2s_sdk.stack.blocking import run_blocking

    logging.getLogger("i2s_gateway").setLevel(logging.INFO)
    try:
        run_blocking(gateway_runner()(names, settings, gateway, announce, _say_ready))
    except KeyboardInterrupt:
        say("stopped", err=True)


def _say_ready(services: Sequence[str], url: str) -> None:
    say(f"{', '.join(services)}: {url}", err=True)


_BOUNDS = (
    *("body_bytes", "bodies_bytes", "body_rate", "body_seconds", "header_seconds"),
    *("connections", "connections_each", "wait_seconds", "drain_seconds"),
    *("reward_jobs", "reward_items", "reward_waiting", "reward_bytes", "reference_bytes", "reward_seconds"),
    *("episodes", "episodes_each", "episode_bytes", "episode_seconds"),
)


def _gateway_settings(
    wanted: dict[str, Any],
    hosts: Sequence[str],
    origins: Sequence[str],
    insecure: bool,
    settings: Settings,
) -> GatewaySettings:
    from i2s_gateway.settings import GatewaySettings

    return GatewaySettings(
        **{name: value for name, value in wanted.items() if value is not None},
        hosts=tuple(hosts),
        origins=tuple(origins),
        insecure=insecure,
        deadline=settings.deadline,
    )


def gateway_runner() -> Callable[..., Coroutine[Any, Any, None]]:
    """Return ``run_gateway``, which needs the extra ``http``.

    Raises:
        UsageError: The extra is not installed.
    """
    try:
        from i2s_gateway.gateway import run_gateway
    except ModuleNotFoundError as error:
        from i2s_wire.installation import install_command

        package = (error.name or "").partition(".")[0]
        raise UsageError(
            f"the HTTP gateway needs {package}, which is not installed: {install_command('i2s-sdk[http]')}"
        ) from None
    return run_gateway
