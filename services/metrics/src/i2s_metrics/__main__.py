"""The command ``i2s-metrics``."""

from __future__ import annotations

from i2s_chassis.entry import run, serve_command
from i2s_chassis.service import Service
from i2s_metrics.settings import MetricsSettings


def build(settings: MetricsSettings) -> Service:
    """Return the service; NumPy and the solvers are imported here and not for ``--help``."""
    from i2s_metrics.service import MetricsService

    return MetricsService(settings)


def main() -> None:
    """Run the command line and exit."""
    raise SystemExit(run("i2s-metrics", [serve_command(MetricsSettings, build)]))


if __name__ == "__main__":
    main()
