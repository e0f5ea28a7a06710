"""Pods are what the pod security standard "restricted" permits, and less."""

from __future__ import annotations

import pytest

from i2s_client.service_table import DOCUMENTS, RENDERERS
from i2s_wire.renderers import RENDERER_SPECS

#: Services whose jobs run in sandboxes.
SANDBOXED = (*RENDERERS, DOCUMENTS)
#: Root inside of gVisor, with what it takes to give each job a user of its own: the standard baseline.
IN_GVISOR = (*(spec.name for spec in RENDERER_SPECS if not spec.nesting), DOCUMENTS)
CAPABILITIES_IN_GVISOR = ["CHOWN", "DAC_OVERRIDE", "FOWNER", "KILL", "SETGID", "SETUID"]


def in_gvisor(variant, name: str) -> bool:
    return variant.name == "gvisor" and name.partition("/")[0] in IN_GVISOR


def quantity(text: str) -> float:
    """Return a quantity of Kubernetes as a number."""
    units = {"Ki": 2**10, "Mi": 2**20, "Gi": 2**30, "m": 1e-3}
    unit = next((one for one in units if text.endswith(one)), "")
    return float(text.removesuffix(unit)) * units.get(unit, 1)


def test_the_namespace_enforces_the_standard(base):
    labels = base.of("Namespace")["image2struct"]["metadata"]["labels"]
    assert labels["pod-security.kubernetes.io/enforce"] == "restricted"


def test_pods_are_restricted(variant):
    for name, pod in variant.pods():
        security = pod["securityContext"]
        if in_gvisor(variant, name):
            assert (pod["runtimeClassName"], security["runAsUser"]) == ("gvisor", 0), name
        else:
            assert security["runAsNonRoot"] is True, name
            assert security["runAsUser"] > 0, name
        assert security["seccompProfile"]["type"] in {"RuntimeDefault", "Localhost"}, name
        for forbidden in ("hostNetwork", "hostPID", "hostIPC", "shareProcessNamespace"):
            assert not pod.get(forbidden), f"{name}: {forbidden}"


def test_containers_are_restricted(variant):
    for name, container in variant.containers():
        security = container["securityContext"]
        assert security["allowPrivilegeEscalation"] is False, name
        assert security["privileged"] is False, name
        assert security["readOnlyRootFilesystem"] is True, name
        added = {"add": CAPABILITIES_IN_GVISOR} if in_gvisor(variant, name) else {}
        assert security["capabilities"] == {"drop": ["ALL"], **added}, name
        assert not {"runAsUser", "runAsNonRoot", "seccompProfile", "procMount"} & security.keys(), name
        assert all("hostPort" not in port for port in container.get("ports", ())), name


def test_volumes_are_nothing_of_the_host(variant):
    allowed = {"configMap", "emptyDir", "secret", "persistentVolumeClaim"}
    for name, pod in variant.pods():
        kinds = {kind for volume in pod["volumes"] for kind in volume.keys() - {"name"}}
        assert kinds <= allowed, name
        for volume in pod["volumes"]:
            assert "emptyDir" not in volume or "sizeLimit" in volume["emptyDir"], f"{name}: {volume['name']}"


def test_pods_hold_no_token_and_learn_of_no_service(variant):
    for name, pod in variant.pods():
        assert pod["automountServiceAccountToken"] is False, name
        assert pod["enableServiceLinks"] is False, name
        assert "serviceAccountName" not in pod, name


def test_requests_equal_limits(variant):
    for name, container in variant.containers():
        resources = container["resources"]
        assert resources["requests"] == resources["limits"], name
        assert {"cpu", "memory", "ephemeral-storage"} <= resources["limits"].keys(), name


def test_work_folders_of_services_lie_in_memory(base):
    for name, pod in base.pods():
        folder = next(volume for volume in pod["volumes"] if volume["name"] == "tmp")["emptyDir"]
        assert folder["medium"] == "Memory", name
        limit = quantity(pod["containers"][0]["resources"]["limits"]["memory"])
        assert quantity(folder["sizeLimit"]) < limit / 2, name


def test_what_starts_before_asks_for_no_more_than_what_runs(variant):
    for name, pod in variant.pods():
        for before in pod.get("initContainers", ()):
            for resource, amount in before["resources"]["limits"].items():
                running = pod["containers"][0]["resources"]["limits"][resource]
                assert quantity(amount) <= quantity(running), f"{name}: {resource}"


@pytest.mark.parametrize("name", ["gvisor", "userns", "gpu"])
def test_a_component_changes_only_the_services_it_is_for(name, render):
    plain, changed = (render(one).of("Deployment") for one in ("base", name))
    touched = {one for one in plain if plain[one] != changed[one]}
    assert touched == {"gpu": {"metrics"}, "gvisor": set(IN_GVISOR), "userns": set(SANDBOXED)}[name]


def test_renderers_never_share_a_user_on_a_node(render):
    """RLIMIT_NPROC counts by user: replicas keep apart, or have users of their own; services differ."""
    base, userns = (render(one).of("Deployment") for one in ("base", "userns"))
    users = [one["spec"]["template"]["spec"]["securityContext"]["runAsUser"] for one in base.values()]
    assert len(set(users)) == len(users)
    for name in SANDBOXED:
        pod, labels = (
            base[name]["spec"]["template"]["spec"],
            base[name]["spec"]["template"]["metadata"]["labels"],
        )
        rules = pod["affinity"]["podAntiAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]
        (rule,) = rules
        assert rule["topologyKey"] == "kubernetes.io/hostname"
        assert rule["labelSelector"]["matchLabels"].items() <= labels.items()
        assert base[name]["spec"]["strategy"]["rollingUpdate"]["maxSurge"] == 0
        alone = userns[name]["spec"]["template"]["spec"]
        assert "requiredDuringSchedulingIgnoredDuringExecution" not in alone["affinity"]["podAntiAffinity"]
        assert alone["hostUsers"] is False


def test_gvisor_is_asked_for_with_its_tier(render):
    labels = render("gvisor").of("Namespace")["image2struct"]["metadata"]["labels"]
    assert labels["pod-security.kubernetes.io/enforce"] == "baseline"
    for name in IN_GVISOR:
        pod = render("gvisor").of("Deployment")[name]["spec"]["template"]["spec"]
        assert pod["runtimeClassName"] == "gvisor"
        variables = {one["name"]: one.get("value") for one in pod["containers"][0]["env"]}
        assert variables[f"I2S_{name.upper().replace('-', '_')}_JAIL_TIER"] == "container"


def test_the_profile_of_the_namespace_tier_exists(render):
    from pathlib import Path

    for name in SANDBOXED:
        pod = render("userns").of("Deployment")[name]["spec"]["template"]["spec"]
        assert pod["hostUsers"] is False
        profile = pod["securityContext"]["seccompProfile"]
        assert profile["type"] == "Localhost"
        file = Path(profile["localhostProfile"]).name
        assert (Path(__file__).resolve().parents[3] / "deploy" / "seccomp" / file).is_file()


def test_a_gpu_is_asked_for_once(render):
    pod = render("gpu").of("Deployment")["metrics"]["spec"]["template"]["spec"]
    assert pod["containers"][0]["resources"]["limits"]["nvidia.com/gpu"] == "1"
    assert pod["nodeSelector"]
