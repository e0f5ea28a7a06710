"""The one-line changes that unit tests must find are changes to code that is there."""

import tomllib


def groups(root):
    return tomllib.loads((root / "tests/mutants/mutants.toml").read_text())["group"]


def test_every_change_is_to_one_place_of_a_file_that_is_there(root):
    wrong = [
        f"{group['file']}: {change['old']!r}"
        for group in groups(root)
        for change in group["changes"]
        if (root / group["file"]).read_text().count(change["old"]) != 1
    ]
    assert wrong == []


def test_every_test_that_is_to_find_them_is_there(root):
    assert [name for group in groups(root) for name in group["tests"] if not (root / name).exists()] == []
