"""The command ``i2s-metrics``."""

from __future__ import annotations

from typing import Any

from i2s_chassis.server.entry import Command, run, serve_command, token_command
from i2s_chassis.server.service import Service
from i2s_metrics.settings import MetricsSettings, WeightsSettings


def build(settings: MetricsSettings) -> Service:
    """Return the service; NumPy and the solvers are imported here and not for ``--help``."""
    from i2s_metrics.service import MetricsService

    return MetricsService(settings)


def weights(settings: WeightsSettings) -> int:
    """List or fetch weights; returns the exit code."""
    from i2s_metrics.weights import act

    return act(settings)


def main() -> None:
    """Run the command line and exit."""
    commands: list[Command[Any]] = [
        serve_command(
            MetricsSettings, build, ["serve --device cuda:0 --batch-size 32 --slots 64 --workers 8"]
        ),
        Command(
            "weights",
            "Say which weights of networks are here, or get them.",
            WeightsSettings,
            weights,
            ("weights", "weights --download inception"),
        ),
        token_command(),
    ]
    raise SystemExit(run("i2s-metrics", commands))


if __name__ == "__main__":
    main()
