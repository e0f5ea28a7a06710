"""A renderer of a new language that is a wheel alone is found, started, diagnosed, used and attacked."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import sysconfig
import venv
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

pytestmark = [pytest.mark.integration, pytest.mark.timeout(900)]

REPOSITORY = Path(__file__).resolve().parents[3]
PATIENCE = 300

#: The whole package beside the modules of tests/support/pillow_renderer, which are the renderer.
PROJECT = """\
[build-system]
requires = ["hatchling"]
build-backend = "hatchling.build"

[project]
name = "i2s-render-pillow"
version = "2.5"
dependencies = ["i2s-chassis[pictures]"]

[project.scripts]
i2s-render-pillow = "pillow_renderer.__main__:main"

[project.entry-points."i2s.renderers"]
render-pillow = "pillow_renderer.spec:RENDER_PILLOW"

[tool.hatch.build.targets.wheel]
packages = ["pillow_renderer"]
"""
#: The tests of the package.
TESTS = """\
from i2s.render.v1 import render_pb2 as pb
from i2s_chassis.contract import Renderer, attacks_of, contract_of, generic_source
from pillow_renderer.spec import RENDER_PILLOW

DRAWS = " from PIL import Image; Image.new('RGB', (5, 5), 'teal').save('page.png')"
CALLS = "import socket; socket.create_connection(('127.0.0.1', PORT), 5); "
LEAVES = "import subprocess as s, sys; s.Popen([sys.executable, '-c', 'import time; time.sleep(9)', MARKER]);"


def program(text):
    return generic_source(RENDER_PILLOW, text)


PILLOW = Renderer(
    RENDER_PILLOW,
    engine="pillow",
    broken=(program("import nothing_such"), pb.VERDICT_COMPILE_ERROR),
    endless=program("while True: pass"),
    hostile={pb.VERDICT_TIME_LIMIT: (program("while True: pass"), pb.Limits(cpu_seconds=1))},
    reads_file=lambda path: program(f"print(open({path!r}).read()); {DRAWS}"),
    calls_port=lambda port: program(CALLS.replace("PORT", str(port)) + DRAWS),
    leaves_process=lambda marker: program(LEAVES.replace("MARKER", repr(marker)) + DRAWS),
    module="pillow_renderer",
)
running, TestContract = contract_of(PILLOW)
attacked, TestAttacks = attacks_of(PILLOW)
"""
SOURCE = """\
from PIL import Image
Image.new('RGB', eval(open('size.txt').read()), 'teal').save('page.png')
"""


def differences() -> str:
    """Return what of the repository is not as it was committed."""
    git = ["git", "-c", f"safe.directory={REPOSITORY}"]
    if not (REPOSITORY / ".git").exists():
        pytest.skip("this is no checkout")
    told = [
        subprocess.run([*git, *words], cwd=REPOSITORY, capture_output=True, text=True, check=True).stdout
        for words in (["status", "--porcelain"], ["diff"])
    ]
    return "\n".join(told)


@pytest.fixture(scope="module")
def unchanged() -> str:
    """What differed before the wheel was made."""
    return differences()


@pytest.fixture(scope="module")
def wheel(unchanged: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built outside of the repository, of which nothing has changed by then."""
    folder = tmp_path_factory.mktemp("package")
    shutil.copytree(REPOSITORY / "tests/support/pillow_renderer", folder / "pillow_renderer")
    spec = folder / "pillow_renderer/spec.py"
    spec.write_text(spec.read_text().replace('    distribution="i2s-chassis",\n', ""))
    (folder / "pyproject.toml").write_text(PROJECT)
    subprocess.run(
        [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-index", "--no-deps", "--no-build-isolation",
         "--disable-pip-version-check", "--wheel-dir", str(folder / "dist"), str(folder)],
        check=True, timeout=PATIENCE,
    )  # fmt: skip
    (built,) = (folder / "dist").glob("*.whl")
    return built


@pytest.fixture(scope="module")
def environment(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A virtual environment that sees the packages of this one, and has the wheel."""
    folder = tmp_path_factory.mktemp("environment")
    venv.create(folder, symlinks=True, with_pip=False)
    python = folder / "bin/python"
    paths = sysconfig.get_paths(vars={"base": str(folder), "platbase": str(folder)})
    beside = f"import site; site.addsitedir({sysconfig.get_path('purelib')!r})\n"
    (Path(paths["purelib"]) / "beside.pth").write_text(beside)
    subprocess.run(
        [sys.executable, "-m", "pip", "--python", str(python), "install", "--quiet", "--no-index",
         "--no-deps", "--disable-pip-version-check", str(wheel)],
        check=True, timeout=PATIENCE,
    )  # fmt: skip
    return folder


@pytest.fixture(scope="module")
def state(environment: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The folder of the commands, whose stack is ended at the end."""
    folder = tmp_path_factory.mktemp("state")
    yield folder
    command(environment, folder, "down")


def command(
    environment: Path, folder: Path, *words: str, **variables: str
) -> subprocess.CompletedProcess[str]:
    """Run i2s-sdk, which knows of no service that runs."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("I2S_")}
    return subprocess.run(
        [str(environment / "bin/python"), "-m", "i2s_sdk.cli", *words],
        cwd=folder, capture_output=True, text=True, check=False, timeout=PATIENCE,
        env={**kept, "XDG_STATE_HOME": str(folder), "I2S_UP_PORTS": "free", **variables},
    )  # fmt: skip


def test_doctor_finds_it_and_draws_its_canary(environment: Path, state: Path) -> None:
    ended = command(environment, state, "doctor", "pillow", "--json")
    assert ended.returncode == 0, ended.stdout + ended.stderr
    found = {finding["name"]: finding for finding in json.loads(ended.stdout)["findings"]}
    assert found["render-pillow"]["detail"] == str(environment / "bin/i2s-render-pillow")
    assert found["render-pillow canary"]["detail"].startswith("RENDERED")
    assert {"render-pillow engine", "render-pillow isolation"} <= found.keys()
    assert "render-latex" not in found


def test_help_and_set_up_know_it(environment: Path, state: Path) -> None:
    shown = command(environment, state, "render", "--help").stdout
    assert "pillow" in shown.partition("Commands:")[2]
    assert "--render-pillow-at" in command(environment, state, "render", "pillow", "--help").stdout
    planned = command(environment, state, "setup", "pillow", "--dry-run")
    assert planned.stdout == "Nothing is missing for render-pillow.\n", planned.stderr


def test_up_serves_it_and_render_draws_with_it(environment: Path, state: Path) -> None:
    up = command(environment, state, "up", "render-pillow", "--json")
    assert up.returncode == 0, up.stderr
    (service,) = json.loads(up.stdout)["services"]
    (state / "drawing.py").write_text(SOURCE)
    (state / "files").mkdir()
    (state / "files/size.txt").write_text("(30, 20)\n")
    words = ("render", "pillow", "drawing.py", "-o", "drawing.png", "--beside", "files")
    drawn = command(environment, state, *words, "--whole-page")
    assert (drawn.returncode, drawn.stdout) == (0, "RENDERED: drawing.png, 30 x 20 pixels\n"), drawn.stderr
    broken = command(environment, state, *words[:4], "drawing.png")
    assert broken.returncode == 1
    assert "No such file or directory: 'size.txt'" in broken.stderr
    assert '"method": "Render"' in command(environment, state, "logs", "render-pillow").stdout
    nowhere = command(environment, state, *words, I2S_RENDER_PILLOW="127.0.0.1:1", I2S_START_SECONDS="0.2")
    assert "127.0.0.1:1" in nowhere.stderr, "the variable of its name precedes what is up"
    named = command(environment, state, *words, "--render-pillow-at", service["address"])
    assert named.returncode == 0, named.stderr
    assert json.loads(command(environment, state, "status", "--json").stdout)["ok"]
    assert command(environment, state, "down").stdout == "ended\n"


def test_it_gets_a_compose_service_a_deployment_and_a_recipe_of_its_image(
    environment: Path, state: Path
) -> None:
    ended = command(environment, state, "deploy", "operations")
    assert ended.returncode == 0, ended.stderr
    deploy = state / "operations/deploy"
    service = yaml.safe_load((deploy / "compose/compose.yaml").read_text())["services"]["render-pillow"]
    assert (service["user"], service["networks"]) == ("17790:17790", ["render-pillow"])
    assert service["cap_drop"] == ["ALL"]
    pod = (deploy / "kubernetes/base/render-pillow/kustomization.yaml").read_text()
    assert "containerPort: 7790" in pod
    assert "i2s-render-pillow" in (deploy / "images/render-pillow.Dockerfile").read_text()


def test_an_unknown_language_is_told_which_there_are(environment: Path, state: Path) -> None:
    ended = command(environment, state, "render", "tikz", "drawing.py", "-o", "drawing.png")
    assert ended.returncode == 2
    assert "There are: html, latex, lilypond, pillow, python" in ended.stderr


def test_the_contract_of_the_chassis_tests_and_attacks_it(environment: Path, tmp_path: Path) -> None:
    (tmp_path / "test_pillow.py").write_text(TESTS)
    ended = subprocess.run(
        [str(environment / "bin/python"), "-m", "pytest", "-q", "-p", "no:cacheprovider", "."],
        cwd=tmp_path, capture_output=True, text=True, check=False, timeout=PATIENCE,
    )  # fmt: skip
    assert ended.returncode == 0, ended.stdout
    assert " passed" in ended.stdout
    assert "failed" not in ended.stdout


def test_it_is_deployed_with_the_others(environment: Path, state: Path) -> None:
    ended = command(environment, state, "deploy", "operations")
    assert ended.returncode == 0, ended.stderr
    deploy = state / "operations/deploy"
    recipe = "operations/deploy/images/render-pillow.Dockerfile"
    assert ended.stdout.splitlines()[-1] == recipe
    assert "RUN install-wheels\n" in (state / recipe).read_text()
    for words, folder in (("kubectl kustomize .", "kubernetes/base"), ("docker-compose config", "compose")):
        if shutil.which(words.split()[0]) is not None:
            shown = subprocess.run(
                words.split(), cwd=deploy / folder, check=False, timeout=PATIENCE,
                capture_output=True, text=True,
            )  # fmt: skip
            assert shown.returncode == 0, shown.stderr
            assert "i2s-render-pillow:latest" in shown.stdout


def test_nothing_of_the_repository_has_changed(unchanged: str, state: Path) -> None:
    assert differences() == unchanged
