"""What renderers want done once is done by their own modules, each whatever became of those before it."""

from __future__ import annotations

import subprocess
import sys

import pytest

import preparations
from i2s_wire.renderers import RENDERER_SPECS


@pytest.mark.parametrize(("ended", "code"), [(0, 0), (1, 1)])
def test_each_preparation_is_run_once(monkeypatch, capsys, ended, code):
    commands = []

    def run(command, *, check):
        commands.append(command)
        return subprocess.CompletedProcess(command, ended)

    monkeypatch.setattr(subprocess, "run", run)
    assert preparations.main() == code
    wanted = [spec for spec in RENDERER_SPECS if spec.preparation]
    assert wanted
    assert commands == [[sys.executable, "-m", one.module, *one.preparation.arguments] for one in wanted]
    said = capsys.readouterr().out.splitlines()
    assert [one.preparation.title.lower() for one in wanted] == [line.lower() for line in said[:: 1 + ended]]
    assert len(said) == len(wanted) * (1 + ended)
