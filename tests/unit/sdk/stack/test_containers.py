"""Containers are restricted as the rules want it, and by ``up --docker`` as by Compose."""

import json
import re

import pytest
import yaml

from docker_engine import ROOT
from i2s_client.service_table import OWN_SERVICES, service_row
from i2s_sdk.errors import StackError
from i2s_sdk.stack import containers
from i2s_sdk.stack.containers import (
    container_options,
    image_of,
    network_options,
    remove_containers,
    stop_seconds,
)

COMPOSE = yaml.safe_load((ROOT / "deploy/compose/compose.yaml").read_text(encoding="utf-8"))
SERVICES = COMPOSE["services"]
OURS = sorted(OWN_SERVICES)
CONTAINERS = [*OURS, "proxy"]
CLOSED = {"com.docker.network.bridge.inhibit_ipv4": "true"}
UNITS = {"k": 1024, "m": 1024**2, "g": 1024**3}


def as_bytes(text):
    return int(text[:-1]) * UNITS[text[-1]]


@pytest.mark.parametrize("name", SERVICES)
def test_no_container_of_compose_has_privilege_or_the_engines_socket(name):
    service = SERVICES[name]
    assert service["cap_drop"] == ["ALL"]
    assert service["read_only"] is True
    assert service["init"] is True
    assert "no-new-privileges" in service["security_opt"]
    for key in ("privileged", "cap_add", "devices", "pid", "ipc", "network_mode", "userns_mode"):
        assert key not in service, key
    assert "unconfined" not in json.dumps(service)
    assert "docker.sock" not in json.dumps(service)
    assert service["mem_limit"] == service["memswap_limit"]
    assert service["pids_limit"] > 0
    for mount in service["tmpfs"]:
        assert re.search(r"size=\d+[mg]", mount)
        assert re.search(r"nr_inodes=\d+k", mount)
        assert {"nosuid", "nodev"} <= set(mount.split(":")[1].split(","))


@pytest.mark.parametrize("name", OURS)
def test_a_service_is_alone_in_a_network_that_leads_nowhere(name):
    assert SERVICES[name]["networks"] == [name]
    network = COMPOSE["networks"][name]
    assert network["internal"] is True
    assert network["driver_opts"] == CLOSED
    assert SERVICES[name]["dns"] == ["127.0.0.1"]
    assert "ports" not in SERVICES[name]
    others = {other for other, service in SERVICES.items() if name in service["networks"]} - {name}
    assert others == {"proxy", "sdk", "gateway"}


def test_the_gateway_is_in_no_network_that_leads_anywhere_and_knows_every_service():
    gateway = SERVICES["gateway"]
    assert set(gateway["networks"]) == {"gateway", *OURS}
    assert COMPOSE["networks"]["gateway"]["internal"] is True
    assert "ports" not in gateway
    addresses = {f"I2S_{name.upper().replace('-', '_')}": f"{name}:{service_row(name).port}" for name in OURS}
    assert addresses.items() <= gateway["environment"].items()


def test_http_is_reached_from_the_loopback_alone_and_only_where_it_is_asked_for():
    proxy = SERVICES["http-proxy"]
    assert proxy["networks"] == ["front", "gateway"]
    assert all(port.startswith("127.0.0.1:") for port in proxy["ports"])
    assert proxy["profiles"] == SERVICES["gateway"]["profiles"] == ["http"]


def test_the_proxy_listens_at_the_loopback_alone():
    assert len(SERVICES["proxy"]["ports"]) == 2 * len(OURS)
    assert all(port.startswith("127.0.0.1:") for port in SERVICES["proxy"]["ports"])


@pytest.mark.parametrize("name", OURS)
def test_calls_and_metrics_of_each_service_are_reached_from_this_machine(name):
    row = service_row(name)
    ports = {row.port: row.port, row.port + 2000: 9090}
    variable = f"I2S_{name.upper().replace('-', '_')}"
    image = (ROOT / f"deploy/images/{name}.Dockerfile").read_text(encoding="utf-8")
    assert f"{variable}_METRICS_LISTEN=0.0.0.0:9090" in image
    for (port, inside), kind in zip(ports.items(), ("PORT", "METRICS_PORT"), strict=True):
        assert f"{port}={name}:{inside}" in SERVICES["proxy"]["command"]
        assert f"127.0.0.1:${{{variable}_{kind}:-{port}}}:{port}" in SERVICES["proxy"]["ports"]


def test_the_configuration_of_prometheus_reads_all_services():
    text = (ROOT / "deploy/compose/prometheus.yaml").read_text(encoding="utf-8")
    (job,) = yaml.safe_load(text)["scrape_configs"]
    found = {
        static_config["labels"]["service"]: static_config["targets"]
        for static_config in job["static_configs"]
    }
    assert found == {name: [f"127.0.0.1:{service_row(name).port + 2000}"] for name in OURS}


def test_without_an_engine_the_message_says_how_to_start_one(tmp_path, monkeypatch):
    pytest.importorskip("docker", reason="i2s-sdk[docker] is not installed")
    monkeypatch.setenv("DOCKER_HOST", f"unix://{tmp_path}/no.sock")
    with pytest.raises(
        StackError, match=r"(start one with: systemctl|start one as root with|install one with)"
    ):
        remove_containers(tmp_path)


def test_no_two_services_run_as_the_same_user():
    users = [SERVICES[name]["user"] for name in CONTAINERS]
    assert len(set(users)) == len(users)
    assert all(int(user.split(":")[0]) > 10_000 for user in users)


@pytest.mark.parametrize("name", CONTAINERS)
def test_docker_is_told_all_that_the_file_says_of_a_container(name):
    pytest.importorskip("docker", reason="i2s-sdk[docker] is not installed")
    service, options = SERVICES[name], container_options(name, processors=2)
    same = {"user", "environment", "dns", "init", "read_only", "cap_drop", "pids_limit", "entrypoint"}
    for key in same & service.keys():
        assert options[key] == service[key]
    assert options["privileged"] is False
    assert as_bytes(options["mem_limit"]) == as_bytes(options["memswap_limit"]) > 0
    path, _, mount = service["tmpfs"][0].partition(":")
    assert options["tmpfs"] == {path: mount}
    assert options["restart_policy"] == {"Name": service["restart"]}
    assert {ulimit["Name"]: ulimit["Hard"] for ulimit in options["ulimits"]} == service["ulimits"]
    assert options["log_config"]["Config"] == service["logging"]["options"]
    profiles = [one for one in options["security_opt"] if one.startswith("seccomp=")]
    wanted = [one for one in service["security_opt"] if one.startswith("seccomp:")]
    assert len(profiles) == len(wanted)
    if profiles:
        file = ROOT / "deploy/compose" / wanted[0].removeprefix("seccomp:")
        assert json.loads(profiles[0].removeprefix("seccomp=")) == json.loads(
            file.read_text(encoding="utf-8")
        )
    assert image_of(name) == f"i2s-{'sdk' if name == 'proxy' else name}:latest"
    assert stop_seconds(name) == 45


def test_an_option_that_is_not_known_is_no_option_that_is_ignored(monkeypatch):
    document = {"services": {"new": {"image": "i2s-new:latest", "sysctls": {"net.core.somaxconn": 1024}}}}
    monkeypatch.setattr(containers, "_document", lambda: document)
    with pytest.raises(KeyError, match="sysctls"):
        container_options("new", processors=2)


@pytest.mark.parametrize("name", OURS)
def test_networks_lead_nowhere(name):
    assert network_options(name) == {"internal": True, "options": CLOSED}


def test_variables_are_those_of_compose(monkeypatch):
    monkeypatch.delenv("I2S_CPUS", raising=False)
    assert container_options("metrics", processors=64)["nano_cpus"] == 2 * 10**9
    assert container_options("proxy", processors=64)["nano_cpus"] == 10**9 // 2
    monkeypatch.setenv("I2S_CPUS", "8")
    monkeypatch.setenv("I2S_TAG", "1.2")
    assert container_options("metrics", processors=64)["nano_cpus"] == 8 * 10**9
    assert image_of("metrics") == "i2s-metrics:1.2"
    assert container_options("metrics", processors=1)["nano_cpus"] == 10**9
