"""What the commands of ``i2s-sdk render`` have in common: reading sources, telling what became of them."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from i2s_sdk.cli.main import FAULT
from i2s_sdk.cli.run_options import MOST_NAMES
from i2s_sdk.cli.terminal import say
from i2s_sdk.errors import UsageError

if TYPE_CHECKING:
    from i2s_sdk.single.render import RenderedSource
    from i2s_wire.render.source_error import SourceError

F = TypeVar("F", bound=Callable[..., Any])


def out_option(command: F) -> F:
    """Add ``--out``."""
    option = click.option(
        "-o", "--out", metavar="PNG", help="Where the picture goes.  [required without --json]"
    )
    return option(command)


def page_settings(dpi: int) -> Callable[[F], F]:
    """Add the options of engines that make pages; ``dpi`` is their default resolution."""

    def add(command: F) -> F:
        for option in (
            click.option(
                "--whole-page", is_flag=True, help="Keep the page as it is: no cut at the foot, no crop."
            ),
            click.option("--page", type=int, default=1, metavar="N", help="Page to show.  [default: 1]"),
            click.option("--dpi", type=float, metavar="DPI", help=f"Resolution.  [default: {dpi}]"),
        ):
            command = option(command)
        return command

    return add


def require_out(out: str | None, as_json: bool) -> None:
    """Return where the answer goes somewhere.

    Raises:
        click.UsageError: It does not.
    """
    if out is None and not as_json:
        raise click.UsageError("name the picture with -o PNG, or ask for the verdict alone with --json")


def read_text(file: str) -> str:
    """Return the text of a file, or of standard input for "-".

    Raises:
        UsageError: It cannot be read, or is not UTF-8.
    """
    raw = read_bytes(file)
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as error:
        raise UsageError(f"{file}: is not UTF-8: byte {error.start} is {raw[error.start]:#04x}") from None


def read_bytes(file: str) -> bytes:
    """Return the content of a file, or of standard input for "-".

    Raises:
        UsageError: It cannot be read.
    """
    try:
        return sys.stdin.buffer.read() if file == "-" else Path(file).read_bytes()
    except OSError as error:
        raise UsageError(f"{file}: cannot be read: {error.strerror}") from None


def write_file(flag: str, path: str, content: bytes) -> None:
    """Write what a flag asks for.

    Raises:
        UsageError: It cannot be written.
    """
    try:
        Path(path).write_bytes(content)
    except OSError as error:
        raise UsageError(f"{flag} {path}: cannot be written: {error.strerror}") from None


def print_result(result: RenderedSource, out: str | None, as_json: bool) -> int:
    """Write the picture, say what became of the source, and return the exit code."""
    if out is not None and result.png is not None:
        write_file("-o", out, result.png)
    if as_json:
        say(json.dumps(_document(result, out), indent=2))
    else:
        _say(result, out)
    return 0 if result.png is not None else FAULT


def _document(result: RenderedSource, out: str | None) -> dict[str, Any]:
    rendering = result.rendering
    picture = rendering.pictures[0] if result.png is not None else None
    error = rendering.error
    return {
        "verdict": rendering.verdict.name,
        "message": rendering.message,
        "out": out if picture else None,
        "picture": {"width": picture.width, "height": picture.height, "sha256": picture.sha256}
        if picture
        else None,
        "total_pages": rendering.total_pages,
        "site": asdict(rendering.site) if rendering.site else None,
        "error": {**asdict(error), "kind": error.kind.name, "undefined": _undefined(result)}
        if error
        else None,
        "repairs": [asdict(repair) for repair in result.repairs],
        "policy_events": [{**asdict(one), "kind": one.kind.name} for one in rendering.policy_events],
        "stages": [asdict(stage) for stage in rendering.stages],
        "usage": asdict(rendering.usage),
        "limits": asdict(rendering.limits),
        "isolation": {
            "tier": rendering.isolation.tier.name,
            "mechanisms": list(rendering.isolation.mechanisms),
        },
        "engine": asdict(rendering.engine),
        "lilypond_backend": rendering.lilypond_backend.name if rendering.lilypond_backend else None,
        "log": asdict(rendering.log),
    }


def _undefined(result: RenderedSource) -> dict[str, Any] | None:
    undefined = result.rendering.error.undefined if result.rendering.error else None
    if undefined is None:
        return None
    providers = [{"kind": one.kind.name, "name": one.name} for one in undefined.providers]
    return {"name": undefined.name, "providers": providers}


def say_error(error: SourceError, message: str) -> None:
    """Say what the first error is, unless the message of the verdict says it, and what may define a name."""
    if error.message not in message:
        line = f"line {error.line}: " if error.line else ""
        say(f"first error: {line}{error.message}", err=True)
    if error.undefined is not None:
        names = [one.name for one in error.undefined.providers]
        shown = ", ".join(names[:MOST_NAMES]) + (", …" if len(names) > MOST_NAMES else "")
        what = f"defined by {shown}" if names else "nothing that is installed defines it"
        say(f"undefined: {error.undefined.name}; {what}", err=True)


def _say(result: RenderedSource, out: str | None) -> None:
    rendering = result.rendering
    for repair in result.repairs:
        say(f"repair: {repair.kind} {repair.detail} ({repair.error})", err=True)
    if rendering.error is not None:
        say_error(rendering.error, rendering.message)
    if rendering.site is not None:
        for name in rendering.site.missing:
            say(f"missing: {name}", err=True)
        for warning in rendering.site.warnings:
            say(f"warning: {warning}", err=True)
        for entry in rendering.site.console:
            if entry.level in ("error", "exception"):
                say(f"{entry.level} of the page: {entry.text}", err=True)
        if result.png is not None and not rendering.site.settled:
            say("the page did not come to rest in time; the picture may differ next time", err=True)
    if result.png is not None:
        picture = rendering.pictures[0]
        say(f"{rendering.verdict.name}: {out}, {picture.width} x {picture.height} pixels")
    else:
        say(f"{rendering.verdict.name}: {rendering.message}", err=True)
