"""Mean win rate against recorded tables of the reference implementation, and the published one."""

import json
from pathlib import Path

import pytest

from i2s_sdk.stats.leaderboard import Column, mean_win_rates

pytestmark = pytest.mark.fidelity

RECORDED = Path(__file__).parent / "data" / "win_rate.json"
TABLES = json.loads(RECORDED.read_text(encoding="utf-8"))["tables"]


@pytest.mark.parametrize("table", TABLES, ids=lambda table: table["name"])
def test_win_rates_are_those_of_the_reference_implementation(table):
    columns = [
        Column(
            column["name"],
            {row["model"]: row["values"][at] for row in table["rows"] if row["values"][at] is not None},
            column["lower_is_better"],
        )
        for at, column in enumerate(table["columns"])
    ]
    found = mean_win_rates([row["model"] for row in table["rows"]], columns)
    assert found == {
        model: None if rate is None else pytest.approx(rate, abs=1e-12)
        for model, rate in table["mean_win_rate"].items()
    }
    assert all((rate is None) == (table["mean_win_rate"][model] is None) for model, rate in found.items())


def test_the_recorded_tables_are_those_handed_to_us():
    shared = Path(__file__).parents[2].parent / "shared/fidelity" / RECORDED.name
    if not shared.is_file():
        pytest.skip("the folder of recorded vectors is not here")
    assert RECORDED.read_bytes() == shared.read_bytes()
