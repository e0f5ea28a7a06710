"""``i2s-sdk setup`` shows what it would do, and does it only with consent."""

from __future__ import annotations

import contextlib
import fcntl
import os
import pty
import select
import struct
import subprocess
import sys
import termios
import time
from pathlib import Path

import pytest

from i2s_sdk.cli.main import run
from i2s_sdk.errors import SetupError
from i2s_sdk.stack import doctor as doctor_module
from i2s_sdk.stack import machine_setup
from i2s_sdk.stack.doctor import Finding, State
from i2s_sdk.stack.machine_setup import Machine, Privilege, SystemNeed

PANDOC = SystemNeed("apt", "pandoc", "the command pandoc")


@pytest.fixture
def done(monkeypatch) -> list[str]:
    """What a set-up has done: titles of its steps, and "doctor"."""
    steps: list[str] = []
    monkeypatch.setattr(machine_setup, "run_step", lambda step, on_line: steps.append(step.title))
    monkeypatch.setattr(machine_setup, "sudo_asks", lambda: False)

    def doctor(**given: object) -> tuple[Finding, ...]:
        steps.append(f"doctor {given['services']}")
        return (Finding("documents", State.GOOD, "there"),)

    monkeypatch.setattr(doctor_module, "doctor", doctor)
    return steps


def lacks(monkeypatch, *needs: SystemNeed, **more: object) -> None:
    privilege = more.get("privilege", Privilege.SUDO)
    requirements = more.get("requirements", ())
    has_apt = more.get("has_apt", True)
    monkeypatch.setattr(
        machine_setup, "look", lambda services: Machine(services, needs, requirements, privilege, has_apt)
    )


def answer(monkeypatch, reply: str) -> None:
    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    monkeypatch.setattr("click.termui.visible_prompt_func", lambda text: reply)


def test_nothing_is_changed_where_nobody_can_agree(done, monkeypatch, capsys):
    lacks(monkeypatch, PANDOC)
    assert run(["setup", "documents"]) == 2
    assert done == []
    assert "--yes" in capsys.readouterr().err


def test_a_dry_run_prints_the_commands_and_changes_nothing(done, monkeypatch, capsys):
    lacks(monkeypatch, PANDOC, requirements=("i2s-documents==1",))
    assert run(["setup", "documents", "--dry-run", "--find-links", "wheels"]) == 0
    assert done == []
    shown = capsys.readouterr().out
    assert "  sudo apt-get update\n" in shown
    assert "pandoc  the command pandoc" in shown
    assert "--find-links wheels i2s-documents==1" in shown


def test_a_no_changes_nothing(done, monkeypatch):
    lacks(monkeypatch, PANDOC)
    answer(monkeypatch, "n")
    assert run(["setup", "documents"]) == 1
    assert done == []


@pytest.mark.parametrize("arguments", [["--yes"], []])
def test_with_consent_all_steps_are_done_and_the_services_are_looked_at(done, monkeypatch, arguments):
    lacks(monkeypatch, PANDOC, requirements=("i2s-documents==1",))
    answer(monkeypatch, "y")
    assert run(["setup", "documents", *arguments]) == 0
    assert done == [
        "reading the lists of packages",
        "installing 1 system packages",
        "installing i2s-documents==1",
        "doctor ('documents',)",
    ]


def test_where_nothing_is_missing_nobody_is_asked(done, monkeypatch, capsys):
    lacks(monkeypatch)
    assert run(["setup", "documents"]) == 0
    assert done == ["doctor ('documents',)"]
    assert "Nothing is missing for documents." in capsys.readouterr().out


@pytest.mark.parametrize(("options", "facts"), [(["--no-sudo"], {}), ([], {"privilege": Privilege.NONE})])
def test_without_sudo_the_command_of_an_administrator_is_printed(done, monkeypatch, capsys, options, facts):
    lacks(monkeypatch, PANDOC, requirements=("i2s-documents==1",), **facts)
    assert run(["setup", "documents", "--yes", *options]) == 1
    assert done == ["installing i2s-documents==1", "doctor ('documents',)"]
    assert "apt-get update && apt-get install --no-install-recommends pandoc" in capsys.readouterr().out


def test_without_apt_the_packages_are_named(done, monkeypatch, capsys):
    lacks(monkeypatch, PANDOC, has_apt=False)
    assert run(["setup", "documents", "--yes"]) == 1
    told = capsys.readouterr().out
    assert "the command pandoc" in told
    assert "apt-get" not in told


def test_a_step_that_fails_ends_the_set_up(done, monkeypatch, capsys):
    def fail(step: object, on_line: object) -> None:
        raise SetupError("no such package")

    lacks(monkeypatch, PANDOC)
    monkeypatch.setattr(machine_setup, "run_step", fail)
    assert run(["setup", "documents", "--yes"]) == 1
    assert done == []
    assert "no such package" in capsys.readouterr().err


def test_a_bad_finding_is_a_fault(done, monkeypatch):
    lacks(monkeypatch)
    monkeypatch.setattr(doctor_module, "doctor", lambda **given: (Finding("x", State.BAD, "broken"),))
    assert run(["setup", "documents"]) == 1


#: Asks at the terminal as sudo does, until it was told the password once; "never" keeps nothing.
_SUDO = """#!/bin/sh
ask() {
    printf '[sudo] password: ' >/dev/tty
    read -r password </dev/tty
    [ "$password" = secret ] || exit 1
    [ -e "$BIN/never" ] || : >"$BIN/ticket"
}
if [ "$1" = -n ]; then [ -e "$BIN/ticket" ]; exit; fi
[ -e "$BIN/ticket" ] || ask
if [ "$1" = -v ]; then exit 0; fi
exec "$@"
"""

#: Sets up a machine that lacks pandoc at the terminal that is its standard input.
_AT_A_TERMINAL = """
import fcntl, sys, termios
fcntl.ioctl(0, termios.TIOCSCTTY, 0)
from i2s_sdk.cli.main import run
from i2s_sdk.stack import doctor, machine_setup
from i2s_sdk.stack.machine_setup import Machine, Privilege, SystemNeed
need = SystemNeed("apt", "pandoc", "the command pandoc")
machine_setup.look = lambda services: Machine(services, (need,), (), Privilege.SUDO)
doctor.doctor = lambda **given: ()
sys.exit(run(["setup", "documents", "--yes"]))
"""


class Terminal:
    """A terminal at which a command runs."""

    def __init__(self, command: list[str], environment: dict[str, str]) -> None:
        self._ours, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
        self.process = subprocess.Popen(
            command,
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            env=environment,
            start_new_session=True,
        )
        os.close(theirs)

    def shown(self, until: str, seconds: float) -> str:
        """Return what is shown until a text comes, the command ends, or so many seconds are over."""
        read, end = b"", time.monotonic() + seconds
        while until.encode() not in read and (left := end - time.monotonic()) > 0:
            if not select.select([self._ours], [], [], left)[0]:
                break
            try:
                piece = os.read(self._ours, 4096)
            except OSError:  # the command has ended
                break
            read += piece
        return read.decode()

    def type(self, line: str) -> None:
        os.write(self._ours, f"{line}\n".encode())

    def close(self) -> None:
        with contextlib.suppress(ProcessLookupError):
            self.process.kill()
        self.process.wait()
        os.close(self._ours)


@pytest.fixture
def programs(tmp_path: Path) -> Path:
    """A folder with a sudo that asks, and an apt-get that takes a moment."""
    for name, text in {"sudo": _SUDO, "apt-get": "#!/bin/sh\nsleep 0.3; echo a line of apt\n"}.items():
        (tmp_path / name).write_text(text)
        (tmp_path / name).chmod(0o755)
    return tmp_path


@pytest.fixture
def terminal(programs: Path):
    environment = {**os.environ, "PATH": f"{programs}:{os.environ['PATH']}", "BIN": str(programs)}
    environment.update(TERM="xterm", HOME=str(programs))
    at = Terminal([sys.executable, "-c", _AT_A_TERMINAL], environment)
    yield at
    at.close()


def test_the_question_of_sudo_stays_on_the_terminal_and_is_asked_once(terminal):
    assert "may ask for your password" in terminal.shown("[sudo] password: ", 60)
    assert terminal.shown("nothing", 0.6) == ""  # nobody writes over it
    terminal.type("secret")
    rest = terminal.shown("looking at the services", 60)
    assert "installing 1 system packages" in rest
    assert "[sudo] password: " not in rest
    assert "a line of apt" in rest  # in the line that changes
    assert terminal.process.wait(60) == 0


def test_where_sudo_asks_at_each_step_no_line_changes_beside_it(programs, terminal):
    (programs / "never").touch()
    for _ in range(4):  # to be allowed, and to do it, twice each
        terminal.shown("[sudo] password: ", 60)
        assert terminal.shown("nothing", 0.6) == ""
        terminal.type("secret")
    assert "looking at the services" in terminal.shown("looking at the services", 60)
    assert terminal.process.wait(60) == 0


def test_a_wrong_password_ends_the_set_up_before_its_first_step(terminal):
    terminal.shown("[sudo] password: ", 60)
    terminal.type("wrong")
    told = terminal.shown("--no-sudo", 60)
    assert "--no-sudo" in told
    assert "reading the lists of packages" not in told
    assert terminal.process.wait(60) == 1
