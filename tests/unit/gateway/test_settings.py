"""Settings of the HTTP gateway."""

import pytest

from i2s_gateway.settings import GatewaySettings
from i2s_sdk.errors import SettingsError


def test_addresses_are_read():
    four, six = GatewaySettings(listen="127.0.0.2:80"), GatewaySettings(listen="[::1]:0")
    assert (four.host, four.port, four.is_loopback) == ("127.0.0.2", 80, True)
    assert (six.host, six.port, six.is_loopback) == ("::1", 0, True)
    assert GatewaySettings(listen="localhost:1").is_loopback
    for others in ("0.0.0.0:80", "[::]:80", "example.org:80"):
        assert not GatewaySettings(listen=others, insecure=True).is_loopback
        with pytest.raises(SettingsError, match="--https-cert"):
            GatewaySettings(listen=others)


@pytest.mark.parametrize(
    ("chosen", "told"),
    [
        ({"listen": "7780"}, "--listen"),
        ({"listen": ":7780"}, "--listen"),
        ({"listen": "localhost:http"}, "--listen"),
        ({"listen": "localhost:65536"}, "--listen"),
        ({"metrics_listen": "9090"}, "--metrics-listen"),
        ({"certificate": "a"}, "--https-key"),
        ({"wait_seconds": -1.0}, "--wait-seconds"),
        ({"origins": ("example.org",)}, "--allow-origin"),
        ({"origins": ("https://example.org/",)}, "--allow-origin"),
        ({"body_bytes": 0}, "--body-bytes"),
        ({"body_bytes": 2, "bodies_bytes": 3}, "--bodies-bytes"),
        ({"body_rate": 0}, "--body-rate"),
        ({"connections": 0}, "--connections"),
        ({"header_seconds": 0.0}, "--header-seconds"),
        ({"body_seconds": float("nan")}, "--body-seconds"),
        ({"drain_seconds": float("inf")}, "--drain-seconds"),
    ],
)
def test_what_has_no_meaning_is_refused_by_its_option(chosen, told):
    with pytest.raises(SettingsError, match=told):
        GatewaySettings(**chosen)
