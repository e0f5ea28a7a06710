"""``i2s-sdk http`` and the gateway of ``i2s-sdk up``: what is said before anything is started."""

from __future__ import annotations

import dataclasses
import socket
import sys

import click
import pytest

from i2s_gateway import command
from i2s_gateway.settings import GatewaySettings
from i2s_sdk.cli import run, services
from i2s_sdk.errors import UsageError


def test_defaults_that_the_help_names_are_those_of_the_settings():
    shown = {
        param.name: str(param.help) for param in command.command.params if isinstance(param, click.Option)
    }
    defaults = {field.name: field.default for field in dataclasses.fields(GatewaySettings)}
    for name in (*command._BOUNDS, "listen"):
        default = defaults[name]
        text = f"{default:g}" if isinstance(default, float) else str(default)
        assert shown[name].endswith(f"[I2S_HTTP_{name.upper()}; {text}]"), name
    listen = next(param for param in services.up_command.params if param.name == "http_listen")
    assert listen.default == defaults["listen"]


def test_without_the_extra_the_command_that_installs_it_is_named(monkeypatch):
    for name in [
        module for module in sys.modules if module.startswith(("i2s_gateway", "starlette", "uvicorn"))
    ]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "starlette", None)
    with pytest.raises(UsageError, match="starlette, which is not installed: make setup"):
        command.gateway_runner()


def test_up_says_that_a_package_of_the_gateway_is_missing_before_it_starts_anything(capsys, monkeypatch):
    monkeypatch.setattr(services, "missing_requirements", lambda plugin: ["starlette", "uvicorn"])
    assert run(("up", "--http")) == 2
    missing = "error: --http needs packages that are not installed (starlette, uvicorn): make setup\n"
    assert capsys.readouterr().err == missing


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("up", "--http", "--docker"), "--http with --docker"),
        (("up", "--http", "--http-listen", "0.0.0.0:7780"), "`i2s-sdk http` serves others"),
        (("up", "--http", "--http-listen", "here"), "--http-listen"),
        (("http", "--header-seconds", "0"), "--header-seconds"),
        (("http", "--https-cert", "a"), "--https-key"),
    ],
)
def test_what_cannot_be_served_ends_with_one_line(capsys, words, told):
    assert run(words) == 2
    said = capsys.readouterr().err
    assert told in said
    assert len(said.splitlines()) == 1


@pytest.mark.parametrize("words", [("up", "--http", "--http-listen"), ("http", "--listen")])
def test_an_address_that_is_taken_ends_with_one_line_before_a_service_is_started(
    capsys, monkeypatch, tmp_path, words
):
    started = []
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))  # nothing is up
    monkeypatch.setattr("i2s_sdk.stack.lifecycle._start_supervisor", lambda *_: started.append("up"))
    monkeypatch.setattr("i2s_sdk.stack.services.open_services", lambda *_: started.append("http"))
    with socket.create_server(("127.0.0.1", 0)) as taken:
        address = f"127.0.0.1:{taken.getsockname()[1]}"
        assert run((*words, address)) == 2
    said = capsys.readouterr().err
    assert f"{words[-1]} {address}: cannot be listened on: Address already in use; give another" in said
    assert len(said.splitlines()) == 1
    assert started == []
