"""``i2s-sdk up --docker``: the same confinement, found by every command, and nothing left by ``down``."""

import json
import os
import shutil
import subprocess

import pytest

from docker_engine import ROOT, run
from i2s_client.service_table import SERVICES

pytest.importorskip("docker", reason="the extra docker of i2s-sdk is not installed")
COMMAND = shutil.which("i2s-sdk", path=str(ROOT / ".venv/bin")) or "i2s-sdk"
PATIENCE = 600


def ours(engine):
    listed = engine.docker("ps", "--all", "--quiet", "--filter", "label=org.image2struct.stack").split()
    listed += engine.docker("network", "ls", "--quiet", "--filter", "label=org.image2struct.stack").split()
    return listed


@pytest.mark.parametrize("python_path", ["", str(ROOT / "tests/support/mac")], ids=["linux", "as on a Mac"])
def test_up_evaluate_status_logs_down(engine, images, tmp_path, python_path):
    environment = {**engine.environment, "XDG_STATE_HOME": str(tmp_path / "state")}
    environment["XDG_CACHE_HOME"] = str(tmp_path / "cache")  # what another run has rendered is not asked for
    environment = {name: value for name, value in environment.items() if not name.startswith("I2S_")}
    environment["I2S_UP_PORTS"] = "free"
    environment["PYTHONPATH"] = python_path

    def command(*words, seconds=600):
        return run([COMMAND, *words], environment, seconds=seconds, folder=tmp_path, apart=True)

    assert ours(engine) == []
    engine.undo(COMMAND, "down", XDG_STATE_HOME=environment["XDG_STATE_HOME"])
    try:
        started = json.loads(command("up", "--docker", "--json"))
        assert started["kind"] == "docker"
        assert {service["name"] for service in started["services"]} == {service.name for service in SERVICES}
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


@pytest.fixture
def begin(engine, images, tmp_path):
    """Start a command on a stack of this test, which is ended after it."""
    environment = {name: value for name, value in engine.environment.items() if not name.startswith("I2S_")}
    environment |= {"XDG_STATE_HOME": str(tmp_path / "state"), "XDG_CACHE_HOME": str(tmp_path / "cache")}
    environment["I2S_UP_PORTS"] = "free"
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    engine.undo(COMMAND, "down", XDG_STATE_HOME=environment["XDG_STATE_HOME"])
    yield lambda *words: subprocess.Popen([COMMAND, *words], env=environment, **pipes)
    run([COMMAND, "down"], environment, seconds=PATIENCE)


def test_a_second_up_waits_for_the_first_and_finds_its_containers(engine, begin):
    both = [begin("up", "--docker", "documents", "--json") for _ in range(2)]
    printed = [one.communicate(timeout=PATIENCE) for one in both]
    assert [one.returncode for one in both] == [0, 0], printed
    assert printed[0][0] == printed[1][0]
    assert sum("waiting for it" in errors for _, errors in printed) == 1
    (service,) = json.loads(printed[0][0])["services"]
    assert engine.docker("inspect", "--format", "{{.State.Running}}", service["runs_as"]).strip() == "true"


def test_down_during_up_ends_the_start_and_both_say_so(begin, tmp_path):
    up = begin("up", "--docker", "documents")
    while not (tmp_path / "state/i2s/starting.lock").exists():
        assert up.poll() is None
    down = begin("down")
    output, waiting = down.communicate(timeout=PATIENCE)
    assert output == "ended the services while `i2s-sdk up` was starting them\n"
    # The line of a wait above two seconds.
    assert all(line.startswith("the services are ending: since ") for line in waiting.splitlines())
    assert up.communicate(timeout=PATIENCE) == (
        "",
        "error: `i2s-sdk down` ended the services while they were starting\n",
    )
    assert up.returncode == 1
    assert not (tmp_path / "state/i2s").exists()
