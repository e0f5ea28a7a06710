"""Commands of docs/kubernetes.md that can be tried without a cluster."""

from __future__ import annotations

import shlex
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from documented_commands import command_with, commands_of

PAGE = (Path(__file__).resolve().parents[3] / "docs" / "kubernetes.md").read_text(encoding="utf-8")
COMMANDS = commands_of(PAGE)


def egress_program() -> str:
    """The Python program with which the page checks that a renderer has no egress."""
    command = shlex.split(command_with(COMMANDS, "exec deployment/render-latex"))
    assert command[-3:-1] == ["python3", "-c"]
    return command[-1]


def check(port: int) -> subprocess.CompletedProcess[str]:
    program = egress_program()
    address = '("10.96.0.1", 443)'
    assert program.count(address) == 1
    program = program.replace(address, f'("127.0.0.1", {port})')
    return subprocess.run(
        [sys.executable, "-I", "-S", "-c", program], capture_output=True, text=True, check=False, timeout=60
    )


@contextmanager
def dropped() -> Iterator[int]:
    """An address that drops requests for connections: that of a listener whose queue is full."""
    with ExitStack() as stack:
        listener = stack.enter_context(socket.create_server(("127.0.0.1", 0), backlog=0))
        for _ in range(2):
            client = stack.enter_context(socket.socket())
            client.setblocking(False)
            client.connect_ex(listener.getsockname())
        yield listener.getsockname()[1]


def test_a_refused_connection_passes_the_check_of_egress() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    ended = check(port)
    assert ended.returncode == 0
    assert ended.stdout.startswith("no egress: ")


@pytest.mark.slow
def test_a_dropped_connection_passes_the_check_of_egress() -> None:
    with dropped() as port:
        ended = check(port)
    assert (ended.returncode, ended.stdout) == (0, "no egress: timed out\n")


def test_a_connection_fails_the_check_of_egress_with_what_it_means() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        ended = check(listener.getsockname()[1])
    assert ended.returncode == 1
    assert "does not enforce" in ended.stderr
    assert "Traceback" not in ended.stderr


def test_manifests_are_applied_by_the_server() -> None:
    """`kubectl apply` alone reports budgets as changed each time."""
    applied = [command for command in COMMANDS if " apply " in command]
    assert applied
    assert all("--server-side" in one for one in applied), applied


def test_replicas_are_the_business_of_autoscalers_alone() -> None:
    """A number that `kubectl scale` has set stays when another manifest is applied, 0 too."""
    assert not [command for command in COMMANDS if " scale " in command]
    assert "scale deployment" not in PAGE


@pytest.mark.parametrize("name", ["dns-node-local", "dns-openshift"])
def test_variants_for_names_are_documented(name: str) -> None:
    assert f"| `{name}` |" in PAGE


@pytest.mark.parametrize(
    "words",
    [("apply", "my-cluster"), ("rollout status",), ("get pods",), ("exec deployment/render-latex",)],
)
def test_commands_that_are_run_on_a_cluster_are_on_the_page_once(words: tuple[str, ...]) -> None:
    """tests/cluster runs them where a cluster is given."""
    assert command_with(COMMANDS, *words).startswith("kubectl ")
