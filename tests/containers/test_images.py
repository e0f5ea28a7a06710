"""What the images are: small, without privilege, without tools, and known by what they hold."""

import json
import re

import pytest

NAMES = ("render-latex", "render-html", "render-lilypond", "render-python", "documents", "metrics", "sdk")
# The SDK's has what vendors' models and object stores need, so that a large run starts with nothing to add.
MEGABYTES = {
    "render-latex": 1300,  # 330 of them for LuaLaTeX, XeLaTeX and the fonts of Chinese and Persian
    "render-html": 1300,
    "render-lilypond": 430,
    "render-python": 900,
    "documents": 430,
    "metrics": 1800,
    "sdk": 450,
}
TOOLS = "gcc g++ cc c++ cpp clang tcc as ld make cmake go rustc javac pip pip3 git curl wget nc ssh".split()
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


@pytest.fixture(scope="module", params=NAMES)
def image(request, engine, images):
    return request.param, json.loads(engine.docker("image", "inspect", images[request.param]))[0]


def test_an_image_is_not_larger_than_it_should_be(image):
    name, about = image
    assert about["Size"] / 1e6 < MEGABYTES[name]


def test_an_image_has_no_privilege_and_no_tools(engine, image):
    name, _ = image
    found = json.loads(
        engine.docker(
            "run", "--rm", "--interactive", "--network", "none", "--entrypoint", "python",
            f"i2s-{name}:latest", "-I", "-", *TOOLS, stdin=LOOK,
        )
    )  # fmt: skip
    assert found == {"uid": 10001, "privileged": [], "tools": []}


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
    listed = engine.docker(
        "run", "--rm", "--network", "none", "--entrypoint", "find", images["render-latex"],
        "/var/cache/i2s-render-latex", "-type", "f",
    )  # fmt: skip
    about = json.loads(engine.docker("image", "inspect", images["render-latex"]))[0]
    ready = about["Config"]["Labels"]["org.image2struct.warm"]
    assert {"format:paper", "format:helm"} <= set(re.findall(r"format:\w+", ready))
    assert listed.count(".fmt") == ready.count("format:")
    assert "texindex.sqlite" in listed
