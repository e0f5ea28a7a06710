"""``i2s-sdk up --docker``: the same confinement, found by every command, and nothing left by ``down``."""

import json
import os
import shutil

import pytest

from docker_engine import ROOT, run
from i2s_sdk.service_table import SERVICES

pytest.importorskip("docker", reason="the extra docker of i2s-sdk is not installed")
COMMAND = shutil.which("i2s-sdk", path=str(ROOT / ".venv/bin")) or "i2s-sdk"


def ours(engine):
    listed = engine.docker("ps", "--all", "--quiet", "--filter", "label=org.image2struct.stack").split()
    listed += engine.docker("network", "ls", "--quiet", "--filter", "label=org.image2struct.stack").split()
    return listed


def test_up_evaluate_status_logs_down(engine, images, tmp_path):
    environment = {**engine.environment, "XDG_STATE_HOME": str(tmp_path / "state")}
    environment["XDG_CACHE_HOME"] = str(tmp_path / "cache")  # what another run has rendered is not asked for
    environment = {name: value for name, value in environment.items() if not name.startswith("I2S_")}

    def command(*words, seconds=600):
        return run([COMMAND, *words], environment, seconds=seconds, folder=tmp_path, apart=True)

    assert ours(engine) == []
    engine.undo(COMMAND, "down", XDG_STATE_HOME=environment["XDG_STATE_HOME"])
    try:
        started = json.loads(command("up", "--docker", "--json"))
        assert started["kind"] == "docker"
        assert {one["name"] for one in started["services"]} == {one.name for one in SERVICES}
        assert json.loads(command("status", "--json"))["ok"]
        host = json.loads(engine.docker("inspect", started["services"][0]["runs_as"]))[0]["HostConfig"]
        assert (host["ReadonlyRootfs"], host["CapDrop"], host["Privileged"]) == (True, ["ALL"], False)

        document = json.loads(
            command("evaluate", "--data", str(ROOT / "examples"), "--limit", "3", "--out", "run", "--json")
        )
        assert document["covered"]
        assert (tmp_path / "run/index.html").is_file()
        assert '"method": "Render' in command("logs", "render-latex")
        assert not list((tmp_path / "run").rglob("render-latex.log")), (
            "evaluate has started a service of its own"
        )
    finally:
        command("down")
    assert ours(engine) == []
    assert not (tmp_path / "state/i2s").exists()
    assert os.listdir(tmp_path / "state") == []
