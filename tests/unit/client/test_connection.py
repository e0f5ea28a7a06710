"""Options of a channel."""

from __future__ import annotations

import json

import pytest

from i2s.documents.v1 import documents_pb2
from i2s.metrics.v1 import metrics_pb2
from i2s.render.v1 import render_pb2
from i2s_chassis.server.settings import ServiceSettings
from i2s_client.connection import channel_options, target_of
from i2s_client.retry import RetryPolicy


def service_config(**policy: float) -> dict:
    options = dict(channel_options("10.0.0.1:7710", RetryPolicy(**policy)))
    return json.loads(str(options["grpc.service_config"]))


def test_calls_go_round_robin() -> None:
    assert service_config()["loadBalancingConfig"] == [{"round_robin": {}}]


def test_grpc_makes_single_calls_again_at_unavailable_alone() -> None:
    (methods,) = service_config()["methodConfig"]
    assert methods["retryPolicy"]["retryableStatusCodes"] == ["UNAVAILABLE"]
    named = {(one["service"], one["method"]) for one in methods["name"]}
    unary = {
        (service.full_name, method.name)
        for service in (
            render_pb2.DESCRIPTOR.services_by_name["RenderService"],
            metrics_pb2.DESCRIPTOR.services_by_name["MetricsService"],
            documents_pb2.DESCRIPTOR.services_by_name["DocumentsService"],
        )
        for method in service.methods
        if not method.client_streaming
    }
    assert named == unary


@pytest.mark.parametrize("policy", [{}, {"first_pause": 30.0}, {"first_pause": 0.0}])
def test_pauses_of_grpc_are_short_and_of_a_form_that_it_takes(policy: dict[str, float]) -> None:
    pause = service_config(**policy)["methodConfig"][0]["retryPolicy"]["initialBackoff"]
    assert 0.0 < float(pause.removesuffix("s")) <= 0.05


@pytest.mark.parametrize(
    ("address", "target"),
    [
        ("render-latex:7710", "dns:///render-latex:7710"),
        ("127.0.0.1:7710", "dns:///127.0.0.1:7710"),
        ("[::1]:7710", "dns:///[::1]:7710"),
        ("dns:///render-latex.image2struct.svc:7710", "dns:///render-latex.image2struct.svc:7710"),
        ("ipv4:10.0.0.1:7710,10.0.0.2:7710", "ipv4:10.0.0.1:7710,10.0.0.2:7710"),
        ("unix:/run/renderer.sock", "unix:/run/renderer.sock"),
    ],
)
def test_plain_names_are_looked_up_for_all_their_addresses(address: str, target: str) -> None:
    assert target_of(address) == target


@pytest.mark.parametrize(
    ("address", "direct"),
    [
        ("127.0.0.1:7710", True),
        ("127.8.8.8:7710", True),
        ("[::1]:7710", True),
        ("localhost:7710", True),
        ("dns:///localhost:7710", True),
        ("ipv4:127.0.0.1:7710,127.0.0.1:7711", True),
        ("ipv4:127.0.0.1:7710,10.0.0.1:7710", False),
        ("unix:/run/renderer.sock", True),
        ("10.0.0.1:7710", False),
        ("renderers.example:7710", False),
    ],
)
def test_no_proxy_is_asked_for_the_loopback(address: str, direct: bool) -> None:
    assert (("grpc.enable_http_proxy", 0) in channel_options(address)) is direct


def test_a_peer_that_falls_silent_is_noticed_within_half_a_minute_however_long_the_call_is() -> None:
    options = dict(channel_options("10.0.0.1:7710"))
    after = int(options["grpc.keepalive_time_ms"])
    for wait in ("grpc.keepalive_timeout_ms", "grpc.http2.ping_timeout_ms"):
        assert after + int(options[wait]) <= 30_000
    assert options["grpc.http2.max_pings_without_data"] == 0
    permitted = ServiceSettings.model_fields["client_ping_seconds"].default
    assert after > 1000 * float(permitted), "a service cuts off a client that pings more often"
