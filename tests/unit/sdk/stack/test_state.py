"""What is up is found by later commands, and what is gone is not."""

import fcntl
import json
import os
import socket
import threading

import pytest

from i2s_sdk.errors import StackError
from i2s_sdk.settings import Settings
from i2s_sdk.stack import state
from i2s_sdk.stack.lifecycle import StoppedServices, down, up
from i2s_sdk.stack.services import known_address
from i2s_sdk.stack.state import StackKind, Up, UpService


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    return state.stack_folder()


@pytest.fixture
def listening():
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield f"127.0.0.1:{server.getsockname()[1]}"


def record(folder, address, kind=StackKind.DOCKER):
    one = Up(kind, (UpService("render-latex", address, "a-container"),), {"render-html": "not installed"})
    state.write_record(one, folder)
    return one


def test_what_was_written_is_read(folder, listening):
    written = record(folder, listening)
    assert state.read_record() == written


def test_without_a_record_nothing_is_up():
    assert state.read_record() is None
    assert state.up_address("render-latex") is None


def test_processes_count_only_as_long_as_their_supervisor_lives(folder, listening):
    with state.supervising(folder):
        written = record(folder, listening, StackKind.PROCESSES)
        assert state.read_record() == written
    assert state.read_record() is None


def test_there_is_one_supervisor_at_a_time(folder):
    with (
        state.supervising(folder),
        pytest.raises(StackError, match="i2s-sdk down"),
        state.supervising(folder),
    ):
        pass
    assert state.supervisor(folder) is None


def test_a_service_that_does_not_listen_any_more_is_not_found(folder):
    with socket.create_server(("127.0.0.1", 0)) as server:
        address = f"127.0.0.1:{server.getsockname()[1]}"
        record(folder, address)
        assert state.up_address("render-latex") == address
    assert state.up_address("render-latex") is None


def test_the_port_of_a_service_that_fails_is_left_alone_whoever_listens_there(folder, listening):
    services = (UpService("render-latex", listening), UpService("metrics", listening))
    state.write_record(Up(StackKind.DOCKER, services, {}, {"render-latex": "dies at each start"}), folder)
    assert state.up_address("metrics") == listening
    assert state.up_address("render-latex") is None


def test_settings_win_over_what_is_up(folder, listening):
    record(folder, listening)
    assert known_address(Settings(), "render-latex") == listening
    assert known_address(Settings(render_latex="10.0.0.1:7710"), "render-latex") == "10.0.0.1:7710"
    assert known_address(Settings(), "metrics") is None


@pytest.mark.slow
def test_a_damaged_record_is_an_error_that_says_what_to_do(folder):
    folder.mkdir(parents=True)
    (folder / "stack.json").write_text("{")
    with pytest.raises(StackError, match="i2s-sdk down"):
        state.read_record()
    assert state.up_address("render-latex") is None
    down()
    assert not folder.exists()


def test_up_returns_what_is_up_already(folder, listening):
    written = record(folder, listening)
    assert up() == written


def test_up_refuses_a_name_that_no_service_has():
    with pytest.raises(Exception, match="did you mean 'render-latex'"):
        up(["render-latx"])


@pytest.mark.slow
def test_down_says_whether_there_was_anything():
    assert down() is StoppedServices.NOTHING


def test_the_record_is_plain_json(folder, listening):
    record(folder, listening)
    assert json.loads((folder / "stack.json").read_text())["services"][0]["address"] == listening


def test_who_asks_for_the_supervisor_keeps_none_from_starting(folder):
    folder.mkdir(parents=True)
    (folder / "stack.lock").touch()
    with (folder / "stack.lock").open() as looking:
        fcntl.flock(looking, fcntl.LOCK_SH)
        away = threading.Timer(0.05, fcntl.flock, (looking, fcntl.LOCK_UN))
        away.start()
        with state.supervising(folder):
            assert state.supervisor(folder) == os.getpid()
        away.join()
