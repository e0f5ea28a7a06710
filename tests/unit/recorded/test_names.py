"""Packages export the names, and their callables take the arguments, that are recorded."""

from __future__ import annotations

import ast
import importlib
import inspect
from pathlib import Path

from current_recordings import compare_json

ROOT = Path(__file__).resolve().parents[3]

#: Packages whose names documents and other people's code use.
PACKAGES = (
    "i2s_sdk",
    "i2s_client",
    "i2s_sdk.data",
    "i2s_training",
    "i2s_sdk.models",
    "i2s_sdk.report",
    "i2s_sdk.tasks",
    "i2s_wire.documents",
    "i2s_chassis.renderer",
)


def parameters(package: str, name: str) -> list[str]:
    """Return the parameters of a public name of a package, with the defaults that they have."""
    public = getattr(importlib.import_module(package), name)
    if not callable(public) or name in ("Profile", "Verdict"):
        return []
    return [
        str(parameter.replace(annotation=inspect.Parameter.empty))
        for parameter in inspect.signature(public).parameters.values()
    ]


def test_packages_export_the_names_that_they_did() -> None:
    names = {package: sorted(importlib.import_module(package).__all__) for package in PACKAGES}
    # Importing it needs the package verifiers, which the environment of the tests lacks.
    tree = ast.parse((ROOT / "sdk/training/src/i2s_verifiers/__init__.py").read_text(encoding="utf-8"))
    (exported,) = (
        ast.literal_eval(node.value)
        for node in tree.body
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__"
    )
    compare_json("names.json", names | {"i2s_verifiers": sorted(exported)})


def test_public_functions_and_classes_take_the_arguments_that_they_did() -> None:
    packages = ("i2s_sdk", "i2s_client", "i2s_training")
    homes = {name: package for package in packages for name in importlib.import_module(package).__all__}
    compare_json("parameters.json", {name: parameters(home, name) for name, home in sorted(homes.items())})
