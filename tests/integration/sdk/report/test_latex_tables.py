"""Tables in LaTeX are accepted by LaTeX."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from i2s_sdk.report.paper_tables import table
from i2s_sdk.report.tables import latex
from run_folders import make_run

pytestmark = pytest.mark.integration


def test_tables_compile(tmp_path: Path) -> None:
    names = ("plain", r"a_b & 50% \input{x} $y$ #1 ~^ {<|>}")
    runs = [
        make_run(tmp_path / str(at), 30, salt=name, model=name, pictures=False)
        for at, name in enumerate(names)
    ]
    tables = "\n".join(latex(one) for one in table(runs, published=True))
    document = (
        r"\documentclass{article}\usepackage{booktabs}\begin{document}" + f"\n{tables}\n" + r"\end{document}"
    )
    (tmp_path / "tables.tex").write_text(document, encoding="utf-8")
    command = ["pdflatex", "-interaction=batchmode", "-halt-on-error", "-no-shell-escape", "tables.tex"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, (tmp_path / "tables.log").read_text(errors="replace")[-2000:]
    assert (tmp_path / "tables.pdf").is_file()
