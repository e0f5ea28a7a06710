"""The identity of a caller."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import pytest

from i2s_chassis.callers.caller import caller_of, listed_as, peer_host


class Context:
    def __init__(self, peer: str, established: Mapping[str, Iterable[bytes]] | None = None) -> None:
        self._peer, self._established = peer, established or {}

    def peer(self) -> str:
        return self._peer

    def auth_context(self) -> Mapping[str, Iterable[bytes]]:
        return self._established


@pytest.mark.parametrize(
    ("peer", "host"),
    [
        ("ipv4:10.0.0.7:41234", "10.0.0.7"),
        ("ipv6:%5B::1%5D:123", "::1"),
        ("ipv6:[::1]:123", "::1"),
        ("ipv6:%5B::ffff:10.0.0.7%5D:123", "10.0.0.7"),
        ("ipv6:%5B2001:db8::5%5D:123", "2001:db8::/64"),
        ("ipv6:%5Bfe80::5%25eth0%5D:123", "fe80::/64"),
        ("unix:/run/i2s.sock", "unix:/run/i2s.sock"),
    ],
)
def test_host_of_a_peer(peer: str, host: str) -> None:
    assert peer_host(peer) == host


def test_another_port_or_ipv6_address_is_the_same_caller() -> None:
    assert caller_of(Context("ipv4:10.0.0.7:1")) == caller_of(Context("ipv4:10.0.0.7:2"))
    assert caller_of(Context("ipv6:%5B2001:db8::5%5D:1")) == caller_of(Context("ipv6:%5B2001:db8::6%5D:1"))


def test_verified_identities_come_before_the_address() -> None:
    plain = Context("ipv4:10.0.0.7:1")
    certified = Context("ipv4:10.0.0.7:1", {"x509_common_name": (b"lab",)})
    assert caller_of(plain) == "peer:10.0.0.7"
    with listed_as("batch"):
        assert caller_of(plain) == "caller:batch"
        assert caller_of(certified) == "caller:batch"
    assert caller_of(certified) == "cert:lab"
    assert caller_of(plain) == "peer:10.0.0.7"


def test_a_name_cannot_be_mistaken_for_another_kind() -> None:
    named = Context("ipv4:1.2.3.4:5", {"x509_common_name": (b"peer:10.0.0.7",)})
    assert caller_of(named) != caller_of(Context("ipv4:10.0.0.7:5"))
