"""Runs the command ``i2s-sdk doctor --json``.

    python examine.py     compiles the metrics for guests; to be run outside before

The metric service runs beside it, at an address that the command is told. The command would start one itself,
without the variables that name a processor: machine code that was compiled outside is for a processor of
that name, and compiling it in a guest takes minutes.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

_METRICS = "127.0.0.1:7740"
_COMPILED_FOR = {"NUMBA_CPU_NAME": "x86-64", "NUMBA_CPU_FEATURES": ""}


def doctor(addresses: Mapping[str, str]) -> tuple[int, object]:
    """Return the exit code of the command, and what it prints.

    Args:
        addresses: Addresses of running services, by name.
    """
    programs = Path(sys.executable).parent
    serve = [programs / "i2s-metrics", "serve", "--listen", _METRICS, "--workers", "1"]
    service = subprocess.Popen(serve, env={**os.environ, **_COMPILED_FOR}, stdout=sys.stderr)
    try:
        known = {f"I2S_{name.upper().replace('-', '_')}": address for name, address in addresses.items()}
        environment = {**os.environ, **known, "I2S_METRICS": _METRICS, "I2S_START_SECONDS": "1200"}
        command = [programs / "i2s-sdk", "doctor", "--json"]
        done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, check=False)
        return done.returncode, json.loads(done.stdout)
    finally:
        service.terminate()
        service.wait()


if __name__ == "__main__":
    warm = [sys.executable, "-m", "i2s_metrics.warm"]
    raise SystemExit(subprocess.run(warm, env={**os.environ, **_COMPILED_FOR}, check=False).returncode)
