"""``i2s-sdk log-run``."""

from __future__ import annotations

import click

from i2s_sdk.cli.log_to import log_runs, parse_destinations
from i2s_sdk.cli.runs_argument import runs_argument


@click.command("log-run", short_help="Send the values of runs to Weights & Biases, MLflow or the Hub.")
@runs_argument
@click.option(
    "--to",
    "destinations",
    multiple=True,
    required=True,
    metavar="WHERE",
    help="wandb:[ENTITY/]PROJECT, mlflow:TRACKING_URI or hub:OWNER/NAME; may be repeated.",
)
def command(runs: tuple[str, ...], destinations: tuple[str, ...]) -> int:
    """Send options and values of finished runs; samples and pictures are not sent.

    The clients of the services do it, with their own variables, such as WANDB_API_KEY, WANDB_MODE=offline,
    MLFLOW_TRACKING_TOKEN and HF_TOKEN. A new data set of the Hub is private. i2s-sdk evaluate --log-to does
    the same when its run is finished.

    \b
    Examples:
      i2s-sdk log-run runs/answers --to wandb:my-project
      i2s-sdk log-run runs/answers --to mlflow:http://127.0.0.1:5000 --to hub:me/results
    """  # noqa: D301 - \b is for click
    return log_runs(runs, parse_destinations(destinations))
