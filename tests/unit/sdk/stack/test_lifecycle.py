"""What ``up`` passes on of services that take long to start."""

from i2s_sdk.stack import lifecycle
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
    assert lifecycle._start_supervisor((), "all", 1.0, 0, "", lines.append) == "up"
    assert lines == ["i2s-metrics is getting ready: 1 of 2"]
