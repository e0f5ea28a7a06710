"""The page renderer has no replicas where it cannot start, so that the base is ready as installed."""

from __future__ import annotations

import pytest

from i2s_client.service_table import OWN_SERVICES

PAUSED = "autoscaling.keda.sh/paused-replicas"


def replicas(rendered):
    return {name: one["spec"].get("replicas") for name, one in rendered.of("Deployment").items()}


@pytest.mark.parametrize("name", ["base", "gvisor", "small", "keda"])
def test_without_user_namespaces_only_the_page_renderer_has_no_replicas(name, render):
    # An autoscaler leaves a Deployment with 0 replicas alone, and scales one without this field.
    found = replicas(render(name))
    assert found.pop("render-html") == 0
    assert set(found.values()) == {None}


@pytest.mark.parametrize("name", ["userns", "together"])
def test_with_user_namespaces_the_autoscaler_decides_for_the_page_renderer_too(name, render):
    assert set(replicas(render(name)).values()) == {None}


@pytest.mark.parametrize(("name", "paused"), [("keda", {"render-html": "0"}), ("together", {})])
def test_keda_leaves_a_page_renderer_alone_that_cannot_start(name, paused, render):
    found = render(name).of("ScaledObject")
    assert found.keys() == OWN_SERVICES
    annotations = {one: found[one]["metadata"].get("annotations", {}) for one in found}
    assert {one: has[PAUSED] for one, has in annotations.items() if PAUSED in has} == paused
