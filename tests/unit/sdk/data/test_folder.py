"""Reading a data set."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from i2s_sdk.data import Asset, read_folder
from i2s_sdk.errors import DataError

GOOD = {"id": "a", "task": "latex", "subset": "equation", "image": "a.png"}


def _write(folder: Path, *entries: object) -> Path:
    (folder / "a.png").write_bytes(b"png")
    (folder / "a.tex").write_text("x")
    lines = [entry if isinstance(entry, str) else json.dumps(entry) for entry in entries]
    (folder / "instances.jsonl").write_text("\n".join(lines) + "\n")
    return folder


def test_fields_that_are_not_given_are_empty(tmp_path: Path) -> None:
    (instance,) = read_folder(_write(tmp_path, GOOD)).instances
    assert instance.image == (tmp_path / "a.png").resolve()
    assert (instance.structure, instance.text, instance.difficulty, instance.assets) == (None, None, "", ())


def test_everything_that_is_given_is_kept(tmp_path: Path) -> None:
    entry = {
        **GOOD,
        "difficulty": "hard",
        "structure": "a.tex",
        "text": "t",
        "assets": ["logo.svg", {"name": "b.png", "path": "a.png"}],
        "source": "s",
    }
    (instance,) = read_folder(_write(tmp_path, entry)).instances
    assert instance.structure == (tmp_path / "a.tex").resolve()
    assert (instance.difficulty, instance.text, instance.source) == ("hard", "t", "s")
    assert instance.assets == (Asset("logo.svg"), Asset("b.png", (tmp_path / "a.png").resolve()))


def test_the_order_of_the_file_is_kept_and_empty_lines_are_nothing(tmp_path: Path) -> None:
    found = read_folder(_write(tmp_path, {**GOOD, "id": "z"}, "", "  ", GOOD))
    assert [instance.id for instance in found.instances] == ["z", "a"]


@pytest.mark.parametrize(
    ("entry", "reason"),
    [
        ("{", "is not JSON"),
        ("[]", "is not a JSON object"),
        ({**GOOD, "strcture": "a.tex"}, "did you mean 'structure'"),
        ({key: value for key, value in GOOD.items() if key != "id"}, "field 'id'"),
        ({**GOOD, "id": ""}, "field 'id'"),
        ({**GOOD, "id": 7}, "field 'id'"),
        ({**GOOD, "id": "a\nb"}, "printable"),
        ({**GOOD, "id": "\ud800"}, "printable"),
        ({**GOOD, "id": "é" * 129}, "256 bytes"),
        ({**GOOD, "task": "latx"}, "no task is called 'latx'"),
        ({**GOOD, "image": "b.png"}, "image 'b.png' is not a file"),
        ({**GOOD, "image": "/etc/passwd"}, "relative"),
        ({**GOOD, "image": "../a.png"}, "out of the folder"),
        ({**GOOD, "image": "a\0.png"}, "relative"),
        ({**GOOD, "image": "x" * 5000}, "is not a file"),
        ({**GOOD, "image": "."}, "is not a file"),
        ({**GOOD, "structure": 1}, "field 'structure'"),
        ({**GOOD, "assets": "logo.svg"}, "must be a list"),
        ({**GOOD, "assets": [{"name": "x"}]}, "'name' and 'path'"),
        ({**GOOD, "assets": [{"name": "x", "path": "../../x"}]}, "out of the folder"),
    ],
)
def test_what_is_wrong_is_told_by_file_and_line(entry: object, reason: str, tmp_path: Path) -> None:
    folder = _write(tmp_path, {**GOOD, "id": "fine"}, entry)
    with pytest.raises(DataError) as raised:
        read_folder(folder)
    assert raised.value.message.startswith(f"{folder / 'instances.jsonl'}:2: ")
    assert reason in raised.value.message


def test_an_id_stands_once(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"instances\.jsonl:3: id 'a' stands in line 1"):
        read_folder(_write(tmp_path, GOOD, {**GOOD, "id": "b"}, GOOD))


@pytest.mark.parametrize("target", ["/etc/passwd", "../outside.png"])
def test_a_link_out_of_the_folder_is_refused(target: str, tmp_path: Path) -> None:
    folder = tmp_path / "data"
    folder.mkdir()
    (tmp_path / "outside.png").write_bytes(b"png")
    (folder / "link.png").symlink_to(target)
    with pytest.raises(DataError, match="leads out of the folder"):
        read_folder(_write(folder, {**GOOD, "image": "link.png"}))


def test_a_link_within_the_folder_is_followed(tmp_path: Path) -> None:
    (tmp_path / "link.png").symlink_to("a.png")
    (instance,) = read_folder(_write(tmp_path, {**GOOD, "image": "link.png"})).instances
    assert instance.image == (tmp_path / "a.png").resolve()


def test_a_link_to_itself_is_no_file(tmp_path: Path) -> None:
    (tmp_path / "loop.png").symlink_to("loop.png")
    with pytest.raises(DataError, match="is not a file"):
        read_folder(_write(tmp_path, {**GOOD, "image": "loop.png"}))


def test_a_folder_without_index_is_told_what_a_data_set_is(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"a data set is a folder with instances\.jsonl"):
        read_folder(tmp_path)


def test_an_index_of_nothing_is_no_data_set(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="holds no instance"):
        read_folder(_write(tmp_path))


def test_bytes_that_are_no_text_are_told(tmp_path: Path) -> None:
    _write(tmp_path)
    (tmp_path / "instances.jsonl").write_bytes(b'{"id": "\xff"}\n')
    with pytest.raises(DataError, match="1: is not UTF-8"):
        read_folder(tmp_path)


_JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=5,
)


@given(
    changes=st.dictionaries(st.sampled_from([*GOOD, "structure", "text", "assets", "difficulty", "x"]), _JSON)
)
def test_any_line_is_an_instance_or_an_error_of_data(changes: dict[str, object], tmp_path: Path) -> None:
    folder = _write(tmp_path, {**GOOD, **changes})
    try:
        (instance,) = read_folder(folder).instances
    except DataError as error:
        assert error.line == 1
    else:
        assert instance.image.is_relative_to(tmp_path.resolve())


def test_an_index_of_another_name_is_a_data_set_that_opens_again(tmp_path: Path) -> None:
    _write(tmp_path, GOOD)
    (tmp_path / "instances.jsonl").rename(tmp_path / "hard.jsonl")
    found = read_folder(tmp_path / "hard.jsonl")
    assert found.instances[0].image == (tmp_path / "a.png").resolve()
    assert read_folder(found.folder) == found
    with pytest.raises(DataError, match=r"instances\.jsonl"):
        read_folder(tmp_path)
