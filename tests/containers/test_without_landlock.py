"""Containers on a kernel without Landlock, as in the virtual machines of desktops.

The kernel of the tests has it, so the profile denies its calls: a service then finds none.
"""

import json
import secrets

import pytest

from docker_engine import ROOT
from i2s_sdk import RenderRequest
from i2s_wire.render.request import LatexSource, LilypondSource, SiteSource
from one_container import renderer

PROFILE = ROOT / "deploy/seccomp/i2s-namespace.json"
CALLS = {"landlock_create_ruleset", "landlock_add_rule", "landlock_restrict_self"}
DOCUMENT = b"\\documentclass{article}\\begin{document}$x^2$\\end{document}"
SOURCES = {
    "render-latex": LatexSource(DOCUMENT),
    "render-html": SiteSource({"index.html": b"<h1>Here</h1>"}),
    "render-lilypond": LilypondSource(b'\\version "2.24.0" { c\'4 }'),
}


@pytest.fixture(scope="module")
def network(engine):
    name = f"i2s-no-landlock-{secrets.token_hex(3)}"
    engine.undo("docker", "network", "rm", name)
    engine.docker("network", "create", "--internal", name)
    yield name
    engine.docker("network", "rm", name, check=False)


def without_landlock(profile):
    """Return a seccomp profile that denies the calls of Landlock too."""
    for rule in profile["syscalls"]:
        rule["names"] = [name for name in rule["names"] if name not in CALLS]
    return {**profile, "syscalls": [rule for rule in profile["syscalls"] if rule["names"]]}


@pytest.fixture(scope="module")
def profile(tmp_path_factory):
    path = tmp_path_factory.mktemp("seccomp") / "profile.json"
    path.write_text(json.dumps(without_landlock(json.loads(PROFILE.read_text()))))
    return f"--security-opt=seccomp={path}"


@pytest.mark.parametrize("service", SOURCES)
def test_our_profile_gives_the_tier_namespace(engine, images, network, profile, service):
    with renderer(engine, network, images[service], service, profile) as one:
        rendering = one.client.render(RenderRequest(SOURCES[service]))
        assert rendering.verdict.has_picture, rendering.message
        assert rendering.isolation.tier.name == "NAMESPACE"
        assert not [word for word in rendering.isolation.mechanisms if word.startswith("landlock")]
