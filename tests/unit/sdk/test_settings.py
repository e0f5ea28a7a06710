"""Flag > environment > file > default."""

from __future__ import annotations

from pathlib import Path

import pytest

from i2s_client.credentials import Token
from i2s_client.service_table import SERVICES, ServiceRow
from i2s_sdk import settings as settings_module
from i2s_sdk import settings_sources
from i2s_sdk.errors import SettingsError
from i2s_sdk.settings import Settings
from i2s_wire.metrics.profile import Profile


def test_without_anything_the_defaults_hold(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert Settings.load(environ={}) == Settings()


def test_a_run_ends_after_twenty_like_failures_and_a_command_within_five_seconds_of_ctrl_c() -> None:
    settings = Settings()
    assert settings.like_failures == 20
    assert settings.interrupt_seconds < 5


def test_each_source_is_stronger_than_the_next(tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text('profile = "helm"\ndeadline = 1\njobs = 1\n')
    environ = {"I2S_CONFIG": str(file), "I2S_DEADLINE": "2", "I2S_JOBS": "2"}
    settings = Settings.load({"jobs": 3, "deadline": None}, environ=environ)
    assert (settings.profile, settings.deadline, settings.jobs) == (Profile.HELM, 2.0, 3)


def test_the_file_of_the_working_folder_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "i2s.toml").write_text("jobs = 7\n")
    monkeypatch.chdir(tmp_path)
    assert Settings.load(environ={}).jobs == 7


@pytest.mark.parametrize(
    ("environ", "named"),
    [
        ({"I2S_DEADLINE": "soon"}, "I2S_DEADLINE"),
        ({"I2S_DEADLINE": "0"}, "I2S_DEADLINE"),
        ({"I2S_DEADLINE": "inf"}, "I2S_DEADLINE"),
        ({"I2S_JOBS": "-1"}, "I2S_JOBS"),
        ({"I2S_JOBS": "2.5"}, "I2S_JOBS"),
        ({"I2S_PROFILE": "leaderboard"}, "I2S_PROFILE"),
        ({"I2S_RENDER_LATEX": "localhost"}, "I2S_RENDER_LATEX"),
        ({"I2S_METRICS": "http://localhost:1"}, "I2S_METRICS"),
        ({"I2S_FAIL_ON_ERROR": "some"}, "I2S_FAIL_ON_ERROR"),
        ({"I2S_CONFIG": "/nowhere/i2s.toml"}, "--config /nowhere/i2s.toml"),
    ],
)
def test_a_wrong_value_is_told_by_the_name_of_its_variable(environ: dict[str, str], named: str) -> None:
    with pytest.raises(SettingsError) as raised:
        Settings.load(environ=environ)
    assert named in raised.value.message


@pytest.mark.parametrize("text", ["profil = 'helm'", "profile = helm", "\xff"])
def test_a_wrong_file_is_told_by_its_path(text: str, tmp_path: Path) -> None:
    file = tmp_path / "i2s.toml"
    file.write_bytes(text.encode("latin-1"))
    with pytest.raises(SettingsError, match=str(file)):
        Settings.load(config=file, environ={})


@pytest.mark.parametrize(
    ("bound", "samples", "allowed"), [("1%", 300, 3.0), ("0", 300, 0.0), ("5", 10, 5.0), ("0.5%", 17, 0.085)]
)
def test_the_bound_of_failures_is_a_number_or_a_share(bound: str, samples: int, allowed: float) -> None:
    assert Settings(fail_on_error=bound).failures_allowed(samples) == pytest.approx(allowed)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"tls_cert": "c", "tls_ca": "a"}, "belong together"),
        ({"tls_key": "k", "tls_ca": "a"}, "belong together"),
        ({"tls_cert": "c", "tls_key": "k"}, "--set tls_ca or I2S_TLS_CA"),
        ({"render_html": "here"}, "--render-html-at or I2S_RENDER_HTML"),
    ],
)
def test_settings_that_contradict_are_told(given: dict[str, str], said: str) -> None:
    with pytest.raises(SettingsError, match=said):
        Settings.load(given, environ={})


@pytest.mark.parametrize(
    "address", ["localhost:7710", "[::1]:7710", "dns:///renderers:7710", "ipv4:///10.0.0.1:1"]
)
def test_an_address_may_name_how_it_is_resolved(address: str) -> None:
    assert Settings.load(environ={"I2S_RENDER_LATEX": address}).render_latex == address


@pytest.fixture
def render_dot(monkeypatch: pytest.MonkeyPatch) -> None:
    """A renderer of another package, whose settings are no fields."""
    for module in (settings_module, settings_sources):
        monkeypatch.setattr(module, "ADDRESSES", (*settings_sources.ADDRESSES, "render_dot"))
        monkeypatch.setattr(module, "SECRETS", (*settings_sources.SECRETS, "token_render_dot"))
        monkeypatch.setattr(module, "TOKEN_FILES", (*settings_sources.TOKEN_FILES, "token_file_render_dot"))


@pytest.mark.usefixtures("render_dot")
def test_a_renderer_of_another_package_has_its_address_and_its_token(tmp_path: Path) -> None:
    loaded = Settings.load(
        environ={"I2S_RENDER_DOT": "[::1]:7791", "I2S_TOKEN_RENDER_DOT": "dots", "I2S_TOKEN": "all"}
    )
    assert loaded.address_of("render-dot") == "[::1]:7791"
    assert loaded.token_for("render-dot") == Token("dots", "")
    assert loaded.values()["render_dot"] == "[::1]:7791"
    (tmp_path / "token").write_text("filed\n")
    (tmp_path / "token").chmod(0o600)
    config = tmp_path / "i2s.toml"
    config.write_text(f'render_dot = "localhost:1"\ntoken_file_render_dot = "{tmp_path}/token"\n')
    loaded = Settings.load(config=config, environ={})
    assert loaded.address_of("render-dot") == "localhost:1"
    assert loaded.token_for("render-dot") == Token("filed", "")
    assert (
        Settings.load({"render_dot": "localhost:2"}, config=config, environ={}).address_of("render-dot")
        == "localhost:2"
    )
    with pytest.raises(SettingsError, match="I2S_RENDER_DOT: 'nowhere' is not an address"):
        Settings.load(environ={"I2S_RENDER_DOT": "nowhere"})
    with pytest.raises(SettingsError, match="a token is not given there"):
        Settings.load({"token_render_dot": "dots"}, environ={})


def test_settings_can_be_a_key() -> None:
    assert {Settings(services={"render_dot": "a:1"}): 1}[Settings(services={"render_dot": "a:1"})] == 1


def test_a_renderer_may_be_named_among_others() -> None:
    loaded = Settings.load(
        environ={"I2S_OTHER_RENDERERS": "render-dot=a:1, render-x=b:2", "I2S_TOKEN": "all"}
    )
    assert (loaded.address_of("render-x"), loaded.address_of("render-y")) == ("b:2", None)
    assert loaded.token_for("render-x") == Token("all", "")


@pytest.mark.parametrize("wrong", ["metrics=a:1", "render.dot=a:1", "=a:1", "render-dot=a", "render-dot"])
def test_only_renderers_are_named_among_others_and_with_an_address(wrong: str) -> None:
    with pytest.raises(SettingsError, match=r"I2S_OTHER_RENDERERS.* is not of the form render-NAME="):
        Settings(other_renderers=f"render-x=b:2, {wrong}")
    assert Settings(other_renderers="render-x=b:2, ").other_addresses == {"render-x": "b:2"}


@pytest.mark.parametrize("service", SERVICES, ids=lambda one: one.name)
def test_every_service_has_its_address_and_its_token(service: ServiceRow) -> None:
    there = set(settings_module.setting_names())
    assert {service.setting, f"token_{service.setting}", f"token_file_{service.setting}"} <= there
