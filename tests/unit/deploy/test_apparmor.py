"""The AppArmor profile: whom it permits user namespaces, and that remedies name files that are there."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from i2s_chassis.jail import host
from i2s_render_html.chromium import DISTRIBUTIONS_BROWSER, PLAYWRIGHTS_BROWSERS

ROOT = Path(__file__).resolve().parents[3]
PROFILE = ROOT / "deploy/apparmor/i2s-bwrap"
BLOCK = re.compile(
    r"^profile (?P<name>\S+) (?P<path>\S+) flags=\((?P<flags>.*?)\) {\n(?P<rules>.*?)^}", re.M | re.S
)
GLOB = {"**": ".*", "*": "[^/]*", "{": "(?:", "}": ")", ",": "|"}


def attached(path: str) -> list[str]:
    """Names of the profiles that hold for a program."""
    return [
        block["name"]
        for block in BLOCK.finditer(PROFILE.read_text())
        if pattern(block["path"]).fullmatch(path)
    ]


def pattern(glob: str) -> re.Pattern[str]:
    """A path of AppArmor, with its alternatives, as a regular expression."""
    return re.compile(re.sub(r"\*\*|.", lambda found: GLOB.get(found[0], re.escape(found[0])), glob))


def test_each_profile_permits_user_namespaces_and_confines_in_nothing():
    blocks = list(BLOCK.finditer(PROFILE.read_text()))
    assert [block["name"] for block in blocks] == ["i2s-bwrap", "i2s-headless-shell"]
    for block in blocks:
        assert block["flags"] == "unconfined"
        assert "userns," in block["rules"].split()
    assert "abi <abi/4.0>," in PROFILE.read_text()  # an older one does not know the rule


@pytest.mark.parametrize("path", ["/usr/bin/bwrap", "/bin/bwrap"])
def test_bubblewrap_has_its_profile(path):
    assert attached(path) == ["i2s-bwrap"]


@pytest.mark.parametrize(
    "path",
    [
        DISTRIBUTIONS_BROWSER,
        PLAYWRIGHTS_BROWSERS
        / "chromium_headless_shell-1255/chrome-headless-shell-linux64/chrome-headless-shell",
    ],
)
def test_the_browsers_that_the_page_renderer_takes_have_theirs(path):
    assert attached(str(path)) == ["i2s-headless-shell"]


@pytest.mark.parametrize(
    "path",
    [
        sys.executable,
        "/usr/bin/python3",
        "/usr/bin/sh",
        "/usr/bin/bwrapper",
        "/usr/lib/chromium/chromium",
        "/tmp/bwrap",
    ],
)
def test_nothing_else_has_one(path):
    assert attached(path) == []


def test_the_profiles_that_remedies_name_are_there():
    for remedy in (host.APPARMOR_PROFILE, host.SECCOMP_PROFILE):
        assert (ROOT / remedy).is_file()


def test_remedies_name_the_copies_of_wheels(tmp_path):
    name = "deploy/seccomp/i2s-namespace.json"
    assert host.profile_file(name, tmp_path) == name
    copy = tmp_path / "i2s-namespace.json"
    copy.touch()
    assert host.profile_file(name, tmp_path) == str(copy)
    assert host.profile_file(name, tmp_path, "/opt/i2s/venv") == name, "an engine reads it outside"
