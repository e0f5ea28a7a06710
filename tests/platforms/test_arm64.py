"""What images of arm64 are built from, and what pip installs on a Mac: its index or Debian has all of it.

Only names, versions and digests are asked for; nothing is downloaded beside indexes.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from chosen import why_not
from guest_foreign import apt_options

ROOT = Path(__file__).resolve().parents[2]
LOCKS = (
    *("render-latex", "render-html", "render-lilypond", "render-python", "documents", "metrics"),
    *("networks", "networks-cpu", "sdk", "sdk-hub", "gateway"),
)
#: What somebody with a Mac installs there: the command, and what builds the images.
OF_THE_MAC = ("sdk", "sdk-hub", "build")
IMAGES = sorted((ROOT / "deploy/images").glob("*.Dockerfile"))


@pytest.fixture(autouse=True)
def _wanted() -> None:
    not_wanted = why_not("I2S_REQUIRE_PLATFORMS", "platforms")
    if not_wanted is not None:
        pytest.skip(f"NOT TESTED ON OTHER PLATFORMS: {not_wanted}")


@pytest.mark.parametrize(
    ("lock", "platform"),
    [
        *((one, "aarch64-manylinux_2_36") for one in LOCKS),
        *((one, "aarch64-apple-darwin") for one in OF_THE_MAC),
    ],
)
def test_the_index_has_a_wheel_of_each_locked_package(lock: str, platform: str, tmp_path: Path) -> None:
    uv = [str(Path(sys.executable).parent / "uv"), "pip", "install", "--dry-run", "--target", str(tmp_path)]
    options = ["--no-deps", "--only-binary", ":all:", "--require-hashes", "--python-version", "3.11"]
    requirements = ["--python-platform", platform, "-r", f"requirements/{lock}.txt"]
    done = subprocess.run(
        [*uv, *options, *requirements], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


def test_lock_for_an_image_leaves_out_what_another_processor_or_system_needs() -> None:
    named = {machine: _for_image(machine, "render-lilypond") for machine in ("x86_64", "aarch64")}
    assert named["x86_64"] - named["aarch64"] == {"lilypond"}
    assert named["aarch64"] < named["x86_64"]
    assert "colorama" not in _for_image("aarch64", "sdk")  # is for Windows


def _for_image(machine: str, lock: str) -> set[str]:
    program = [sys.executable, "deploy/images/lock-for", machine, f"requirements/{lock}.txt"]
    said = subprocess.run(program, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert " ; " not in said
    return set(re.findall(r"^([\w.-]+)==.+ \\$", said, re.MULTILINE))


def _debian_packages(text: str) -> list[str]:
    """The packages that a recipe installs on arm64."""
    tex = re.search(r'^ARG TEX="(.*)"$', text, re.MULTILINE)
    joined = text.replace("\\\n", " ")
    of_others = set(re.findall(r"amd64 \] \|\| echo ([^)]+)\)", joined))
    words = [word for line in re.findall(r"install-packages ([^&$\n]*)", joined) for word in line.split()]
    chosen = [word for word in words if re.fullmatch("[a-z0-9][a-z0-9.+-]+", word)]
    return [*chosen, *(tex[1].split() if tex else ()), *of_others]


def test_debian_has_all_packages_of_the_images(tmp_path: Path) -> None:
    options = apt_options("arm64", tmp_path)
    subprocess.run(["apt-get", *options, "-qq", "update"], check=True)
    for image in IMAGES:
        packages = _debian_packages(image.read_text())
        simulated = [
            "apt-get",
            *options,
            "install",
            "--simulate",
            "--no-install-recommends",
            "-qq",
            *packages,
        ]
        done = subprocess.run(simulated, capture_output=True, text=True, check=False)
        assert done.returncode == 0, (image.name, done.stderr)
        assert set(packages) <= set(re.findall(r"^Inst (\S+)", done.stdout, re.MULTILINE)), image.name
