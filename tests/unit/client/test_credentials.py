"""Tokens: where they come from, and that nobody sees them."""

from __future__ import annotations

import asyncio
from pathlib import Path

import grpc
import pytest

from i2s_client import AsyncRenderClient, RenderClient
from i2s_client.connection import call_metadata, on_behalf_of
from i2s_client.credentials import Token, read_token, tls_credentials
from i2s_sdk.errors import SettingsError
from i2s_sdk.settings import Settings
from i2s_sdk.settings_sources import SECRETS

SECRET = "i2s_0123456789abcdef"


def test_nobody_sees_a_token_that_is_printed() -> None:
    settings = Settings.load(environ={"I2S_TOKEN": SECRET})
    token = settings.token_for("metrics")
    assert token is not None
    assert token.authorization == f"Bearer {SECRET}"
    for shown in (repr(token), str(token), repr(settings), f"{[token]}"):
        assert SECRET not in shown


@pytest.mark.parametrize("secret", ["a b", "a\n", "\x00", "ä", "x" * 513])
def test_what_cannot_be_sent_is_no_token(secret: str) -> None:
    with pytest.raises(SettingsError, match="I2S_TOKEN") as caught:
        Settings.load(environ={"I2S_TOKEN": secret})
    assert secret not in caught.value.message


def test_the_closest_token_counts(tmp_path: Path) -> None:
    file = tmp_path / "token"
    file.write_text("from-file\n")
    of_all = {"I2S_TOKEN": "of-all"}
    own_file = {**of_all, "I2S_TOKEN_FILE_RENDER_HTML": str(file)}
    own = {**own_file, "I2S_TOKEN_RENDER_HTML": "own"}
    for environ, wanted in ((of_all, "of-all"), (own_file, "from-file"), (own, "own")):
        assert Settings.load(environ=environ).token_for("render-html") == Token(wanted, "")
        assert Settings.load(environ=environ).token_for("metrics") == Token("of-all", "")
    assert Settings.load({"token_file": file}, environ={}).token_for("metrics") == Token("from-file", "")
    assert Settings.load(environ={}).token_for("metrics") is None


@pytest.mark.parametrize("name", SECRETS)
def test_a_token_is_given_neither_on_a_command_line_nor_in_a_file_of_settings(
    name: str, tmp_path: Path
) -> None:
    file = tmp_path / "i2s.toml"
    file.write_text(f'{name} = "{SECRET}"\n')
    for load in (
        lambda: Settings.load({name: SECRET}, environ={}),
        lambda: Settings.load(config=file, environ={}),
    ):
        with pytest.raises(SettingsError, match=name.upper()) as caught:
            load()
        assert SECRET not in caught.value.message


@pytest.mark.parametrize("content", [None, b"", b"two words", b"\xff\xfe", b"x" * 5000])
def test_a_file_without_a_token_is_one_line(content: bytes | None, tmp_path: Path) -> None:
    file = tmp_path / "token"
    if content is not None:
        file.write_bytes(content)
    with pytest.raises(SettingsError, match="--token-file") as caught:
        read_token(file)
    assert "\n" not in caught.value.message


@pytest.mark.parametrize("address", ["render-latex:7710", "10.0.0.7:7710", "ipv4:127.0.0.1:1,10.0.0.7:1"])
def test_a_token_does_not_leave_the_machine_without_tls(address: str) -> None:
    with pytest.raises(SettingsError, match="without TLS"):
        RenderClient(address, token=Token(SECRET, ""))
    RenderClient(address, token=Token(SECRET, ""), credentials=grpc.ssl_channel_credentials()).close()


@pytest.mark.parametrize("address", ["127.0.0.1:7710", "[::1]:7710", "localhost:7710", "unix:/run/i2s"])
def test_on_the_loopback_a_token_needs_no_tls(address: str) -> None:
    RenderClient(address, token=Token(SECRET, "")).close()


def test_every_call_has_a_name_of_its_own() -> None:
    names = {dict(call_metadata(None))["x-request-id"] for _ in range(100)}
    assert len(names) == 100
    assert "authorization" not in dict(call_metadata(None))


def test_without_certificates_to_check_against_there_is_no_tls() -> None:
    assert tls_credentials(None) is None


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="nowhere"):
        tls_credentials(tmp_path / "nowhere")


def test_files_become_credentials(tmp_path: Path) -> None:
    (tmp_path / "ca.pem").write_text("")
    assert isinstance(tls_credentials(tmp_path / "ca.pem"), grpc.ChannelCredentials)


async def test_calls_on_behalf_of_a_caller_have_its_credentials_alone() -> None:
    async with AsyncRenderClient("127.0.0.1:1", token=Token(SECRET, "")) as client:
        with on_behalf_of("Bearer theirs"):
            passed = dict(await asyncio.create_task(_metadata(client)))
            with on_behalf_of(""):
                anonymous = dict(client.metadata())
        assert passed["authorization"] == "Bearer theirs"
        assert "authorization" not in anonymous
        assert dict(client.metadata())["authorization"] == f"Bearer {SECRET}"


async def _metadata(client: AsyncRenderClient) -> tuple[tuple[str, str], ...]:
    return client.metadata()


async def test_the_credentials_of_a_caller_do_not_leave_the_machine_without_tls() -> None:
    async with AsyncRenderClient("10.0.0.7:7710") as client:
        with on_behalf_of("Bearer theirs"), pytest.raises(SettingsError, match="without TLS") as caught:
            client.metadata()
        assert "theirs" not in caught.value.message
        with on_behalf_of(""):
            client.metadata()
