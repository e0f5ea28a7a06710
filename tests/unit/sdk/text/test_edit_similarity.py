"""The tokenizer is imported without the rest of NLTK, and nobody else meets the incomplete package."""

from __future__ import annotations

import subprocess
import sys
import types
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from nltk.metrics.distance import edit_distance
from nltk.tokenize import TreebankWordTokenizer

from i2s_sdk.text import edit_similarity
from i2s_sdk.text.edit_similarity import _packages_without_content
from i2s_wire.metrics.profile import Profile

TEXTS = st.text(alphabet=r"ab \{}$^_.,'-%" + '"' + "\n", max_size=40)


@given(TEXTS, TEXTS)
def test_agrees_with_the_edit_distance_of_nltk(prediction: str, reference: str) -> None:
    tokenize = TreebankWordTokenizer().tokenize
    predicted, expected = tokenize(prediction), tokenize(reference)
    longer = max(len(predicted), len(expected))
    oracle = 1 - edit_distance(predicted, expected) / longer if longer else 1.0
    assert abs(edit_similarity(prediction, reference, Profile.PAPER) - oracle) < 1e-12


@given(TEXTS, TEXTS)
def test_helm_is_paper_with_the_reference_cut_to_the_characters_of_the_prediction(
    prediction: str, reference: str
) -> None:
    cut = reference[: len(prediction)]
    helm = edit_similarity(prediction, reference, Profile.HELM)
    if prediction.strip() or cut.strip():
        assert helm == edit_similarity(prediction, cut, Profile.PAPER)
    else:
        assert helm == 0.0


@given(TEXTS)
def test_a_text_equals_itself_in_profile_paper(text: str) -> None:
    assert edit_similarity(text, text, Profile.PAPER) == 1.0


@given(TEXTS, TEXTS, st.sampled_from(Profile))
def test_lies_between_0_and_1(prediction: str, reference: str, profile: Profile) -> None:
    assert 0.0 <= edit_similarity(prediction, reference, profile) <= 1.0


def test_a_correct_prefix_is_worth_less_than_the_whole_only_in_profile_paper() -> None:
    whole = r"\frac { a } { b } + c"
    assert edit_similarity(r"\frac { a }", whole, Profile.HELM) == 1.0
    assert edit_similarity(r"\frac { a }", whole, Profile.PAPER) < 0.6


def test_whitespace_is_no_token() -> None:
    assert edit_similarity("a  b\tc\n\nd", "a b c d") == 1.0


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


def test_other_threads_may_import_while_the_tokenizer_is_loaded(monkeypatch: pytest.MonkeyPatch) -> None:
    class Growing(dict[str, types.ModuleType]):
        """Modules of which one more is imported whenever somebody walks through them."""

        def __iter__(self) -> Iterator[str]:
            for name in super().__iter__():
                self[f"imported meanwhile {len(self)}"] = types.ModuleType("meanwhile")
                yield name

    monkeypatch.setattr(sys, "modules", Growing(sys.modules))
    with _packages_without_content():
        pass
