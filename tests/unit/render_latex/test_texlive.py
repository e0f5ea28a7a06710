import shutil

import pytest

from i2s_chassis.errors import StartError
from i2s_render_latex import texlive


@pytest.mark.parametrize(
    ("program", "package"), [("pdflatex", "texlive-latex-base"), ("pdftoppm", "poppler-utils")]
)
def test_a_missing_program_names_its_package(monkeypatch, program, package):
    found = shutil.which
    monkeypatch.setattr(shutil, "which", lambda name, path=None: None if name == program else found("sh"))
    with pytest.raises(StartError) as raised:
        texlive.find_installation()
    assert program in raised.value.message
    assert package in raised.value.message
    assert "\n" not in raised.value.message


def test_documents_may_not_read_or_write_outside():
    assert texlive.ENVIRONMENT["openin_any"] == texlive.ENVIRONMENT["openout_any"] == "p"
    assert texlive.ENVIRONMENT["shell_escape"] == "f"
