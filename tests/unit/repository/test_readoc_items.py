"""The documents of examples/readoc: what the script makes, and what they have to show."""

import re
import runpy
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from i2s_sdk.data.check import check
from i2s_sdk.data.folder import read_folder

FOLDER = Path(__file__).parents[3] / "examples" / "readoc"
INSTANCES = read_folder(FOLDER).instances
ARXIV = [instance for instance in INSTANCES if instance.subset == "arxiv"]
MOST_BYTES = 200_000

needs_poppler = pytest.mark.skipif(
    shutil.which("pdftotext") is None or shutil.which("pdfinfo") is None, reason="needs poppler's programs"
)


@pytest.fixture(scope="module")
def script():
    sys.path.insert(0, str(FOLDER.parent))
    try:
        return runpy.run_path(str(FOLDER.parent / "make_readoc_items.py"))
    finally:
        sys.path.remove(str(FOLDER.parent))


def gold(instance):
    return instance.structure.read_text(encoding="utf-8")


def poppler(*command):
    return subprocess.run(command, capture_output=True, check=True, text=True).stdout


def words(text):
    """Words of at least four letters; TeX may have hyphenated others."""
    return set(re.findall(r"[A-Za-z]{4,}", text))


def test_there_are_four_articles_and_four_readmes_and_none_has_a_fault():
    assert check(FOLDER).faults == ()
    assert Counter(instance.subset for instance in INSTANCES) == {"arxiv": 4, "github": 4}
    assert {instance.difficulty for instance in INSTANCES} == {"easy", "medium", "hard"}
    assert {instance.licence for instance in INSTANCES} == {"CC0-1.0"}
    for instance in INSTANCES:
        assert instance.files["document"].stat().st_size < MOST_BYTES, instance.id


def test_every_file_is_named_by_one_instance():
    named = [path for instance in INSTANCES for path in (instance.files["document"], instance.structure)]
    assert sorted(named) == sorted(path for path in FOLDER.glob("*/*") if path.is_file())


def test_the_index_and_the_gold_texts_are_what_the_script_writes(script):
    assert (FOLDER / "instances.jsonl").read_text(encoding="utf-8") == script["index"]()
    for article in script["ARTICLES"]:
        kept = (FOLDER / "markdown" / f"{article.id}.md").read_text(encoding="utf-8")
        assert kept == script["markdown"](article)


@pytest.mark.parametrize("instance", ARXIV, ids=lambda one: one.id)
def test_articles_have_what_the_columns_measure(instance):
    text = gold(instance)
    assert {len(one) for one in re.findall("^#+", text, re.M)} >= {1, 2, 3, 4}
    assert re.search(r"\\\(.+?\\\)", text)
    for form in (r"\\\[(?!\\begin)", r"\\\[\\begin\{aligned\}", r"\\\[\\begin\{gathered\}"):
        assert re.search(form, text), form
    assert "\n\\begin{table}\n\\begin{tabular}" in text


def test_the_latex_has_the_environments_and_two_are_in_two_columns(script):
    sources = [script["latex"](article) for article in script["ARTICLES"]]
    for environment in ("equation", "align*", "gather*", "tabular", "itemize"):
        assert all(f"\\begin{{{environment}}}" in source for source in sources)
    assert sum(",twocolumn]" in source for source in sources) == 2


def test_readmes_have_headings_lists_code_links_and_tables():
    for instance in INSTANCES:
        if instance.subset == "github":
            text = gold(instance)
            assert {len(mark) for mark in re.findall("^#+(?= )", text, re.M)} >= {1, 2, 3}, instance.id
            for form in (r"^[-*] |^1\. ", r"^```", r"^\|[ :-]+\|"):
                assert re.search(form, text, re.M), (instance.id, form)
    assert sum(bool(re.search(r"\[[^]]+\]\(", gold(instance))) for instance in INSTANCES) >= 3


@needs_poppler
@pytest.mark.parametrize("instance", INSTANCES, ids=lambda one: one.id)
def test_the_document_shows_the_text_of_its_gold(instance):
    shown = poppler("pdftotext", str(instance.files["document"]), "-")
    text = re.sub(
        r"\\\[.*?\\\]|\\\(.*?\\\)|\\begin\{.*?\}(\{.*?\})?|\\[a-z]+", " ", gold(instance), flags=re.S
    )
    text = re.sub(r"\]\(.*?\)|^```\w*|^\|[ :|-]+\|$", " ", text, flags=re.M)
    wanted = words(text)
    assert len(wanted) > 100
    missing = wanted - words(shown.replace("-\n", "").replace("\u2010\n", ""))
    assert len(missing) <= 0.02 * len(wanted), missing
    assert "\ufffd" not in shown


@needs_poppler
@pytest.mark.parametrize("instance", INSTANCES, ids=lambda one: one.id)
def test_every_document_has_several_pages_and_real_fonts(instance):
    document = str(instance.files["document"])
    assert int(re.search(r"Pages: +(\d+)", poppler("pdfinfo", document))[1]) >= 2
    assert "Type 3" not in poppler("pdffonts", document)
