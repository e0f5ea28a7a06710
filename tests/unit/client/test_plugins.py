"""A package whose module cannot be imported is an error that names it, whatever the module does."""

from __future__ import annotations

from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from i2s_client.errors import PluginError
from i2s_client.plugins import PluginGroup, load_plugin


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
