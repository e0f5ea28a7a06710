"""The wheels contain what the commands need, and their messages fit an installation without a checkout."""

from __future__ import annotations

import hashlib
import json
import os
import shlex
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path
from zipfile import ZipFile

import pytest

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "examples"
DATA_SETS = (
    ".", "charts", "design2code", "olmocrbench", "omnidocbench", "omr", "readoc", "scimage", "shapecode",
    "sobench", "svg", "visualwebbench",
)  # fmt: skip


def test_every_package_has_a_wheel_of_the_same_version(wheels):
    projects = [
        ROOT / "protos",
        *(path for path in (ROOT / "sdk").iterdir() if path.is_dir()),
        *(path for path in (ROOT / "services").iterdir() if path.is_dir()),
    ]
    built = [path.name.split("-")[:2] for path in wheels.iterdir()]
    assert len(built) == len(projects)
    assert {version for _, version in built} == {version("i2s-sdk")}


#: What stands for a package that is installed alone: its import name, and the modules that need an extra.
ALONE = {
    "i2s-client": ("i2s_client", ()),
    "i2s-sdk": ("i2s_sdk", ("i2s_sdk.models.", "i2s_sdk.cli.__main__")),
    "i2s-collect": ("i2s_collect", ()),
    "i2s-gateway": ("i2s_gateway", ()),
    "i2s-training": ("i2s_training", ("i2s_training.inspect_tasks",)),
}
IMPORT_ALL = """
import importlib, pkgutil, sys
package = importlib.import_module(sys.argv[1])
for module in pkgutil.walk_packages(package.__path__, package.__name__ + "."):
    if not module.name.startswith(tuple(sys.argv[2:])):
        importlib.import_module(module.name)
print(package.__file__)
print(*sorted(name for name in sys.modules if name.startswith("i2s_") and "." not in name))
"""


@pytest.mark.parametrize("name", ALONE)
def test_each_package_of_the_sdk_is_installed_and_imported_alone(install_alone, name):
    imported, with_extras = ALONE[name]
    installed = install_alone(name)
    done = installed.run("python", "-c", IMPORT_ALL, imported, *with_extras)
    assert done.returncode == 0, done.stderr
    file, packages = done.stdout.splitlines()
    assert Path(file).is_relative_to(installed.environment)
    needed = {"i2s_wire", "i2s_client", "i2s_sdk"} if name != "i2s-client" else {"i2s_wire"}
    assert set(packages.split()) <= needed | {imported}


def test_the_clients_bring_at_most_five_packages(client_from_index):
    listed = client_from_index.run("python", "-m", "pip", "list", "--format", "freeze").stdout.split()
    brought = {line.partition("==")[0] for line in listed} - {"pip", "setuptools"}
    assert {"i2s-client", "i2s-protos", "grpcio", "protobuf"} <= brought
    assert len(brought) <= 5, brought


def test_a_command_of_a_package_that_is_not_there_says_what_installs_it(from_index):
    told = from_index.run("i2s-sdk", "collect", "--help")
    assert told.returncode == 2
    assert "i2s-sdk[collect]" in told.stderr
    assert "collect" not in from_index.run("i2s-sdk", "--help").stdout.split("Commands:")[1]


def test_a_wheel_is_the_same_when_it_is_built_again(wheels, tmp_path):

    environ = {**os.environ, "PYTHON": sys.executable}
    subprocess.run(["scripts/wheels", str(tmp_path / "again")], cwd=ROOT, env=environ, check=True)
    digests = [
        {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in folder.iterdir()}
        for folder in (wheels, tmp_path / "again")
    ]
    assert digests[0] == digests[1]


def test_the_wheels_of_source_distributions_are_those_of_the_checkout(wheels, tmp_path):
    environ = {**os.environ, "PYTHON": sys.executable, "SOURCE_DATE_EPOCH": "1704067200"}
    built = tmp_path / "built"
    subprocess.run(["scripts/wheels", "--with-sdists", str(built)], cwd=ROOT, env=environ, check=True)
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet", "wheel", "--no-cache-dir"]
    options = ["--no-deps", "--no-build-isolation", "--no-index", "--wheel-dir", str(tmp_path / "again")]
    subprocess.run([*pip, *options, *sorted(built.glob("*.tar.gz"))], env=environ, check=True)
    again = {path.name: contents(path) for path in (tmp_path / "again").iterdir()}
    assert again == {path.name: contents(path) for path in wheels.iterdir()}


def contents(wheel: Path) -> dict[str, str]:
    """Return the digest of each file of a wheel; its list of them has another order in each build."""
    with ZipFile(wheel) as archive:
        files = [name for name in archive.namelist() if not name.endswith("/RECORD")]
        return {name: hashlib.sha256(archive.read(name)).hexdigest() for name in files}


def test_every_wheel_has_its_licence_and_the_mark_of_types(wheels):
    for wheel in wheels.iterdir():
        with ZipFile(wheel) as archive:
            names = archive.namelist()
            metadata = next(name for name in names if name.endswith(".dist-info/METADATA"))
            assert "License-Expression: Apache-2.0" in archive.read(metadata).decode()
            licence = metadata.replace("METADATA", "licenses/LICENSE")
            assert archive.read(licence) == (ROOT / "LICENSE").read_bytes()
            assert any(name.endswith("/py.typed") for name in names), wheel.name


def test_the_chassis_has_the_profiles_that_remedies_name(wheels):
    (wheel,) = wheels.glob("i2s_chassis-*.whl")
    with ZipFile(wheel) as archive:
        for name in ("deploy/apparmor/i2s-bwrap", "deploy/seccomp/i2s-namespace.json"):
            copy = archive.read(f"i2s_chassis/profiles/{Path(name).name}")
            assert copy == (ROOT / name).read_bytes()


def test_the_sdk_has_what_services_are_deployed_with(wheels):
    (wheel,) = wheels.glob("i2s_sdk-*.whl")
    tracked = subprocess.run(
        ["git", "ls-files", "deploy"], cwd=ROOT, check=True, capture_output=True, text=True
    ).stdout.splitlines()
    with ZipFile(wheel) as archive:
        assert len(tracked) > 50
        for name in tracked:
            assert archive.read(f"i2s_sdk/{name}") == (ROOT / name).read_bytes()


def test_the_command_tells_its_version_and_its_help(sdk_alone):
    told = sdk_alone.run("i2s-sdk", "--version")
    assert (told.returncode, told.stdout) == (0, f"i2s-sdk, version {version('i2s-sdk')}\n")
    helped = sdk_alone.run("i2s-sdk", "--help")
    assert helped.returncode == 0
    assert "evaluate" in helped.stdout


def test_the_packages_are_those_of_the_wheels(sdk_alone):
    script = (
        "import i2s_sdk, i2s_wire, i2s.render.v1.render_pb2 as stubs\n"
        "print(i2s_sdk.__file__, i2s_wire.__file__, stubs.__file__)"
    )
    files = sdk_alone.run("python", "-c", script).stdout.split()
    assert len(files) == 3
    assert all(Path(file).is_relative_to(sdk_alone.environment) for file in files), files


@pytest.mark.parametrize("name", DATA_SETS)
def test_each_bundled_data_set_is_complete_and_that_of_the_checkout(sdk_alone, name):
    folder = sdk_alone.package / "examples" / name
    assert (folder / "instances.jsonl").read_bytes() == (EXAMPLES / name / "instances.jsonl").read_bytes()
    checked = sdk_alone.run("i2s-sdk", "dataset", "validate", str(folder), "--json")
    assert checked.returncode == 0, checked.stdout + checked.stderr
    counted = json.loads(sdk_alone.run("i2s-sdk", "dataset", "list", str(folder), "--json").stdout)
    assert counted


def test_an_evaluation_of_the_bundled_examples_can_be_planned(sdk_alone):
    planned = sdk_alone.run("i2s-sdk", "evaluate", "--dry-run", "--json")
    assert planned.returncode == 0, planned.stderr
    lines = (EXAMPLES / "instances.jsonl").read_text(encoding="utf-8").splitlines()
    assert json.loads(planned.stdout)["samples"] == len(lines)


def test_a_missing_service_is_one_line_with_a_command_for_wheels(sdk_alone):
    ended = sdk_alone.run("i2s-sdk", "evaluate", "--limit", "1", "--out", "run")
    assert ended.returncode == 1
    (line,) = ended.stderr.strip().splitlines()
    assert "install it with: i2s-sdk setup " in line
    assert "make " not in line


def test_a_set_up_from_wheels_names_what_the_system_lacks(sdk_alone, tmp_path):
    programs = tmp_path / "programs"
    programs.mkdir()
    for name in ("sh", "cat", "find", "grep"):
        (programs / name).symlink_to(f"/bin/{name}")
    planned = sdk_alone.run("i2s-sdk", "setup", "latex", "metrics", "--dry-run", path=str(programs))
    assert planned.returncode == 0, planned.stderr
    assert "texlive-latex-base" in planned.stdout
    assert "pandoc" not in planned.stdout
    assert list(sdk_alone.empty.glob(".cache/i2s*")) == []


def test_everything_is_installed_by_one_command_and_evaluates_the_examples(from_index):
    ended = from_index.run("i2s-sdk", "evaluate", "--limit", "2", "--out", "run", "--json")
    assert ended.returncode == 0, ended.stderr
    total = json.loads(ended.stdout)["tasks"]["latex"]["total"]
    assert total["scored"] == 2
    assert total["metrics"]["ems"]["all"]["value"] == pytest.approx(1.0)


def test_the_doctor_misses_nothing_but_the_networks(from_index):
    told = from_index.run("i2s-sdk", "doctor", "--json")
    findings = json.loads(told.stdout)["findings"]
    wrong = {finding["name"] for finding in findings if finding["state"] != "good"}
    assert wrong <= {"metric lpips", "metric cis", "host"}, findings


def test_the_command_that_a_message_names_installs_what_is_missing(from_index):
    asked = ("i2s-sdk", "evaluate", "--model", "openai/some-model", "--limit", "1", "--out", "openai")
    path = f"{from_index.environment / 'bin'}:/usr/bin:/bin"
    before = from_index.run(*asked, path=path)
    assert (
        before.stderr
        == "error: model 'openai/some-model' needs the package openai: pip install 'i2s-sdk[openai]'\n"
    )

    words = shlex.split(before.stderr.split(": ")[-1])
    installed = from_index.run(*words, path=path)
    assert installed.returncode == 0, installed.stderr
    after = from_index.run(*asked, path=path)
    assert after.returncode == 2
    assert "OPENAI_API_KEY" in after.stderr
