"""The last step of an image: which packages and files it leaves, and what its bill of materials names."""

from __future__ import annotations

import datetime
import json
import re
import shutil
import stat
import sys
from importlib.metadata import distributions
from pathlib import Path
from urllib.parse import quote

import pytest

from finish.debian import INVENTORY, installed_packages, needed_packages
from finish.libraries import linked_libraries, missing_libraries
from finish.removal import ALWAYS, AVIF, WITHOUT, clear_privileges, remove_unneeded
from finish.sbom import PLACE, document, write_sbom

STANZA = """\
Package: {name}
Status: {status}
Architecture: amd64
Version: 1:2.0+b1-3
Source: origin (2.0)
Description: one
 longer text: not a field
{fields}"""
RECIPES = Path(__file__).resolve().parents[3] / "deploy/images"
IMAGES = sorted(path.stem for path in RECIPES.glob("*.Dockerfile") if path.stem != "python")
WHEN = datetime.datetime(2026, 1, 2, 3, 4, 5, tzinfo=datetime.UTC)


class System:
    """A small root file system with dpkg's database."""

    def __init__(self, root):
        self.root = root
        self.stanzas = []
        for name in ALWAYS:
            self.add(name)

    def add(self, name, *files, status="install ok installed", **fields):
        lines = "\n".join(f"{key.replace('_', '-').title()}: {value}" for key, value in fields.items())
        self.stanzas.append(STANZA.format(name=name, status=status, fields=lines).strip())
        listed = []
        for file in files:
            path = self.root / file
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(name)
            listed += [f"/{parent}" for parent in reversed(path.relative_to(self.root).parents)]
            listed.append(f"/{file}")
        info = self.root / "var/lib/dpkg/info"
        info.mkdir(parents=True, exist_ok=True)
        (info / f"{name}.list").write_text("\n".join(dict.fromkeys(listed)))
        (info.parent / "status").write_text("\n\n".join(self.stanzas) + "\n")
        return self

    def remove(self, wanted=(), without=(), globs=()):
        remove_unneeded(self.root, wanted, without, globs)

    def has(self, file):
        return (self.root / file).exists()


@pytest.fixture
def system(tmp_path):
    return System(tmp_path)


def test_a_package_that_nothing_needs_goes_with_its_files(system):
    system.add("tool", "usr/bin/tool", "usr/share/doc/tool/copyright").add("kept", "usr/bin/kept")
    system.remove(["kept"])
    assert system.has("usr/bin/kept")
    assert not system.has("usr/share/doc/tool")
    assert not system.has("usr/bin/tool")


def test_dependencies_stay_also_virtual_ones_and_alternatives(system):
    system.add("engine", depends="library (>= 1.0), a | b, shell:any", pre_depends="early")
    system.add("library", "usr/lib/library.so", provides="lib-abi (= 2)").add("b").add("early")
    system.add("dash-like", provides="shell").add("other", depends="lib-abi")
    packages = installed_packages(system.root)
    assert needed_packages(packages, ["engine"], []) == {"engine", "library", "b", "early", "dash-like"}
    assert needed_packages(packages, ["other"], []) == {"other", "library"}


def test_what_only_an_excluded_package_needs_goes_too(system):
    system.add("browser", depends="driver, fonts").add("driver", "usr/lib/driver.so", depends="compiler")
    system.add("compiler", "usr/lib/compiler.so").add("fonts", "usr/share/fonts/one.ttf")
    system.remove(["browser"], without=["driver"])
    assert system.has("usr/share/fonts/one.ttf")
    assert not system.has("usr/lib/driver.so")
    assert not system.has("usr/lib/compiler.so")


@pytest.mark.parametrize("name", ["apt", "dpkg", "perl-base", "mount", "passwd", "login", "util-linux"])
def test_package_tools_and_programs_for_users_and_mounts_go_whoever_needs_them(system, name):
    assert name in WITHOUT
    system.add(name, f"usr/bin/{name}").add("engine", depends=name)
    system.remove(["engine"])
    assert not system.has(f"usr/bin/{name}")


def test_a_file_that_two_packages_have_stays_with_the_one_that_stays(system):
    system.add("old", "usr/share/both", "usr/share/old/one").add("kept", "usr/share/both")
    system.remove(["kept"])
    assert system.has("usr/share/both")
    assert not system.has("usr/share/old")


def test_a_file_is_found_behind_the_links_of_a_merged_usr(system):
    (system.root / "usr/bin").mkdir(parents=True)
    (system.root / "bin").symlink_to("usr/bin")
    system.add("su", "bin/su").add("kept", "usr/bin/kept")
    system.remove(["kept"])
    assert not system.has("usr/bin/su")
    assert (system.root / "bin").is_symlink()


def test_a_link_goes_with_its_target_also_over_the_alternatives(system):
    system.add("mawk", "usr/bin/mawk")
    (system.root / "etc/alternatives").mkdir(parents=True)
    (system.root / "etc/alternatives/awk").symlink_to("/usr/bin/mawk")
    (system.root / "usr/bin/awk").symlink_to("/etc/alternatives/awk")
    (system.root / "usr/bin/python").symlink_to("python3")
    (system.root / "usr/bin/python3").write_text("")
    system.remove()
    assert sorted(path.name for path in (system.root / "usr/bin").iterdir()) == ["python", "python3"]
    assert not any((system.root / "etc/alternatives").iterdir())


def test_character_sets_that_nothing_reads_go(system):
    folder = "usr/lib/x86_64-linux-gnu/gconv"
    files = ["gconv-modules", "ISO8859-1.so", "UTF-16.so", "BIG5HKSCS.so", "libCNS.so"]
    system.add("libc6", *(f"{folder}/{file}" for file in files))
    system.remove(["libc6"])
    assert sorted(path.name for path in (system.root / folder).iterdir()) == [
        "ISO8859-1.so",
        "UTF-16.so",
        "gconv-modules",
    ]


def test_named_files_go_and_a_pattern_without_a_file_is_a_fault_of_the_recipe(system):
    system.add("ruby", "usr/bin/ruby", "usr/bin/gem")
    system.remove(["ruby"], globs=["usr/bin/gem*"])
    assert (system.has("usr/bin/ruby"), system.has("usr/bin/gem")) == (True, False)
    with pytest.raises(FileNotFoundError, match="bundle"):
        system.remove(["ruby"], globs=["usr/bin/bundle*"])


def test_documentation_goes_and_licences_stay(system):
    system.add(
        "kept", "usr/share/doc/kept/copyright", "usr/share/doc/kept/changelog.gz", "usr/share/man/man1/kept.1"
    )
    system.remove(["kept"])
    assert system.has("usr/share/doc/kept/copyright")
    assert not system.has("usr/share/doc/kept/changelog.gz")
    assert not system.has("usr/share/man")


def test_an_inventory_of_the_packages_takes_the_place_of_the_database(system):
    system.add("kept").add("gone").add("removed", status="deinstall ok config-files")
    before = installed_packages(system.root)
    system.remove(["kept"])
    assert not system.has("var/lib/dpkg/status")
    assert not system.has("var/lib/dpkg/info")
    assert installed_packages(system.root) == {name: before[name] for name in (*ALWAYS, "kept")}
    assert sorted(path.name for path in (system.root / INVENTORY).iterdir()) == sorted((*ALWAYS, "kept"))


def test_a_wanted_package_that_is_not_installed_is_an_error(system):
    with pytest.raises(KeyError, match="missing"):
        system.remove(["missing"])


def test_no_file_keeps_a_setuid_or_setgid_bit(system):
    system.add("kept", "usr/bin/one", "usr/bin/two")
    (system.root / "usr/bin/one").chmod(0o4755)
    (system.root / "usr/bin/two").chmod(0o2755)
    clear_privileges(system.root)
    modes = [stat.S_IMODE((system.root / "usr/bin" / name).stat().st_mode) for name in ("one", "two")]
    assert modes == [0o755, 0o755]


def test_the_bill_of_materials_names_every_debian_package_and_python_distribution(system):
    system.add("g++-base")
    site = system.root / "opt/i2s/venv/lib/python3.11/site-packages"
    for name, extra in (
        ("Some_Thing", "License-Expression: MIT OR Apache-2.0\n"),
        ("other", "License: free text\n"),
    ):
        folder = site / f"{name}-1.0.dist-info"
        folder.mkdir(parents=True)
        (folder / "METADATA").write_text(f"Metadata-Version: 2.4\nName: {name}\nVersion: 1.0\n{extra}")
    system.remove(["g++-base"])
    write_sbom(system.root, "i2s-some", WHEN)
    bill = json.loads((system.root / PLACE).read_text())
    found = {
        reference["referenceLocator"]
        for package in bill["packages"]
        for reference in package.get("externalRefs", ())
    }
    assert found == {
        *(f"pkg:deb/debian/{quote(name)}@1%3A2.0%2Bb1-3?arch=amd64" for name in ALWAYS),
        "pkg:deb/debian/g%2B%2B-base@1%3A2.0%2Bb1-3?arch=amd64",
        "pkg:pypi/some-thing@1.0",
        "pkg:pypi/other@1.0",
    }
    licences = {package["name"]: package["licenseDeclared"] for package in bill["packages"]}
    assert licences["Some_Thing"] == "MIT OR Apache-2.0"
    assert licences["other"] == "NOASSERTION"
    assert bill["creationInfo"]["created"] == "2026-01-02T03:04:05Z"


def test_every_reference_of_a_bill_of_materials_is_to_one_element():
    bill = document("i2s-some", [], list(distributions()), WHEN)
    ids = [package["SPDXID"] for package in bill["packages"]]
    assert len(ids) == len(set(ids)) > 10
    assert all(re.fullmatch(r"SPDXRef-[a-zA-Z0-9.-]+", one) for one in ids)
    contained = [
        relationship["relatedSpdxElement"]
        for relationship in bill["relationships"]
        if relationship["relationshipType"] == "CONTAINS"
    ]
    assert {"SPDXRef-Image-i2s-some", *contained} == set(ids)


def test_equal_contents_give_an_equal_namespace():
    one, same = (document("i2s-some", [], list(distributions()), WHEN) for _ in range(2))
    other = document("i2s-other", [], list(distributions()), WHEN)
    assert one == same
    assert one["documentNamespace"] != other["documentNamespace"]


def test_the_libraries_of_a_program_are_those_that_the_loader_would_load():
    needed = linked_libraries(Path(sys.executable).resolve())
    assert "libc.so.6" in needed
    assert linked_libraries(Path(__file__)) == ()


def test_a_library_that_no_file_is_any_more_is_missing(tmp_path):
    program = shutil.copy(Path(sys.executable).resolve(), tmp_path / "program")
    others = [tmp_path / name for name in linked_libraries(program)]
    assert missing_libraries([program, *others]) == {}
    assert missing_libraries([program, *others[1:]]) == {others[0].name: [program]}


@pytest.mark.parametrize("name", IMAGES)
def test_an_image_is_one_finished_file_system_copied_into_an_empty_one(name):
    instructions = (RECIPES / f"{name}.Dockerfile").read_text(encoding="utf-8")
    finished, empty = instructions.split("FROM ${EMPTY}", 1)
    assert (
        f"RUN PYTHONPATH=/opt/i2s python3 -m finish i2s-{name}"
        in finished.split("FROM ${RUNTIME} AS finished")[1]
    )
    assert "\nCOPY --from=finished / /\n" in empty
    assert "install-packages" not in empty


def test_pillow_s_support_of_avif_is_removed_where_a_recipe_says_so(system):
    packages = "opt/i2s/venv/lib/python3.11/site-packages"
    system.add(
        "kept",
        f"{packages}/PIL/_avif.so",
        f"{packages}/pillow.libs/libavif-1.so",
        f"{packages}/PIL/_imaging.so",
    )
    system.remove(["kept"], globs=AVIF)
    assert not system.has(f"{packages}/PIL/_avif.so")
    assert not system.has(f"{packages}/pillow.libs/libavif-1.so")
    assert system.has(f"{packages}/PIL/_imaging.so")
