"""Set-up of this machine for services: what it lacks, and the commands that install it.

:func:`look` finds out what is there, :func:`steps` says what would be done, and :func:`run_step` does it.
What services need from the system is listed in ``system-needs.sh``, which ``scripts/bootstrap`` runs too.
"""

from __future__ import annotations

import enum
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, requires, version
from pathlib import Path

from i2s_client.service_table import METRICS, OWN_SERVICES, service_row
from i2s_sdk.errors import SetupError, UsageError
from i2s_sdk.stack.command import program_name
from i2s_wire.installation import (
    InstallationKind,
    install_words,
    installation_kind,
    services_command,
)
from i2s_wire.renderer import RendererSpec

_NEEDS = Path(__file__).with_name("system-needs.sh")
_PERCENT = re.compile(r"(dlstatus|pmstatus):[^:]*:([0-9.]+):(.*)")
_LAST_LINES = 20
_SUDO = "sudo"


class Privilege(enum.Enum):
    """How system packages can be installed."""

    ROOT = "root"
    SUDO = _SUDO
    UNATTENDED_SUDO = "sudo -n"
    NONE = "none"


@dataclass(frozen=True, slots=True)
class SystemNeed:
    """One thing that a service needs from the system and that is not there."""

    #: What can install it: "apt", or "playwright" for a browser.
    installer: str
    #: What it is called there.
    name: str
    #: What it is, for people.
    purpose: str


@dataclass(frozen=True, slots=True)
class Machine:
    """What this machine lacks for some services.

    Attributes:
        services: Names of the services.
        needs: What the system lacks.
        requirements: Python packages that are missing or have another version, as pip takes them.
        privilege: How system packages can be installed.
        has_apt: Whether the system has apt.
    """

    services: tuple[str, ...]
    needs: tuple[SystemNeed, ...]
    requirements: tuple[str, ...]
    privilege: Privilege
    has_apt: bool = True

    @property
    def packages(self) -> tuple[SystemNeed, ...]:
        """The packages of the distribution that are missing."""
        return tuple(need for need in self.needs if need.installer == "apt")

    @property
    def is_complete(self) -> bool:
        """Whether nothing is missing."""
        return not self.needs and not self.requirements

    @property
    def can_install_packages(self) -> bool:
        """Whether the missing packages of the distribution can be installed from here."""
        return self.has_apt and self.privilege is not Privilege.NONE


@dataclass(frozen=True, slots=True)
class Step:
    """One command of a set-up.

    Attributes:
        title: What it does, for people.
        words: The command.
        variables: Variables that are added to its environment.
    """

    title: str
    words: tuple[str, ...]
    variables: Mapping[str, str] = field(default_factory=dict)

    @property
    def may_ask(self) -> bool:
        """Whether it is a command of sudo, which may ask for a password."""
        return self.words[:1] == (_SUDO,) and self.words[1:2] != ("-n",)

    @property
    def command(self) -> str:
        """The command as it is given to a shell."""
        return " ".join(
            [*(f"{name}={value}" for name, value in self.variables.items()), shlex.join(self.words)]
        )


def look(services: Sequence[str]) -> Machine:
    """Find out what this machine lacks for some services; changes nothing.

    Raises:
        UsageError: Services cannot be installed here: this is not Linux, or a container.
        SetupError: The system cannot be looked at.
    """
    if sys.platform != "linux":
        raise UsageError("services need Linux; `i2s-sdk up --docker` runs them in containers")
    kind = installation_kind()
    if kind is InstallationKind.CONTAINER:
        raise UsageError("images cannot be changed while they run: start the images of the services")
    requirements = tuple(_missing_requirements(services))
    if requirements and kind is InstallationKind.CHECKOUT:
        raise UsageError(f"{', '.join(requirements)}: {services_command(requirements[0], kind)}")
    has_apt = shutil.which("apt-get") is not None
    needs = _missing_needs(services, requirements)
    return Machine(tuple(services), needs, requirements, _privilege(), has_apt)


def _privilege() -> Privilege:
    if os.geteuid() == 0:
        return Privilege.ROOT
    if shutil.which("sudo") is None:
        return Privilege.NONE
    return Privilege.SUDO if sys.stdin.isatty() else Privilege.UNATTENDED_SUDO


def _specs(services: Iterable[str]) -> tuple[RendererSpec, ...]:
    """Return the descriptions of the renderers among some services."""
    rows = map(service_row, services)
    return tuple(row.renderer for row in rows if row.renderer is not None)


def _missing_needs(services: Sequence[str], requirements: Iterable[str]) -> tuple[SystemNeed, ...]:
    specs = _specs(services)
    # With a renderer that is a browser comes a Playwright that may want another browser than is there.
    lacking = {re.split(r"[\[=]", requirement)[0] for requirement in requirements}
    unsettled = any(spec.nesting and spec.package in lacking for spec in specs)
    needs = [need for spec in specs for need in spec.needs]
    looked = subprocess.run(
        ["sh", str(_NEEDS), "--missing", *services],
        # Programs such as ldconfig are not on the PATH of every user.
        env={
            **os.environ,
            "PATH": f"{os.environ.get('PATH', os.defpath)}:/usr/sbin:/sbin",
            "venv": sys.prefix,
            "unsettled": "yes" if unsettled else "",
            "further": "\n".join(
                f"apt {need.package} {need.check} {need.argument} {need.purpose}" for need in needs
            ),
        },
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    if looked.returncode:
        raise SetupError(f"looking for what the system lacks failed: {looked.stderr.strip()}")
    lines = [line.split(maxsplit=4) for line in looked.stdout.splitlines()]
    return tuple(SystemNeed(installer, name, purpose) for installer, name, _, _, purpose in lines)


def _missing_requirements(services: Iterable[str]) -> Iterable[str]:
    own = version("i2s-sdk")
    for service in services:
        spec = service_row(service).renderer
        package, extra = (spec.package, spec.extra) if spec is not None else (program_name(service), "")
        is_own = service in OWN_SERVICES
        if (is_own and _version(package) != own) or (extra and _lacks_extra(package, extra)):
            requirement = f"{package}[{extra}]" if extra else package
            yield f"{requirement}=={own}" if is_own else requirement


def _lacks_extra(package: str, extra: str) -> bool:
    of_extra = re.compile(rf"([A-Za-z0-9._-]+).*extra == ['\"]{extra}['\"]")
    names = (match[1] for line in requires(package) or () if (match := of_extra.match(line)))
    return any(_version(name) is None for name in names)


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def _admin_steps(machine: Machine) -> tuple[Step, ...]:
    """Return the steps that only root can do; none if no package of the distribution is missing."""
    if not machine.packages:
        return ()
    prefix = () if machine.privilege is Privilege.ROOT else tuple(machine.privilege.value.split())
    apt = (*prefix, "env", "DEBIAN_FRONTEND=noninteractive", "apt-get")
    names = [need.name for need in machine.packages]
    return (
        Step("reading the lists of packages", (*prefix, "apt-get", "update")),
        Step(
            f"installing {len(names)} system packages",
            (*apt, "install", "-y", "--no-install-recommends", "-o", "APT::Status-Fd=1", *names),
        ),
    )


def admin_command(machine: Machine) -> str:
    """Return the command line that an administrator gives to install what the system lacks."""
    names = shlex.join(need.name for need in machine.packages)
    return f"apt-get update && apt-get install --no-install-recommends {names}"


def steps(
    machine: Machine, *, system: bool = True, index_url: str | None = None, find_links: Sequence[str] = ()
) -> tuple[Step, ...]:
    """Return what is to be done, in this order.

    Args:
        machine: The machine, with its missing packages.
        system: Whether packages of the distribution are installed where that is possible.
        index_url: Index that pip asks; None leaves it to pip's configuration.
        find_links: Folders or pages where pip finds wheels too.
    """
    planned: list[Step] = []
    system = system and machine.can_install_packages
    if system:
        planned += _admin_steps(machine)
    if machine.requirements:
        title = f"installing {', '.join(machine.requirements)}"
        planned.append(Step(title, install_words(machine.requirements, index_url, find_links)))
    planned += [
        Step(
            f"installing {need.name} with Playwright",
            (sys.executable, "-m", "playwright", "install", need.name),
            {"PLAYWRIGHT_BROWSERS_PATH": "0"},
        )
        for need in machine.needs
        if need.installer == "playwright"
    ]
    lacking = () if system else tuple(need.name for need in machine.packages)
    planned += [
        Step(one.title, (sys.executable, "-m", spec.module, *one.arguments))
        for spec in _specs(machine.services)
        if (one := spec.preparation) and not any(name.startswith(one.packages) for name in lacking)
    ]
    if METRICS in machine.services:
        planned.append(Step("compiling the metrics", (sys.executable, "-m", "i2s_metrics.warm")))
    return tuple(planned)


def sudo_asks() -> bool:
    """Return whether sudo would ask for a password now.

    Raises:
        SetupError: It cannot be run.
    """
    quiet = subprocess.DEVNULL
    try:
        asked = subprocess.run([_SUDO, "-n", "-v"], stdin=quiet, stdout=quiet, stderr=quiet, check=False)
    except OSError as error:
        raise SetupError(f"{_SUDO}: {error.strerror}") from None
    return asked.returncode != 0


def let_sudo_ask() -> None:
    """Have sudo ask for the password, at the terminal of this process.

    Raises:
        SetupError: It was not given, or this user may not use sudo.
    """
    if subprocess.run([_SUDO, "-v"], check=False).returncode:
        raise SetupError(
            "sudo did not allow it; `i2s-sdk setup --no-sudo` prints the command that an administrator "
            "gives, and installs the rest"
        )


def run_step(step: Step, on_line: Callable[[str], None]) -> None:
    """Run a step.

    Args:
        step: The step.
        on_line: Called with how far it is, whenever that changes.

    Raises:
        SetupError: It failed; has the end of what it wrote, and where the rest is.
    """
    with tempfile.NamedTemporaryFile("w", prefix="i2s-setup-", suffix=".log", delete=False) as log:
        try:
            with subprocess.Popen(
                step.words,
                env={**os.environ, **step.variables},
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                errors="replace",
            ) as process:
                assert process.stdout is not None
                for line in process.stdout:
                    log.write(line)
                    if shown := _progress(line):
                        on_line(shown)
        except OSError as error:
            Path(log.name).unlink()
            raise SetupError(f"{step.title} failed: {step.words[0]}: {error.strerror}") from None
    if process.returncode == 0:
        Path(log.name).unlink()
        return
    lines = Path(log.name).read_text(encoding="utf-8", errors="replace").splitlines()
    end = "\n".join(line for line in lines if not _PERCENT.match(line)).splitlines()[-_LAST_LINES:]
    raise SetupError("\n".join([f"{step.title} failed; the whole log is {log.name}", *end]))


def _progress(line: str) -> str:
    """Return a line of output as progress: apt's lines for programs become percentages."""
    match = _PERCENT.match(line)
    if match is None:
        return line.strip()
    doing = "downloaded" if match[1] == "dlstatus" else "installed"
    return f"{float(match[2]):.0f} % {doing}: {match[3].strip()}"
