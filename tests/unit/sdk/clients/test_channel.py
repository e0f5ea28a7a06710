"""Options of a channel."""

from __future__ import annotations

import pytest

from i2s_sdk.clients.channel import channel_options


def test_retries_of_grpc_are_off() -> None:
    assert ("grpc.enable_retries", 0) in channel_options("10.0.0.1:7710")


@pytest.mark.parametrize(
    ("address", "direct"),
    [
        ("127.0.0.1:7710", True),
        ("127.8.8.8:7710", True),
        ("[::1]:7710", True),
        ("localhost:7710", True),
        ("10.0.0.1:7710", False),
        ("renderers.example:7710", False),
    ],
)
def test_no_proxy_is_asked_for_the_loopback(address: str, direct: bool) -> None:
    assert (("grpc.enable_http_proxy", 0) in channel_options(address)) is direct
