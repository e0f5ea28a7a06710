"""``i2s-sdk up``, ``down``, ``status``, ``logs`` and ``doctor``: the services on this machine."""

from __future__ import annotations

import codecs
from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from i2s_client.plugins import PluginGroup, missing_requirements, plugins
from i2s_client.service_table import GATEWAY, SERVICES
from i2s_sdk.cli.main import COMMANDS_ELSEWHERE, FAULT, group
from i2s_sdk.cli.options import (
    json_option,
    load_settings,
    names_services,
    profile_option,
    settings_options,
)
from i2s_sdk.cli.terminal import say, say_json
from i2s_sdk.errors import UsageError
from i2s_sdk.settings import Settings
from i2s_wire.installation import install_command

if TYPE_CHECKING:
    from i2s_sdk.stack.doctor import Finding
    from i2s_sdk.stack.state import Up


@names_services
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
@click.option(
    "--ports", "up_ports", metavar="N", help="Added to the port of each service, or free.  [I2S_UP_PORTS; 0]"
)
@json_option
def up_command(
    names: tuple[str, ...],
    docker: bool,
    http: bool,
    http_listen: str,
    start_seconds: str | None,
    up_ports: str | None,
    as_json: bool,
) -> int:
    """Start services that stay, so that later commands need not start their own.

    All that are installed, or those that are named: {services}. Every command finds them by itself,
    unless an option, a variable or the configuration file names others. If services are up, they stay, and
    --http adds a gateway to them.
    A service that dies at each start is tried again and again while the others serve; the exit code is 1.
    Containers have the restrictions of deploy/compose/compose.yaml; deploy/images/build makes their images.

    \b
    Examples:
      i2s-sdk up
      i2s-sdk up {first} metrics
      i2s-sdk up --http
      i2s-sdk up --docker
    """  # noqa: D301 - \b is for click
    settings = Settings.load({"start_seconds": start_seconds, "up_ports": up_ports})
    if http:
        _check_http(docker, http_listen)
    from i2s_sdk.stack.lifecycle import up

    running = up(
        names,
        docker=docker,
        http=http_listen if http else "",
        settings=settings,
        on_wait=_say_waiting,
        on_progress=lambda line: say(line, err=True),
    )
    if as_json:
        say_json(asdict(running))
    else:
        show(running)
    return FAULT if running.failing else 0


def _check_http(docker: bool, listen: str) -> None:
    """Check that a gateway is installed and can be started as it is wanted.

    Raises:
        UsageError: It is not, or cannot.
    """
    if docker:
        raise UsageError("--http with --docker: start `i2s-sdk http` beside the containers, which finds them")
    from i2s_client.connection import is_loopback

    group.get_command(click.get_current_context(), GATEWAY)
    gateway = plugins(PluginGroup.COMMANDS)[GATEWAY]
    if missing := missing_requirements(gateway):
        command = install_command(f"i2s-sdk[{COMMANDS_ELSEWHERE[GATEWAY]}]")
        raise UsageError(f"--http needs packages that are not installed ({', '.join(missing)}): {command}")
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
        if service.name in running.failing:
            continue
        address = f"http://{service.address}" if service.name == GATEWAY else service.address
        say(f"{service.name:<16} {address:<22} {service.runs_as}".rstrip())
    for name, reason in running.missing.items():
        say(f"{name:<16} missing: {reason}", err=True)
    for name, reason in running.failing.items():
        say(f"{name:<16} DOWN: {reason}", err=True)


@click.command("down", short_help="End what up has started.")
def down_command() -> None:
    """End the services that `i2s-sdk up` has started, and remove all that is theirs but their logs.

    That is containers and networks, and what services that were killed have left in the temporary folder. The
    next `i2s-sdk up` removes the logs. Running jobs are given time to finish. Services that `i2s-sdk up` is
    starting at the moment are ended too. If nothing is up, no service is ended.

    \b
    Examples:
      i2s-sdk down
    """  # noqa: D301 - \b is for click
    from i2s_sdk.stack.lifecycle import down

    say(down().value)


@click.command("status", short_help="Say what is up, and whether it serves.")
@json_option
def status_command(as_json: bool) -> int:
    """Ask every service that `i2s-sdk up` has started whether it serves, and for its sandbox tier.

    The exit code is 1 if nothing is up or one of them does not serve.

    \b
    Examples:
      i2s-sdk status
      i2s-sdk status --json
    """  # noqa: D301 - \b is for click
    from i2s_sdk.stack.lifecycle import last_words, status

    states = status()
    ok = bool(states) and all(service_state.serves for service_state in states)
    if as_json:
        say_json({"ok": ok, "services": [asdict(service_state) for service_state in states]})
    elif not states:
        say("nothing is up; `i2s-sdk up` starts the services", err=True)
        if words := last_words():
            say(f"the last of `i2s-sdk logs supervisor`: {words}", err=True)
    else:
        for state in states:
            word = "serves" if state.serves else "DOWN"
            say(f"{word:<7} {state.name:<16} {state.address:<22} {state.detail}")
    return 0 if ok else FAULT


@names_services
@click.command("logs", short_help="Print the logs of what is up.")
@click.argument("name", required=False, metavar="[SERVICE]")
@click.option("--lines", type=click.IntRange(1), default=100, show_default=True, help="Of each service.")
@click.option("--follow", is_flag=True, help="Go on until Ctrl-C; needs SERVICE.")
def logs_command(name: str | None, lines: int, follow: bool) -> None:
    """Print the end of the logs of services that `i2s-sdk up` has started, also after they have ended.

    The log "supervisor" says why services were started again.

    \b
    Examples:
      i2s-sdk logs
      i2s-sdk logs {first} --lines 20 --follow
    """  # noqa: D301 - \b is for click
    if follow and name is None:
        raise click.UsageError("--follow needs the name of a service")
    from i2s_sdk.stack.lifecycle import log_names, service_log

    for service in (name,) if name else log_names():
        if name is None:
            say(f"== {service}")
        decoder = codecs.getincrementaldecoder("utf-8")("backslashreplace")
        for piece in service_log(service, lines, follow=follow):
            say(decoder.decode(piece), nl=False)


# The longest name of a finding about our own services.
_NAME_WIDTH = max(len(f"{service.name} isolation") for service in SERVICES)


@names_services
@click.command("doctor", short_help="Say what works here, and how to mend the rest.")
@click.argument("names", nargs=-1, metavar="[SERVICE]...")
@profile_option
@json_option
@settings_options
def doctor_command(
    names: tuple[str, ...], profile: str | None, as_json: bool, **given: str | bool | None
) -> int:
    """Look at everything that an evaluation needs: services, engine, isolation, a canary, metrics.

    All services, or those that are named: {short_names}.

    Each finding is printed as soon as it is there; what is found at once comes first.

    The exit code is 1 if something is bad; what is only missing can be done without.

    \b
    Examples:
      i2s-sdk doctor
      I2S_{FIRST}=10.0.0.7:7710 i2s-sdk doctor --json
      I2S_DOCUMENTS=10.0.0.7:7760 i2s-sdk doctor documents
    """  # noqa: D301 - \b is for click
    settings = load_settings(given, profile=profile)
    from i2s_sdk.stack.command import chosen_services
    from i2s_sdk.stack.doctor import State, doctor

    services = chosen_services(names) if names else ()
    findings = doctor(settings=settings, on_finding=None if as_json else say_finding, services=services)
    ok = all(finding.state is not State.BAD for finding in findings)
    if as_json:
        say_json({"ok": ok, "findings": [asdict(finding) for finding in findings]})
    return 0 if ok else FAULT


def say_finding(finding: Finding) -> None:
    """Print a finding of the doctor."""
    say(f"{finding.state:<8} {finding.name:<{_NAME_WIDTH}}  {finding.detail}")
