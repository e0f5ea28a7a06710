"""What the manifests tell the programs is what the programs understand."""

from __future__ import annotations

import importlib
import os
import re
import subprocess
import tomllib
from pathlib import Path

import click
import opentelemetry.environment_variables
import opentelemetry.sdk.environment_variables
import pytest

from i2s_chassis.renderer.settings import RendererSettings
from i2s_chassis.server.settings import Address, ServiceSettings
from i2s_client.service_table import service_row
from i2s_documents.settings import DocumentsSettings
from i2s_gateway.command import command as gateway_command
from i2s_metrics.settings import MetricsSettings
from i2s_sdk.cli.main import group
from i2s_sdk.data.selection import Shard
from i2s_sdk.settings import Settings, setting_names
from i2s_wire.renderers import RENDERER_SPECS

ROOT = Path(__file__).resolve().parents[3]


def settings_of(module: str) -> type[RendererSettings]:
    """The settings of the renderer in a package."""
    (found,) = (
        var
        for var in vars(importlib.import_module(f"{module}.settings")).values()
        if isinstance(var, type) and issubclass(var, RendererSettings) and var.__module__.startswith(module)
    )
    return found


OF: dict[str, type[ServiceSettings]] = {
    **{spec.name: settings_of(f"i2s_{spec.name.replace('-', '_')}") for spec in RENDERER_SPECS},
    "documents": DocumentsSettings,
    "metrics": MetricsSettings,
}
#: Variables that our programs read, but not as settings of ours.
OF_OPENTELEMETRY = {
    *vars(opentelemetry.environment_variables),
    *vars(opentelemetry.sdk.environment_variables),
}
OF_THE_SDK = {f"I2S_{name.upper()}" for name in setting_names()}
OF_THE_GATEWAY = OF_THE_SDK | {str(param.envvar) for param in gateway_command.params if param.envvar}
ORDINARY = {"HOME", "XDG_CACHE_HOME", "POD_NAME", *OF_OPENTELEMETRY}


def pod(rendered, service):
    return rendered.of("Deployment")[service]["spec"]["template"]["spec"]


def container(rendered, service):
    (only,) = pod(rendered, service)["containers"]
    return only


@pytest.fixture
def loaded(base, monkeypatch, tmp_path):
    """Settings of a service as its pod of the base has them, without what Kubernetes fills in."""

    def load(service):
        file = tmp_path / f"{service}.toml"
        file.write_text(base.toml(service))
        for variable in container(base, service)["env"]:
            if "value" in variable:
                monkeypatch.setenv(variable["name"], variable["value"])
        return OF[service].load({"config": file})

    return load


def slots(base, service):
    return int(container(base, service)["resources"]["limits"]["cpu"])


def number(text):
    units = {"Mi": 2**20, "Gi": 2**30}
    return float(text[:-2]) * units[text[-2:]]


def test_every_service_is_here(base):
    assert base.of("Deployment").keys() == OF.keys()


@pytest.mark.parametrize("service", OF)
def test_ports_are_those_of_the_settings(service, base, loaded):
    settings = loaded(service)
    named = {port["name"]: port["containerPort"] for port in container(base, service)["ports"]}
    assert Address.parse(settings.listen).port == OF[service].port
    assert named == {
        "grpc": OF[service].port,
        "health": Address.parse(settings.health_listen).port,
        "metrics": Address.parse(settings.metrics_listen).port,
    }
    assert service_row(service).port == OF[service].port
    exposed = {port["name"]: port["port"] for port in base.of("Service")[service]["spec"]["ports"]}
    assert exposed == {"grpc": named["grpc"], "metrics": named["metrics"]}


@pytest.mark.parametrize("service", OF)
def test_probes_ask_the_plaintext_health_port(service, base, loaded):
    port = Address.parse(loaded(service).health_listen).port
    for probe in ("startupProbe", "readinessProbe", "livenessProbe"):
        assert container(base, service)[probe]["grpc"] == {"port": port}


@pytest.mark.parametrize("service", OF)
def test_a_pod_is_killed_only_after_its_drain(service, base, loaded):
    settings = loaded(service)
    wait = container(base, service)["lifecycle"]["preStop"]["sleep"]["seconds"]
    assert pod(base, service)["terminationGracePeriodSeconds"] > wait + settings.drain_seconds
    assert settings.drain_seconds > settings.limit.wall_seconds


@pytest.mark.parametrize("service", OF)
def test_connections_grow_old_and_calls_on_them_may_end(service, loaded):
    settings = loaded(service)
    assert 0 < settings.max_connection_age_seconds <= 600
    assert settings.max_connection_age_grace_seconds >= Settings().deadline


@pytest.mark.parametrize("service", [one for one in OF if one != "metrics"])
def test_all_slots_at_their_limits_fit_into_the_pod(service, base, loaded):
    settings = loaded(service)
    memory = number(container(base, service)["resources"]["limits"]["memory"])
    folder = next(volume for volume in pod(base, service)["volumes"] if volume["name"] == "tmp")["emptyDir"]
    work = number(folder["sizeLimit"])
    assert slots(base, service) * settings.max.disk_bytes <= work
    assert slots(base, service) * settings.max.memory_bytes + work < memory


@pytest.mark.parametrize("service", OF)
def test_autoscaling_aims_at_three_quarters_of_the_slots(service, base, render):
    for rendered in (base, render("gpu")):
        target = rendered.of("HorizontalPodAutoscaler")[service]["spec"]["metrics"][0]["pods"]["target"]
        value = target["averageValue"]
        wanted = float(value[:-1]) / 1000 if value.endswith("m") else float(value)
        assert wanted == 0.75 * slots(rendered, service)


@pytest.mark.parametrize("service", OF)
def test_keda_aims_at_the_same(service, render):
    trigger = render("keda").of("ScaledObject")[service]["spec"]["triggers"][0]
    assert float(trigger["metadata"]["threshold"]) == 0.75 * slots(render("keda"), service)
    assert render("keda").of("HorizontalPodAutoscaler") == {}


def test_variables_of_pods_are_settings(variant):
    known = {leaf.variable: leaf for settings in OF.values() for leaf in settings.leaves()}
    for name, one in variant.of("Deployment").items():
        variables = one["spec"]["template"]["spec"]["containers"][0]["env"]
        assert len({variable["name"] for variable in variables}) == len(variables)
        for variable in variables:
            if name == "gateway":
                assert variable["name"] in OF_THE_GATEWAY | ORDINARY, name
            elif variable["name"] not in ORDINARY:
                assert variable["name"] in known, name
                assert variable["name"].startswith(f"I2S_{name.replace('-', '_').upper()}_")


@pytest.mark.parametrize("service", OF)
def test_slots_follow_the_processors_of_the_pod(service, base):
    name = f"I2S_{service.replace('-', '_').upper()}_SLOTS"
    (variable,) = (one for one in container(base, service)["env"] if one["name"] == name)
    assert variable["valueFrom"]["resourceFieldRef"]["resource"] == "limits.cpu"


@pytest.mark.parametrize("service", OF)
def test_options_of_pods_are_options_of_the_command(service, base):
    known = {leaf.option for leaf in OF[service].leaves()}
    arguments = container(base, service)["args"]
    assert arguments[0] == "serve"
    given = [argument for argument in arguments if argument.startswith("--")]
    assert set(given) <= known
    file = arguments[arguments.index("--config") + 1]
    mounts = {mount["name"]: mount["mountPath"] for mount in container(base, service)["volumeMounts"]}
    assert str(Path(file).parent) == mounts["settings"]


@pytest.mark.parametrize("service", OF)
def test_with_tls_a_service_refuses_plain_text(service, render, monkeypatch, tmp_path):
    rendered = render("tls")
    file = tmp_path / "service.toml"
    file.write_text(rendered.toml(service))
    for variable in container(rendered, service)["env"]:
        if "value" in variable:
            monkeypatch.setenv(variable["name"], variable["value"])
    settings = OF[service].load({"config": file})
    assert settings.insecure is False
    mounts = {mount["name"]: mount["mountPath"] for mount in container(rendered, service)["volumeMounts"]}
    for path, name in (
        (settings.tls_cert, "tls.crt"),
        (settings.tls_key, "tls.key"),
        (settings.tls_client_ca, "ca.crt"),
    ):
        assert path == Path(mounts["tls"]) / name


@pytest.mark.parametrize("service", OF)
def test_the_settings_file_says_nothing_that_is_the_default(service, base):
    defaults = {"/".join(leaf.path): leaf.default for leaf in OF[service].leaves()}
    for key, value in tomllib.loads(base.toml(service)).items():
        if not isinstance(value, dict) and key not in {"formats_bytes"}:
            assert defaults[key] != value, key


def script(rendered, job):
    (only,) = rendered.of("Job")[job]["spec"]["template"]["spec"]["containers"]
    assert only["command"] == ["sh", "-euc"]
    return only["args"][0]


@pytest.mark.parametrize("job", ["evaluate", "merge"])
def test_options_of_jobs_are_options_of_the_command(job, render):
    text = script(render(job), job)
    assert f"i2s-sdk {job} " in text
    command = group.get_command(click.Context(group), job)
    known = {option for parameter in command.params for option in parameter.opts}
    assert set(re.findall(r"(?<![\w-])--[a-z-]+", text)) <= known


def test_variables_of_jobs_are_settings_or_used_in_the_script(render):
    (config,) = render("evaluate").of("ConfigMap").values()
    used = {
        name for job in ("evaluate", "merge") for name in re.findall(r"\$\{?(\w+)", script(render(job), job))
    }
    for name in config["data"]:
        assert name in OF_THE_SDK | used, name
    ours = {name: value for name, value in config["data"].items() if name in OF_THE_SDK}
    settings = Settings.load(environ=ours)
    for service, program in OF.items():
        assert settings.address_of(service) == f"{service}:{program.port}"


def test_shards_are_as_many_as_the_job_has_indices(render):
    job = render("evaluate").of("Job")["evaluate"]["spec"]
    (config,) = render("evaluate").of("ConfigMap").values()
    assert job["completionMode"] == "Indexed"
    assert int(config["data"]["SHARDS"]) == job["completions"]


def test_indices_from_zero_become_shards_from_one(render, tmp_path):
    """The script itself, run by a shell; in the place of i2s-sdk a program that says how it was called."""
    program = tmp_path / "i2s-sdk"
    program.write_text('#!/bin/sh\nprintf "%s\\n" "$@"\n')
    program.chmod(0o755)
    (config,) = render("evaluate").of("ConfigMap").values()
    text = script(render("evaluate"), "evaluate")
    seen = []
    for index in range(int(config["data"]["SHARDS"])):
        environment = {
            **config["data"],
            "PATH": f"{tmp_path}:{os.environ['PATH']}",
            "JOB_COMPLETION_INDEX": str(index),
            "DATA": "a folder",
            "OPTIONS": "--max-tokens 7",
        }
        ran = subprocess.run(
            ["sh", "-euc", text], env=environment, capture_output=True, text=True, check=True
        )
        words = ran.stdout.splitlines()
        assert words[words.index("--data") + 1] == "a folder"
        assert words[words.index("--max-tokens") + 1] == "7"
        seen.append((Shard.parse(words[words.index("--shard") + 1]), words[words.index("--out") + 1]))
    assert [shard.index for shard, _ in seen] == [1, 2, 3, 4]
    assert len({out for _, out in seen}) == len(seen)
    merged = subprocess.run(
        ["sh", "-euc", script(render("merge"), "merge")],
        env={**config["data"], "PATH": f"{tmp_path}:{os.environ['PATH']}"},
        capture_output=True,
        text=True,
        check=True,
    )
    words = merged.stdout.splitlines()
    assert words[: words.index("--out")] == ["merge", *(out for _, out in seen)]
    assert words[-1] == f"{config['data']['RUN']}/whole"


def test_both_jobs_may_use_the_keys_of_the_store_and_only_one_those_of_the_model(render):
    for job, keys in (("evaluate", {"model-keys", "store-keys"}), ("merge", {"store-keys"})):
        (sdk,) = render(job).of("Job")[job]["spec"]["template"]["spec"]["containers"]
        assert {one["secretRef"]["name"] for one in sdk["envFrom"] if "secretRef" in one} == keys


def test_a_run_on_a_volume_finds_it_in_both_jobs(render):
    for job in ("evaluate", "merge"):
        rendered = render(f"{job}-volume")
        assert set(rendered.of("PersistentVolumeClaim")) == {"runs"}
        spec = rendered.of("Job")[job]["spec"]["template"]["spec"]
        assert {"name": "runs", "persistentVolumeClaim": {"claimName": "runs"}} in spec["volumes"]
        assert {"name": "runs", "mountPath": "/runs"} in spec["containers"][0]["volumeMounts"]
        assert not render(job).of("PersistentVolumeClaim")


def test_certificates_are_for_the_names_that_clients_use(render):
    rendered = render("tls")
    made = {one["spec"]["secretName"]: one["spec"] for one in rendered.of("Certificate").values()}
    issuers = rendered.of("Issuer")
    for service in OF:
        secret = next(
            volume["secret"] for volume in pod(rendered, service)["volumes"] if volume["name"] == "tls"
        )
        certificate = made[secret["secretName"]]
        assert {service, f"{service}.image2struct.svc"} <= set(certificate["dnsNames"])
    assert all(one["issuerRef"]["name"] in issuers for one in made.values())
    for job in ("evaluate", "merge"):
        spec = render(f"{job}-tls").of("Job")[job]["spec"]["template"]["spec"]
        (secret,) = (volume["secret"]["secretName"] for volume in spec["volumes"] if volume["name"] == "tls")
        assert made[secret]["usages"] == ["client auth"]
