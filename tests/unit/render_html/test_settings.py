"""Settings, scripts and the command line of the browser."""

import os
from dataclasses import replace
from pathlib import Path

import pytest

from i2s_chassis.errors import StartError
from i2s_render_html.browser import BrowserSettings
from i2s_render_html.chromium import Chromium, find_chromium, installed_browser
from i2s_render_html.fonts import Fonts
from i2s_render_html.injected_scripts import CLOCK_HANDLE, clock_script, text_of
from i2s_render_html.service import forget_settings
from i2s_render_html.settings import HtmlSettings

CHROMIUM = Chromium(Path("/x"), "1", {}, "", Fonts(Path("/f"), (), ""), ())


def test_defaults_are_within_the_maxima():
    settings = HtmlSettings()
    assert settings.limit_table().default.memory_bytes <= settings.limit_table().maximum.memory_bytes


def test_every_browser_may_use_the_maximum_and_each_page_its_own_limits():
    settings = HtmlSettings()
    limits = BrowserSettings(settings, CHROMIUM).start_limits()
    times = {"cpu_seconds": settings.max.cpu_seconds, "wall_seconds": settings.max.wall_seconds}
    assert replace(limits, **times) == settings.max


def test_a_folder_of_locked_fonts_is_readable_only_if_pages_are_drawn_with_them(tmp_path):
    program = tmp_path / "browser/chromium"
    program.parent.mkdir()
    program.touch()
    folder = tmp_path / "fonts"
    folder.mkdir()
    locked = HtmlSettings(chromium=program, fonts=folder).readable_by_jobs()
    system = HtmlSettings(chromium=program, fonts=folder, font_source="system").readable_by_jobs()
    assert set(locked) - set(system) == {folder}
    assert set(system) <= {program.parent, Path("/var/cache/fontconfig")}


def test_the_sandbox_of_the_browser_is_on_unless_it_is_switched_off():
    assert "--no-sandbox" not in CHROMIUM.command("p", sandbox=True)
    assert "--no-sandbox" in CHROMIUM.command("p", sandbox=False)


def test_nothing_is_asked_of_the_network_at_start():
    flags = CHROMIUM.command("p", sandbox=True)
    assert {"--disable-background-networking", "--disable-component-update", "--disable-sync"} <= set(flags)


def test_a_missing_browser_is_one_line_that_says_what_to_do(tmp_path):
    with pytest.raises(StartError, match="none does not exist; name another"):
        find_chromium(tmp_path / "none")


def playwrights(folder: Path, revision: int) -> Path:
    """A browser where Playwright of the revision's time puts it."""
    program = (
        folder / f"chromium_headless_shell-{revision}/chrome-headless-shell-linux64/chrome-headless-shell"
    )
    program.parent.mkdir(parents=True)
    program.touch()
    return program


def test_the_distributions_browser_comes_first(tmp_path):
    debians = tmp_path / "chromium-headless-shell"
    debians.touch()
    playwrights(tmp_path, 1255)
    assert installed_browser(debians, tmp_path) == debians


def test_playwrights_newest_browser_is_taken_where_the_distribution_has_none(tmp_path):
    playwrights(tmp_path, 987)
    newest = playwrights(tmp_path, 1255)
    assert installed_browser(tmp_path / "none", tmp_path) == newest


def test_without_any_browser_the_ways_to_have_one_are_named(tmp_path):
    with pytest.raises(StartError, match=r"apt-get install.*playwright install chromium-headless-shell"):
        installed_browser(tmp_path / "none", tmp_path)


def test_a_program_that_is_no_browser_is_refused():
    with pytest.raises(StartError, match="does not print its version"):
        find_chromium(Path("/bin/echo"))


def test_the_clock_script_is_complete():
    script = clock_script(5)
    assert "OPTIONS" not in script
    assert f'"handle": "{CLOCK_HANDLE}"' in script
    assert '"epoch": 5000' in script


@pytest.mark.parametrize("name", ["calm", "read", "elements"])
def test_scripts_are_functions(name):
    lines = [line for line in text_of(name).splitlines() if not line.startswith("//")]
    assert "=>" in lines[0]


def test_our_settings_do_not_reach_the_driver(monkeypatch):
    monkeypatch.setenv("I2S_RENDER_HTML_TOKEN", "secret")
    monkeypatch.setenv("OTHER", "kept")
    forget_settings()
    assert "I2S_RENDER_HTML_TOKEN" not in os.environ
    assert os.environ["OTHER"] == "kept"
