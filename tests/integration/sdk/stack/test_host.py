"""What doctor says of the host, asked of a renderer that is installed."""

import pytest

from i2s_sdk.errors import StackError
from i2s_sdk.stack import command
from i2s_sdk.stack.doctor import State, examine_host

pytestmark = pytest.mark.integration


async def test_a_sandbox_without_bubblewrap_is_named_once(monkeypatch):
    for name in ("LATEX", "LILYPOND"):
        monkeypatch.setenv(f"I2S_RENDER_{name}_BWRAP", "no-such-bwrap")
    findings = await examine_host(["render-latex", "render-lilypond"])
    (found,) = [finding for finding in findings if "bubblewrap" in finding.detail]
    assert (found.name, found.state) == ("host", State.MISSING)
    assert "install" in found.detail


async def test_a_renderer_that_does_not_know_the_question_is_no_fault(monkeypatch, tmp_path):
    program = tmp_path / "i2s-render-latex"
    program.write_text("#!/bin/sh\necho 'i2s-render-latex: unknown command \"host\"' >&2; exit 2\n")
    program.chmod(0o755)
    monkeypatch.setattr(command, "find_program", lambda _: program)
    with pytest.raises(StackError, match=r'host answered: .*unknown command "host"'):
        await command.forbidden_here(["render-latex"])
    (found,) = await examine_host(["render-latex"])
    assert found.state is State.MISSING


async def test_where_nothing_is_forbidden_that_is_said(monkeypatch, tmp_path):
    program = tmp_path / "i2s-render-latex"
    program.write_text('#!/bin/sh\necho \'{"diagnoses": [], "facts": {}}\'\n')
    program.chmod(0o755)
    monkeypatch.setattr(command, "find_program", lambda _: program)
    (found,) = await examine_host(["render-latex"])
    assert (found.state, found.detail) == (State.GOOD, "forbids nothing that the sandboxes are made of")
