"""A package whose module cannot be imported is an error that names it, whatever the module does."""

from __future__ import annotations

from importlib.metadata import Distribution, EntryPoint
from pathlib import Path

import pytest

from i2s_client.errors import PluginError
from i2s_client.plugins import PluginGroup, load_plugin, missing_requirements


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("import sys; sys.exit(3)", "SystemExit: 3"),
        ("raise OSError('no\\nlibrary')", "OSError: no library"),
        ("from nothing_such import x", "ModuleNotFoundError: No module named 'nothing_such'"),
    ],
    ids=["exit", "fault", "missing"],
)
def test_a_module_that_fails_or_exits_when_it_is_imported_is_an_error_of_its_package(
    line: str, reason: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "rotten_spec.py").write_text(line)
    monkeypatch.syspath_prepend(tmp_path)
    plugin = EntryPoint("render-rotten", "rotten_spec:SPEC", PluginGroup.RENDERERS)
    with pytest.raises(PluginError) as raised:
        load_plugin(plugin)
    assert raised.value.message.endswith(f"of the package rotten_spec cannot be used: {reason}")


def test_requirements_that_are_not_installed_are_named_without_those_of_extras(tmp_path: Path) -> None:
    folder = tmp_path / "mine-1.0.dist-info"
    folder.mkdir()
    requirements = ("grpcio>=1.80", "nothing-such>=1", "other.such", "third; extra == 'more'")
    lines = [
        "Metadata-Version: 2.1",
        "Name: mine",
        "Version: 1.0",
        *(f"Requires-Dist: {r}" for r in requirements),
    ]
    (folder / "METADATA").write_text("\n".join(lines))
    (folder / "entry_points.txt").write_text("[i2s_sdk.commands]\nmine = mine:command\n")
    (plugin,) = Distribution.at(folder).entry_points
    assert missing_requirements(plugin) == ["nothing-such", "other.such"]
