"""What ``up`` passes on of services that take long to start, its ports, and what is left after ``down``."""

import socket
import threading

import pytest

from i2s_client.service_table import service_row
from i2s_sdk.errors import SettingsError, StackError
from i2s_sdk.settings import Settings
from i2s_sdk.stack import containers, lifecycle, services
from i2s_sdk.stack.child import bound_log
from i2s_sdk.stack.command import is_installed
from i2s_sdk.stack.services import up_listen
from i2s_sdk.stack.state import stack_folder


class Supervisor:
    """A supervisor that has written its log and goes on."""

    def __init__(self, command, *, stdout, **options):
        stdout.write(b"i2s-metrics is getting ready: 1 of 2\nsomething else\ni2s-metrics is getting ready: 2")
        stdout.flush()

    def poll(self):
        return None


def test_whole_lines_that_say_how_far_a_service_is_are_passed_on_once(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    stack_folder().mkdir(parents=True)
    records = iter([None, None, "up"])
    monkeypatch.setattr(lifecycle, "read_record", lambda: next(records))
    monkeypatch.setattr(lifecycle, "_LOOK_EVERY", 0)
    monkeypatch.setattr(lifecycle.subprocess, "Popen", Supervisor)
    lines = []
    assert lifecycle._start_supervisor((), "all", Settings(), 0, "", lines.append) == "up"
    assert lines == ["i2s-metrics is getting ready: 1 of 2"]


def test_services_listen_where_their_images_do_unless_another_number_is_added():
    assert up_listen("render-latex", Settings().up_ports) == "127.0.0.1:7710"
    assert up_listen("metrics", "1000") == "127.0.0.1:8740"
    assert up_listen("metrics", "free") == "127.0.0.1:0"
    assert up_listen("renderer-of-another-package", "1000") == "127.0.0.1:0"
    for wrong in ("auto", "-1", "60000"):
        with pytest.raises(SettingsError, match="I2S_UP_PORTS"):
            Settings(up_ports=wrong)


def test_a_port_that_is_taken_is_named_with_the_setting():
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        added = str(port - 7710)
        with pytest.raises(SettingsError) as raised:
            lifecycle.check_ports(("render-latex", "render-html"), added)  # the second port may be taken too
    said = raised.value.message
    assert said.startswith(f"render-latex: 127.0.0.1:{port}: cannot be listened on")
    assert "--ports N (I2S_UP_PORTS=N)" in said
    lifecycle.check_ports(("render-latex",), "free")


def test_two_services_that_would_listen_on_the_same_port_are_named(monkeypatch):
    monkeypatch.setattr(services, "default_port", lambda name: 17752)
    with pytest.raises(SettingsError, match=r"^render-svg and render-dot both listen on 127\.0\.0\.1:17753"):
        lifecycle.check_ports(("render-svg", "render-dot"), "1")
    lifecycle.check_ports(("render-svg", "render-dot"), "free")


def test_logs_survive_down_and_nothing_else_does(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    monkeypatch.setattr(lifecycle, "remove_left_folders", lambda _: ())
    folder = stack_folder()
    with pytest.raises(StackError, match="nothing is up"):
        lifecycle.service_log("metrics", 10)
    folder.mkdir(parents=True)
    for name in ("metrics.log", "supervisor.log", "metrics.announce.json", "gateway.request"):
        (folder / name).write_text(f"of {name}\n")
    lifecycle.down()
    assert sorted(path.name for path in folder.iterdir()) == ["metrics.log", "supervisor.log"]
    assert lifecycle.log_names() == ("metrics", "supervisor")
    assert b"".join(lifecycle.service_log("metrics", 10)) == b"of metrics.log\n"
    assert lifecycle.last_words() == "of supervisor.log"


def test_who_follows_a_log_goes_on_when_it_begins_anew(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    monkeypatch.setattr(lifecycle, "_LOOK_FOR_LINES_EVERY", 0)
    folder = stack_folder()
    folder.mkdir(parents=True)
    log = folder / "metrics.log"
    log.write_text("a long line of before\n")
    following = lifecycle.service_log("metrics", 10, follow=True)
    assert next(following) == b"a long line of before\n"
    timer = threading.Timer(0.1, lambda: (bound_log(log, most=1), log.write_text("new\n")))
    timer.start()
    assert next(following) == b"new\n"
    timer.join()


def test_the_end_of_the_log_before_is_shown_above_a_short_one(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    folder = stack_folder()
    folder.mkdir(parents=True)
    (folder / "metrics.log").write_text("3\n4\n")
    (folder / "metrics.log.1").write_text("1\n2\n")
    assert b"".join(lifecycle.service_log("metrics", 2)) == b"3\n4\n"
    assert b"".join(lifecycle.service_log("metrics", 3)) == b"2\n3\n4\n"
    assert b"".join(lifecycle.service_log("metrics", 9)) == b"1\n2\n3\n4\n"
    monkeypatch.setattr(lifecycle, "_LONGEST_LINE", 1)  # more of the log itself is left out
    (folder / "metrics.log").write_text(f"{'3' * 99}\n4\n")
    assert b"1" not in b"".join(lifecycle.service_log("metrics", 9))


def test_the_log_before_survives_down_and_the_next_up_removes_it(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    monkeypatch.setattr(lifecycle, "remove_left_folders", lambda _: ())
    monkeypatch.setattr(lifecycle, "_start_supervisor", lambda *given: given)
    folder = stack_folder()
    folder.mkdir(parents=True)
    for name in ("metrics.log", "metrics.log.1"):
        (folder / name).touch()
    lifecycle.down()
    assert {path.name for path in folder.iterdir()} == {"metrics.log", "metrics.log.1"}
    assert lifecycle.log_names() == ("metrics",)
    lifecycle.up(["metrics"], settings=Settings(up_ports="free"))
    assert not list(folder.glob("metrics.log*"))


def test_the_supervisor_appends_to_its_log_which_can_begin_anew(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    stack_folder().mkdir(parents=True)
    records = iter([None, "up"])
    monkeypatch.setattr(lifecycle, "read_record", lambda: next(records))

    class Bounded(Supervisor):
        def __init__(self, command, *, stdout, **options):
            super().__init__(command, stdout=stdout, **options)
            bound_log(stack_folder() / "supervisor.log", most=1)
            stdout.write(b"new\n")
            stdout.flush()

    monkeypatch.setattr(lifecycle.subprocess, "Popen", Bounded)
    lifecycle._start_supervisor((), "all", Settings(), 0, "", lambda line: None)
    assert (stack_folder() / "supervisor.log").read_bytes() == b"new\n"


def test_ports_of_services_that_are_not_installed_may_be_taken_unless_they_are_named(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    monkeypatch.setattr(lifecycle, "_start_supervisor", lambda names, *given: names)
    monkeypatch.setattr(lifecycle, "is_installed", lambda name: name == "metrics")
    with socket.create_server(("127.0.0.1", 0)) as taken:
        ports = str(taken.getsockname()[1] - service_row("render-lilypond").port)
        settings = Settings(up_ports=ports)
        assert set(lifecycle.up(settings=settings)) >= set(lifecycle.ALL)  # what is missing is said later
        with pytest.raises(SettingsError, match="render-lilypond: 127"):
            lifecycle.up(["metrics", "render-lilypond"], settings=settings)
        monkeypatch.setattr(lifecycle, "is_installed", lambda name: True)
        with pytest.raises(SettingsError, match="render-lilypond: 127"):
            lifecycle.up(settings=settings)


def test_an_installed_service_is_seen(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    assert not is_installed("render-of-another-package")
    program = tmp_path / "i2s-render-of-another-package"
    program.touch(mode=0o755)
    assert is_installed("render-of-another-package")


@pytest.mark.parametrize(
    ("names", "started"), [((), lifecycle.ALL), (("render-dot", "metrics"), ("metrics", "render-dot"))]
)
def test_a_renderer_of_another_package_is_a_container_where_it_is_named(
    tmp_path, monkeypatch, names, started
):
    """Whether it has an image here is not known, so it is not started with all others."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    monkeypatch.setattr(lifecycle, "service_names", lambda: (*lifecycle.ALL, "render-dot"))
    monkeypatch.setattr(lifecycle, "check_ports", lambda names, ports: None)
    monkeypatch.setattr(containers, "start_containers", lambda names, *more: names)
    assert lifecycle.up(names, docker=True, settings=Settings()) == tuple(started)
