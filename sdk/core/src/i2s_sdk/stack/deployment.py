"""What starts services in containers: files for Compose and Kubernetes, and recipes of images.

They are written from ``deploy/templates`` for a set of renderers. A checkout has them for its own renderers;
``i2s-sdk deploy`` writes them for those that are installed, those of other packages included.

A template has the path of its file below ``deploy``. If ``NAME`` is in it, the file is written for each
renderer, and a template of the renderer's own, with its name in that place, precedes it.
"""

from __future__ import annotations

import re
import shutil
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from i2s_client.service_table import (
    METRICS,
    OWN_SERVICES,
    RENDERERS,
    SERVICES,
    packaged_renderer,
    packaged_renderers,
    usable_renderers,
    variable_name,
)
from i2s_sdk.errors import UnknownNameError, UsageError, WriteError
from i2s_wire.installation import checkout_folder
from i2s_wire.renderers import RENDERER_SPECS

if TYPE_CHECKING:
    from jinja2 import Environment

    from i2s_wire.renderer import RendererSpec

#: Where sdk/core/bundle_data.py puts the files when a wheel is built.
_PACKAGED = Path(__file__).resolve().parents[1] / "deploy"
_TEMPLATES = "templates"
_EACH = "NAME"
_IN_CHECKOUT = "Written from deploy/templates; change it there, and run `make deploy`."
_ELSEWHERE = "Written by `i2s-sdk deploy`, which writes it anew; make changes in an overlay or a copy."
_NAME_LENGTH = 50  # of the 63 that a name has in Kubernetes, since names of other objects begin with it
_SIZE = re.compile(r"(\d+)(MiB|GiB)")
_JOBS = 2  # at the same time in a pod, as many as it has processors
_BROWSER_MIB = 512  # of a browser's own files in the temporary folder
#: Users and ports of what the templates have beside renderers: other services, gateway, and proxies.
_USERS = (10_014, 10_015, 10_017, 10_019, 10_020)
#: The gateway's port and that of its metrics; in each container, those of the health check and of metrics.
_PORTS = (7780, 9780, 8081, 9090)
_METRICS_OFFSET = 2000  # is added to the port of a service, for its metrics, as in the templates


@dataclass(frozen=True, slots=True)
class _Service:
    """A service as templates see it."""

    name: str
    port: int
    nesting: bool


def deploy_folder() -> Path:
    """Return the folder ``deploy``: that of the checkout, or the copy in the installed package."""
    checkout = checkout_folder()
    return _PACKAGED if checkout is None else checkout / "deploy"


def chosen_renderers(names: Collection[str] = ()) -> tuple[RendererSpec, ...]:
    """Return the descriptions of the renderers that are named; without names those of all that are installed.

    Raises:
        PluginError: A renderer of another package cannot be used.
        UnknownNameError: There is no renderer of a name.
    """
    if not names:
        return (*RENDERER_SPECS, *usable_renderers())
    known = (*RENDERERS, *packaged_renderers())
    for name in names:
        if name not in known:
            raise UnknownNameError("renderer", name, known)
    others = (packaged_renderer(name) for name in packaged_renderers() if name in names)
    return (*(spec for spec in RENDERER_SPECS if spec.name in names), *others)


def deployment_files(
    renderers: Sequence[RendererSpec] = RENDERER_SPECS, written: str = _IN_CHECKOUT
) -> dict[str, str]:
    """Return what the templates give, as texts by path below ``deploy``.

    Args:
        renderers: The renderers that are deployed, beside the other services.
        written: What the files say of where they come from.

    Raises:
        UsageError: They cannot be deployed together: two have the same name, port or user.
    """
    _check(renderers)
    texts = {}
    for path in _templates():
        if _EACH not in path:
            texts[path] = _text(path, renderers, written)
            continue
        for renderer in renderers:
            texts[path.replace(_EACH, renderer.name)] = _text(path, renderers, written, renderer)
    return texts


def compose_text() -> str:
    """Return the file of Compose for the renderers that are installed.

    Raises:
        UsageError: They cannot be deployed together.
    """
    renderers = chosen_renderers()
    _check(renderers)
    return _text("compose/compose.yaml", renderers, _ELSEWHERE)


def write_deployment(folder: Path, renderers: Sequence[RendererSpec]) -> Path:
    """Write everything that services are deployed with into a folder: ``FOLDER/deploy`` as in a checkout.

    Files that are there already are written anew; others stay.

    Args:
        folder: The folder.
        renderers: The renderers that are deployed, beside the other services.

    Returns:
        ``FOLDER/deploy``.

    Raises:
        UsageError: They cannot be deployed together, or the folder is the checkout.
        WriteError: The folder cannot be written.
    """
    source, target = deploy_folder(), folder / "deploy"
    if target.resolve() == source.resolve():
        raise UsageError(f"{folder} is the checkout itself, which has the files; name another folder")
    texts = deployment_files(renderers, _ELSEWHERE)
    try:
        shutil.copytree(source, target, ignore=_not_copied, dirs_exist_ok=True)
        for path, text in texts.items():
            file = target / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, "utf-8")
    except OSError as error:
        raise WriteError(target, error) from None
    return target


def _not_copied(folder: str, names: list[str]) -> Iterable[str]:
    """Return what of a folder is no file of the deployment, or is written from a template."""
    written = (_TEMPLATES, "__pycache__", *RENDERERS)
    return [name for name in names if name.startswith(written)]


def _templates() -> list[str]:
    """Return the paths of the templates, but those of one renderer."""
    root = deploy_folder() / _TEMPLATES
    paths = (path.relative_to(root) for path in sorted(root.rglob("*")) if path.is_file())
    shared = (path for path in paths if not {part.partition(".")[0] for part in path.parts} & {*RENDERERS})
    return [path.as_posix() for path in shared]


@cache
def _environment() -> Environment:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    environment = Environment(
        loader=FileSystemLoader(deploy_folder() / _TEMPLATES),
        autoescape=False,  # noqa: S701 - no markup
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        # The usual ones have a meaning in the texts: {{ $labels.service }}, ${I2S_TAG:-latest}.
        block_start_string="[%",
        block_end_string="%]",
        variable_start_string="[[",
        variable_end_string="]]",
        comment_start_string="[#",
        comment_end_string="#]",
    )
    filters: Mapping[str, Callable[..., object]] = {"variable": variable_name, "folders_mib": _folders_mib}
    environment.filters.update(filters)
    return environment


def _text(path: str, renderers: Sequence[RendererSpec], written: str, one: RendererSpec | None = None) -> str:
    """Return the text of a template, of one renderer or of all."""
    rows = [_Service(spec.name, spec.port, spec.nesting) for spec in renderers]
    rows += [_Service(row.name, row.port, nesting=False) for row in SERVICES if row.renderer is None]
    others = [f"{spec.name}={spec.name}:{spec.port}" for spec in renderers if spec.name not in RENDERERS]
    template = _environment().select_template([path.replace(_EACH, one.name), path] if one else [path])
    return template.render(
        one=one,
        packages=_packages(one) if one else (),
        renderers=renderers,
        services=rows,
        sandboxed=[row for row in rows if row.name != METRICS],
        own=OWN_SERVICES,
        others=",".join(others),
        written=written,
    )


def _packages(spec: RendererSpec) -> list[str]:
    """Return the packages of Debian that the image of a renderer has."""
    return list(dict.fromkeys(("bubblewrap", *(need.package for need in spec.needs))))


def _folders_mib(spec: RendererSpec) -> int:
    """Return the size of the temporary folder of a pod."""
    size = _SIZE.fullmatch(spec.container.job_disk)
    if size is None:
        raise UsageError(f"{spec.name}: job_disk {spec.container.job_disk!r} is no size such as 256MiB")
    mib = int(size[1]) * (1024 if size[2] == "GiB" else 1)
    return _JOBS * mib + (_BROWSER_MIB if spec.nesting else 0)


def _check(renderers: Sequence[RendererSpec]) -> None:
    """Check that renderers can be deployed together.

    Raises:
        UsageError: Two have the same name, port or user, or a name is too long.
    """
    for spec in renderers:
        if len(spec.name) > _NAME_LENGTH:
            raise UsageError(f"{spec.name}: the name is longer than {_NAME_LENGTH} characters")
    ports = [spec.port for spec in renderers] + [row.port for row in SERVICES if row.renderer is None]
    for kind, values in (
        ("name", [spec.name for spec in renderers]),
        ("port", [*ports, *(port + _METRICS_OFFSET for port in ports), *_PORTS]),
        ("user", [*(spec.user for spec in renderers), *_USERS]),
    ):
        twice = [value for value, count in Counter(values).items() if count > 1]
        if twice:
            raise UsageError(f"two services of a deployment have the {kind} {twice[0]}")
