"""Pages are drawn with the fonts of the lock, and what deviates from it is said."""

import shutil
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from i2s_chassis.errors import StartError
from i2s_render_html import fonts
from i2s_render_html.chromium import Chromium
from i2s_render_html.fonts import find_fonts, find_system_fonts, system

NEEDED = ("croscore/Arimo-Regular.ttf", "croscore/Cousine-Regular.ttf", "croscore/Tinos-Regular.ttf")
LOCK = Path(fonts.__file__).with_name("fonts.lock")


@pytest.fixture
def folder(tmp_path):
    """A folder with the needed fonts alone, none of them as the lock has it."""
    for name in NEEDED:
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(name.encode())
    return tmp_path


def test_the_lock_names_every_font_once_with_its_digest():
    lines = LOCK.read_text().splitlines()
    assert len({line.split("  ")[1] for line in lines}) == len(lines) > 200
    assert all(len(line.split("  ")[0]) == 64 for line in lines)
    assert set(NEEDED) <= {line.split("  ")[1] for line in lines}


def test_a_machine_without_the_fonts_for_text_is_told_what_to_install(tmp_path):
    with pytest.raises(StartError, match="apt-get install fonts-croscore fonts-noto-core"):
        find_fonts(tmp_path)


def test_fonts_that_are_missing_or_differ_are_named(folder):
    found = find_fonts(folder)
    assert set(found.files) == set(NEEDED)
    assert set(NEEDED) <= set(found.deviating)
    assert len(found.deviating) == len(LOCK.read_text().splitlines())
    assert "Arimo" in found.complaint
    assert "fonts-croscore" in found.complaint


def test_the_digest_is_of_names_and_contents_and_not_of_the_place(folder, tmp_path_factory):
    elsewhere = tmp_path_factory.mktemp("elsewhere") / "fonts"
    shutil.copytree(folder, elsewhere)
    assert find_fonts(elsewhere).digest == find_fonts(folder).digest
    (elsewhere / NEEDED[0]).write_bytes(b"another font of the same name")
    assert find_fonts(elsewhere).digest != find_fonts(folder).digest


def test_a_file_that_is_not_in_the_lock_has_no_part(folder):
    before = find_fonts(folder)
    (folder / "croscore/Comic.ttf").write_bytes(b"x")
    assert find_fonts(folder) == before
    assert b"Comic" not in before.configuration


def test_the_configuration_names_the_files_and_rejects_all_others(folder):
    root = ET.fromstring(find_fonts(folder).configuration)
    assert {one.text for one in root.findall("dir")} == {str(folder / "croscore")}
    assert [one.text for one in root.findall("selectfont/rejectfont/glob")] == ["*"]
    accepted = {one.text for one in root.findall("selectfont/acceptfont/glob")}
    assert accepted == {str(folder / name) for name in NEEDED}


def test_generic_families_and_their_usual_names_have_one_font_each(folder):
    root = ET.fromstring(find_fonts(folder).configuration)
    matches = [rule for rule in root.findall("match") if rule.find("test") is not None]
    rules = {rule.find("test/string").text: rule.find("edit/string").text for rule in matches}
    assert (rules["sans-serif"], rules["Arial"], rules["Helvetica"]) == ("Arimo",) * 3
    assert (rules["system-ui"], rules["sans"]) == ("Arimo",) * 2  # Chromium asks for the second instead
    assert (rules["serif"], rules["Times New Roman"]) == ("Tinos",) * 2
    assert (rules["monospace"], rules["Courier New"]) == ("Cousine",) * 2


def test_hinting_is_slight_as_distributions_have_it(folder):
    root = ET.fromstring(find_fonts(folder).configuration)
    assert [one.text for one in root.findall("match/edit[@name='hintstyle']/const")] == ["hintslight"]


@pytest.fixture
def machine(tmp_path, monkeypatch):
    """A machine with two fonts, of which jobs can read the one in "usr"; returns its folder."""
    for name in ("usr/A.ttf", "home/B.ttf", "fonts/conf.d/10.conf"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(name.encode())
    listed = f"{tmp_path}/home/B.ttf\n{tmp_path}/usr/A.ttf\n{tmp_path}/usr/A.ttf\n"
    monkeypatch.setattr(system, "_output", lambda *command: listed if "--format" in command else "2.14")
    monkeypatch.setattr(system, "SYSTEM_READABLE", (str(tmp_path / "usr"),))
    return tmp_path


def test_the_fonts_of_the_machine_are_those_that_jobs_can_read(machine):
    fonts = find_system_fonts(machine / "fonts")
    assert fonts.files == (machine / "usr/A.ttf",)
    assert (fonts.configuration, fonts.complaint) == (None, "")


def test_a_link_out_of_the_folders_of_jobs_is_none_of_their_fonts(machine):
    (machine / "usr/A.ttf").unlink()
    (machine / "usr/A.ttf").symlink_to(machine / "home/B.ttf")
    with pytest.raises(StartError, match="finds no font below /usr"):
        find_system_fonts(machine / "fonts")


@pytest.mark.parametrize(
    ("name", "counts"), [("usr/A.ttf", True), ("fonts/conf.d/10.conf", True), ("home/B.ttf", False)]
)
def test_the_digest_of_the_machines_fonts_is_of_what_browsers_see(machine, name, counts):
    before = find_system_fonts(machine / "fonts").digest
    (machine / name).write_bytes(b"another content")
    assert (find_system_fonts(machine / "fonts").digest != before) is counts


def test_a_machine_without_fontconfigs_command_is_told_what_to_install(monkeypatch):
    def absent(*command):
        raise FileNotFoundError(command[0])

    monkeypatch.setattr(system, "_output", absent)
    with pytest.raises(StartError, match="apt-get install fontconfig"):
        find_system_fonts()


def test_a_browser_has_the_digest_of_its_fonts(folder):
    found = find_fonts(folder)
    assert Chromium(Path("/x"), "1", {}, "", found, ()).fonts_digest == found.digest


def test_characters_that_the_font_of_the_text_lacks_are_looked_for_in_a_fixed_order(folder):
    root = ET.fromstring(find_fonts(folder).configuration)
    (rule,) = root.findall("match/test[@qual='all']/..")
    families = [one.text for one in rule.findall("edit/string")]
    assert families[:3] == ["Arimo", "Noto Sans", "Noto Sans Symbols2"]
    assert len(set(families)) == len(families) > 150
