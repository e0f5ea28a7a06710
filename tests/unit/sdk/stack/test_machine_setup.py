"""Set-up is planned from what is there, and changes nothing before its steps are run."""

from __future__ import annotations

import json
import shlex
import shutil
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from i2s_client.service_table import ServiceRow
from i2s_sdk.errors import SetupError, UsageError
from i2s_sdk.stack import machine_setup
from i2s_sdk.stack.machine_setup import (
    Machine,
    Privilege,
    Step,
    SystemNeed,
    admin_command,
    look,
    run_step,
    steps,
)
from i2s_wire.installation import InstallationKind
from i2s_wire.render.request import GenericSource
from i2s_wire.renderer import Need, Preparation, RendererSpec

TEX = SystemNeed("apt", "texlive-latex-base", "the command pdflatex")
BUBBLEWRAP = SystemNeed("apt", "bubblewrap", "the command bwrap")
BROWSER = SystemNeed("playwright", "chromium-headless-shell", "a browser")
INDEX = "building the index of the TeX tree"


def machine(*needs: SystemNeed, services: tuple[str, ...] = ("render-latex",), **more: object) -> Machine:
    return Machine(
        services,
        needs,
        more.get("requirements", ()),
        more.get("privilege", Privilege.ROOT),
        more.get("has_apt", True),
    )


def test_what_is_there_is_not_installed():
    planned = steps(machine(services=("render-latex", "metrics")))
    assert [step.title for step in planned] == [INDEX, "compiling the metrics"]


def test_system_packages_come_first_then_python_packages_then_what_needs_both():
    lacking = machine(TEX, BUBBLEWRAP, BROWSER, requirements=("i2s-render-latex==1",))
    planned = steps(lacking, index_url="https://index.example/simple", find_links=["a", "b"])
    update, install, packages, browser, index = planned
    assert update.words == ("apt-get", "update")
    assert install.words[-2:] == ("texlive-latex-base", "bubblewrap")
    assert "--no-install-recommends" in install.words
    options = "--index-url https://index.example/simple --find-links a --find-links b i2s-render-latex==1"
    assert packages.command.endswith(f"install {options}")
    assert browser.words[-3:] == ("playwright", "install", "chromium-headless-shell")
    assert browser.command.startswith("PLAYWRIGHT_BROWSERS_PATH=0 ")
    assert index.title == INDEX


@pytest.mark.parametrize(
    ("privilege", "begins"),
    [
        (Privilege.SUDO, ["sudo", "apt-get"]),
        (Privilege.UNATTENDED_SUDO, ["sudo", "-n", "apt-get"]),
        (Privilege.ROOT, ["apt-get"]),
    ],
)
def test_sudo_is_used_for_system_packages_alone(privilege, begins):
    planned = steps(machine(TEX, privilege=privilege, requirements=("i2s-render-latex==1",)))
    assert list(planned[0].words[: len(begins)]) == begins
    assert all("sudo" not in step.words for step in planned[2:])
    assert planned[1].words[: len(begins) - 1] == tuple(begins[:-1])


@pytest.mark.parametrize(
    ("lacking", "system"),
    [
        (machine(TEX, requirements=("a==1",)), False),
        (machine(TEX, requirements=("a==1",), privilege=Privilege.NONE), True),
        (machine(TEX, requirements=("a==1",), has_apt=False), True),
    ],
)
def test_without_system_packages_all_else_is_done_that_does_not_need_them(lacking, system):
    (step,) = steps(lacking, system=system)
    assert step.words[-1] == "a==1"


def test_an_administrator_gets_one_command_line():
    command = admin_command(machine(TEX, BUBBLEWRAP))
    assert command.startswith("apt-get update && apt-get install ")
    assert shlex.split(command)[-2:] == ["texlive-latex-base", "bubblewrap"]


@pytest.fixture
def bare(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of the programs of a system that has no engine, on which nothing is installed."""
    for name in ("sh", "grep", "find", "cat", "sed"):
        (tmp_path / name).symlink_to(shutil.which(name) or name)
    (tmp_path / "os-release").write_text("ID=debian\n")
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("OS_RELEASE", str(tmp_path / "os-release"))
    monkeypatch.setattr(machine_setup, "installation_kind", lambda: InstallationKind.WHEELS)
    return tmp_path


def test_a_bare_system_lacks_the_engines_of_the_named_services_alone(bare):
    names = {need.name for need in look(["render-latex"]).needs}
    assert {"texlive-latex-base", "poppler-utils", "bubblewrap"} <= names
    assert not {"pandoc", "jekyll"} & names
    assert {need.name for need in look(["documents"]).needs} >= {"pandoc", "bubblewrap"}
    assert look(["metrics"]).needs == ()


def test_what_can_install_packages_is_seen(bare, monkeypatch):
    monkeypatch.setattr("os.geteuid", lambda: 1000)
    assert look(["metrics"]).privilege is Privilege.NONE
    assert not look(["metrics"]).has_apt
    for name in ("sudo", "apt-get"):
        (bare / name).write_text("#!/bin/sh\n")
        (bare / name).chmod(0o755)
    assert look(["metrics"]).privilege is Privilege.UNATTENDED_SUDO
    assert look(["metrics"]).has_apt
    monkeypatch.setattr("os.geteuid", lambda: 0)
    assert look(["metrics"]).privilege is Privilege.ROOT


def test_packages_of_another_version_and_missing_libraries_are_installed(bare, monkeypatch):
    versions = {
        "i2s-sdk": "2",
        "i2s-metrics": "2",
        "i2s-documents": "1",
        "i2s-render-python": "2",
        "numpy": "9",
    }

    def version(name: str) -> str:
        if name not in versions:
            raise machine_setup.PackageNotFoundError(name)
        return versions[name]

    monkeypatch.setattr(machine_setup, "version", version)
    monkeypatch.setattr(
        machine_setup, "requires", lambda name: ["grpcio>=1", 'numpy>=2.2; extra == "libraries"']
    )
    names = ["metrics", "documents", "render-html", "render-python"]
    assert look(names).requirements == ("i2s-documents==2", "i2s-render-html==2")
    del versions["numpy"]
    assert look(["render-python"]).requirements == ("i2s-render-python[libraries]==2",)


@pytest.mark.parametrize("kind", [InstallationKind.CONTAINER, InstallationKind.CHECKOUT])
def test_where_packages_cannot_be_installed_that_is_refused(bare, monkeypatch, kind):
    monkeypatch.setattr(machine_setup, "installation_kind", lambda: kind)
    monkeypatch.setattr(machine_setup, "_missing_requirements", lambda services: ["i2s-metrics==1"])
    with pytest.raises(UsageError):
        look(["metrics"])


def test_on_another_system_containers_are_named(monkeypatch):
    monkeypatch.setattr(sys, "platform", "darwin")
    with pytest.raises(UsageError, match="up --docker"):
        look(["metrics"])


def test_lines_of_a_step_are_progress_and_those_of_apt_percentages():
    text = "Reading lists\\ndlstatus:1:43.4:Retrieving file 2 of 5\\npmstatus:tex:7.1:Unpacking tex\\n"
    told: list[str] = []
    run_step(Step("a step", ("printf", text)), told.append)
    assert told == [
        "Reading lists",
        "43 % downloaded: Retrieving file 2 of 5",
        "7 % installed: Unpacking tex",
    ]


def test_a_step_that_fails_names_its_log_and_shows_the_end(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    script = "echo dlstatus:1:2:x; echo no such package; exit 3"
    with pytest.raises(SetupError, match="no such package") as raised:
        run_step(Step("installing", ("sh", "-c", script)), lambda line: None)
    (log,) = tmp_path.iterdir()
    assert str(log) in raised.value.message
    assert "dlstatus" not in raised.value.message
    assert "dlstatus" in log.read_text()


def test_a_step_whose_program_is_missing_says_so(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    with pytest.raises(SetupError, match="no-such-program"):
        run_step(Step("installing", ("no-such-program",)), lambda line: None)
    assert list(tmp_path.iterdir()) == []


def test_on_ubuntu_the_browser_comes_from_playwright_and_its_libraries_from_apt(bare):
    (bare / "os-release").write_text("ID=ubuntu\nUBUNTU_CODENAME=noble\n")
    lacking = look(["render-html"])
    assert {need.name for need in lacking.needs if need.installer == "playwright"} == {
        "chromium-headless-shell"
    }
    assert "libnss3" in {need.name for need in lacking.packages}


@pytest.fixture
def playwright(bare, monkeypatch) -> Path:
    """The folder of Playwright's driver on Ubuntu, with a browser of revision 1."""
    (bare / "os-release").write_text("ID=ubuntu\nUBUNTU_CODENAME=noble\n")
    monkeypatch.setattr(sys, "prefix", str(bare / "environment"))
    monkeypatch.setattr(machine_setup, "_missing_requirements", lambda services: [])
    driver = bare / "environment/lib/python3.12/site-packages/playwright/driver/package"
    browser = driver / ".local-browsers/chromium_headless_shell-1/linux/chrome-headless-shell"
    browser.parent.mkdir(parents=True)
    browser.touch()
    return driver


def lacks_browser(services: list[str]) -> bool:
    return any(need.installer == "playwright" for need in look(services).needs)


def browsers(revision: int) -> str:
    """What Playwright says of the browsers that it was made for, as it writes it."""
    named = {"chromium": 1, "chromium-headless-shell": revision, "firefox": 1}
    listed = [{"name": name, "revision": str(of_it)} for name, of_it in named.items()]
    return json.dumps({"browsers": listed}, indent=2)


def test_a_browser_of_an_earlier_playwright_does_not_count(playwright):
    assert not lacks_browser(["render-html"])  # of a Playwright that does not say which it wants
    (playwright / "browsers.json").write_text(browsers(1))
    assert not lacks_browser(["render-html"])
    (playwright / "browsers.json").write_text(browsers(2))
    assert lacks_browser(["render-html"])


def test_where_the_renderer_of_pages_is_to_be_installed_playwright_is_asked_for_its_browser(
    playwright, monkeypatch
):
    (playwright / "browsers.json").write_text(browsers(1))
    monkeypatch.setattr(machine_setup, "_missing_requirements", lambda services: ["i2s-metrics==2"])
    assert not lacks_browser(["render-html", "metrics"])
    monkeypatch.setattr(machine_setup, "_missing_requirements", lambda services: ["i2s-render-html==2"])
    assert lacks_browser(["render-html", "metrics"])
    *_, packages, browser = (step.words[-1] for step in steps(look(["render-html"])))
    assert (packages, browser) == ("i2s-render-html==2", "chromium-headless-shell")


def test_what_a_renderer_of_another_package_needs_is_looked_for_and_installed(monkeypatch):
    here = Need(package="dash", check="command", argument="sh", purpose="the command sh")
    missing = Need(package="graphviz", check="command", argument="no-such-dot", purpose="the command dot")
    spec = RendererSpec(
        name="render-dot",
        title="Graphviz renderer",
        languages=("dot",),
        suffixes=(".dot",),
        port=7791,
        canary=GenericSource("dot", "a", {"a": b"graph { a }"}),
        needs=(here, missing),
        preparation=Preparation(title="listing fonts", arguments=("fonts",), packages="graphviz"),
    )
    row = ServiceRow("render-dot", "Graphviz renderer", 7791, renderer=spec)
    monkeypatch.setattr(machine_setup, "service_row", lambda name: row)
    looked = look(["render-dot"])
    wanted = SystemNeed("apt", "graphviz", "the command dot")
    assert [need for need in looked.needs if need.name != "bubblewrap"] == [wanted]
    assert looked.requirements == (), "that it is known means that it is installed"
    assert steps(looked, system=False) == ()
    able = replace(looked, privilege=Privilege.ROOT, has_apt=True)
    *_, last = steps(able)
    assert (last.title, last.words[1:]) == ("listing fonts", ("-m", "i2s_render_dot", "fonts"))
