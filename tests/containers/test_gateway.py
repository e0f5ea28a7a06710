"""The gateway of Compose: HTTP on the loopback of this machine, in front of the services."""

import json
import time

import httpx
import pytest

PROGRAM = "import matplotlib.pyplot as plt\nplt.plot([1, 3, 2])\n"


@pytest.fixture
def client(system):
    with httpx.Client(base_url=f"http://127.0.0.1:{system.http}", timeout=240) as one:
        while True:  # the proxy in front of it closes connections until it listens
            try:
                one.get("/v1/live")
            except httpx.TransportError:
                time.sleep(0.5)
            else:
                break
        yield one


def test_every_service_is_behind_it_and_renders(system, client):
    while client.get("/v1/health").json()["status"] != "SERVING":
        time.sleep(1)
    assert set(client.get("/v1/health").json()["services"]) == set(system.ports)
    answer = client.post("/v1/render", json={"python": {"program_text": PROGRAM}})
    assert (answer.status_code, answer.json()["verdict"]) == (200, "VERDICT_RENDERED")


def test_it_is_published_on_the_loopback_alone(system):
    published = system.inspect("http-proxy")["NetworkSettings"]["Ports"]
    assert {one["HostIp"] for many in published.values() for one in many or ()} == {"127.0.0.1"}
    assert not any(system.inspect("gateway")["NetworkSettings"]["Ports"].values())


def test_the_health_check_of_its_container_passes(system, client):
    state = system.inspect("gateway")["State"]
    assert state["Health"]["Status"] in ("starting", "healthy"), json.dumps(state["Health"])
