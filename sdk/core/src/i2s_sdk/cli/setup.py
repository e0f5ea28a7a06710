"""``i2s-sdk setup``: install what services need on this machine."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING

import click

from i2s_sdk.cli.main import FAULT
from i2s_sdk.cli.options import names_services
from i2s_sdk.cli.services import say_finding
from i2s_sdk.cli.terminal import say
from i2s_sdk.errors import UsageError
from i2s_sdk.settings import Settings
from i2s_sdk.visible import visible_line
from i2s_sdk.waiting import QUIET_SECONDS, SILENT_SECONDS

if TYPE_CHECKING:
    from rich.status import Status

    from i2s_sdk.stack.machine_setup import Machine, Step

_CHARACTERS = 100  # of a line of output that is shown, at most
_SPINNER = 2  # columns before it on a terminal


@names_services
@click.command("setup", short_help="Install what the services need on this machine.")
@click.argument("names", nargs=-1, metavar="[SERVICE]...")
@click.option("--yes", is_flag=True, help="Do not ask.")
@click.option("--dry-run", is_flag=True, help="Print what is missing and the commands, and change nothing.")
@click.option(
    "--no-sudo",
    is_flag=True,
    help="Install no system packages; print the command that an administrator gives.",
)
@click.option("--index-url", metavar="URL", help="Package index that pip asks.  [pip's configuration]")
@click.option("--find-links", metavar="PLACE", multiple=True, help="Where pip finds wheels too; repeatable.")
def setup_command(
    names: tuple[str, ...],
    yes: bool,
    dry_run: bool,
    no_sudo: bool,
    index_url: str | None,
    find_links: tuple[str, ...],
) -> int:
    """Find out what this machine lacks for services, show it, and install it once you agree.

    For all services, or those that are named: {short_names}. System
    packages come from apt, with sudo unless you are root; the services from the package index, in the version
    of this command and into its environment. Then the index of the TeX tree is built, for all users where
    root does it, and `i2s-sdk doctor` looks at the services. What is there is not installed again.

    The exit code is 0 if everything works, 1 if something is still missing or a step failed, and 2 if it
    cannot ask: standard input is no terminal and --yes is not given.

    \b
    Examples:
      i2s-sdk setup --dry-run
      i2s-sdk setup
      i2s-sdk setup latex metrics --yes
      i2s-sdk setup python --no-sudo --find-links wheels
    """  # noqa: D301 - \b is for click
    from i2s_sdk.stack.command import chosen_services
    from i2s_sdk.stack.machine_setup import admin_command, look, run_step, steps

    machine = look(chosen_services(names))
    planned = steps(machine, system=not no_sudo, index_url=index_url, find_links=find_links)
    _show(machine)
    by_others = bool(machine.packages) and (no_sudo or not machine.can_install_packages)
    if by_others:
        advice = "An administrator installs the system packages with"
        if machine.has_apt:
            say(f"{advice}:\n  {admin_command(machine)}")
        else:
            say(f"{advice} the package manager of this system, under the names that it has there.")
    if dry_run:
        for step in planned:
            say(f"{step.title}:\n  {step.command}")
        return 0
    if not machine.is_complete and not yes:
        _ask(planned)
    for step in planned:
        shown, done = _StepLine(step, changes=_is_allowed(step)), False
        try:
            run_step(step, shown.show)
            done = True
        finally:
            shown.end(done=done)
    is_good = _examine(machine.services)
    if by_others:
        say("the system packages above are still missing; then give this command again", err=True)
    return FAULT if by_others or not is_good else 0


def _show(machine: Machine) -> None:
    """Print what is missing."""
    services = ", ".join(machine.services)
    if machine.is_complete:
        say(f"Nothing is missing for {services}.")
        return
    say(f"This machine lacks, for {services}:")
    width = max((len(need.name) for need in machine.needs), default=0)
    for need in machine.needs:
        say(f"  {need.name:<{width}}  {need.purpose}")
    for requirement in machine.requirements:
        say(f"  {requirement}  (Python package)")


def _ask(planned: tuple[Step, ...]) -> None:
    """Ask whether the steps may be done.

    Raises:
        UsageError: Nobody can be asked.
        click.Abort: They may not.
    """
    if not sys.stdin.isatty():
        raise UsageError(
            "nothing was changed: setup asks before it installs something, and standard input is no "
            "terminal; --yes agrees, and --dry-run shows the commands alone"
        )
    for step in planned:
        say(f"  {step.command}")
    if not click.confirm("Do this?", err=True):
        say("nothing was changed", err=True)
        raise click.exceptions.Exit(FAULT)


def _is_allowed(step: Step) -> bool:
    """Have sudo ask before a step that it runs; return whether it will not ask while the step runs.

    It asks at the terminal, where a line that changes would be written over the question.

    Raises:
        SetupError: It does not allow the step.
    """
    from i2s_sdk.stack.machine_setup import let_sudo_ask, sudo_asks

    if not step.may_ask or not sudo_asks():
        return True
    say("sudo may ask for your password: only root can install system packages", err=True)
    let_sudo_ask()
    return not sudo_asks()


def _examine(services: tuple[str, ...]) -> bool:
    """Print the findings of the doctor about some services, and return whether none is bad."""
    from i2s_sdk.stack.doctor import State, doctor

    say("looking at the services", err=True)
    findings = doctor(settings=Settings.load(), on_finding=say_finding, services=services)
    return all(finding.state is not State.BAD for finding in findings)


class _StepLine:
    """Shows on standard error how far a step is: a line that changes, or one every few seconds.

    Args:
        step: The step.
        changes: Whether the line may change, where standard error is a terminal.
    """

    def __init__(self, step: Step, *, changes: bool) -> None:
        self._began = time.monotonic()
        self._next = self._began + QUIET_SECONDS
        self._status: Status | None = None
        self._width = _CHARACTERS
        say(f"{step.title} …", err=True)
        if changes and sys.stderr.isatty():
            from rich.console import Console

            console = Console(stderr=True)
            self._width = min(self._width, console.width - _SPINNER)
            self._status = console.status("")
            self._status.start()

    def show(self, line: str) -> None:
        """Say how far it is, unless that was just said."""
        now, text = time.monotonic(), visible_line(line)[: self._width]
        if self._status is not None:
            from rich.text import Text

            self._status.update(Text(text))
        elif now >= self._next:
            self._next = now + SILENT_SECONDS
            say(f"  {text}", err=True)

    def end(self, *, done: bool) -> None:
        """Remove the line that changes, and say how long the step took."""
        if self._status is not None:
            self._status.stop()
        if done:
            say(f"  done in {time.monotonic() - self._began:.0f} s", err=True)
