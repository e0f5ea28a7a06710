"""What a service does once it has given up root."""

import os

import pytest

from i2s_chassis.privileges import drop


@pytest.fixture(autouse=True)
def back(monkeypatch, tmp_path):
    """Return to the folder of the tests afterwards."""
    monkeypatch.chdir(tmp_path)


def test_a_working_folder_that_can_be_entered_stays(tmp_path):
    drop._leave_closed_folder()
    assert os.getcwd() == str(tmp_path)


def test_a_closed_working_folder_is_left(tmp_path, monkeypatch):
    change = os.chdir

    def refuse(path):
        if str(path) == str(tmp_path):
            raise PermissionError(13, "Permission denied", path)
        change(path)

    monkeypatch.setattr(os, "chdir", refuse)
    drop._leave_closed_folder()
    assert os.getcwd() == "/"


def test_a_working_folder_that_was_removed_is_left(tmp_path):
    gone = tmp_path / "gone"
    gone.mkdir()
    os.chdir(gone)
    gone.rmdir()
    drop._leave_closed_folder()
    assert os.getcwd() == "/"
