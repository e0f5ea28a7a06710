"""The command ``i2s-sdk``. Nothing here is slow to import: ``--help`` answers at once."""

from i2s_sdk.cli.main import main, run

__all__ = ["main", "run"]
