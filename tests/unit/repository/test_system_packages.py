"""What scripts/bootstrap installs on which distribution.

The decisions are tried on a system of recording programs: no apt, uv or Playwright of this machine is run.
"""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

OS_RELEASES = {
    "debian": "ID=debian\nVERSION_ID=12\nVERSION_CODENAME=bookworm\n",
    "jammy": "ID=ubuntu\nID_LIKE=debian\nVERSION_ID=22.04\nVERSION_CODENAME=jammy\nUBUNTU_CODENAME=jammy\n",
    "noble": "ID=ubuntu\nID_LIKE=debian\nVERSION_ID=24.04\nVERSION_CODENAME=noble\nUBUNTU_CODENAME=noble\n",
    "mint": "ID=linuxmint\nVERSION_ID=22\nVERSION_CODENAME=wilma\nUBUNTU_CODENAME=noble\n",
}
NEEDS = "sdk/core/src/i2s_sdk/stack/system-needs.sh"
TOOLS = "sh cat cp dirname env find grep mkdir mv rm sed sort tail touch uname xargs".split()
COMMANDS = ["pdflatex", "pandoc", "pdftoppm", "jekyll", "chromium-headless-shell", "bwrap", "fc-list"]

ROOT = Path(__file__).resolve().parents[3]
PACKAGES = sorted(
    str(path.parent.relative_to(ROOT))
    for pattern in ("protos", "sdk/*", "services/*")
    for path in ROOT.glob(f"{pattern}/pyproject.toml")
)
SERVICES = [Path(package).name for package in PACKAGES if package.startswith("services")]
#: Those of the services come after what all of them need.
LOCKS = [
    "build",
    "sdk",
    *(service for service in SERVICES if (ROOT / f"requirements/{service}.txt").is_file()),
]

# An interpreter: $state/venv-NAME says whether it has the modules venv and ensurepip.
PYTHON = """#!/bin/sh
case "$*" in
    *version_info*) exit {too_old} ;;
    *"import ensurepip"*) [ -e "$state/has-venv" ] || exit {lacks_venv} ;;
    *base_prefix*) exit {closed} ;;
    *hashlib*) cat >/dev/null; echo fingerprint ;;
    *platform*) echo {version} ;;
    -V) echo "Python {version}" ;;
    "-m venv --clear --without-pip "*) echo "venv python $*" >>"$state/calls"
        mkdir -p "$5/bin" ;;
    "-m venv --clear "*) echo "{name} $*" >>"$state/calls"
        mkdir -p "$4/bin"
        cp "$0" "$4/bin/python"
        cp "$stubs/pip" "$stubs/playwright" "$4/bin/" ;;
    "-m pip --python "*) echo "venv python $*" >>"$state/calls"
        [ -e "$state/no-uv" ] || cp "$stubs/later-uv" .i2s/uv/bin/uv ;;
    -m*) echo "venv python $*" >>"$state/calls" ;;
esac
"""
STUBS = {
    "id": '#!/bin/sh\nif [ "$1" = -un ]; then echo somebody; else cat "$state/uid"; fi\n',
    "ldconfig": "#!/bin/sh\necho libatomic.so.1\n",
    "kpsewhich": '#!/bin/sh\n[ -e "$state/installed" ]\n',
    "dpkg-query": '#!/bin/sh\n[ -e "$state/package-$4" ] && echo "install ok installed"\n',
    "apt-get": """#!/bin/sh
echo "apt-get $*" >>"$state/calls"
[ "$1" = install ] || exit 0
touch "$state/installed" "$state/has-venv"
for word; do touch "$state/package-$word"; done
cp "$stubs"/later/* "$stubs/"
""",
    "pip": '#!/bin/sh\necho "pip $*" >>"$state/calls"\ncp "$stubs/later-uv" .i2s/uv/bin/uv\n',
    "later-uv": """#!/bin/sh
echo "uv $*" >>"$state/calls"
[ "$1" = python ] || exit 0
mkdir -p "$UV_PYTHON_INSTALL_DIR/cpython-3.12/bin"
cp "$stubs/python3.12-of-uv" "$UV_PYTHON_INSTALL_DIR/cpython-3.12/bin/python3"
""",
    "playwright": """#!/bin/sh
echo "playwright $* in $PLAYWRIGHT_BROWSERS_PATH" >>"$state/calls"
folder=.venv/lib/python3/site-packages/playwright/driver/package/.local-browsers/shell
mkdir -p "$folder"
touch "$folder/chrome-headless-shell"
""",
}


class System:
    """A checkout on a system of recording programs."""

    def __init__(self, folder: Path, root: Path, distribution: str) -> None:
        self.checkout, self.stubs, self.state = folder / "checkout", folder / "stubs", folder / "state"
        for path in (self.checkout / "protos/i2s", self.stubs / "later", self.state):
            path.mkdir(parents=True)
        for name in ("scripts", "requirements"):
            shutil.copytree(root / name, self.checkout / name)
        (self.checkout / NEEDS).parent.mkdir(parents=True)
        shutil.copy(root / NEEDS, self.checkout / NEEDS)
        for path in (*root.glob("*/pyproject.toml"), *root.glob("s*/*/pyproject.toml")):
            target = self.checkout / path.relative_to(root)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.touch()
        (self.checkout / "protos/generate.py").touch()
        for name in TOOLS:
            (self.stubs / name).symlink_to(shutil.which(name) or name)
        for name, text in STUBS.items():
            self.program(name, text)
        for name in COMMANDS:
            self.program(f"later/{name}", "#!/bin/sh\n")
        self.python("python3.12-of-uv", version="3.12.11")
        self.user(0)
        (folder / "os-release").write_text(OS_RELEASES[distribution])

    def program(self, name: str, text: str) -> None:
        (self.stubs / name).write_text(text)
        (self.stubs / name).chmod(0o755)

    def python(self, name: str, *, version: str, venv: bool = True, closed: bool = False) -> None:
        old = tuple(map(int, version.split("."))) < (3, 11)
        stub = PYTHON.format(
            name=name, version=version, too_old=int(old), lacks_venv=int(not venv), closed=int(closed)
        )
        self.program(name, stub)

    def user(self, uid: int) -> None:
        (self.state / "uid").write_text(str(uid))

    def installed(self) -> None:
        """Have all that apt would install."""
        (self.state / "installed").touch()
        for path in (self.stubs / "later").iterdir():
            shutil.copy(path, self.stubs)

    def bootstrap(self, *sets: str, fails: bool = False, **variables: str) -> str:
        """Run it; returns what it printed."""
        environment = {
            "PATH": str(self.stubs),
            "stubs": str(self.stubs),
            "state": str(self.state),
            "OS_RELEASE": str(self.checkout.parent / "os-release"),
            "SYSTEM_PYTHON": str(self.stubs / "python3"),
            **variables,
        }
        script = str(self.checkout / "scripts/bootstrap")
        command = [script, *(sets or ("run",))]
        ended = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        assert (ended.returncode != 0) is fails, ended.stdout + ended.stderr
        return ended.stdout + ended.stderr

    @property
    def calls(self) -> list[str]:
        """What was run, in order."""
        path = self.state / "calls"
        return path.read_text().splitlines() if path.exists() else []

    def call(self, start: str) -> list[str]:
        """The words of the only call that begins so; none if there was no such call."""
        found = [call for call in self.calls if call.startswith(start)]
        assert len(found) <= 1, found
        return found[0].split() if found else []


@pytest.fixture
def system(tmp_path: Path, root: Path, request: pytest.FixtureRequest) -> System:
    return System(tmp_path, root, request.param)


def on(distribution: str) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("system", [distribution], indirect=True)


@on("jammy")
def test_ubuntu_22_04_gets_a_python_from_uv_and_a_browser_from_playwright(system: System) -> None:
    system.python("python3", version="3.10.12", venv=False)
    said = system.bootstrap()
    packages = system.call("apt-get install")
    assert {"python3-venv", "texlive-latex-base", "bubblewrap", "libasound2", "libnss3"} <= set(packages)
    assert "chromium-headless-shell" not in packages
    assert system.call("pip ")[-3:] == ["--require-hashes", "-r", "requirements/uv.txt"]
    assert system.call("uv python") == ["uv", "python", "install", "--no-bin", "3.12"]
    assert system.call("python3.12-of-uv") == "python3.12-of-uv -m venv --clear .venv".split()
    assert system.call("playwright") == "playwright install chromium-headless-shell in 0".split()
    assert "Installing Python 3.12 into .python with uv" in said
    assert "Installing chromium-headless-shell into .venv with Playwright" in said


@on("jammy")
def test_a_uv_that_is_there_is_used(system: System) -> None:
    system.python("python3", version="3.10.12", venv=False)
    system.program("uv", STUBS["later-uv"])
    system.bootstrap()
    assert "python3-venv" not in system.call("apt-get install")
    assert system.call("pip ") == []
    assert system.call("uv python") == ["uv", "python", "install", "--no-bin", "3.12"]


@on("jammy")
def test_ubuntu_22_04_with_a_newer_python_of_the_users_needs_no_uv(system: System) -> None:
    system.python("python3", version="3.10.12", venv=False)
    system.python("python3.12", version="3.12.4")
    system.bootstrap()
    assert system.call("uv python") == []
    assert system.call("python3.12 ") == "python3.12 -m venv --clear .venv".split()


@on("noble")
def test_ubuntu_24_04_has_a_python_of_its_own_and_a_browser_from_playwright(system: System) -> None:
    system.python("python3", version="3.12.3", venv=False)
    system.bootstrap()
    packages = system.call("apt-get install")
    assert {"python3-venv", "libasound2t64", "libatk-bridge2.0-0t64", "libnss3"} <= set(packages)
    assert not {"chromium-headless-shell", "libasound2", "python3"} & set(packages)
    assert system.call("uv python") == []
    assert system.call("python3 ") == "python3 -m venv --clear .venv".split()
    assert system.call("playwright") == "playwright install chromium-headless-shell in 0".split()


@on("noble")
def test_a_browser_that_is_named_is_not_installed(system: System) -> None:
    system.python("python3", version="3.12.3")
    system.bootstrap(I2S_RENDER_HTML_CHROMIUM="/opt/chrome/headless-shell")
    assert system.call("playwright") == []


@on("debian")
def test_a_command_that_a_function_of_the_script_is_called_after_is_installed(system: System) -> None:
    system.python("python3", version="3.11.2")
    for name in ("dockerd", "debootstrap"):
        system.program(f"later/{name}", "#!/bin/sh\n")
    system.bootstrap("images")
    assert {"docker.io", "debootstrap"} <= set(system.call("apt-get install"))


@on("debian")
def test_debian_has_both(system: System) -> None:
    system.python("python3", version="3.11.2", venv=False)
    system.bootstrap()
    packages = system.call("apt-get install")
    assert {"python3-venv", "chromium-headless-shell"} <= set(packages)
    assert not {"libasound2", "libasound2t64", "python3"} & set(packages)
    assert system.call("playwright") == system.call("uv python") == []


@pytest.mark.parametrize(
    ("system", "version"),
    [("debian", "3.11.2"), ("jammy", "3.10.12"), ("noble", "3.12.3")],
    indirect=["system"],
)
@pytest.mark.slow
def test_with_everything_in_place_nothing_is_run(system: System, version: str) -> None:
    system.python("python3", version=version, venv=False)
    system.bootstrap()
    generated = system.checkout / "protos/src/i2s/render/v1/render_pb2.py"
    generated.parent.mkdir(parents=True)
    generated.touch()
    (system.state / "calls").unlink()
    assert system.bootstrap() == ""
    assert system.calls == []


@on("debian")
def test_packages_are_installed_with_the_locked_uv(system: System) -> None:
    system.python("python3", version="3.11.2")
    assert "pip" not in system.bootstrap()
    assert system.call("venv python -m pip --python .i2s/uv/bin/python")[-2:] == ["-r", "requirements/uv.txt"]
    installed = [call for call in system.calls if call.startswith("uv pip install")]
    assert all("--no-deps" in call for call in installed)
    assert [call.split()[-2:] for call in installed if "--require-hashes" in call] == [
        ["-r", f"requirements/{name}.txt"] for name in LOCKS
    ]
    assert "venv python -m pip install" not in "\n".join(system.calls)


@on("debian")
def test_every_package_of_the_checkout_is_installed(system: System) -> None:
    system.python("python3", version="3.11.2")
    system.bootstrap()
    (words,) = (call.split() for call in system.calls if "--no-build-isolation" in call)
    assert sorted(words[place + 1] for place, word in enumerate(words) if word == "-e") == PACKAGES


@on("debian")
def test_ocr_is_installed_where_it_is_asked_for(system: System) -> None:
    system.python("python3", version="3.11.2")
    system.bootstrap("run", "ocr")
    installed = [call.split()[-1] for call in system.calls if call.startswith("uv pip install")]
    locks = [f"requirements/{name}.txt" for name in (*LOCKS[:2], "ocr", *LOCKS[2:])]
    assert [name for name in installed if name.startswith("requirements/")] == locks


@on("debian")
def test_where_there_is_no_uv_pip_installs_packages_and_that_is_said_once(system: System) -> None:
    system.python("python3", version="3.11.2")
    (system.state / "no-uv").touch()
    said = system.bootstrap()
    assert said.count("pip does, which takes longer") == 1
    with_hashes = [call for call in system.calls if call.startswith("venv python -m pip install")]
    assert [call.split()[-2:] for call in with_hashes if "--require-hashes" in call] == [
        ["-r", f"requirements/{name}.txt"] for name in LOCKS
    ]


@on("debian")
def test_pip_installs_what_uv_cannot(system: System) -> None:
    system.python("python3", version="3.11.2")
    system.program("uv", '#!/bin/sh\necho "uv $*" >>"$state/calls"\nexit 1\n')
    assert "uv did not install" in system.bootstrap()
    assert len([call for call in system.calls if call.startswith("uv ")]) == 1
    assert len([call for call in system.calls if call.startswith("venv python -m pip install")]) == 1 + len(
        LOCKS
    )


@on("debian")
def test_the_systems_python_is_preferred_to_one_on_the_path(system: System, tmp_path: Path) -> None:
    system.installed()
    system.python("python3", version="3.12.1", closed=True)
    system.python("systems-python3", version="3.11.2")
    said = system.bootstrap(SYSTEM_PYTHON=str(system.stubs / "systems-python3"))
    assert system.call("systems-python3 ") == "systems-python3 -m venv --clear .venv".split()
    assert "Note:" not in said


@on("debian")
def test_an_interpreter_that_others_cannot_enter_is_said_in_one_line(system: System) -> None:
    system.installed()
    system.python("python3", version="3.12.1", closed=True)
    said = system.bootstrap(PYTHON="python3", SYSTEM_PYTHON="/usr/bin/python3")
    notes = [line for line in said.splitlines() if line.startswith("Note:")]
    assert len(notes) == 1
    assert "PYTHON=/usr/bin/python3" in notes[0]


@on("debian")
def test_who_cannot_install_takes_the_python_that_makes_environments(system: System) -> None:
    system.installed()
    system.user(1000)
    system.python("python3", version="3.12.1")
    system.python("systems-python3", version="3.11.2", venv=False)
    system.bootstrap(SYSTEM_PYTHON=str(system.stubs / "systems-python3"))
    assert system.call("python3 ") == "python3 -m venv --clear .venv".split()


@on("noble")
def test_who_cannot_install_is_told_the_command(system: System) -> None:
    system.user(1000)
    system.python("python3", version="3.12.3")
    said = system.bootstrap(fails=True)
    assert "apt-get install --no-install-recommends texlive-latex-base" in said
    assert system.calls == []


def browser_libraries(release: str) -> set[str]:
    """The packages that the installed Playwright names for Chromium on a release."""
    spec = importlib.util.find_spec("playwright")
    assert spec is not None
    assert spec.origin is not None
    bundle = (Path(spec.origin).parent / "driver/package/lib/coreBundle.js").read_text()
    found = re.search(rf'"{re.escape(release)}-x64": {{.*?chromium: \[(.*?)\]', bundle, re.DOTALL)
    assert found is not None
    return set(re.findall(r'"([^"]+)"', found[1]))


@pytest.mark.parametrize(("distribution", "release"), [("jammy", "ubuntu22.04"), ("noble", "ubuntu24.04")])
def test_libraries_of_the_browser_are_those_that_playwright_names(
    root: Path, tmp_path: Path, distribution: str, release: str
) -> None:
    lines = needs(root, tmp_path, distribution)
    assert {line[1] for line in lines if line[2] == "package"} == browser_libraries(release)


def test_what_is_made_from_ubuntu_has_its_names(root: Path, tmp_path: Path) -> None:
    assert needs(root, tmp_path, "mint") == needs(root, tmp_path, "noble")


@pytest.mark.parametrize("distribution", OS_RELEASES)
def test_every_check_is_one_that_there_is(root: Path, tmp_path: Path, distribution: str) -> None:
    known = set(re.findall(r"^has_(\w+)\(\)", (root / NEEDS).read_text(), re.MULTILINE))
    assert {line[2] for line in needs(root, tmp_path, distribution)} <= known


@pytest.mark.parametrize("distribution", OS_RELEASES)
def test_images_are_built_without_engines_and_browsers(root: Path, tmp_path: Path, distribution: str) -> None:
    wanted = {line[1] for line in needs(root, tmp_path, distribution, "images") if line[0] == "apt"}
    assert wanted - {"python3"} == {"python3-venv", "docker.io", "debootstrap"}


def needs(root: Path, folder: Path, distribution: str, chosen: str = "containers") -> list[list[str]]:
    path = folder / "os-release"
    path.write_text(OS_RELEASES[distribution])
    command, variables = ["sh", str(root / NEEDS), chosen], {**os.environ, "OS_RELEASE": str(path)}
    printed = subprocess.run(command, capture_output=True, text=True, check=True, env=variables).stdout
    return [line.split(maxsplit=4) for line in printed.splitlines()]
