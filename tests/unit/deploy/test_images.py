"""The scripts that build images take from recipes what they need to know of an image."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from deployed_renderers import RENDER_DOT
from i2s_sdk.stack.deployment import write_deployment
from i2s_wire.renderers import RENDERER_SPECS

ROOT = Path(__file__).resolve().parents[3]
RECIPES = sorted(
    path.name.removesuffix(".Dockerfile")
    for path in (ROOT / "deploy/images").glob("*.Dockerfile")
    if path.name != "python.Dockerfile"
)

#: A client that records its calls; an image says which seccomp profile it needs as $SECCOMP.
DOCKER = """#!/bin/sh
echo "docker $*" >>"$CALLS"
case "$1 $2" in
    "image inspect") echo "$SECCOMP" ;;
    "run --detach") echo a-container ;;
    "exec a-container") case "$*" in *describe.py*) echo org.image2struct.engine=dot ;; esac ;;
esac
"""


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A checkout with the recipes and scripts, and a client of no engine."""
    shutil.copytree(ROOT / "deploy/images", tmp_path / "deploy/images")
    (tmp_path / "programs").mkdir()
    client = tmp_path / "programs/docker"
    client.write_text(DOCKER, encoding="utf-8")
    client.chmod(0o755)
    return tmp_path


def run(checkout: Path, *command: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run a script; its calls of the client are then in the file ``calls``."""
    environment = {
        "PATH": f"{checkout / 'programs'}:{os.environ['PATH']}",
        "CALLS": str(checkout / "calls"),
        "DOCKER": "docker",
        **{"TAG": "1.2.3", "BASE": "debian:bookworm-slim", "NETWORKS": "cpu", "DATASETS": "hub", "TEX": ""},
        **variables,
    }
    return subprocess.run(command, cwd=checkout, env=environment, capture_output=True, text=True, check=False)


def calls(checkout: Path, start: str) -> list[list[str]]:
    lines = (checkout / "calls").read_text(encoding="utf-8").splitlines()
    return [line.split() for line in lines if line.startswith(f"docker {start}")]


@pytest.mark.parametrize(
    ("name", "given"),
    [
        ("render-latex", ["TEX=texlive-full"]),
        ("render-html", []),
        ("metrics", ["NETWORKS=cpu"]),
        ("metrics-cuda", ["NETWORKS=cuda"]),
        ("sdk", ["DATASETS=hub"]),
    ],
)
def test_a_recipe_is_given_what_it_asks_for(checkout, name, given):
    built = run(checkout, "deploy/images/image", name, TEX="texlive-full")
    assert built.returncode == 0, built.stderr
    (words,) = (words for words in calls(checkout, "build") if "--file" in words)
    values = [words[place + 1] for place, word in enumerate(words) if word == "--build-arg"]
    assert values[3:] == given
    assert [value.partition("=")[0] for value in values[:3]] == ["RUNTIME", "BUILDER", "EMPTY"]


@pytest.mark.parametrize("profile", ["", "i2s-namespace"])
def test_an_image_is_tried_with_the_profile_that_its_label_names(checkout, profile):
    (checkout / "build/images").mkdir(parents=True)
    recorded = run(checkout, "deploy/images/record", "render-dot", SECCOMP=profile)
    assert recorded.returncode == 0, recorded.stderr
    (words,) = calls(checkout, "run --detach")
    options = [words[place + 1] for place, word in enumerate(words) if word == "--security-opt"]
    wanted = [f"seccomp=deploy/seccomp/{profile}.json"] if profile else []
    assert options == ["no-new-privileges", *wanted]
    assert "I2S_RENDER_DOT_LISTEN=127.0.0.1:7700" in words
    recipe = (checkout / "build/images/render-dot.labels.Dockerfile").read_text(encoding="utf-8")
    assert 'LABEL org.image2struct.engine="dot"' in recipe


def test_a_label_names_a_profile_that_is_there():
    named = re.findall(
        r"^LABEL org.image2struct.seccomp=(\S+)$",
        (ROOT / "deploy/images/render-html.Dockerfile").read_text(encoding="utf-8"),
        re.MULTILINE,
    )
    assert [(ROOT / f"deploy/seccomp/{one}.json").is_file() for one in named] == [True]


def test_without_a_name_every_image_that_has_a_recipe_is_built(checkout):
    (checkout / "deploy/images/wheels").write_text('#!/bin/sh\necho "$@" >wheelhouses\n', encoding="utf-8")
    (checkout / "deploy/images/image").write_text('#!/bin/sh\necho "$1" >>built\n', encoding="utf-8")
    built = run(checkout, "deploy/images/build", JOBS="1")
    assert built.returncode == 0, built.stderr
    names = (checkout / "built").read_text(encoding="utf-8").split()
    assert names[:3] == ["empty", "python", "python-builder"]
    assert sorted(names[3:]) == RECIPES
    assert names[3] == "render-latex"
    wheelhouses = {"metrics": "metrics-cpu", "sdk": "sdk-hub"}
    loaded = (checkout / "wheelhouses").read_text(encoding="utf-8").split()
    assert loaded == [wheelhouses.get(name, name) for name in names[3:]]


def test_a_renderer_of_another_package_is_built_from_the_wheels_beside_it(checkout):
    lacking = run(checkout, "deploy/images/wheels", "render-dot")
    assert lacking.returncode == 1
    reason = "neither requirements/render-dot.txt nor a wheel in build/images/wheels/render-dot"
    assert reason in lacking.stderr
    folder = checkout / "build/images/wheels/render-dot"
    folder.mkdir(parents=True)
    (folder / "i2s_render_dot-1.0-py3-none-any.whl").touch()
    assert run(checkout, "deploy/images/wheels", "render-dot").returncode == 0


def test_a_folder_that_was_written_builds_the_image_of_its_renderer_without_a_checkout(checkout, tmp_path):
    folder = tmp_path / "operations"
    write_deployment(folder, (*RENDERER_SPECS, RENDER_DOT))
    (checkout / "programs").rename(folder / "programs")
    wheels = folder / "build/images/wheels/render-dot"
    wheels.mkdir(parents=True)
    (wheels / "i2s_render_dot-1.0-py3-none-any.whl").touch()
    built = run(folder, "deploy/images/build", "render-dot", ARCH="amd64", SECCOMP="")
    assert built.returncode == 0, built.stdout + built.stderr
    recipes = [words[words.index("--file") + 1] for words in calls(folder, "build") if "--file" in words]
    assert recipes == [*["deploy/images/python.Dockerfile"] * 3, "deploy/images/render-dot.Dockerfile"]
    copied = re.findall(
        r"^COPY (?:--from=\S+ )?(.*) \S+$", (folder / recipes[-1]).read_text(encoding="utf-8"), re.MULTILINE
    )
    sources = [one for line in copied for one in line.split() if not one.startswith("/")]
    assert [source for source in sources if not (folder / source).exists()] == []
