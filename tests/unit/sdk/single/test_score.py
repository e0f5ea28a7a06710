"""Which images are compared."""

from pathlib import Path

import pytest

from i2s_sdk.errors import DataError
from i2s_sdk.single.score import find_pairs


@pytest.fixture
def folders(tmp_path: Path):
    def make(references: str, predictions: str) -> tuple[Path, Path]:
        for folder, names in (("r", references), ("p", predictions)):
            for name in names.split():
                path = tmp_path / folder / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(b"")
        return tmp_path / "r", tmp_path / "p"

    return make


def test_files_are_matched_by_relative_name(folders) -> None:
    pairs = find_pairs(*folders("a.png sub/a.png b.png", "sub/a.png a.png c.png notes.txt"))
    assert [pair.name for pair in pairs.matched] == ["a.png", "sub/a.png"]
    assert pairs.matched[1].prediction.parts[-2:] == ("sub", "a.png")
    assert pairs.missing == ("b.png",)
    assert pairs.unmatched == ("c.png",)


def test_another_suffix_matches_where_it_is_clear(folders) -> None:
    pairs = find_pairs(*folders("a.png b.png", "a.jpg b.webp b.jpg"))
    assert [(pair.name, pair.prediction.name) for pair in pairs.matched] == [("a.png", "a.jpg")]
    assert pairs.missing == ("b.png",)
    assert set(pairs.unmatched) == {"b.webp", "b.jpg"}


def test_one_picture_is_the_reference_of_a_folder(folders) -> None:
    reference, predictions = folders("a.png", "x.png y.png")
    pairs = find_pairs(reference / "a.png", predictions)
    assert [(pair.name, pair.reference.name) for pair in pairs.matched] == [
        ("x.png", "a.png"),
        ("y.png", "a.png"),
    ]


def test_a_folder_against_one_picture_makes_no_sense(folders) -> None:
    reference, predictions = folders("a.png", "x.png")
    with pytest.raises(DataError, match="is not a folder"):
        find_pairs(reference, predictions / "x.png")


def test_a_folder_without_pictures_is_told(folders) -> None:
    reference, predictions = folders("a.png", "x.txt")
    with pytest.raises(DataError, match="holds no image"):
        find_pairs(reference, predictions)
