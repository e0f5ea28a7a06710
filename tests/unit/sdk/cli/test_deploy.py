"""``i2s-sdk deploy`` writes what containers of all installed renderers are started with."""

from __future__ import annotations

from importlib.metadata import EntryPoint
from pathlib import Path

import pytest
import yaml

from deployed_renderers import RENDER_DOT
from i2s_client import service_table
from i2s_client.plugins import PluginGroup
from i2s_client.service_table import RENDERERS
from i2s_sdk.cli.main import run
from i2s_sdk.stack import containers


@pytest.fixture(autouse=True)
def _package(monkeypatch: pytest.MonkeyPatch) -> None:
    """An installed package with a renderer."""
    point = EntryPoint("render-dot", "deployed_renderers:RENDER_DOT", PluginGroup.RENDERERS)
    monkeypatch.setattr(service_table, "plugins_beside", lambda group, own: {"render-dot": point})


def services(folder: Path) -> set[str]:
    text = (folder / "deploy/compose/compose.yaml").read_text(encoding="utf-8")
    return set(yaml.safe_load(text)["services"])


def test_renderers_of_installed_packages_are_written_with_ours(tmp_path, capsys):
    assert run(["deploy", str(tmp_path)]) == 0
    assert {*RENDERERS, "render-dot"} < services(tmp_path)
    assert capsys.readouterr().out.splitlines() == [
        f"{tmp_path}/deploy/compose/compose.yaml",
        f"{tmp_path}/deploy/kubernetes/base",
        f"{tmp_path}/deploy/images/render-dot.Dockerfile",
    ]


def test_only_those_that_are_named_are_written(tmp_path):
    assert run(["deploy", str(tmp_path), "render-dot", "render-html"]) == 0
    assert services(tmp_path) & {*RENDERERS, "render-dot"} == {"render-html", "render-dot"}
    assert {"metrics", "documents", "gateway"} < services(tmp_path)
    assert not (tmp_path / "deploy/kubernetes/base/render-latex").exists()


def test_a_second_call_writes_the_files_anew(tmp_path):
    assert run(["deploy", str(tmp_path)]) == 0
    assert run(["deploy", str(tmp_path), "render-latex"]) == 0
    assert "render-dot" not in services(tmp_path)


def test_a_name_that_is_no_renderer_is_wrong_usage(tmp_path, capsys):
    assert run(["deploy", str(tmp_path), "metrics"]) == 2
    assert "render-dot" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_cannot_be_written_is_named(tmp_path, capsys):
    (tmp_path / "deploy").write_text("in the way", encoding="utf-8")
    assert run(["deploy", str(tmp_path)]) == 2
    assert f"{tmp_path}/deploy" in capsys.readouterr().err


def test_the_container_of_such_a_renderer_is_known_to_up_docker(monkeypatch):
    pytest.importorskip("docker", reason="i2s-sdk[docker] is not installed")
    containers._document.cache_clear()
    monkeypatch.setattr(containers, "_document", containers._document.__wrapped__)
    assert containers.image_of("render-dot") == "i2s-render-dot:latest"
    assert containers.container_options("render-dot", 2)["user"] == f"{RENDER_DOT.user}:{RENDER_DOT.user}"
