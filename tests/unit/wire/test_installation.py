"""Commands in messages fit the way in which the packages were installed."""

import sys
from pathlib import Path

import pytest

from i2s_wire import installation
from i2s_wire.installation import (
    InstallationKind,
    checkout_command,
    checkout_folder,
    install_command,
    installation_kind,
    networks_command,
    services_command,
)

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture
def python(tmp_path, monkeypatch):
    """The bin folder of an environment with pip, whose Python runs this."""
    folder = tmp_path / "venv" / "bin"
    folder.mkdir(parents=True)
    (folder / "pip").touch(mode=0o755)
    monkeypatch.setattr(sys, "executable", str(folder / "python"))
    monkeypatch.setenv("PATH", "/usr/bin")
    monkeypatch.chdir("/")
    return folder


def test_this_checkout_is_found():
    assert checkout_folder() == ROOT
    assert installation_kind() is InstallationKind.CHECKOUT


def test_a_module_in_site_packages_is_of_a_wheel(tmp_path):
    module = tmp_path / "lib/python3.11/site-packages/i2s_wire/installation.py"
    assert checkout_folder(module) is None
    assert installation_kind(module, tmp_path) is InstallationKind.WHEELS


def test_a_module_near_the_root_of_the_file_system_is_of_a_wheel():
    assert checkout_folder(Path("/installation.py")) is None


def test_the_prefix_of_the_images_is_a_container(tmp_path):
    module = tmp_path / "i2s_wire/installation.py"
    assert installation_kind(module, installation.CONTAINER_PREFIX) is InstallationKind.CONTAINER


def test_the_images_are_made_with_that_prefix():
    dockerfile = (ROOT / "deploy/images/python.Dockerfile").read_text(encoding="utf-8")
    assert f"-m venv --without-pip {installation.CONTAINER_PREFIX}\n" in dockerfile


@pytest.mark.parametrize("kind", [InstallationKind.WHEELS, InstallationKind.CHECKOUT])
def test_pip_is_named_by_its_path_unless_it_is_first_on_the_path(kind, python, monkeypatch):
    assert install_command("i2s-sdk[hf]", kind) == f"{str(python)[1:]}/pip install 'i2s-sdk[hf]'"
    monkeypatch.chdir(python.parent.parent)
    assert install_command("pypdfium2", kind) == "venv/bin/pip install pypdfium2"
    monkeypatch.chdir(python)
    monkeypatch.chdir("..")
    assert install_command("pypdfium2", kind) == "bin/pip install pypdfium2"
    monkeypatch.setenv("PATH", f"{python}:/usr/bin")
    assert install_command("i2s-sdk[hf]", kind) == "pip install 'i2s-sdk[hf]'"


@pytest.mark.parametrize(
    ("extra", "command"), [("http", "make setup"), ("hub", "make setup"), ("ocr", "scripts/bootstrap ocr")]
)
def test_a_checkout_installs_the_extras_that_it_locks_by_its_own_commands(extra, command):
    assert install_command(f"i2s-sdk[{extra}]", InstallationKind.CHECKOUT) == command


def test_without_pip_uv_is_named(python):
    (python / "pip").unlink()
    assert install_command("i2s-sdk[hub]", InstallationKind.WHEELS) == (
        f"uv pip install --python {python}/python 'i2s-sdk[hub]'"
    )


def test_a_container_is_told_to_build_an_image():
    command = install_command("i2s-sdk[openai]", InstallationKind.CONTAINER)
    assert "i2s-sdk[openai]" in command
    assert "deploy/images/build" in command
    assert "pip install" not in command


@pytest.mark.parametrize("kind", InstallationKind)
def test_each_kind_has_its_own_way_to_services_and_networks(kind, python, monkeypatch):
    monkeypatch.setenv("PATH", str(python))
    services, networks = services_command("i2s-render-latex", kind), networks_command(kind)
    match kind:
        case InstallationKind.CHECKOUT:
            assert services.endswith("make setup")
            assert networks == "make networks"
        case InstallationKind.WHEELS:
            assert services == "install it with: i2s-sdk setup render-latex"
            assert networks == "pip install 'i2s-metrics[networks]'"
        case InstallationKind.CONTAINER:
            assert services == "start a container of the image i2s-render-latex"
            assert "deploy/images/build metrics" in networks


def test_commands_of_the_repository_say_where_they_belong():
    assert checkout_command("make lock", InstallationKind.CHECKOUT) == "make lock"
    assert checkout_command("make lock", InstallationKind.WHEELS).startswith("make lock (in a checkout")


@pytest.mark.parametrize("extra", ["hub", "parquet"])
def test_a_container_is_told_of_the_image_that_reads_data_of_the_hub(extra: str) -> None:
    assert "DATASETS=hub" in install_command(f"i2s-sdk[{extra}]", InstallationKind.CONTAINER)


@pytest.mark.parametrize("kind", InstallationKind)
def test_on_a_mac_services_are_containers(kind, monkeypatch):
    monkeypatch.setattr(sys, "platform", "darwin")
    assert services_command("i2s-render-latex", kind).endswith("i2s-sdk up --docker")
