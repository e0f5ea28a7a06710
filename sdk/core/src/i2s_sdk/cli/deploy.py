"""``i2s-sdk deploy``: what starts the services in containers, for the renderers that are installed."""

from __future__ import annotations

from pathlib import Path

import click

from i2s_client.service_table import RENDERERS
from i2s_sdk.cli.options import names_services
from i2s_sdk.cli.terminal import say


@names_services
@click.command("deploy", short_help="Write what starts the services with Compose or on Kubernetes.")
@click.argument("folder", type=click.Path(file_okay=False, path_type=Path))
@click.argument("names", nargs=-1, metavar="[RENDERER]...")
def deploy_command(folder: Path, names: tuple[str, ...]) -> None:
    """Write FOLDER/deploy: files for Compose and Kubernetes, and recipes of images.

    With the renderers of this project and those of other packages that are installed, or those that are
    named, beside the metric service and the documents service. Each gets what all have: a container with its
    limits and a network of its own for Compose; and for Kubernetes a Deployment, a Service, an autoscaler, a
    disruption budget, settings, and its part of each optional component. For a renderer of another package
    FOLDER/deploy/images has a recipe of its image, which is built from the wheels in
    FOLDER/build/images/wheels/RENDERER. Files of an earlier call are written anew.

    \b
    Examples:
      i2s-sdk deploy operations
      i2s-sdk deploy operations {first} render-dot
    """  # noqa: D301 - \b is for click
    from i2s_sdk.stack.deployment import chosen_renderers, write_deployment

    renderers = chosen_renderers(names)
    target = write_deployment(folder, renderers)
    say(f"{target / 'compose' / 'compose.yaml'}")
    say(f"{target / 'kubernetes' / 'base'}")
    for spec in renderers:
        if spec.name not in RENDERERS:
            say(f"{target / 'images' / spec.name}.Dockerfile")
