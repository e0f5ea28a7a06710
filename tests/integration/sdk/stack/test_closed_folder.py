"""Services can be started from a working folder that is closed to other users, such as root's home."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from PIL import Image

pytestmark = pytest.mark.integration


def test_images_are_compared_by_a_service_that_is_started_in_a_closed_folder(tmp_path: Path) -> None:
    folder = tmp_path / "closed"
    folder.mkdir(mode=0o700)
    Image.new("RGB", (40, 20), "white").save(folder / "a.png")
    command = [str(Path(sys.executable).with_name("i2s-sdk")), "score", "a.png", "a.png", "--json"]
    ended = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, timeout=280)
    assert ended.returncode == 0, ended.stderr
    assert json.loads(ended.stdout)["metrics"]["ems"] == pytest.approx(1.0)
