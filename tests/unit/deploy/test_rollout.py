"""Pods of one revision do not keep those of the next one away for ever."""

from __future__ import annotations

import pytest

from i2s_client.service_table import RENDERERS

REPEL = "requiredDuringSchedulingIgnoredDuringExecution"
AVOID = "preferredDuringSchedulingIgnoredDuringExecution"


def template(rendered, name):
    return rendered.of("Deployment")[name]["spec"]["template"]


def repelled(pod, labels):
    """Whether a pod of these labels cannot be placed beside a pod."""
    terms = pod["spec"].get("affinity", {}).get("podAntiAffinity", {}).get(REPEL, ())
    return any(term["labelSelector"]["matchLabels"].items() <= labels.items() for term in terms)


@pytest.mark.parametrize("name", RENDERERS)
def test_replicas_with_the_same_users_are_on_nodes_of_their_own(name, base):
    pod = template(base, name)
    assert repelled(pod, pod["metadata"]["labels"])
    assert not any(
        repelled(pod, template(base, other)["metadata"]["labels"]) for other in RENDERERS if other != name
    )


@pytest.mark.parametrize("name", [*RENDERERS, "documents"])
@pytest.mark.parametrize("variant_name", ["userns", "together"])
def test_a_cluster_changes_between_base_and_user_namespaces_without_pending_pods(
    name, variant_name, base, render
):
    """No pod may be ended if each node has one replica, and the new one has to fit beside the old one."""
    before, after = template(base, name), template(render(variant_name), name)
    assert not repelled(before, after["metadata"]["labels"])
    assert not repelled(after, before["metadata"]["labels"])
    assert not repelled(after, after["metadata"]["labels"])


@pytest.mark.parametrize("name", [*RENDERERS, "documents"])
def test_labels_that_change_are_in_no_selector(name, base, render):
    """The selector of a Deployment cannot be changed, and Services select pods of both revisions."""
    for rendered in (base, render("userns")):
        labels = template(rendered, name)["metadata"]["labels"]
        deployment, service = rendered.of("Deployment")[name], rendered.of("Service")[name]
        for selector in (deployment["spec"]["selector"]["matchLabels"], service["spec"]["selector"]):
            assert selector.items() <= labels.items()
            assert "image2struct/users" not in selector


@pytest.mark.parametrize("name", [*RENDERERS, "documents", "metrics"])
@pytest.mark.parametrize("variant_name", ["base", "userns", "together"])
def test_replicas_avoid_one_node_where_they_may_share_it(name, variant_name, render):
    """Of either revision: a preference keeps no pod away."""
    pod = template(render(variant_name), name)
    (preference,) = pod["spec"]["affinity"]["podAntiAffinity"][AVOID]
    term = preference["podAffinityTerm"]
    assert term["topologyKey"] == "kubernetes.io/hostname"
    assert term["labelSelector"]["matchLabels"] == {
        "app.kubernetes.io/name": name,
        "app.kubernetes.io/part-of": "image2struct",
    }
