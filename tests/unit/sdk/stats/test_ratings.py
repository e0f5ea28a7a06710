"""How far metrics agree with people, from CSV files."""

from __future__ import annotations

import json
import random
from itertools import combinations
from pathlib import Path

import pytest
from click.testing import CliRunner
from scipy.stats import kendalltau, pearsonr, somersd, spearmanr

from i2s_sdk.cli.main import group, run
from i2s_sdk.errors import DataError, UsageError
from i2s_sdk.stats.ratings import MOST_ROWS, agreement

RATINGS = """id,human,system,ems,ssim,note
1,0,a,0.1,0.9,fine
2,1,a,0.1,0.9,
3,2,b,0.3,0.9,fine
4,2,b,0.2,,fine
,,b,0.9,0.1,not rated
"""


def written(tmp_path: Path, text: str, name: str = "ratings.csv") -> Path:
    file = tmp_path / name
    file.write_text(text, encoding="utf-8")
    return file


def test_every_column_of_numbers_is_a_metric_over_all_lines_and_for_each_system(tmp_path: Path) -> None:
    everything, a, b = agreement(written(tmp_path, RATINGS))
    assert [(one.system, one.rows) for one in (everything, a, b)] == [("", 4), ("a", 2), ("b", 2)]
    ems, ssim = everything.metrics
    assert (ems.metric, ems.agreement.n, ssim.metric, ssim.agreement.n) == ("ems", 4, "ssim", 3)
    # Five pairs differ for people: 1 and 2 tie in ems; 1-3, 1-4, 2-3 and 2-4 are alike.
    assert ems.agreement.accuracy.value == pytest.approx(4.5 / 5)
    # Four pairs of the five differ in both, all alike; five differ in each: 3-4 in ems, 1-2 for people.
    assert ems.agreement.kendall.value == pytest.approx(4 / 5)
    # Deviations -1.25 -.25 .75 .75 and -.075 -.075 .125 .025.
    assert ems.agreement.pearson.value == pytest.approx(0.225 / (2.75 * 0.0275) ** 0.5)
    # A constant has no correlation, and orders pairs as chance does.
    assert ssim.agreement.pearson.value is ssim.agreement.kendall.value is None
    assert ssim.agreement.accuracy.value == 0.5
    assert ems.agreement.pearson.interval is None  # fewer than five lines


def test_values_are_those_of_scipy_and_lie_in_their_intervals(tmp_path: Path) -> None:
    draw = random.Random(5)
    people = [draw.randrange(6) for _ in range(120)]
    metric = [round(score + draw.gauss(0, 2), 1) for score in people]
    lines = "".join(f"{one},{other}\n" for one, other in zip(people, metric, strict=True))
    (everything,) = agreement(written(tmp_path, f"human,metric\n{lines}"))
    measured = everything.metrics[0].agreement
    assert measured.pearson.value == pytest.approx(pearsonr(people, metric).statistic)
    assert measured.spearman.value == pytest.approx(spearmanr(people, metric).statistic)
    assert measured.kendall.value == pytest.approx(kendalltau(people, metric).statistic)
    assert measured.accuracy.value == pytest.approx((1 + somersd(people, metric).statistic) / 2)
    points = [
        1.0 if (a - b) * (x - y) > 0 else 0.5 if x == y else 0.0
        for (a, x), (b, y) in combinations(zip(people, metric, strict=True), 2)
        if a != b
    ]
    assert measured.accuracy.value == pytest.approx(sum(points) / len(points))
    for one in (measured.pearson, measured.spearman, measured.kendall, measured.accuracy):
        assert one.value is not None
        assert one.interval is not None
        assert one.interval[0] < one.value < one.interval[1]
        assert one.interval[1] - one.interval[0] < 0.4
    # Fisher's interval of Pearson's correlation is nearly that of the bootstrap here.
    fisher = pearsonr(people, metric).confidence_interval()
    assert measured.pearson.interval == pytest.approx((fisher.low, fisher.high), abs=0.06)


def test_the_order_of_lines_changes_nothing_nor_do_scale_and_offset(tmp_path: Path) -> None:
    draw = random.Random(6)
    rows = [(draw.randrange(5), draw.random()) for _ in range(30)]
    names = "human,metric\n"
    plain = written(tmp_path, names + "".join(f"{one},{other}\n" for one, other in rows))
    turned = written(tmp_path, names + "".join(f"{one},{other}\n" for one, other in rows[::-1]), "turned.csv")
    assert agreement(plain) == agreement(turned)
    large = written(tmp_path, names + "".join(f"{one},{other * 1e50}\n" for one, other in rows), "large.csv")
    for one, other in zip(agreement(plain), agreement(large), strict=True):
        assert other.metrics[0].agreement.pearson.value == pytest.approx(
            one.metrics[0].agreement.pearson.value
        )
        assert other.metrics[0].agreement.pearson.interval == pytest.approx(
            one.metrics[0].agreement.pearson.interval
        )


def test_columns_of_others_are_named_and_files_taken_together(tmp_path: Path) -> None:
    first = written(tmp_path, "rating,model,judge,words\n1,m,2,few\n3,m,5,many\n")
    second = written(tmp_path, "judge,rating,model\n4,2,n\n9,4,n\n", "second.csv")
    everything, m, n = agreement([first, second], human="rating", metrics=["judge"], system="model")
    assert (everything.rows, m.system, n.system) == (4, "m", "n")
    assert everything.metrics[0].agreement.accuracy.value == 1.0


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("", "is empty"),
        ("human,ems\n", "no column of numbers"),
        ("rating,ems\n1,2\n", ":1: has no column 'human'; it has rating, ems"),
        ('rating,"e\nms"\n1,2\n', "it has rating, e ms"),
        ("human,ems\n1,2\nmany,3\n", ":3: 'many' in the column 'human' is no finite number"),
        ("human,ems\n1,2\nnan,3\n", ":3: 'nan' in the column 'human'"),
        ("human,ems\n1,2\n2,NaN\n", ":3: 'NaN' in the column 'ems'"),
        ("human,ems\n1,2\n2,1e300\n", ":3: '1e300' in the column 'ems'"),
        ("human,ems\n1,2\n2,n/a\n", ":3: 'n/a' in the column 'ems'"),
        ("human,ems\n,2\n", "has no line with a score in the column 'human'"),
        ("human,ems\n1,2,3\n", ":2: has 3 cells for 2 columns"),
        ("id;human;ems\na;4;0,9\n", ":1: has semicolons between its cells: export it with commas"),
        ("human\tems\n4\t0.9\n", ":1: has tabulators between its cells"),
        ("human,ems,ems\n1,2,3\n", ":1: has the column 'ems' twice"),
        ('human,ems\n1,"2', "is no CSV file in UTF-8"),
        ("human,ems\n" + "1,2\n" * (MOST_ROWS + 1), "makes more than 5,000 lines"),
    ],
)
def test_a_file_that_is_wrong_has_an_error_of_one_line(
    text: str, part: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = written(tmp_path, text)
    assert run(["agreement", str(file)]) == 2
    message = capsys.readouterr().err
    assert message.startswith(f"error: {file}")
    assert part in message
    assert message.count("\n") == 1


def test_files_that_are_not_there_or_not_text_are_errors(tmp_path: Path) -> None:
    with pytest.raises(UsageError):
        agreement(tmp_path / "none.csv")
    (tmp_path / "image.csv").write_bytes(b"\x89PNG\xff\xfe")
    with pytest.raises(DataError, match="no CSV file"):
        agreement(tmp_path / "image.csv")
    with pytest.raises(UsageError, match="no CSV file is named"):
        agreement([])


def test_a_column_serves_one_purpose(tmp_path: Path) -> None:
    file = written(tmp_path, RATINGS)
    for metrics, system in ((["human"], None), (["ems", "ems"], None), (["ems"], "human"), (["ems"], "ems")):
        with pytest.raises(UsageError, match="not different"):
            agreement(file, metrics=metrics, system=system)


def test_the_command_prints_a_table_for_each_system_or_json(tmp_path: Path) -> None:
    file = str(written(tmp_path, RATINGS))
    shown = CliRunner().invoke(group, ["agreement", file, "--metric", "ems"]).output
    assert "all lines" in shown
    assert "0.900" in shown
    plain = json.loads(CliRunner().invoke(group, ["agreement", file, "--json"]).output)
    assert [system["system"] for system in plain["systems"]] == ["", "a", "b"]
    assert plain["systems"][0]["metrics"][0]["accuracy"] == {"value": 0.9, "interval": None}
