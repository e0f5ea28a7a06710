"""What the images are: small, without privilege, without tools, and known by what they hold."""

import json
import os
import re

import pytest

from docker_engine import ROOT
from i2s_client.service_table import SERVICES

NAMES = (*(service.name for service in SERVICES), "sdk", "gateway")
# What was measured, rounded up. The SDK's has what vendors' models and object stores need, so that a large
# run starts with nothing to add; the metrics' is that without PyTorch unless NETWORKS=cpu is set.
MEGABYTES = {
    "render-latex": 1070,  # 330 of them for LuaLaTeX, XeLaTeX and the fonts of Chinese and Persian
    "render-html": 670,  # 250 of them are Chromium, 105 the Node.js of Playwright
    "render-lilypond": 285,
    "render-python": 570,
    "render-svg": 260,
    "render-typst": 210,
    "documents": 355,
    "metrics": 1800 if os.environ.get("NETWORKS") == "cpu" else 475,
    "sdk": 355,
    "gateway": 355,  # not measured yet: no more than the SDK's, which has more packages
}
TOOLS = (
    "gcc g++ cc c++ cpp clang tcc as ld make cmake go rustc javac pip pip3 git curl wget nc ssh "
    "apt apt-get dpkg dpkg-deb dpkg-query debconf perl bash awk gem bundle npm "
    "su sudo mount umount passwd newgrp login chsh chfn useradd adduser unshare nsenter setpriv fdisk mkfs"
).split()
SBOM = "/opt/i2s/sbom.spdx.json"
LOOK = """
import json, os, shutil, stat, sys
privileged = []
for top, folders, files in os.walk("/"):
    folders[:] = [one for one in folders if os.path.join(top, one) not in ("/proc", "/sys", "/dev")]
    for name in files:
        path = os.path.join(top, name)
        if not os.path.islink(path) and os.stat(path).st_mode & (stat.S_ISUID | stat.S_ISGID):
            privileged.append(path)
print(json.dumps({
    "uid": os.getuid(), "privileged": privileged,
    "tools": [name for name in sys.argv[1:] if shutil.which(name, path="/usr/sbin:/usr/bin:/sbin:/bin")],
}))
"""

# What is installed, asked of the Python of the image and of the inventory that scanners read.
INSTALLED = """
import json, os
from importlib.metadata import distributions
folder = "/var/lib/dpkg/status.d"
debian = []
for name in os.listdir(folder):
    fields = dict(line.split(": ", 1) for line in open(f"{folder}/{name}") if ": " in line and line[0] != " ")
    debian.append((fields["Package"].strip(), fields["Version"].strip()))
python = [*distributions(), *distributions(path=["/usr/lib/python3/dist-packages"])]
print(json.dumps({"debian": debian, "python": [(one.name, one.version) for one in python]}))
"""


@pytest.fixture(scope="module", params=NAMES)
def image(request, engine, images):
    return request.param, json.loads(engine.docker("image", "inspect", images[request.param]))[0]


def test_an_image_is_not_larger_than_it_should_be(image):
    name, about = image
    assert about["Size"] / 1e6 < MEGABYTES[name]


def test_an_image_has_no_privilege_and_no_tools(engine, image):
    name, _ = image
    found = json.loads(run(engine, name, "python", "-I", "-", *TOOLS, stdin=LOOK))
    assert found == {"uid": 10001, "privileged": [], "tools": []}


def run(engine, name, *command, **options):
    """Run a program in a container of an image."""
    return engine.docker(
        "run", "--rm", "--interactive", "--network", "none", "--entrypoint", command[0], f"i2s-{name}:latest",
        *command[1:], **options,
    )  # fmt: skip


def test_the_bill_of_materials_of_an_image_names_all_that_is_installed(engine, image):
    name, _ = image
    installed = json.loads(run(engine, name, "python", "-", stdin=INSTALLED))
    bill = json.loads(run(engine, name, "cat", SBOM))
    assert (bill["spdxVersion"], bill["name"]) == ("SPDX-2.3", f"i2s-{name}")
    named = {"debian": [], "python": []}
    for package in bill["packages"]:
        for reference in package.get("externalRefs", ()):
            kind = {"deb": "debian", "pypi": "python"}[reference["referenceLocator"][4:].split("/")[0]]
            named[kind].append([package["name"], package["versionInfo"]])
    for kind, packages in installed.items():
        assert len(packages) > 10, kind
        assert sorted(named[kind]) == sorted(packages), kind


def test_the_bill_of_materials_lies_beside_the_logs_of_the_build(engine, image):
    name, _ = image
    copied = ROOT / "build/images" / f"{name}.spdx.json"
    assert copied.read_text(encoding="utf-8") == run(engine, name, "cat", SBOM)


def test_all_variables_of_the_base_are_in_an_image(image):
    _, about = image
    variables = dict(one.split("=", 1) for one in about["Config"]["Env"])
    assert variables["PATH"].split(":")[0] == "/opt/i2s/venv/bin"
    assert (variables["HOME"], variables["XDG_CACHE_HOME"], variables["LANG"]) == ("/tmp", "/tmp", "C.UTF-8")


def test_an_image_says_what_it_is(image):
    name, about = image
    labels = about["Config"]["Labels"]
    for key in ("title", "description", "licenses", "version", "revision", "base.name"):
        assert labels[f"org.opencontainers.image.{key}"], key
    if name.startswith("render-"):
        for digest in ("engine.digest", "fonts.digest"):
            assert len(labels[f"org.image2struct.{digest}"]) == 64, digest


def test_a_service_has_a_health_check_and_the_sdk_none(image):
    name, about = image
    assert bool(about["Config"].get("Healthcheck")) == (name != "sdk")


def test_the_latex_image_holds_its_formats_and_the_index(engine, images):
    listed = run(engine, "render-latex", "find", "/var/cache/i2s-render-latex", "-type", "f")
    about = json.loads(engine.docker("image", "inspect", images["render-latex"]))[0]
    ready = about["Config"]["Labels"]["org.image2struct.warm"]
    assert {"format:paper", "format:helm"} <= set(re.findall(r"format:\w+", ready))
    formats = [line for line in listed.splitlines() if line.endswith(".fmt")]
    assert sum("/formats/" in line for line in formats) == ready.count("format:")
    unpacked = {os.path.basename(line) for line in formats if "/unpacked/" in line}
    assert unpacked == {"pdflatex.fmt", "lualatex.fmt", "xelatex.fmt"}
    assert "texindex.sqlite" in listed
