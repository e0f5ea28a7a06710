import shutil

import pytest

from i2s_chassis.errors import StartError
from i2s_render_latex import installation


@pytest.mark.parametrize(
    ("program", "package"), [("pdflatex", "texlive-latex-base"), ("pdftoppm", "poppler-utils")]
)
def test_a_missing_program_names_its_package(monkeypatch, program, package):
    found = shutil.which
    monkeypatch.setattr(shutil, "which", lambda name, path=None: None if name == program else found("sh"))
    with pytest.raises(StartError) as raised:
        installation.find_installation()
    assert program in raised.value.message
    assert package in raised.value.message
    assert "\n" not in raised.value.message


def test_documents_may_not_read_or_write_outside():
    assert installation.ENVIRONMENT["openin_any"] == installation.ENVIRONMENT["openout_any"] == "p"
    assert installation.ENVIRONMENT["shell_escape"] == "f"


def test_what_root_s_own_runs_of_tex_leave_in_the_tree_changes_no_digest(tmp_path):
    (tmp_path / "tex").mkdir()
    (tmp_path / "tex/a.sty").write_text("a")
    before = installation._digest(installation._files(tmp_path))
    (tmp_path / "luatex-cache/generic/fonts").mkdir(parents=True)
    (tmp_path / "luatex-cache/generic/fonts/lmroman10.luc").write_text("kept by LuaTeX")
    (tmp_path / "ls-R").write_text("a list")
    assert installation._digest(installation._files(tmp_path)) == before
    (tmp_path / "tex/b.sty").write_text("b")
    assert installation._digest(installation._files(tmp_path)) != before
