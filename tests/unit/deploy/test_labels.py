"""Objects say which version they are of, and an image by a tag that moves is pulled anew."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
KINDS = {"Deployment", "Job", "Pod", "Service", "HorizontalPodAutoscaler", "PodDisruptionBudget"}


@pytest.mark.parametrize("name", ["base", "gateway", "evaluate", "merge", "reader"])
def test_objects_and_pods_have_the_labels_that_tools_look_for(name, render):
    project = tomllib.loads((ROOT / "sdk/core/pyproject.toml").read_text(encoding="utf-8"))["project"]
    wanted = {
        "app.kubernetes.io/version": project["version"],
        "app.kubernetes.io/instance": "image2struct",
        "app.kubernetes.io/managed-by": "kustomize",
    }
    objects = [one for one in render(name).objects if one["kind"] in KINDS]
    assert objects
    for one in objects:
        assert wanted.items() <= one["metadata"]["labels"].items(), one["metadata"]["name"]
        template = one["spec"].get("template")
        if template is not None:
            assert wanted.items() <= template["metadata"]["labels"].items(), one["metadata"]["name"]


def test_a_version_is_in_no_selector(base):
    """A selector cannot be changed, and a Service selects pods of both versions during a rollout."""
    for one in base.objects:
        selector = one["spec"].get("selector", {}) if one["kind"] in KINDS else {}
        assert "app.kubernetes.io/version" not in {**selector, **selector.get("matchLabels", {})}


def test_images_are_pulled_as_their_tags_want_unless_they_were_built_on_this_machine(everything):
    """Without a policy the tag "latest" is pulled for each pod, and a version or digest once."""
    for rendered in everything:
        policies = {container.get("imagePullPolicy") for _, container in rendered.containers()}
        assert policies == ({"IfNotPresent"} if rendered.name.endswith("small") else {None}), rendered.name
