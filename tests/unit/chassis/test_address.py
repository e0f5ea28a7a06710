import socket

import pytest

from i2s_chassis.address import Address


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("127.0.0.1:0", Address("127.0.0.1", 0)),
        ("[::1]:65535", Address("::1", 65535)),
        ("render-latex:7710", Address("render-latex", 7710)),
    ],
)
def test_address_reads_and_writes(text, address):
    assert Address.parse(text) == address
    assert str(address) == text


@pytest.mark.parametrize(
    "text", ["", "7710", ":7710", "host:", "host:65536", "::1:80", "[::1]", "unix:/x", "a:-1"]
)
def test_other_forms_are_refused(text):
    with pytest.raises(ValueError, match="host:port"):
        Address.parse(text)


def test_name_that_is_not_localhost_is_not_taken_for_loopback():
    assert not Address("localhost.example.org", 1).is_loopback


@pytest.mark.parametrize("host", ["127.0.0.1", "0.0.0.0"])
def test_an_address_is_taken_once_somebody_listens_there(host: str) -> None:
    with socket.socket() as other:
        other.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        other.bind(("127.0.0.1", 0))
        address = Address(host, other.getsockname()[1])
        assert not address.is_taken
        other.listen()
        assert address.is_taken


@pytest.mark.parametrize("address", [Address("192.0.2.1", 7710), Address("127.0.0.1", 0)])
def test_an_address_that_is_not_of_this_machine_or_any_free_one_is_not_taken(address: Address) -> None:
    assert not address.is_taken
