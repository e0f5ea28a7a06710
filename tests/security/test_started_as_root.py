"""A service that is started as root keeps no privilege: neither itself, nor a thread, nor what it starts."""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from importlib.util import find_spec
from pathlib import Path

import grpc
import pytest

from i2s.metrics.v1 import metrics_pb2
from i2s.metrics.v1.metrics_pb2_grpc import MetricsServiceStub
from i2s.render.v1 import render_pb2 as pb
from i2s.render.v1.render_pb2_grpc import RenderServiceStub
from i2s_chassis.contract.below import below
from i2s_chassis.contract.process import START_SECONDS, Started, started
from i2s_metrics.model import Network
from i2s_metrics.networks.files import candidates
from i2s_metrics.settings import MetricsSettings
from ordinary_user import python_for_ordinary_user
from service_process import privileges_of, restrictions_missing_of, statuses

pytestmark = [
    pytest.mark.security,
    pytest.mark.timeout(400),
    pytest.mark.skipif(os.geteuid() != 0, reason="only a service that is started as root has privileges"),
    pytest.mark.skipif(not python_for_ordinary_user(), reason="no Python that an ordinary user can run"),
]

SERVICES = {
    "i2s_render_latex": 51_710,
    "i2s_render_html": 51_720,
    "i2s_render_lilypond": 51_730,
    "i2s_metrics": 51_740,
    "i2s_render_python": 51_750,
    "i2s_documents": 51_760,
}
_PICTURES = Path(__file__).parents[2] / "examples" / "references"
#: What stays root, beside who writes the announcement: the monitor of the jail and all below it.
_STAY_ROOT = "i2s_chassis.jail.monitor"


@pytest.fixture(scope="module", params=SERVICES)
def service(request: pytest.FixtureRequest) -> Iterator[tuple[str, Started]]:
    """Each service, started by root with nothing but defaults."""
    module = request.param
    with (
        tempfile.TemporaryDirectory(prefix="i2s-root-") as name,
        started(module, Path(name)) as running,
    ):
        yield module, running


def _own(pid: int) -> list[int]:
    """Return the service and all below it but what is kept for jobs and the announcement."""
    everyone = below(pid)
    kept = {one.pid for one in everyone if _STAY_ROOT in one.command} | set(_announcers(pid))
    return [
        pid,
        *(one.pid for one in everyone if (line := _line_of(one.pid)) and kept.isdisjoint(line)),
    ]


def _line_of(pid: int) -> list[int]:
    """Return a process, its parent, and so on up to the first of all; none for one that has ended."""
    line: list[int] = []
    while pid:
        try:
            status = Path(f"/proc/{pid}/status").read_text()
        except OSError:
            return line
        line.append(pid)
        pid = int(status.split("PPid:")[1].split()[0])
    return line


def _announcers(pid: int) -> list[int]:
    """Return the processes that have the command line of the service, of which they are forks."""
    command = Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace").strip()
    return [one.pid for one in below(pid) if one.command == command]


def test_no_thread_of_the_service_has_a_privilege(service: tuple[str, Started]) -> None:
    _, running = service
    assert len(statuses(running.pid)) > 1
    assert privileges_of(running.pid) == []


def test_nothing_that_it_starts_has_a_privilege(service: tuple[str, Started]) -> None:
    module, running = service
    found = _own(running.pid)
    assert [wrong for pid in found for wrong in privileges_of(pid)] == []
    commands = [one.command for one in below(running.pid) if one.pid in found]
    if module == "i2s_render_html":
        assert any("run-driver" in command for command in commands), "Playwright's driver is not among them"
    if module == "i2s_metrics":
        assert any("forkserver" in command for command in commands), "the workers are not among them"


def test_it_is_a_user_of_its_own(service: tuple[str, Started]) -> None:
    module, running = service
    uid = str(SERVICES[module])
    assert {status["Uid"] for status in statuses(running.pid)} == {"\t".join([uid] * 4)}
    assert all(status["Groups"] in ("", uid) for status in statuses(running.pid))


def test_it_says_so(service: tuple[str, Started]) -> None:
    module, running = service
    (line,) = running.lines("privileges given up")
    words = f"service: uid {SERVICES[module]} without capabilities"
    assert line["mechanism"] == words
    if module.startswith("i2s_render"):
        with grpc.insecure_channel(running.address) as channel:
            told = RenderServiceStub(channel).Describe(pb.DescribeRequest())
        assert words in told.isolation.mechanisms


def test_who_writes_the_announcement_has_one_capability(service: tuple[str, Started]) -> None:
    _, running = service
    (pid,) = _announcers(running.pid)
    (status,) = statuses(pid)
    assert int(status["CapEff"], 16) == int(status["CapPrm"], 16) == 1 << 1  # CAP_DAC_OVERRIDE
    assert restrictions_missing_of({**status, "CapEff": "0", "CapPrm": "0"}, "announcer") == []


@contextmanager
def _echo(*options: str, **environment: str) -> Iterator[tuple[subprocess.Popen[bytes], Path]]:
    """The smallest service, started by root; with the folder of its announcement."""
    script = Path(__file__).parents[1] / "integration" / "chassis" / "echo_service.py"
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="i2s-root-")))
        control = stack.enter_context(socket.socket(socket.AF_UNIX))
        control.bind(str(folder / "control"))
        (folder / "control").chmod(0o666)
        folder.chmod(0o711)
        control.listen()
        log = stack.enter_context((folder / "log").open("wb"))
        command = [sys.executable, script, "serve", "--announce", folder / "announcement"]
        command += ["--control", folder / "control", *options]
        process = subprocess.Popen(command, stderr=log, env={**os.environ, **environment})
        try:
            while not (folder / "announcement").exists() and process.poll() is None:
                time.sleep(0.02)
            yield process, folder
        finally:
            process.kill()
            process.wait()


def test_the_end_of_a_killed_service_ends_who_writes_its_announcement() -> None:
    with _echo("--listen", "127.0.0.1:0") as (process, folder):
        (announcer,) = _announcers(process.pid)
        assert json.loads((folder / "announcement").read_text())["pid"] == process.pid
        process.kill()
        process.wait()
        while Path(f"/proc/{announcer}").exists():
            time.sleep(0.01)
        assert not (folder / "announcement").exists()


def test_a_port_of_root_needs_one_capability_and_gets_no_other() -> None:
    with socket.create_server(("127.0.0.1", 0)):
        port = next(one for one in range(700, 1024) if _is_free(one))
    first_open = int(Path("/proc/sys/net/ipv4/ip_unprivileged_port_start").read_text())
    with _echo("--listen", f"127.0.0.1:{port}") as (process, folder):
        assert (folder / "announcement").exists(), (folder / "log").read_text()
        kept = 1 << 10 if port < first_open else 0  # CAP_NET_BIND_SERVICE
        for status in statuses(process.pid):
            assert int(status["CapEff"], 16) == int(status["CapPrm"], 16) == kept
            assert int(status["CapBnd"], 16) == 0
            assert "0" not in status["Uid"].split()


def _is_free(port: int) -> bool:
    with socket.socket() as one:
        try:
            one.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True


def test_a_file_that_its_user_cannot_read_keeps_it_user_0_without_capabilities(tmp_path: Path) -> None:
    """The list of callers is read again while it serves, so whoever serves must be able to."""
    access = tmp_path / "access.toml"  # below a folder that is closed to others
    access.write_text('[callers.lab]\ntokens = ["sha256:' + "0" * 64 + '"]\n')
    access.chmod(0o600)
    with _echo("--listen", "127.0.0.1:0", "--access-file", str(access)) as (process, folder):
        assert (folder / "announcement").exists(), (folder / "log").read_text()
        for status in statuses(process.pid):
            assert set(status["Uid"].split()) == {"0"}
            assert restrictions_missing_of(status, "service") == []
        said = (folder / "log").read_text()
        assert "service: uid 0 without capabilities" in said
        assert f"cannot read {access}" in said


def test_a_user_that_was_asked_for_must_reach_everything(tmp_path: Path) -> None:
    access = tmp_path / "access.toml"
    access.write_text('[callers.lab]\ntokens = ["sha256:' + "0" * 64 + '"]\n')
    with _echo("--listen", "127.0.0.1:0", "--access-file", str(access), "--user", "49152") as (
        process,
        folder,
    ):
        assert process.wait() == 1
        assert f"--user 49152: the user 49152 cannot read {access}" in (folder / "log").read_text()


def test_the_user_can_be_chosen() -> None:
    with _echo("--listen", "127.0.0.1:0", "--user", "49152") as (process, folder):
        assert (folder / "announcement").exists(), (folder / "log").read_text()
        assert {one for status in statuses(process.pid) for one in status["Uid"].split()} == {"49152"}
        assert privileges_of(process.pid) == []


def test_a_service_ends_with_the_process_that_it_was_tied_to() -> None:
    """The kernel forgets such a tie with a change of user, so it is made again."""
    script = Path(__file__).parents[1] / "integration" / "chassis" / "echo_service.py"
    program = """
import ctypes, os, signal, subprocess, sys
tie = lambda: ctypes.CDLL(None).prctl(1, int(signal.SIGTERM), 0, 0, 0)
child = subprocess.Popen(sys.argv[1:], preexec_fn=tie, stderr=subprocess.DEVNULL)
print(child.pid, flush=True)
sys.stdin.read()
"""
    with tempfile.TemporaryDirectory(prefix="i2s-root-") as name:
        folder = Path(name)
        folder.chmod(0o711)
        with socket.socket(socket.AF_UNIX) as control:
            control.bind(str(folder / "control"))
            (folder / "control").chmod(0o666)
            control.listen()
            served = (script, "serve", "--listen", "127.0.0.1:0", "--announce", folder / "announcement")
            command = (
                sys.executable,
                "-c",
                program,
                sys.executable,
                *served,
                "--control",
                folder / "control",
            )
            parent = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
            assert parent.stdin is not None
            assert parent.stdout is not None
            service = int(parent.stdout.readline())
            while not (folder / "announcement").exists():
                time.sleep(0.02)
            with parent:
                parent.kill()
            while Path(f"/proc/{service}").exists() and "Z" not in _state(service):
                time.sleep(0.02)


def _state(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return "Z"


def test_weights_in_a_folder_of_root_are_used_without_its_privileges() -> None:
    """They are opened before the service becomes another user; their process can be started again."""
    weights = find_spec("torch") and next(
        (path for path in candidates(Network.VGG16, MetricsSettings.load({}).places) if path.is_file()), None
    )
    if not weights:
        pytest.skip("networks or their weights are not installed")
    with tempfile.TemporaryDirectory(prefix="i2s-root-") as name:
        closed = Path(name, "closed")
        closed.mkdir(mode=0o700)
        shutil.copy(weights, closed)
        options = ("--weights-dir", str(closed), "--hub-dir", f"{name}/none", "--preload-networks")
        with started("i2s_metrics", Path(name), options) as running:
            assert privileges_of(running.pid) == []
            assert not running.lines("started as root and stays user 0")
            assert _similarity_to_itself(running.address) == 1.0
            (networks,) = (one.pid for one in below(running.pid) if _has_torch(one.pid))
            assert privileges_of(networks) == []
            os.kill(networks, signal.SIGKILL)
            assert _similarity_to_itself(running.address) == 1.0


def _has_torch(pid: int) -> bool:
    return "libtorch" in Path(f"/proc/{pid}/maps").read_text()


def _similarity_to_itself(address: str) -> float:
    picture = metrics_pb2.Image(data=min(_PICTURES.glob("*.png")).read_bytes())
    request = metrics_pb2.ScoreRequest(reference=picture, prediction=picture, metrics=["lpips"])
    with grpc.insecure_channel(address) as channel:
        while True:
            try:
                (result,) = MetricsServiceStub(channel).Score(request, timeout=START_SECONDS).results
            except grpc.RpcError as error:
                # The call that notices the loss of the process is one that is to be sent again.
                assert error.code() is grpc.StatusCode.UNAVAILABLE, error
                continue
            assert result.HasField("value"), result
            return result.value
