"""``i2s-sdk render``."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from i2s_sdk.cli.main import FAULT
from i2s_sdk.cli.options import json_option, load_settings, profile_option, settings_options
from i2s_sdk.errors import UsageError

if TYPE_CHECKING:
    from i2s_sdk.runs.render import RenderedSource


@click.command("render", short_help="Render code to a PNG.")
@click.argument("engine")
@click.argument("file")
@click.option("-o", "--out", metavar="PNG", help="Where the picture goes.  [required without --json]")
@profile_option
@click.option("--repair/--no-repair", default=True, help="Mend a fragment that the engine refuses.")
@click.option("--dpi", type=float, metavar="DPI", help="Resolution.  [default: 200]")
@click.option("--page", type=int, default=1, metavar="N", help="Page to show.  [default: 1]")
@click.option("--whole-page", is_flag=True, help="Keep the page as it is: no cut at the foot, no crop.")
@json_option
@settings_options
def command(
    engine: str,
    file: str,
    out: str | None,
    profile: str | None,
    repair: bool,
    dpi: float | None,
    page: int,
    whole_page: bool,
    as_json: bool,
    **given: str | bool | None,
) -> int:
    """Render FILE ("-" is standard input) with ENGINE (latex) in its jail.

    A file with a \\documentclass is rendered as it is. Anything else is taken as the answer of a model: it
    gets the preamble of the profile, and what the engine refuses is repaired.
    Without a picture the exit code is 1 and nothing is written.

    \b
    Examples:
      i2s-sdk render latex paper.tex -o paper.png --whole-page
      echo '\\[ e^{i\\pi} + 1 = 0 \\]' | i2s-sdk render latex - -o formula.png
      i2s-sdk render latex table.tex -o table.png --profile helm --json
    """  # noqa: D301 - \b is for click
    settings = load_settings(given, profile=profile)
    if out is None and not as_json:
        raise click.UsageError("name the picture with -o PNG, or ask for the verdict alone with --json")
    source = _read(file)
    from i2s_sdk.runs.render import render

    result = render(
        source, engine=engine, repair=repair, dpi=dpi, page=page, whole_page=whole_page, settings=settings
    )
    if out is not None and result.png is not None:
        _write(Path(out), result.png)
    if as_json:
        click.echo(json.dumps(_document(result, out), indent=2))
    else:
        _tell(result, out)
    return 0 if result.png is not None else FAULT


def _read(file: str) -> str:
    try:
        raw = sys.stdin.buffer.read() if file == "-" else Path(file).read_bytes()
        return raw.decode("utf-8")
    except OSError as error:
        raise UsageError(f"{file}: cannot be read: {error.strerror}") from None
    except UnicodeDecodeError as error:
        raise UsageError(f"{file}: is not UTF-8: byte {error.start} is {raw[error.start]:#04x}") from None


def _write(path: Path, png: bytes) -> None:
    try:
        path.write_bytes(png)
    except OSError as error:
        raise UsageError(f"-o {path}: cannot be written: {error.strerror}") from None


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
        "log": asdict(rendering.log),
    }


def _undefined(result: RenderedSource) -> dict[str, Any] | None:
    undefined = result.rendering.error.undefined if result.rendering.error else None
    if undefined is None:
        return None
    providers = [{"kind": one.kind.name, "name": one.name} for one in undefined.providers]
    return {"name": undefined.name, "providers": providers}


def _tell(result: RenderedSource, out: str | None) -> None:
    rendering = result.rendering
    for repair in result.repairs:
        click.echo(f"repair: {repair.kind} {repair.detail} ({repair.error})", err=True)
    if rendering.error is not None:
        line = f"line {rendering.error.line}: " if rendering.error.line else ""
        click.echo(f"first error: {line}{rendering.error.message}", err=True)
    if result.png is not None:
        picture = rendering.pictures[0]
        click.echo(f"{rendering.verdict.name}: {out}, {picture.width} x {picture.height} pixels")
    else:
        click.echo(f"{rendering.verdict.name}: {rendering.message}", err=True)
