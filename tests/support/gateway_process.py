"""``i2s-sdk http`` as a process of its own."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import httpx

COMMAND = shutil.which("i2s-sdk", path=str(Path(sys.executable).parent)) or "i2s-sdk"
PATIENCE = 300


@contextmanager
def gateway_process(
    folder: Path, environment: Mapping[str, str], *words: str
) -> Iterator[tuple[subprocess.Popen[str], httpx.Client]]:
    """Serve by HTTP as long as the block lasts; yields the process and a client.

    Args:
        folder: Folder for what it keeps.
        environment: Its variables, in place of those of this process that begin with I2S_.
        words: Services and options.
    """
    announcement = folder / "announcement.json"
    announcement.unlink(missing_ok=True)
    clean = {name: value for name, value in os.environ.items() if not name.startswith("I2S_")}
    with subprocess.Popen(
        [COMMAND, "http", *words, "--listen", "127.0.0.1:0", "--announce", str(announcement)],
        stderr=subprocess.PIPE,
        text=True,
        env={**clean, "XDG_STATE_HOME": str(folder), **environment},
    ) as process:
        try:
            while not announcement.exists():
                assert process.poll() is None, process.communicate()[1]
                time.sleep(0.02)
            address = json.loads(announcement.read_text())["address"]
            with httpx.Client(base_url=f"http://{address}", timeout=PATIENCE) as client:
                yield process, client
        finally:
            process.terminate()
