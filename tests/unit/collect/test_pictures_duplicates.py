"""Duplicates are found within a subset, over collections, and nothing else is taken for one."""

import io
import sqlite3
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image, ImageDraw

from i2s_collect.candidates import Piece
from i2s_collect.images.duplicates import (
    PERMUTATIONS,
    DuplicateIndex,
    Fingerprint,
    FingerprintError,
    KnownPieces,
    Match,
    Ring,
    SeenStore,
    fingerprint,
    minhash,
    normalized,
)
from i2s_sdk.errors import DataError


def drawing(seed: int, size=(400, 200)) -> Image.Image:
    """White with black rectangles."""
    image = Image.new("RGB", size, "white")
    draw = ImageDraw.Draw(image)
    for x, y, width, height in np.random.default_rng(seed).integers(5, size[1] // 2, (25, 4)):
        draw.rectangle((3 * x, y, 3 * x + width, y + height // 4), fill="black")
    return image


def words(seed: int, number: int = 300) -> list[str]:
    return [f"w{value}" for value in np.random.default_rng(seed).integers(0, 1000, number)]


def one(seed: int, **changes) -> Fingerprint:
    given = {"image": drawing(seed), "source": b"source %d" % seed, "text": " ".join(words(seed)), **changes}
    return fingerprint(given["image"], given["source"], given["text"])


@pytest.fixture
def index() -> DuplicateIndex:
    index = DuplicateIndex()
    for seed in range(5):
        index.add("equation", f"key {seed}", one(seed))
    return index


def test_a_new_piece_is_no_duplicate(index):
    assert index.find("equation", one(9)) is None


def test_spaces_do_not_make_another_source(index):
    assert index.find("equation", one(9, source=b" source\n\t3 ")) == Match("key 3", Ring.SOURCE)


def test_equal_pixels_are_found(index):
    assert index.find("equation", one(9, image=drawing(2))) == Match("key 2", Ring.PICTURE)


def test_a_picture_that_was_compressed_and_scaled_looks_the_same(index):
    file = io.BytesIO()
    drawing(2).resize((404, 202)).save(file, "JPEG", quality=85)
    assert index.find("equation", one(9, image=Image.open(file))) == Match("key 2", Ring.LOOK)


def test_a_picture_of_another_size_does_not(index):
    assert index.find("equation", one(9, image=drawing(2).resize((440, 220)))) is None


def test_two_pages_with_little_ink_are_not_the_same():
    # Their hashes are equal and their mean difference is below the limit; what ink there is differs.
    first, second = Image.new("RGB", (1920, 1080), "white"), Image.new("RGB", (1920, 1080), "white")
    ImageDraw.Draw(first).rectangle((100, 100, 160, 112), fill="black")
    ImageDraw.Draw(second).rectangle((100, 600, 160, 612), fill="black")
    index = DuplicateIndex()
    index.add("html", "first", one(1, image=first))
    assert index.find("html", one(2, image=second)) is None
    assert index.find("html", one(2, image=first)) == Match("first", Ring.PICTURE)


def test_a_text_with_few_changes_is_found_and_one_with_many_is_not(index):
    text = words(4)
    few, many = list(text), list(text)
    few[100:103] = ["x", "y", "z"]
    many[::10] = ["x"] * 30
    assert index.find("equation", one(9, text=" ".join(few))) == Match("key 4", Ring.TEXT)
    assert index.find("equation", one(9, text=" ".join(many))) is None


def test_texts_too_short_for_shingles_are_not_compared():
    index = DuplicateIndex()
    index.add("equation", "first", one(1, text="a b c d"))
    assert index.find("equation", one(2, text="a b c d")) is None


def test_other_subsets_are_not_looked_at(index):
    assert index.find("table", one(2)) is None


def test_the_first_piece_is_named():
    index = DuplicateIndex()
    for key in "ab":
        index.add("equation", key, one(1))
    assert index.find("equation", one(1)) == Match("a", Ring.SOURCE)


def test_an_index_grows_and_finds_what_was_added_before_and_after():
    index = DuplicateIndex()
    base = one(1)
    for row in range(2100):
        index.add("s", str(row), Fingerprint(f"{row}", f"{row}", 1, 1, base.difference, base.thumbnail, b""))
    for row in (0, 1023, 1024, 2099):
        found = index.find("s", Fingerprint("new", f"{row}", 9, 9, base.difference, base.thumbnail, b""))
        assert found == Match(str(row), Ring.PICTURE)
    assert len(index) == 2100


def test_another_process_makes_the_same_fingerprint():
    module = "i2s_collect.images.duplicates"
    program = f"from {module} import minhash; print(minhash('a b c d e f').hex())"
    done = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        check=True,
        env={"PYTHONHASHSEED": "7"},
    )
    assert done.stdout.strip() == minhash("a b c d e f").hex()


def test_the_fingerprint_of_a_text_does_not_change_between_versions():
    # Stored fingerprints are compared with new ones for years.
    assert np.frombuffer(minhash("a b c d e f"), "<u4")[:3].tolist() == [1186402755, 2699925076, 1711093300]


@given(st.lists(st.text("abcdefgh", min_size=1, max_size=2), min_size=5, max_size=60), st.data())
def test_minhash_estimates_the_similarity_of_shingles(first, data):
    at = data.draw(st.integers(0, len(first)))
    second = [*first[:at], "zz", *first[at:]]

    def shingles(tokens):
        return {tuple(tokens[i : i + 5]) for i in range(len(tokens) - 4)}

    mine, other = shingles(first), shingles(second)
    true = len(mine & other) / len(mine | other)
    one, two = (np.frombuffer(minhash(" ".join(tokens)), "<u4") for tokens in (first, second))
    assert abs(float((one == two).mean()) - true) < 6 * (0.25 / PERMUTATIONS) ** 0.5


@given(st.text())
def test_normalizing_twice_changes_nothing(text):
    content = text.encode("utf-8", "surrogatepass")
    assert normalized(normalized(content)) == normalized(content)


def test_a_fingerprint_is_read_as_it_was_written():
    assert Fingerprint.from_text(one(1).as_text()) == one(1)


@pytest.mark.parametrize(
    "text", ["", "{}", "[]", "null", one(1).as_text().replace("[400", "[0"), '{"size": 1}']
)
def test_other_text_is_no_fingerprint(text):
    with pytest.raises(FingerprintError):
        Fingerprint.from_text(text)


def test_pieces_of_a_collection_are_compared_by_their_text():
    file = io.BytesIO()
    drawing(1).save(file, "PNG")
    piece = Piece("equation", "a.tex", (0, 1), b"x", "some text of a piece that is long enough", 3)
    known = KnownPieces()
    text = known.fingerprint(piece, file.getvalue())
    assert known.find("equation", text) is None
    known.add("equation", "first", text)
    assert known.find("equation", text) == "first (equal source)"
    assert [(subset, key) for subset, key, _ in known.added] == [("equation", "first")]


def test_a_store_gives_back_all_but_the_collection_that_is_resumed(tmp_path):
    path = tmp_path / "index" / "seen.sqlite"
    store = SeenStore(path)
    store.replace("october", [("equation", "a", one(1)), ("table", "b", one(2))])
    store.replace("november", [("equation", "c", one(3))])
    store.close()
    store = SeenStore(path)
    index = store.load()
    assert index.find("equation", one(1)) == Match("a", Ring.SOURCE)
    assert index.find("table", one(2)) == Match("b", Ring.SOURCE)
    assert store.load("october").find("equation", one(1)) is None
    assert store.load("october").find("equation", one(3)) == Match("c", Ring.SOURCE)


def test_storing_a_collection_again_replaces_it(tmp_path):
    store = SeenStore(tmp_path / "seen.sqlite")
    store.replace("october", [("equation", "a", one(1)), ("equation", "b", one(2))])
    store.replace("october", [("equation", "a", one(1))])
    assert len(store.load()) == 1


def test_a_transaction_that_fails_leaves_what_was_there(tmp_path):
    def pieces():
        yield ("equation", "b", one(2))
        raise KeyboardInterrupt

    store = SeenStore(tmp_path / "seen.sqlite")
    store.replace("october", [("equation", "a", one(1))])
    with pytest.raises(KeyboardInterrupt):
        store.replace("october", pieces())
    assert store.load().find("equation", one(1)) == Match("a", Ring.SOURCE)


def test_a_file_that_is_no_store_is_one_line(tmp_path):
    path = tmp_path / "seen.sqlite"
    path.write_bytes(b"no database" * 100)
    with pytest.raises(DataError, match="cannot be used"):
        SeenStore(path)


def test_a_store_of_another_version_is_refused(tmp_path):
    path = tmp_path / "seen.sqlite"
    with sqlite3.connect(path) as database:
        database.execute("PRAGMA user_version = 2")
    with pytest.raises(DataError, match="version 2"):
        SeenStore(path)
