"""The SDK has nothing that a Mac lacks, as far as the types of Python's own modules say."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from chosen import why_not

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = {
    "protos/src": "i2s_wire",
    "sdk/client/src": "i2s_client",
    "sdk/core/src": "i2s_sdk",
    "sdk/collect/src": "i2s_collect",
    "sdk/gateway/src": "i2s_gateway",
}


def test_the_sdk_has_the_types_of_a_mac() -> None:
    not_wanted = why_not("I2S_REQUIRE_PLATFORMS", "platforms")
    if not_wanted is not None:
        pytest.skip(f"NOT TESTED ON OTHER PLATFORMS: {not_wanted}")
    mypy = [sys.executable, "-m", "mypy", "--platform", "darwin", "--explicit-package-bases"]
    packages = [f"{folder}/{name}" for folder, name in PACKAGES.items()]
    done = subprocess.run(
        # The cache of another platform is of no use.
        [*mypy, "--cache-dir", ".mypy_cache/darwin", *packages],
        cwd=ROOT,
        env={**os.environ, "MYPYPATH": ":".join(PACKAGES)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout
