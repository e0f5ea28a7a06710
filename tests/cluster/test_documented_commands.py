"""Commands of docs/kubernetes.md on a real cluster, with the outputs that the page promises."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import pytest

from documented_commands import command_with, commands_of

PAGE = Path(__file__).resolve().parents[2] / "docs" / "kubernetes.md"
COMMANDS = commands_of(PAGE.read_text(encoding="utf-8"))


def applied(overlay: Path) -> str:
    return command_with(COMMANDS, "apply", "my-cluster").replace("my-cluster", shlex.quote(str(overlay)))


def test_the_overlay_is_applied_and_every_deployment_is_rolled_out(shell, overlay):
    assert shell(applied(overlay)).returncode == 0
    ended = shell(command_with(COMMANDS, "rollout status"))
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert "successfully rolled out" in ended.stdout


def test_a_second_apply_changes_no_object(shell, overlay):
    before = versions(shell)
    assert shell(applied(overlay)).returncode == 0
    assert versions(shell) == before


def versions(shell) -> dict[str, int]:
    """The generation of every object of the overlay, which grows with each change of its specification."""
    kinds = "deployments,services,configmaps,networkpolicies,poddisruptionbudgets,horizontalpodautoscalers"
    found = shell(f"kubectl -n image2struct get {kinds} -o json")
    items = json.loads(found.stdout)["items"]
    return {
        f"{item['kind']}/{item['metadata']['name']}": item["metadata"].get("generation", 0) for item in items
    }


def test_every_pod_of_a_service_is_ready(shell, overlay):
    ended = shell(command_with(COMMANDS, "get pods") + " -l image2struct/role=service --no-headers")
    rows = [line.split() for line in ended.stdout.splitlines()]
    assert rows
    assert {(row[1], row[2]) for row in rows} == {("1/1", "Running")}, ended.stdout


def test_renderers_have_no_egress(shell, overlay):
    address = shell("kubectl get service kubernetes -o jsonpath='{.spec.clusterIP}'").stdout
    command = command_with(COMMANDS, "exec deployment/render-latex")
    ended = shell(command.replace("10.96.0.1", address))
    assert ended.returncode == 0, ended.stderr
    assert re.fullmatch(r"no egress: .+\n", ended.stdout)


@pytest.mark.parametrize(("name", "code"), [("", 2), ("no-such-job", 4)])
def test_the_wait_for_a_job_ends_with_the_documented_exit_code(shell, overlay, name, code):
    assert shell(f"I2S_WAIT_PAUSE=0 deploy/kubernetes/wait-for-job {name}").returncode == code
