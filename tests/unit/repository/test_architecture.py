"""What every module keeps to: no circles of imports, one direction between packages, at most 800 lines."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
SOURCES = {
    folder.name: folder
    for folder in (
        ROOT / "protos/src/i2s_wire",
        *sorted((ROOT / "sdk").glob("*/src/i2s_*")),
        *sorted((ROOT / "services").glob("*/src/i2s_*")),
    )
    if (folder / "__init__.py").exists()
}
MOST_LINES = 800

#: Packages of the SDK from the highest to the lowest: each imports lower ones alone, none of its own line.
#: A package within another one may have a layer of its own.
LAYERS = (
    {"cli"},
    {"single"},
    {"run"},
    {"report"},
    {"stats"},
    {"run.storage"},
    {"models", "stack"},
    {"data"},
    {"tasks"},
    {"scoring"},
    {"instances", "text", "reading"},
)


def modules(package: str) -> dict[str, Path]:
    """Return the files of a package by the names of their modules."""
    folder = SOURCES[package]
    found = {}
    for path in folder.rglob("*.py"):
        parts = path.relative_to(folder.parent).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def imported(path: Path, known: Mapping[str, Path]) -> Iterator[str]:
    """Yield the modules among those known that a module imports, anywhere in it."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names if name.name in known)
        if isinstance(node, ast.ImportFrom) and node.module in known:
            for name in node.names:
                below = f"{node.module}.{name.name}"
                yield below if below in known else node.module


@pytest.mark.parametrize("package", SOURCES)
def test_no_modules_import_one_another_in_a_circle(package: str) -> None:
    known = modules(package)
    graph = {name: set(imported(path, known)) - {name, package} for name, path in known.items()}
    try:
        tuple(TopologicalSorter(graph).static_order())
    except CycleError as error:
        pytest.fail(f"these import one another: {error.args[1]}")


@pytest.mark.parametrize("package", SOURCES)
def test_no_module_is_longer_than_800_lines(package: str) -> None:
    long = {name: lines for name, path in modules(package).items() if (lines := _lines(path)) > MOST_LINES}
    assert long == {}


def test_packages_of_the_sdk_import_lower_ones_alone() -> None:
    known = modules("i2s_sdk")
    level = {name: number for number, layer in enumerate(LAYERS) for name in layer}
    wrong = set()
    for name, path in known.items():
        for other in imported(path, known):
            above, below = (_layered(one, level) for one in (name, other))
            # What lies beside the packages is below all of them, and the package itself names what is public.
            if (
                above
                and above != below
                and level.get(below, len(LAYERS)) <= level.get(above, len(LAYERS) - 1)
            ):
                wrong.add(f"{name} imports {other}")
    assert wrong == set()


def _layered(module: str, level: Mapping[str, int]) -> str:
    """Return the package of the SDK that a module counts to: the innermost one that has a layer."""
    parts = module.split(".")[1:]
    within = [".".join(parts[:depth]) for depth in range(len(parts), 0, -1)]
    return next((one for one in within if one in level), parts[0] if parts else "")


def _lines(path: Path) -> int:
    return len(path.read_text().splitlines())


def test_json_of_others_is_read_in_one_place_of_the_sdk() -> None:
    reading = {
        str(path.relative_to(ROOT))
        for path in (ROOT / "sdk/core/src/i2s_sdk").rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Attribute) and ast.unparse(node) in {"json.load", "json.loads"}
    }
    assert reading == {"sdk/core/src/i2s_sdk/json_text.py"}
