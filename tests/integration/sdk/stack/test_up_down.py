"""``i2s-sdk up`` and ``down`` with real services, as a person would type them."""

import contextlib
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

import pytest

from documentation_pages import commands, section
from i2s_chassis.contract.below import below
from i2s_sdk.stack.state import read_record, supervisor

pytestmark = pytest.mark.integration

COMMAND = shutil.which("i2s-sdk", path=str(Path(sys.executable).parent)) or "i2s-sdk"
PATIENCE = 300


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """The folder of a stack of this test; what is still up at the end is ended."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    yield tmp_path / "i2s"
    if (tmp_path / "i2s").exists():
        command("down")


def command(*words, code=0):
    environment = {name: value for name, value in os.environ.items() if not name.startswith("I2S_")}
    environment["I2S_UP_PORTS"] = "free"
    ended = subprocess.run(
        [COMMAND, *words], capture_output=True, text=True, timeout=PATIENCE, check=False, env=environment
    )
    assert ended.returncode == code, ended.stderr
    return ended.stdout


def runs(pid):
    with contextlib.suppress(OSError):
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    return False


def children(pid):
    return [int(one) for one in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def ends(pids):
    end = time.monotonic() + PATIENCE
    while any(map(runs, pids)) and time.monotonic() < end:
        time.sleep(0.05)
    return not any(map(runs, pids))


def test_what_up_starts_is_used_and_down_leaves_nothing(folder, tmp_path):
    told = json.loads(command("up", "render-latex", "--json"))
    assert [service["name"] for service in told["services"]] == ["render-latex"]
    assert json.loads(command("up", "--json")) == told
    pids = [supervisor(folder), *children(supervisor(folder))]
    assert json.loads(command("status", "--json"))["services"][0]["serves"] is True

    source = tmp_path / "formula.tex"
    source.write_text("\\[ x^2 \\]")
    command("render", "latex", str(source), "-o", str(tmp_path / "formula.png"))
    assert '"method": "Render"' in command("logs", "render-latex")

    assert command("down") == "ended\n"
    assert ends(pids)
    assert {path.suffix for path in folder.iterdir()} == {".log"}
    assert '"method": "Render"' in command("logs", "render-latex")
    assert command("down") == "nothing was up\n"
    command("status", code=1)


def health_by_http(address):
    with urllib.request.urlopen(f"http://{address}/v1/health", timeout=PATIENCE) as answer:
        return json.load(answer)


def test_up_brings_a_gateway_that_is_restarted_at_its_address_and_ends_with_the_services(folder):
    told = json.loads(command("up", "metrics", "--http", "--http-listen", "127.0.0.1:0", "--json"))
    addresses = {service["name"]: service["address"] for service in told["services"]}
    assert list(addresses) == ["metrics", "http"]
    assert health_by_http(addresses["http"])["services"] == {"metrics": "SERVING"}
    assert [service["serves"] for service in json.loads(command("status", "--json"))["services"]] == [
        True,
        True,
    ]
    assert "GET /v1/health 200" in command("logs", "http")

    pids = [supervisor(folder), *children(supervisor(folder))]
    gateway = next(pid for pid in pids if "i2s_sdk.cli" in Path(f"/proc/{pid}/cmdline").read_text())
    os.kill(gateway, signal.SIGKILL)
    while True:
        with contextlib.suppress(OSError):
            assert health_by_http(addresses["http"])["status"] == "SERVING"
            break
        time.sleep(0.05)
    assert command("down") == "ended\n"
    assert ends(pids)


def test_a_gateway_is_added_to_what_is_up_and_ends_with_it(folder):
    before = json.loads(command("up", "metrics", "--json"))["services"]
    with socket.create_server(("127.0.0.1", 0)) as taken:
        taken_at = "{}:{}".format(*taken.getsockname())
        ended = begin("up", "--http", "--http-listen", taken_at)
        assert f"--http-listen {taken_at}: cannot be listened on" in ended.communicate(timeout=PATIENCE)[1]
    lines = commands(section("python.md", "HTTP and JSON"))
    line = next(one for one in lines if one.startswith("i2s-sdk up"))
    documented = line.removeprefix("i2s-sdk").split()
    told = json.loads(command(*documented, "--http-listen", "127.0.0.1:0", "--json"))["services"]
    assert [one["name"] for one in told] == ["metrics", "http"]
    assert told[:1] == before  # the service was not started again
    assert health_by_http(told[1]["address"])["services"] == {"metrics": "SERVING"}
    assert json.loads(command("up", "--http", "--json"))["services"] == told
    pids = [supervisor(folder), *children(supervisor(folder))]
    assert command("down") == "ended\n"
    assert ends(pids)


def test_services_end_with_a_supervisor_that_is_killed_and_nothing_counts_as_up(folder):
    command("up", "render-latex")
    killed = supervisor(folder)
    pids = children(killed)
    assert pids
    os.kill(killed, signal.SIGKILL)
    assert ends(pids)
    assert read_record() is None
    again = json.loads(command("up", "render-latex", "--json"))
    assert supervisor(folder) != killed
    (state,) = json.loads(command("status", "--json"))["services"]
    assert (state["address"], state["serves"]) == (again["services"][0]["address"], True)


def begin(*words):
    environment = {name: value for name, value in os.environ.items() if not name.startswith("I2S_")}
    environment["I2S_UP_PORTS"] = "free"
    return subprocess.Popen(
        [COMMAND, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment
    )


def test_a_second_up_waits_for_the_first_and_finds_its_services(folder):
    both = [begin("up", "render-latex", "--json") for _ in range(2)]
    told = [one.communicate(timeout=PATIENCE) for one in both]
    assert [one.returncode for one in both] == [0, 0], told
    assert told[0][0] == told[1][0]
    assert sum("waiting for it" in said for _, said in told) == 1
    assert len(children(supervisor(folder))) == 1


def test_down_during_up_ends_the_start_and_both_say_so(folder):
    up = begin("up", "render-latex")
    while not (folder / "supervisor.log").exists():
        assert up.poll() is None
        time.sleep(0.01)
    assert command("down") == "ended the services while `i2s-sdk up` was starting them\n"
    _, said = up.communicate(timeout=PATIENCE)
    assert up.returncode == 1
    assert said == "error: `i2s-sdk down` ended the services while they were starting\n"
    assert {path.suffix for path in folder.iterdir()} == {".log"}


def test_an_up_that_is_killed_leaves_its_services_to_the_next(folder):
    up = begin("up", "render-latex")
    while supervisor(folder) is None:
        assert up.poll() is None
        time.sleep(0.01)
    up.kill()
    up.communicate()
    pid = supervisor(folder)
    told = json.loads(command("up", "--json"))
    assert [service["name"] for service in told["services"]] == ["render-latex"]
    assert supervisor(folder) == pid


def test_a_service_that_cannot_start_is_one_message_and_leaves_nothing(folder, monkeypatch):
    monkeypatch.setenv("I2S_START_SECONDS", "0.001")
    monkeypatch.setenv("I2S_UP_PORTS", "free")
    ended = subprocess.run(
        [COMMAND, "up", "render-latex"], capture_output=True, text=True, timeout=PATIENCE, check=False
    )
    assert ended.returncode == 1
    assert "did not serve within 0.001 s" in ended.stderr
    assert "Traceback" not in ended.stderr
    assert supervisor(folder) is None


def test_a_service_that_cannot_start_leaves_the_others_serving_and_is_named(folder, monkeypatch):
    monkeypatch.setenv("I2S_UP_PORTS", "free")
    monkeypatch.setenv("I2S_METRICS_QUEUE", "none")
    words = [COMMAND, "up", "render-latex", "metrics"]
    ended = subprocess.run(words, capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert ended.returncode == 1
    assert "render-latex" in ended.stdout
    assert "metrics          DOWN: i2s-metrics ended with exit code 2 before it served" in ended.stderr
    states = {
        service["name"]: service for service in json.loads(command("status", "--json", code=1))["services"]
    }
    assert states["render-latex"]["serves"] is True
    assert states["metrics"]["serves"] is False
    assert "it is tried again" in states["metrics"]["detail"]
    assert "I2S_METRICS_QUEUE" in command("logs", "metrics")


@pytest.mark.parametrize(
    ("service", "kinds"),
    # Started as root, render-html makes i2s-html as the user that it becomes.
    [("render-lilypond", ["i2s-jail"]), ("render-html", ["i2s-html", "i2s-jail"])],
)
def test_down_removes_what_killed_services_have_left(folder, monkeypatch, service, kinds):
    with tempfile.TemporaryDirectory(prefix="up-down-") as name:
        temporary = Path(name)
        temporary.chmod(0o1777)  # the users of jobs pass through it, and that of the service writes to it
        monkeypatch.setenv("TMPDIR", name)
        command("up", service)
        # All of them, each stopped first: what is left alive of a service cleans up after the rest.
        killed = [supervisor(folder), *(one.pid for one in below(supervisor(folder)))]
        for number in (signal.SIGSTOP, signal.SIGKILL):
            for pid in killed:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, number)
        assert ends(killed)
        assert sorted(path.name.rsplit("-", 1)[0] for path in temporary.iterdir()) == kinds
        command("down")
        assert list(temporary.iterdir()) == []
