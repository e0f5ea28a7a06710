"""Hostile sources against the containers: the right verdict, and the next good image is the same bytes."""

import pytest

from hostile_sources import ATTACKS, GOOD
from i2s_sdk import Limits, RenderClient, RenderRequest, RetryPolicy

LIMITS = Limits(cpu_seconds=3.0, wall_seconds=30.0)
MARK = "root:"  # of /etc/passwd


CASES = [(service, name) for service, attacks in ATTACKS.items() for name in attacks]


@pytest.fixture(scope="module")
def renderers(system):
    clients = {}
    for service in ATTACKS:
        client = clients[service] = RenderClient(
            f"127.0.0.1:{system.ports[service]}", retry=RetryPolicy(total_seconds=240)
        )
    yield clients
    for client in clients.values():
        client.close()


@pytest.fixture(scope="module")
def good(renderers):
    return {service: pictures(renderers[service], GOOD[service]) for service in GOOD}


def pictures(renderer, source):
    rendering = renderer.render(RenderRequest(source))
    assert rendering.verdict.has_picture, rendering.message
    return [picture.png for picture in rendering.pictures]


def started_at(system, service):
    return system.inspect(service)["State"]["StartedAt"], system.inspect(service)["RestartCount"]


@pytest.mark.parametrize(("service", "name"), CASES)
def test_an_attack_ends_in_a_verdict_and_leaves_nothing(system, renderers, good, service, name):
    source, verdicts = ATTACKS[service][name]
    before = started_at(system, service)
    rendering = renderers[service].render(RenderRequest(source, limits=LIMITS))
    assert rendering.verdict.name in verdicts, rendering.message
    assert MARK not in rendering.message
    assert pictures(renderers[service], GOOD[service]) == good[service]
    assert started_at(system, service) == before
    left = system.python(service, "import os; print([n for n in os.listdir('/tmp') if n == 'owned'])")
    assert left.strip() == "[]"
