import socket
from pathlib import Path
from typing import ClassVar

import pytest
from pydantic import Field

from i2s_chassis.errors import ServiceSettingsError
from i2s_chassis.limits import DEFAULT_LIMITS, MAX_LIMITS, Limits
from i2s_chassis.server.settings import Address, ServiceSettings


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


class Plain(ServiceSettings):
    service: ClassVar[str] = "plain"
    port: ClassVar[int] = 7791


class Heavy(Plain):
    limit: Limits = Field(Limits(memory_bytes=3 << 30), description="Default of a job.")


def test_default_address_is_the_service_port_on_loopback():
    assert Plain.load({}).listen == "127.0.0.1:7791"
    assert next(leaf.default for leaf in Plain.leaves() if leaf.path == ("listen",)) == "127.0.0.1:7791"


def test_limits_are_a_default_and_a_maximum_each():
    table = Plain.load({"limit": {"cpu_seconds": "3"}, "max": {"pages": "60"}}).limit_table()
    assert (table.default.cpu_seconds, table.default.pages) == (3.0, DEFAULT_LIMITS.pages)
    assert (table.maximum.pages, table.maximum.cpu_seconds) == (60, MAX_LIMITS.cpu_seconds)


def test_subclass_has_defaults_of_its_own_for_limits():
    assert Heavy.load({}).limit.memory_bytes == 3 << 30
    assert Heavy.load({"limit": {"pages": "1"}}).limit == Limits(memory_bytes=3 << 30, pages=1)


@pytest.mark.parametrize("listen", ["0.0.0.0:0", "[::]:0", "192.0.2.1:80", "example.org:80"])
def test_address_that_others_can_reach_needs_tls_or_insecure(listen):
    with pytest.raises(ServiceSettingsError, match="--insecure"):
        Plain.load({"listen": listen})
    assert Plain.load({"listen": listen, "insecure": True}).listen == listen
    tls = {"listen": listen, "tls_cert": "c", "tls_key": "k"}
    with pytest.raises(ServiceSettingsError, match="--access-file or --tls-client-ca"):
        Plain.load(tls)
    for authentication in ({"access_file": "a"}, {"tls_client_ca": "ca"}, {"insecure": True}):
        assert Plain.load(tls | authentication).listen == listen


def test_tokens_are_not_taken_without_tls_where_others_can_listen():
    with pytest.raises(ServiceSettingsError, match="without TLS"):
        Plain.load({"listen": "0.0.0.0:0", "access_file": "a"})


@pytest.mark.parametrize("name", ["health_listen", "metrics_listen"])
def test_monitoring_that_others_can_reach_is_wanted_in_so_many_words(name):
    option = "--" + name.replace("_", "-")
    with pytest.raises(ServiceSettingsError, match=rf"{option} 0.0.0.0:1 .*--insecure-monitoring"):
        Plain.load({name: "0.0.0.0:1"})
    for flag in ("insecure_monitoring", "insecure"):
        assert getattr(Plain.load({name: "0.0.0.0:1", flag: True}), name) == "0.0.0.0:1"
    assert getattr(Plain.load({name: "127.0.0.1:1"}), name) == "127.0.0.1:1"


def test_quotas_and_pushback_are_settings():
    loaded = Plain.load({"quota": {"jobs_per_minute": "60"}, "pushback": {"max_seconds": "5"}})
    assert (loaded.quota.jobs_per_minute, loaded.quota.slots) == (60.0, 0)
    assert (loaded.pushback.max_seconds, loaded.pushback.first_seconds) == (5.0, 1.0)
    with pytest.raises(ServiceSettingsError, match="quota"):
        Plain.load({"quota": {"slots": "-1"}})
    with pytest.raises(ServiceSettingsError, match="pushback"):
        Plain.load({"pushback": {"first_seconds": "100"}})


@pytest.mark.parametrize("listen", ["127.0.0.1:0", "127.9.9.9:1", "[::1]:0", "localhost:0"])
def test_loopback_needs_no_tls(listen):
    assert Plain.load({"listen": listen}).listen == listen


def test_reflection_is_automatic_on_loopback_only():
    assert Plain.load({}).reflects
    assert not Plain.load({"listen": "0.0.0.0:0", "insecure": True}).reflects
    assert Plain.load({"listen": "0.0.0.0:0", "insecure": True, "reflection": "on"}).reflects
    assert not Plain.load({"reflection": "off"}).reflects


def test_sizes_may_be_written_with_units():
    assert Plain.load({"max_request_bytes": "1MiB"}).max_request_bytes == 1 << 20


def test_default_above_its_maximum_is_refused():
    with pytest.raises(ServiceSettingsError, match="cpu_seconds"):
        Plain.load({"max": {"cpu_seconds": "1"}})


def test_every_setting_has_a_description():
    assert [leaf.option for leaf in Plain.leaves() if not leaf.description.endswith(".")] == []


def test_every_setting_stands_in_the_page_for_operators():
    page = (Path(__file__).parents[4] / "docs/services.md").read_text()
    options = [leaf.option for leaf in Plain.leaves() if len(leaf.path) == 1]
    limits = [leaf.path[1] for leaf in Plain.leaves() if len(leaf.path) == 2]
    assert [name for name in options + limits if f"`{name}`" not in page] == []


def test_setting_named_like_a_limit_is_refused_where_it_is_defined():
    with pytest.raises(TypeError, match="max_pages"):

        class Clash(Plain):
            max_pages: int = Field(1, description="Clashes with pages in the table max.")
