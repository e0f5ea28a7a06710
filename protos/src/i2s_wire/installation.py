"""How the packages were installed, and which command installs what is missing in that kind of installation.

SDK and services name commands in their messages. What works depends on the installation: a checkout has an
environment of its own and ``make``, installed wheels have pip, and a container image is fixed. All messages
take their commands from this module.
"""

from __future__ import annotations

import enum
import importlib.util
import re
import shutil
import sys
from collections.abc import Iterable
from pathlib import Path

#: Where the images of this project have their packages; deploy/images makes them there.
CONTAINER_PREFIX = Path("/opt/i2s/venv")

_MARKER = Path("scripts/bootstrap")


class InstallationKind(enum.StrEnum):
    """How the packages were installed."""

    CHECKOUT = "checkout"
    WHEELS = "wheels"
    CONTAINER = "container"


def checkout_folder(module: Path = Path(__file__)) -> Path | None:
    """Return the checkout that this package is used from; None if it was installed from a wheel.

    Args:
        module: The file of this module; of another one in tests.
    """
    parents = module.resolve().parents
    root = parents[3] if len(parents) > 3 else None
    return root if root is not None and (root / _MARKER).is_file() else None


def installation_kind(module: Path = Path(__file__), prefix: Path | None = None) -> InstallationKind:
    """Return how the packages were installed.

    Args:
        module: The file of this module; of another one in tests.
        prefix: The environment of the running Python; None asks Python.
    """
    if checkout_folder(module) is not None:
        return InstallationKind.CHECKOUT
    if (prefix or Path(sys.prefix)) == CONTAINER_PREFIX:
        return InstallationKind.CONTAINER
    return InstallationKind.WHEELS


#: What an image of the SDK has that was built for data sets of the Hub.
_IN_THE_IMAGE_FOR_THE_HUB = ("i2s-sdk[hub]", "i2s-sdk[parquet]")


_EXTRA = re.compile(r"i2s-sdk\[([\w-]+)\]")


def install_command(requirement: str, kind: InstallationKind | None = None) -> str:
    """Return the command that adds a Python package, or an extra of one of ours, to this installation.

    Args:
        requirement: Requirement as pip takes it, such as "i2s-sdk[hub]" or "pypdfium2".
        kind: The kind of installation; None looks.
    """
    kind = kind or installation_kind()
    if kind is InstallationKind.CHECKOUT and (locked := _locked_command(requirement)):
        return locked
    if kind is InstallationKind.CONTAINER:
        if requirement in _IN_THE_IMAGE_FOR_THE_HUB:
            return "use an image that was built with DATASETS=hub deploy/images/build sdk"
        return (
            "images cannot be changed while they run: build one in a checkout, with "
            f"{requirement} added to requirements/*.in, make lock and deploy/images/build"
        )
    wanted = f"'{requirement}'" if "[" in requirement else requirement
    return f"{_installer()} {wanted}"


def _locked_command(requirement: str) -> str:
    """Return the command of a checkout that installs an extra in locked versions; empty if there is none."""
    checkout = checkout_folder()
    extra = _EXTRA.fullmatch(requirement)
    if checkout is None or extra is None:
        return ""
    if extra[1] == "ocr":
        return "scripts/bootstrap ocr"
    try:
        lines = (checkout / "requirements/dev.in").read_text(encoding="utf-8").splitlines()
    except OSError:
        return ""
    extras = next((line.partition("[")[2] for line in lines if line.startswith("-e ./sdk/core[")), "")
    return "make setup" if extra[1] in extras.rstrip("]").split(",") else ""


def services_command(package: str, kind: InstallationKind | None = None) -> str:
    """Return what installs a service that the SDK would start.

    Args:
        package: Package of the service, such as "i2s-metrics".
        kind: The kind of installation; None looks.
    """
    if sys.platform != "linux":
        return "services run on Linux only: start their containers with i2s-sdk up --docker"
    match kind or installation_kind():
        case InstallationKind.CHECKOUT:
            return "install everything with: make setup"
        case InstallationKind.CONTAINER:
            return f"start a container of the image {package}"
        case InstallationKind.WHEELS:
            return f"install it with: i2s-sdk setup {package.removeprefix('i2s-')}"


def install_words(
    requirements: Iterable[str], index_url: str | None = None, find_links: Iterable[str] = ()
) -> tuple[str, ...]:
    """Return the command that installs requirements into the environment of this Python.

    Args:
        requirements: Requirements as pip takes them.
        index_url: Index to ask; None leaves it to the configuration of the installer.
        find_links: Folders or pages where wheels are found too.
    """
    if importlib.util.find_spec("pip") is None:
        installer = ("uv", "pip", "install", "--python", sys.executable)
    else:
        installer = (sys.executable, "-m", "pip", "--disable-pip-version-check", "install")
    index = () if index_url is None else ("--index-url", index_url)
    links = tuple(word for place in find_links for word in ("--find-links", place))
    return (*installer, *index, *links, *requirements)


def networks_command(kind: InstallationKind | None = None) -> str:
    """Return the command that adds the neural networks to the metric service.

    Args:
        kind: The kind of installation; None looks.
    """
    match kind or installation_kind():
        case InstallationKind.CHECKOUT:
            return "make networks"
        case InstallationKind.CONTAINER:
            return "NETWORKS=cpu deploy/images/build metrics, in a checkout"
        case InstallationKind.WHEELS:
            return install_command("i2s-metrics[networks]", InstallationKind.WHEELS)


def checkout_command(command: str, kind: InstallationKind | None = None) -> str:
    """Return a command of the repository, and where it is to be given if that is not here.

    Args:
        command: Command, such as "deploy/images/build sdk".
        kind: The kind of installation; None looks.
    """
    here = (kind or installation_kind()) is InstallationKind.CHECKOUT
    return command if here else f"{command} (in a checkout of the repository)"


def _installer() -> str:
    """Return the command, up to the names of packages, that installs into the environment of this Python."""
    pip = Path(sys.executable).parent / "pip"
    if not pip.is_file():
        return f"uv pip install --python {sys.executable}"
    if shutil.which("pip") == str(pip):
        return "pip install"
    try:
        return f"{pip.relative_to(Path.cwd())} install"
    except (ValueError, OSError):  # OSError: the working folder was removed
        return f"{pip} install"
