"""Which parts run on a busy machine, and which of them have verdicts to compare."""

from __future__ import annotations

from load_parts import SECURITY, attack_parts


def test_only_tests_of_the_jail_itself_have_no_verdicts() -> None:
    without = {name for name, part in attack_parts().items() if not part.has_verdicts}
    assert without == {name for name in attack_parts() if name.partition("/")[0].partition(" ")[0] == "jail"}
    assert len(without) > 2


def test_every_file_of_the_security_suite_but_that_of_gvisor_is_in_a_part() -> None:
    files = {file for part in attack_parts().values() for file in part.files}
    assert {file.name for file in set(SECURITY.rglob("test_*.py")) - files} == {"test_gvisor.py"}
