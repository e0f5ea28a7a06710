"""``i2s-sdk setup`` shows what it would do, and does it only with consent."""

from __future__ import annotations

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
