"""What the rules read: the files of this checkout and the packages among them."""

from __future__ import annotations

import ast
import subprocess
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]


@dataclass(frozen=True)
class Module:
    """A Python file of a package, parsed."""

    path: Path
    name: str
    tree: ast.Module

    def imports(self) -> Iterator[str]:
        """Dotted names of all that it imports, wherever in the file."""
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Import):
                yield from (alias.name for alias in node.names)
            elif isinstance(node, ast.ImportFrom):
                parents = self.name.split(".")[: -node.level] if node.level else []
                origin = ".".join([*parents, *([node.module] if node.module else [])])
                yield from (f"{origin}.{alias.name}" for alias in node.names)


@dataclass(frozen=True)
class Package:
    """An installable package: a folder with a pyproject.toml and src/."""

    folder: Path
    project: dict
    modules: tuple[Module, ...]

    @property
    def name(self) -> str:
        return self.project["name"]

    @property
    def import_names(self) -> frozenset[str]:
        """What stands in src/; i2s-protos has two: the stubs, and the types made from them."""
        return frozenset(
            path.name for path in (self.folder / "src").iterdir() if not path.name.startswith((".", "_"))
        )


@pytest.fixture(scope="session")
def root() -> Path:
    return ROOT


@pytest.fixture(scope="session")
def files() -> list[Path]:
    """Files that are tracked or would be if everything were added; relative to the root."""
    git = [
        "git",
        "-c",
        f"safe.directory={ROOT}",
        "ls-files",
        "-z",
        "--cached",
        "--others",
        "--exclude-standard",
    ]
    listed = subprocess.run(git, cwd=ROOT, capture_output=True, check=True, text=True).stdout.split("\0")
    return sorted({Path(name) for name in listed if name and (ROOT / name).is_file()})


@pytest.fixture(scope="session")
def texts(files: list[Path]) -> dict[Path, str]:
    """The files that are text, with their content."""
    contents = {}
    for path in files:
        try:
            contents[path] = (ROOT / path).read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue
    return contents


@pytest.fixture(scope="session")
def packages(texts: dict[Path, str]) -> dict[str, Package]:
    """The packages of the workspace by the name of their distribution."""
    found = {}
    for path in texts:
        if path.name != "pyproject.toml" or path.parent == Path() or path.parts[0] == "tests":
            continue
        source = path.parent / "src"
        modules = tuple(
            Module(
                file,
                ".".join(file.relative_to(source).with_suffix("").parts),
                ast.parse(texts[file], str(file)),
            )
            for file in texts
            if file.suffix == ".py" and file.is_relative_to(source)
        )
        package = Package(ROOT / path.parent, tomllib.loads(texts[path])["project"], modules)
        found[package.name] = package
    return found
