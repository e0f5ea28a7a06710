"""Which instances of a data set a run takes."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from i2s_sdk.data import Instance, Selection, Shard
from i2s_sdk.errors import UnknownNameError, UsageError


def _instance(identity: str, subset: str = "equation", difficulty: str = "easy") -> Instance:
    return Instance(identity, "latex", subset, Path("picture.png"), difficulty)


MANY = [_instance(f"{subset}-{number}", subset) for subset in ("equation", "table") for number in range(50)]


def _ids(instances: list[Instance]) -> list[str]:
    return [instance.id for instance in instances]


@pytest.mark.parametrize("text", ["", "1", "a/b", "1/0", "0/3", "4/3", "-1/3", "1/3/5", "1.0/3", "１/３"])
def test_what_names_no_shard_is_told(text: str) -> None:
    with pytest.raises(UsageError, match="--shard"):
        Shard.parse(text)


def test_a_shard_is_read_as_it_is_written() -> None:
    assert Shard.parse(" 2/16 ") == Shard(2, 16)
    assert str(Shard(2, 16)) == "2/16"


@given(st.lists(st.text(max_size=8), unique=True, max_size=40), st.integers(1, 9))
def test_shards_share_nothing_and_have_all(ids: list[str], count: int) -> None:
    instances = [_instance(identity) for identity in ids]
    shards = [Selection(shard=Shard(index, count)).apply(instances) for index in range(1, count + 1)]
    assert sorted(identity for shard in shards for identity in _ids(shard)) == sorted(ids)


def test_the_shard_of_an_id_never_changes() -> None:
    # Recorded: a run that was begun with another version must go on with the same parts.
    assert _ids(Selection(shard=Shard(1, 20)).apply(MANY)) == [
        "equation-28",
        "table-13",
        "table-20",
        "table-39",
    ]


def test_shards_are_parts_of_the_limited_choice() -> None:
    whole = Selection(limit=20, seed=1).apply(MANY)
    parts = [Selection(limit=20, seed=1, shard=Shard(index, 3)).apply(MANY) for index in (1, 2, 3)]
    assert sorted(_ids(whole)) == sorted(identity for part in parts for identity in _ids(part))


def test_without_a_seed_the_first_are_taken() -> None:
    assert _ids(Selection(limit=2).apply(MANY)) == ["equation-0", "equation-1"]


def test_a_seed_chooses_the_same_instances_in_any_order_of_the_data_set() -> None:
    chosen = _ids(Selection(limit=7, seed=3).apply(MANY))
    turned = _ids(Selection(limit=7, seed=3).apply(MANY[::-1]))
    assert chosen == turned[::-1]
    assert chosen == [identity for identity in _ids(MANY) if identity in chosen]
    assert chosen != _ids(Selection(limit=7, seed=4).apply(MANY))


def test_a_larger_choice_of_a_seed_holds_the_smaller() -> None:
    assert set(_ids(Selection(limit=7, seed=3).apply(MANY))) < set(
        _ids(Selection(limit=20, seed=3).apply(MANY))
    )


@pytest.mark.slow
def test_another_process_chooses_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    program = (
        "from pathlib import Path; from i2s_sdk.data import *;"
        "print(*[i.id for i in Selection(limit=30, seed=5, shard=Shard(1, 2)).apply("
        "[Instance(f'x{n}', 'latex', 's', Path('p')) for n in range(99)])])"
    )
    said = {
        subprocess.run(
            [sys.executable, "-c", program], env={"PYTHONHASHSEED": seed}, check=True, capture_output=True
        ).stdout
        for seed in ("1", "2")
    }
    assert len(said) == 1
    assert len(said.pop().split()) > 5


def test_filters_come_before_the_limit() -> None:
    assert _ids(Selection(subsets=("table",), limit=2).apply(MANY)) == ["table-0", "table-1"]


def test_filters_are_joined() -> None:
    instances = [
        _instance("a", "equation", "easy"),
        _instance("b", "table", "hard"),
        _instance("c", "table", "easy"),
    ]
    assert _ids(Selection(subsets=("table", "equation"), difficulties=("easy",)).apply(instances)) == [
        "a",
        "c",
    ]
    assert _ids(Selection(ids=("c", "a")).apply(instances)) == ["a", "c"]
    with pytest.raises(UsageError, match="subset equation and difficulty hard"):
        Selection(subsets=("equation",), difficulties=("hard",)).apply(instances)


@pytest.mark.parametrize(
    ("selection", "said"),
    [
        (Selection(subsets=("tabel",)), "did you mean 'table'"),
        (Selection(difficulties=("esay",)), "did you mean 'easy'"),
    ],
)
def test_an_unknown_name_is_told_with_what_was_meant(selection: Selection, said: str) -> None:
    with pytest.raises(UnknownNameError, match=said):
        selection.apply(MANY)


def test_an_unknown_id_is_told_without_listing_all() -> None:
    with pytest.raises(UsageError, match="did you mean 'table-7'") as raised:
        Selection(ids=("tabel-7",)).apply(MANY)
    assert len(raised.value.message) < 100


def test_a_limit_below_one_is_told() -> None:
    with pytest.raises(UsageError, match="--limit 0"):
        Selection(limit=0)


def test_nothing_asked_is_all() -> None:
    assert Selection().apply(MANY) == MANY
