"""Where the examples are."""

from __future__ import annotations

from pathlib import Path

from i2s_sdk.data import examples_folder, read_folder

REPOSITORY = Path(__file__).resolve().parents[4]


def test_the_examples_of_the_checkout_are_found_from_anywhere(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert examples_folder() == REPOSITORY / "examples"


def test_what_is_configured_is_taken_as_it_is(tmp_path: Path) -> None:
    assert examples_folder(tmp_path / "mine") == tmp_path / "mine"


def test_the_bundled_examples_are_a_data_set_with_ground_truth() -> None:
    instances = read_folder(REPOSITORY / "examples").instances
    assert len(instances) >= 16
    subsets = [
        instance.subset
        for instance in instances
        if instance.task == "latex" and instance.structure is not None
    ]
    for subset in ("equation", "table", "algorithm", "plot"):
        assert subsets.count(subset) >= 4
