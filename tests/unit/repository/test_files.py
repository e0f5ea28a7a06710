"""Rules about every file: size, length, and nothing of the machine it was written on."""

import re
import subprocess
from pathlib import Path

MEGABYTE = 1_000_000
LONGEST_MODULE = 800

# Split, so that this file does not trip over itself.
MACHINE_PATH = re.compile(r"(?<![\w.~-])/(?:" + "work|farm|root/[\\w.]|home/[a-z]" + ")(?=/|\\w)")
REGISTRY_HOST = re.compile("|".join(re.escape(".".join(host)) for host in (
    ("pypi", "org"), ("pythonhosted", "org"), ("npmjs", "org"), ("deb", "debian", "org"), ("rubygems", "org"),
)))  # fmt: skip

#: Says to which public index packages are published. Nothing is installed by it where this is developed.
PUBLISHES = Path(".github/workflows/release.yml")


def lines_with(pattern: re.Pattern[str], texts: dict[Path, str]) -> list[str]:
    return [
        f"{path}:{number}: {line.strip()}"
        for path, text in texts.items()
        for number, line in enumerate(text.splitlines(), start=1)
        if pattern.search(line)
    ]


def test_patterns_find_what_they_look_for():
    assert MACHINE_PATH.search("see /" + "work/main/x")
    assert MACHINE_PATH.search("/" + "root/.cache")
    assert not MACHINE_PATH.search("docs/work/x or ./work/y or ~/" + "work/z")
    assert REGISTRY_HOST.search("https://" + "pypi" + ".org/simple")


def test_no_file_exceeds_one_megabyte(root, files):
    assert [str(path) for path in files if (root / path).stat().st_size > MEGABYTE] == []


def test_no_module_is_longer_than_800_lines(texts):
    lengths = {str(path): text.count("\n") for path, text in texts.items() if path.suffix == ".py"}
    assert {path: length for path, length in lengths.items() if length > LONGEST_MODULE} == {}


def test_no_file_names_a_path_of_somebodys_machine(texts):
    assert lines_with(MACHINE_PATH, texts) == []


def test_no_file_names_a_package_registry(texts):
    others = {path: text for path, text in texts.items() if path != PUBLISHES}
    assert lines_with(REGISTRY_HOST, others) == []


def test_no_text_file_has_carriage_returns(texts):
    assert [str(path) for path, text in texts.items() if "\r" in text] == []


def test_shell_scripts_are_executable_and_parse(root, texts):
    scripts = [path for path, text in texts.items() if re.match(r"#!/(usr/)?bin/(env )?(ba)?sh\b", text)]
    assert scripts
    for path in scripts:
        shell = "bash" if "bash" in texts[path].splitlines()[0] else "sh"
        assert (root / path).stat().st_mode & 0o111, f"{path} is not executable"
        subprocess.run([shell, "-n", path], cwd=root, check=True)
