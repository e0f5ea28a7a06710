"""The tokenizer is imported without the rest of NLTK, and nobody else meets the incomplete package."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

_SCORE = "from i2s_sdk.text import edit_similarity; print(edit_similarity(\"it can't\", 'it cannot'));"
_LOADED = "print([one for one in ('nltk', 'scipy', 'sklearn') if one in sys.modules]);"
_WHOLE = (
    "import nltk; print(nltk.tokenize.TreebankWordTokenizer().tokenize('a (b)'), nltk.FreqDist('aab')['a']);"
)


def _printed(program: str, *, path: Path | None = None) -> list[str]:
    insert = f"sys.path.insert(0, {str(path)!r});" if path else ""
    done = subprocess.run(
        [sys.executable, "-c", f"import sys; {insert} {program}"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def test_a_score_imports_neither_all_of_nltk_nor_what_that_imports() -> None:
    score, loaded = _printed(_SCORE + _LOADED)
    assert score == "0.33333333333333337"
    assert loaded == "[]"


def test_all_of_nltk_can_be_imported_afterwards_and_before() -> None:
    whole = "['a', '(', 'b', ')'] 2"
    assert _printed(_SCORE + _WHOLE)[1] == whole
    assert _printed(_WHOLE + _SCORE) == [whole, "0.33333333333333337"]


def test_a_tokenizer_that_needs_more_of_nltk_gets_it(tmp_path: Path) -> None:
    (tmp_path / "nltk/tokenize").mkdir(parents=True)
    (tmp_path / "nltk/__init__.py").write_text("from nltk import tokenize\nrules = str.split\n")
    (tmp_path / "nltk/tokenize/__init__.py").write_text("")
    (tmp_path / "nltk/tokenize/treebank.py").write_text(
        "from nltk import rules\nclass TreebankWordTokenizer:\n    tokenize = staticmethod(rules)\n"
    )
    assert _printed(_SCORE, path=tmp_path) == ["0.5"]


def test_without_nltk_the_error_names_it(tmp_path: Path) -> None:
    (tmp_path / "nltk.py").write_text("raise ModuleNotFoundError(\"No module named 'nltk'\", name='nltk')\n")
    program = (
        "from i2s_sdk.text import edit_similarity\n"
        "try: edit_similarity('a', 'b')\n"
        "except ImportError as error: print(error)"
    )
    assert _printed("\n" + program, path=tmp_path) == ["No module named 'nltk'"]
