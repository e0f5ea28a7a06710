"""The gateway in a cluster: what its pods tell it, and how it is found, kept and scaled."""

from __future__ import annotations

from pathlib import Path

import pytest

from i2s_client.service_table import SERVICES
from i2s_gateway import command
from i2s_gateway.settings import GatewaySettings
from i2s_sdk.settings import Settings

NAMES = (
    "gateway",
    "gateway.image2struct",
    "gateway.image2struct.svc",
    "gateway.image2struct.svc.cluster.local",
)


def pod(rendered):
    return rendered.of("Deployment")["gateway"]["spec"]["template"]["spec"]


def container(rendered):
    (only,) = pod(rendered)["containers"]
    return only


def variables(rendered):
    return {one["name"]: one["value"] for one in container(rendered)["env"] if "value" in one}


def settings(rendered, monkeypatch):
    """The settings that the command itself reads from the variables of the pod."""
    for name, value in variables(rendered).items():
        monkeypatch.setenv(name, value)
    seen = []
    monkeypatch.setattr(command, "gateway_runner", lambda: lambda *given: seen.append(given))
    monkeypatch.setattr("i2s_sdk.stack.blocking.run_blocking", lambda _: None)
    command.command.main([], prog_name="http", standalone_mode=False)
    ((_, of_sdk, of_gateway, *_),) = seen
    assert isinstance(of_sdk, Settings)
    assert isinstance(of_gateway, GatewaySettings)
    return of_sdk, of_gateway


def test_it_knows_every_service_by_its_name_in_the_namespace(render, monkeypatch):
    of_sdk, _ = settings(render("gateway"), monkeypatch)
    for service in SERVICES:
        assert of_sdk.address_of(service.name) == f"{service.name}:{service.port}"


def test_its_ports_are_those_of_its_settings(render, monkeypatch):
    rendered = render("gateway")
    _, of_gateway = settings(rendered, monkeypatch)
    ports = {port["name"]: port["containerPort"] for port in container(rendered)["ports"]}
    assert of_gateway.metrics_listen == f"0.0.0.0:{ports['metrics']}"
    assert of_gateway.port == ports["http"]
    exposed = {
        port["name"]: port["targetPort"] for port in rendered.of("Service")["gateway"]["spec"]["ports"]
    }
    assert exposed == {name: name for name in ports}


def test_callers_may_call_it_by_the_names_of_its_service(render, monkeypatch):
    _, of_gateway = settings(render("gateway"), monkeypatch)
    assert of_gateway.hosts == NAMES
    assert set(render("gateway-tls").of("Certificate")["gateway-tls"]["spec"]["dnsNames"]) == set(NAMES)


def test_no_probe_asks_whether_services_serve(render):
    """An absent service would take every gateway from the callers of the others."""
    for probe in ("startupProbe", "readinessProbe", "livenessProbe"):
        assert container(render("gateway"))[probe]["httpGet"] == {"path": "/v1/live", "port": "metrics"}


def test_it_is_killed_only_after_its_drain_which_outlasts_a_request_and_a_batch(render, monkeypatch):
    rendered = render("gateway")
    of_sdk, of_gateway = settings(rendered, monkeypatch)
    wait = container(rendered)["lifecycle"]["preStop"]["sleep"]["seconds"]
    assert pod(rendered)["terminationGracePeriodSeconds"] > wait + of_gateway.drain_seconds
    assert of_gateway.drain_seconds > max(of_sdk.deadline, of_gateway.reward_seconds)


def test_all_that_it_may_hold_fits_into_its_memory(render, monkeypatch):
    """Bodies, which are translated, rewards with their references, and episodes."""
    _, held = settings(render("gateway"), monkeypatch)
    memory = container(render("gateway"))["resources"]["limits"]["memory"]
    assert memory.endswith("Gi")
    all_of_it = 3 * held.bodies_bytes + held.reward_bytes + held.reference_bytes + held.episode_bytes
    assert all_of_it < 0.75 * int(memory.removesuffix("Gi")) * 2**30


def test_a_caller_stays_with_the_replica_that_has_its_uploads_and_episodes(render):
    assert render("gateway").of("Service")["gateway"]["spec"]["sessionAffinity"] == "ClientIP"


def test_with_a_store_replicas_share_episodes(render, monkeypatch):
    rendered = render("gateway-store")
    mounted = {mount["name"]: mount["mountPath"] for mount in container(rendered)["volumeMounts"]}
    assert variables(rendered)["I2S_HTTP_STORE"] == mounted["episodes"]
    (claim,) = (one["persistentVolumeClaim"] for one in pod(rendered)["volumes"] if one["name"] == "episodes")
    volume = rendered.of("PersistentVolumeClaim")[claim["claimName"]]
    assert volume["spec"]["accessModes"] == ["ReadWriteMany"]


def test_there_are_always_two_and_one_goes_at_a_time(render):
    rendered = render("gateway")
    scaler = rendered.of("HorizontalPodAutoscaler")["gateway"]["spec"]
    assert scaler["minReplicas"] >= 2
    assert rendered.of("PodDisruptionBudget")["gateway"]["spec"]["maxUnavailable"] == 1
    rolling = rendered.of("Deployment")["gateway"]["spec"]["strategy"]["rollingUpdate"]
    assert rolling == {"maxSurge": 1, "maxUnavailable": 0}
    (preference,) = pod(rendered)["affinity"]["podAntiAffinity"].values()
    assert preference[0]["podAffinityTerm"]["topologyKey"] == "kubernetes.io/hostname"


def test_it_scales_before_half_of_its_connections_or_of_its_places_for_answers_are_taken(render, monkeypatch):
    _, of_gateway = settings(render("gateway"), monkeypatch)
    metrics = render("gateway").of("HorizontalPodAutoscaler")["gateway"]["spec"]["metrics"]
    pods = {
        metric["pods"]["metric"]["name"]: int(metric["pods"]["target"]["averageValue"])
        for metric in metrics
        if metric["type"] == "Pods"
    }
    assert pods.pop("i2s_gateway_requests_in_progress") < of_gateway.connections / 2
    assert pods.pop("i2s_gateway_reward_answers") < of_gateway.reward_waiting / 2
    assert pods == {}


def test_its_answers_under_way_reach_every_slot_that_renderers_may_have(render, monkeypatch):
    """A renderer says how many slots one replica has, and nothing of the others."""
    rendered = render("gateway")
    scalers = rendered.of("HorizontalPodAutoscaler")
    gateways = scalers["gateway"]["spec"]["minReplicas"]
    under_way = gateways * settings(rendered, monkeypatch)[1].reward_jobs
    for name in ("render-latex", "render-html", "render-lilypond", "render-python"):
        (only,) = rendered.of("Deployment")[name]["spec"]["template"]["spec"]["containers"]
        slots = int(only["resources"]["limits"]["cpu"]) * scalers[name]["spec"]["maxReplicas"]
        assert slots < under_way <= 2 * slots


@pytest.mark.parametrize("name", ["gateway-keda", "together"])
def test_keda_leaves_its_autoscaler(name, render):
    assert set(render(name).of("HorizontalPodAutoscaler")) == {"gateway"}


def test_with_tls_it_speaks_https_and_shows_a_certificate_to_services(render, monkeypatch):
    rendered = render("gateway-tls")
    of_sdk, of_gateway = settings(rendered, monkeypatch)
    folder = next(
        mount["mountPath"] for mount in container(rendered)["volumeMounts"] if mount["name"] == "tls"
    )
    files = [Path(folder) / name for name in ("tls.crt", "tls.key")]
    assert [of_gateway.certificate, of_gateway.key] == files
    assert [of_sdk.tls_ca, of_sdk.tls_cert, of_sdk.tls_key] == [Path(folder) / "ca.crt", *files]
    (secret,) = (
        volume["secret"]["secretName"] for volume in pod(rendered)["volumes"] if volume["name"] == "tls"
    )
    usages = rendered.of("Certificate")[secret]["spec"]["usages"]
    assert usages == ["server auth", "client auth"]


def test_with_tokens_it_serves_no_service_that_asks_for_none(render, monkeypatch):
    rendered = render("gateway-tokens")
    assert settings(rendered, monkeypatch)[1].insecure is False
    assert settings(render("gateway"), monkeypatch)[1].insecure is True
    for name, one in rendered.of("Deployment").items():
        (only,) = one["spec"]["template"]["spec"]["containers"]
        asks = {f"I2S_{name.upper().replace('-', '_')}_ACCESS_FILE"} & {v["name"] for v in only["env"]}
        mounted = {v["name"]: v["mountPath"] for v in only["volumeMounts"]}.get("access")
        assert bool(asks) == bool(mounted) == (name != "gateway"), name
        if asks:
            (file,) = (v["value"] for v in only["env"] if v["name"] in asks)
            assert str(Path(file).parent) == mounted
