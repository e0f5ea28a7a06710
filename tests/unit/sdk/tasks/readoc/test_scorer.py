"""What the columns of READOC are, and when they have no value."""

from __future__ import annotations

from i2s_sdk.scoring.scorer import Conversion, ConvertingScorer, MetricValues, Scorable
from i2s_sdk.tasks.readoc.markdown import before_tables, segments
from i2s_sdk.tasks.readoc.scorer import COLUMNS, COLUMNS_OF_SUBSET, ReadocScorer
from i2s_sdk.tasks.readoc.tables import with_latex_for_html
from i2s_wire.metrics.profile import Profile

REFERENCE, PAPER = ReadocScorer(Profile.HELM), ReadocScorer(Profile.PAPER)
TABLE = "\\begin{table}\n\\begin{tabular}{l}\nx \\\\\n\\end{tabular}\n\\end{table}"
HTML = "<table><tbody><tr><td>x</td></tr></tbody></table>"


def _score(scorer: ReadocScorer, predicted: str | None, gold: str, **others: object) -> MetricValues:
    found = scorer.score(Scorable("a", predicted, target=gold, **others))  # type: ignore[arg-type]
    assert isinstance(found, MetricValues)
    return found


def _key(table: str) -> str:
    return Conversion("latex", table).key


def test_columns_without_gold_contents_have_no_value_and_say_why() -> None:
    found = _score(REFERENCE, "one two", "one two\n\nthree")
    assert {name for name, value in found.metrics.items() if value is None} == set(found.undefined) == {
        "heading_concat", "heading_tree", "embed_concat", "isolate_concat", "table_concat", "table_tree",
    }  # fmt: skip
    assert found.undefined["table_tree"] == "the gold document has no tables"


def test_a_prediction_that_is_missing_counts_0_where_the_gold_document_has_contents() -> None:
    gold = f"# A\n\ntext \\(a\\)\n\n{TABLE}\n\nend"
    for found in (_score(REFERENCE, None, gold), REFERENCE.unusable(Scorable("a", "x", target=gold))):
        assert {name for name, value in found.metrics.items() if value is None} == {"isolate_concat"}
        assert set(found.metrics.values()) == {0.0, None}


def test_the_subset_github_has_six_columns_and_needs_no_latex_tables() -> None:
    gold = f"# A\n\ntext and more\n\n{TABLE}\n"
    sample = Scorable("a", gold, target=gold, subset="github")
    assert REFERENCE.conversions(sample) == ()
    found = REFERENCE.score(sample)
    assert isinstance(found, MetricValues)
    present = {name for name, value in found.metrics.items() if value is not None}
    assert present == set(COLUMNS_OF_SUBSET["github"])
    assert found.undefined["table_concat"] == "subset github does not have this column"


def test_pipe_tables_are_asked_for_first_and_latex_tables_then() -> None:
    assert isinstance(REFERENCE, ConvertingScorer)
    pipe = "| h |\n|---|\n| c |"
    sample = Scorable("a", f"a\n\n{pipe}\n", target=f"b\n\n{TABLE}\n")
    assert REFERENCE.conversions(sample) == (Conversion("markdown", pipe),)
    html = "<table><thead><tr><th>h</th></tr></thead><tbody><tr><td>c</td></tr></tbody></table>"
    sample = Scorable("a", sample.structure, target=sample.target, conversions={
        Conversion("markdown", pipe).key: html,
    })  # fmt: skip
    assert [conversion.format for conversion in REFERENCE.conversions(sample)] == ["latex", "latex"]


def test_a_gold_table_that_pandoc_cannot_convert_takes_the_column_away() -> None:
    gold = f"a\n{TABLE}\n"
    found = _score(REFERENCE, gold, gold, conversions={_key(f"\n{TABLE}"): None})
    assert found.metrics["table_tree"] is None
    assert found.undefined["table_tree"] == "pandoc cannot convert a table of the gold document"
    assert found.metrics["table_concat"] == 1.0


def test_a_predicted_table_that_pandoc_cannot_convert_counts_0() -> None:
    other = TABLE.replace("x", "y")
    conversions = {_key(f"\n{TABLE}"): HTML, _key(f"\n{other}"): None}
    gold = f"a\n{TABLE}\n"
    found = _score(REFERENCE, f"a\n{other}\n{TABLE}\n", gold, conversions=conversions)
    assert found.metrics["table_tree"] == 0.5
    assert found.detail["tables"][0][:3] == [0, 1, 1.0]


def test_heading_trees_can_be_negative_in_profile_reference_alone() -> None:
    gold, flat = "# A\n\n## B\n\n### C\n\n#### D", "# A\n\n# B\n\n# C\n\n# D"
    assert _score(REFERENCE, flat, gold).metrics["heading_tree"] == -0.5
    assert _score(PAPER, flat, gold).metrics["heading_tree"] == 0.0
    low = {metric.name: metric.low for metric in REFERENCE.metrics}
    assert low == {name: -1.0 if name.endswith("tree") else 0.0 for name in COLUMNS}
    assert {metric.name for metric in PAPER.metrics if metric.low} == {"table_tree"}


def test_code_has_no_headings_in_profile_paper() -> None:
    text = "# A\n\n```\n# comment\n\nx\n---\n```\n\n~~~ py\n# more\n~~~\n# B"
    assert segments(before_tables(text, Profile.PAPER), Profile.PAPER).headings == ("# A", "# B")
    standard = before_tables(text, Profile.HELM)
    assert segments(standard, Profile.HELM).headings == ("# A", "# comment", "## x", "# more", "# B")


def test_html_tables_are_tables_in_profile_paper() -> None:
    source = "a\n\n<table><tr><th align=right>h</th></tr><tr><td>b <i>c</i></td></tr></table>\n"
    table = "\\begin{table}\n\\begin{tabular}{r}\n\\hline\nh \\\\ \n\\hline\n"
    table += "b c \\\\ \n\\hline\n\\end{tabular}\n\\end{table}"
    assert with_latex_for_html(source) == f"a\n\n{table}\n"
    assert with_latex_for_html(f"```\n{source}```") == f"```\n{source}```"
    assert with_latex_for_html("<table><tr><td>a") == "<table><tr><td>a"
    assert [conversion.text for conversion in PAPER.conversions(Scorable("a", source, target=""))] == [
        f"\n{table}"
    ]
    assert REFERENCE.conversions(Scorable("a", source, target="")) == ()


def test_details_of_the_largest_documents_are_short() -> None:
    heading = "# " + "\U0001f600" * 500
    document = "\n\n".join([heading] * 3000)
    found = _score(REFERENCE, document, document)
    assert found.detail["counts"]["gold"]["headings"] == 3000
    assert found.detail["headings"]["gold"][0][0] == 1
