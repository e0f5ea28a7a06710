"""A renderer of another package gets the objects that a renderer of this project has."""

from __future__ import annotations

import json
import re
from pathlib import Path

import kubernetes_validate
import pytest
import yaml

from deployed_renderers import RENDER_DOT
from i2s_sdk.stack.deployment import deployment_files, write_deployment
from i2s_wire.renderers import RENDERER_SPECS
from pillow_renderer.settings import PillowSettings
from pillow_renderer.spec import RENDER_PILLOW

KUBERNETES = Path(__file__).resolve().parents[3] / "deploy" / "kubernetes"
#: Each component that has a part for each renderer is in one of them.
TRIED = ("base", "gvisor", "keda", "small", "together", "gateway-tokens")
#: What stands in the objects of render-lilypond, and what in those of render-dot.
SAME = (
    ("lilypond", "dot"),
    ("LILYPOND", "DOT"),
    ("7730", "7791"),
    ("10013", "17791"),
)


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    folder = tmp_path_factory.mktemp("operations")
    return write_deployment(folder, (*RENDERER_SPECS, RENDER_DOT)) / "kubernetes"


@pytest.fixture
def other(written, tmp_path, render_below):
    """Render a variant of the deployment with the other renderer."""
    return lambda name: render_below(written, name, tmp_path)


def plain(one):
    """An object as text, without what is made of the contents of settings."""
    return re.sub(r"-settings-\w+", "-settings", json.dumps(one, sort_keys=True))


def about(rendered, name):
    """The objects of a service, and its part in those of all."""
    return sorted(plain(one) for one in rendered.objects if one["metadata"]["name"].startswith(name))


@pytest.mark.parametrize("name", TRIED)
def test_it_has_the_objects_of_ours(name, other):
    rendered = other(name)
    ours = about(rendered, "render-lilypond")
    assert len(ours) >= 5
    for old, new in SAME:
        ours = [line.replace(old, new) for line in ours]
    assert about(rendered, "render-dot") == sorted(ours)


@pytest.mark.parametrize("name", TRIED)
def test_what_is_of_others_stays_as_it_is(name, other, render):
    """Only what names all services differs: the gateway's addresses, alerts, and what is selected by name."""
    before = {(one["kind"], one["metadata"]["name"]): one for one in render(name).objects}
    after = {(one["kind"], one["metadata"]["name"]): one for one in other(name).objects}
    assert before.keys() <= after.keys()
    changed = {key for key in before if before[key] != after[key]}
    assert changed <= {("Deployment", "gateway"), ("PrometheusRule", "image2struct")}


def test_gateway_alerts_and_jobs_know_it(other):
    rendered = other("together")
    (gateway,) = rendered.of("Deployment")["gateway"]["spec"]["template"]["spec"]["containers"]
    addresses = {one["name"]: one.get("value") for one in gateway["env"]}
    assert addresses["I2S_OTHER_RENDERERS"] == "render-dot=render-dot:7791"
    alerts = json.dumps(rendered.of("PrometheusRule"))
    assert alerts.count("render-lilypond|") == alerts.count("render-dot|") > 0


def test_jobs_know_its_address(other):
    (config,) = other("evaluate").of("ConfigMap").values()
    assert config["data"]["I2S_OTHER_RENDERERS"] == "render-dot=render-dot:7791"


def test_its_program_takes_the_settings_of_its_pod_and_of_its_container(tmp_path, monkeypatch):
    files = deployment_files((RENDER_PILLOW,))
    pod = tmp_path / "service.toml"
    pod.write_text(files["kubernetes/base/settings/render-pillow.toml"], encoding="utf-8")
    settings = PillowSettings.load({"config": pod})
    assert settings.listen == f"0.0.0.0:{RENDER_PILLOW.port}"
    assert settings.drain_seconds == RENDER_PILLOW.container.drain_seconds
    limits = settings.max
    service = yaml.safe_load(files["compose/compose.yaml"])["services"]["render-pillow"]
    for name, value in service["environment"].items():
        monkeypatch.setenv(name, value)
    assert PillowSettings.load({}).max == limits


@pytest.mark.slow
def test_its_objects_fit_the_schema(other):
    for one in other("base").objects:
        kubernetes_validate.validate(one, "1.30", strict=True)


def test_every_component_with_a_part_for_each_renderer_is_tried(render):
    naming = {
        path.parent.name
        for path in KUBERNETES.glob("components/*/*.yaml")
        if "render-lilypond" in path.read_text(encoding="utf-8")
    }
    tried = {Path(folder).name for name in TRIED for folder in render(name).folders}
    assert len(naming) > 5
    assert naming <= tried
