"""Rules about packages: complete, declared, locked."""

import ast
import re
import shutil
import subprocess
import sys
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

import check

SERVICES = Path(__file__).resolve().parents[3] / "services"
#: Packages that are deployed, by the name of their lock.
DELIVERABLES = {
    "sdk": "i2s-sdk",
    "gateway": "i2s-gateway",
    **{
        path.parent.name: f"i2s-{path.parent.name}"
        for path in sorted(SERVICES.glob("*/pyproject.toml"))
        if path.parent.name != "chassis"
    },
}
#: Packages that no lock has, by the module that they install.
NOT_LOCKED = {"mlflow": ["mlflow-skinny"]}
OWN = re.compile(r"i2s(-|$)")


def declared(project: dict, *, extras: bool = True) -> dict[str, Requirement]:
    """What a package says it needs, by canonical name."""
    lines = list(project.get("dependencies", []))
    if extras:
        lines += [line for extra in project.get("optional-dependencies", {}).values() for line in extra]
    requirements = [Requirement(line) for line in lines]
    return {canonicalize_name(requirement.name): requirement for requirement in requirements}


def needs(packages: dict, name: str, extras: frozenset[str] = frozenset()) -> dict[str, Requirement]:
    """What a package of ours, with some of its extras, and those of ours below it need from elsewhere."""
    project, needed = packages[name].project, {}
    chosen = {extra: project["optional-dependencies"][extra] for extra in extras}
    wanted = {"dependencies": project["dependencies"], "optional-dependencies": chosen}
    for dependency, requirement in declared(wanted).items():
        if OWN.match(dependency):
            needed |= needs(packages, dependency, frozenset(requirement.extras))
        else:
            needed[dependency] = requirement
    return needed


def pins(root: Path, name: str) -> dict[str, set[str]]:
    """Versions in a lock file, by canonical name; several where they depend on the platform."""
    found: dict[str, set[str]] = {}
    for line in (root / "requirements" / f"{name}.txt").read_text(encoding="utf-8").splitlines():
        if match := re.match(r"([A-Za-z0-9._-]+)(?:\[[^]]*\])?==(\S+)", line):
            found.setdefault(canonicalize_name(match[1]), set()).add(match[2])
    return found


def test_the_packages_are_found(packages):
    assert {"i2s-protos", "i2s-chassis", *DELIVERABLES.values()} <= set(packages)


def test_every_package_is_complete(packages):
    lacking = [
        str(path.relative_to(package.folder.parent))
        for package in packages.values()
        for path in (
            package.folder / "README.md",
            *(package.folder / "src" / name / "py.typed" for name in package.import_names),
        )
        if not path.is_file()
    ]
    assert lacking == []


#: What an index shows of a package, beside its name, and which is equal for all.
SHARED = ("version", "readme", "license", "license-files", "authors", "keywords", "requires-python")


def test_every_package_states_what_an_index_shows(root, packages):
    shared = [{name: package.project[name] for name in SHARED} for package in packages.values()]
    assert all(one == shared[0] for one in shared)
    assert shared[0]["license"] == "Apache-2.0"
    assert shared[0]["requires-python"] == ">=3.11"
    for package in packages.values():
        assert package.project["description"], package.name
        assert "Typing :: Typed" in package.project["classifiers"], package.name
        assert (package.folder / "LICENSE").read_bytes() == (root / "LICENSE").read_bytes(), package.name


@pytest.mark.slow
def test_every_package_declares_what_it_imports(packages):
    providers = {**NOT_LOCKED, **packages_distributions()}
    own = {name: {package.name} for package in packages.values() for name in package.import_names}
    undeclared = set()
    for package in packages.values():
        allowed = {*declared(package.project), canonicalize_name(package.name)}
        for module in package.modules:
            for imported in module.imports():
                top = imported.partition(".")[0]
                sources = own.get(top) or {canonicalize_name(n) for n in providers.get(top, [top])}
                if top not in sys.stdlib_module_names and not sources & allowed:
                    undeclared.add(f"{module.path} imports {top}, and {package.name} does not declare it")
    assert sorted(undeclared) == []


@pytest.mark.parametrize("name", DELIVERABLES)
def test_each_lock_holds_what_its_deliverable_needs(root, packages, name):
    locked = pins(root, name)
    unmet = [
        f"{requirement}; locked: {sorted(locked.get(dependency, set())) or 'nothing'}"
        for dependency, requirement in needs(packages, DELIVERABLES[name]).items()
        if not locked.get(dependency)
        or not all(requirement.specifier.contains(v) for v in locked[dependency])
    ]
    assert unmet == [], "run `make lock`"


@pytest.mark.parametrize("name", ["build", *DELIVERABLES])
def test_what_is_deployed_is_what_was_tested(root, name):
    tested = pins(root, "dev")
    assert {
        package: versions for package, versions in pins(root, name).items() if tested.get(package) != versions
    } == {}


def test_what_is_type_checked_is_every_package(packages):
    strict, _ = check.mypy()
    names = {name for package in packages.values() for name in package.import_names}
    # What is generated is not checked; scripts/training checks i2s_verifiers, which imports verifiers.
    assert {Path(word).name for word in strict if "/src/" in word} & names == names - {"i2s", "i2s_verifiers"}


#: A uv that writes what it is asked to compile, a line for each call.
UV = """#!/bin/sh
echo "$*" >>calls
while [ "$1" != -o ]; do shift; done
touch "$2"
"""


@pytest.fixture
def locked(root, packages, tmp_path):
    """The calls of uv by the lock that they write, in a copy of the checkout with one renderer more."""
    for folder in ("scripts", "requirements"):
        shutil.copytree(root / folder, tmp_path / folder)
    for package in packages.values():
        file = package.folder.relative_to(root) / "pyproject.toml"
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(root / file, tmp_path / file)
    new = tmp_path / "services/render-dot/pyproject.toml"
    new.parent.mkdir()
    new.write_text('[project]\nname = "i2s-render-dot"\n', encoding="utf-8")
    uv = tmp_path / ".venv/bin/uv"
    uv.parent.mkdir(parents=True)
    uv.write_text(UV, encoding="utf-8")
    uv.chmod(0o755)
    subprocess.run([tmp_path / "scripts/lock"], check=True, capture_output=True)
    calls = [line.split() for line in (tmp_path / "calls").read_text(encoding="utf-8").splitlines()]
    return {words[words.index("-o") + 1]: words for words in calls}


def test_every_service_is_locked_and_what_is_tested_has_all_of_them(locked, packages, tmp_path):
    folders = [package.folder for package in packages.values() if package.folder.parent.name == "services"]
    services = {folder.name for folder in folders} - {"chassis"} | {"render-dot"}
    assert {f"requirements/{name}.txt" for name in services} <= locked.keys()
    assert {f"requirements/{name}.in" for name in services} <= set(locked["requirements/dev.txt"])
    assert locked["requirements/networks-dev.txt"][2] == "requirements/networks-dev.in"
    written = (tmp_path / "requirements/render-dot.in").read_text(encoding="utf-8").split("\n")
    assert written[:3] == ["-e ./protos", "-e ./services/chassis[telemetry]", "-e ./services/render-dot"]


def test_no_lock_names_a_package_of_this_repository(locked, packages):
    for words in locked.values():
        left_out = {words[place + 1] for place, word in enumerate(words) if word == "--no-emit-package"}
        assert {*packages, "i2s-render-dot"} <= left_out


def test_all_packages_have_one_version_and_need_one_another_in_it(packages):
    (version,) = {package.project["version"] for package in packages.values()}
    wrong = [
        f"{package.name} needs {requirement}"
        for package in packages.values()
        for name, requirement in declared(package.project).items()
        if OWN.match(name) and str(requirement.specifier) != f"=={version}"
    ]
    assert wrong == [], "run scripts/version"


def test_the_extra_of_all_services_has_every_service(packages):
    services = {name for name, package in packages.items() if package.folder.parent.name == "services"}
    extra = [Requirement(line) for line in packages["i2s-sdk"].project["optional-dependencies"]["services"]]
    assert {one.name for one in extra} == services - {"i2s-chassis"}


def test_what_is_locked_is_installed_without_resolving_anything(root):
    """Old versions of pip take the newest release for "name[extra]" in a dependency, which has no hash."""
    folders = (root / "scripts", root / "deploy" / "images")
    texts = {file: file.read_text() for folder in folders for file in folder.iterdir() if file.is_file()}
    commands = {
        f"{file.relative_to(root)}: {line.strip()}": line
        for file, text in texts.items()
        for line in text.replace("\\\n", " ").splitlines()
        if "--require-hashes" in line
    }
    assert len(commands) >= 8
    assert [where for where, line in commands.items() if "--no-deps" not in line] == []


def test_messages_take_the_commands_that_install_something_from_one_module(packages):
    written = [
        f"{module.path}:{node.lineno}: {node.value[:60]}"
        for package in packages.values()
        for module in package.modules
        if module.name != "i2s_wire.installation"
        for node in ast.walk(module.tree)
        if isinstance(node, ast.Constant)
        and isinstance(node.value, str)
        and re.search(r"\bpip install\b", node.value)
    ]
    assert written == [], "take it from i2s_wire.installation"


def test_every_extra_that_a_message_names_exists(packages):
    named = {
        (match[1], match[2])
        for package in packages.values()
        for module in package.modules
        for node in ast.walk(module.tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
        for match in re.finditer(r"\b(i2s-[a-z-]+)\[([a-z-]+)\]", node.value)
    }
    assert {extra for name, extra in named if name == "i2s-sdk"} >= {"hub", "parquet", "docker"}
    assert {one for one in named if one[1] not in packages[one[0]].project["optional-dependencies"]} == set()
