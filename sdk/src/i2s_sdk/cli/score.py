"""``i2s-sdk score``."""

from __future__ import annotations

import json

import click

from i2s_sdk.cli.main import FAULT
from i2s_sdk.cli.options import json_option, load_settings, profile_option, settings_options


@click.command("score", short_help="Compare two pictures.")
@click.argument("reference")
@click.argument("prediction")
@click.option(
    "--task", default="latex", metavar="T", help="latex, webpage or music: how sizes are made equal."
)
@profile_option
@click.option("--metrics", metavar="NAME,…", help="Only these metrics.  [default: all that are available]")
@json_option
@settings_options
def command(
    reference: str,
    prediction: str,
    task: str,
    profile: str | None,
    metrics: str | None,
    as_json: bool,
    **given: str | bool | None,
) -> int:
    """Compare the picture PREDICTION with the picture REFERENCE.

    Pictures of different size are padded with white (latex, music) or the prediction is resized (webpage).
    The exit code is 1 where a metric has no value.

    \b
    Examples:
      i2s-sdk score reference.png rendering.png
      i2s-sdk score page.png shot.png --task webpage --profile helm --metrics ems,ssim --json
    """  # noqa: D301 - \b is for click
    settings = load_settings(given, profile=profile)
    from i2s_sdk.runs.score import score

    names = [name.strip() for name in (metrics or "").split(",") if name.strip()]
    result = score(reference, prediction, task=task, metrics=names, settings=settings)
    if as_json:
        document = {
            "metrics": result.values,
            "failures": {
                name: {"kind": failure.kind.name, "message": failure.message}
                for name, failure in result.failures.items()
            },
            "parts": {one.name: dict(one.parts) for one in result.results if one.parts},
            "versions": {one.name: one.version for one in result.results},
            "profile": str(result.profile),
            "width": result.width,
            "height": result.height,
        }
        click.echo(json.dumps(document, indent=2))
    else:
        for one in result.results:
            shown = f"{one.value:.6f}" if one.failure is None else f"no value: {one.failure.message}"
            click.echo(f"{one.name:<8} {shown}")
    return FAULT if result.failures else 0
