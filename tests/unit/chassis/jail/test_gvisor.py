"""gVisor's kernel is recognised by two signs, and by nothing that comes about by chance."""

from __future__ import annotations

import pytest

from i2s_chassis.jail import gvisor, syscalls

LOG = b"<6>[   0.000000] Starting gVisor...\n<6>[   0.376765] Conjuring /dev/null black hole...\n"
COMMAND_LINE = b"BOOT_IMAGE=/vmlinuz-4.4.0-gvisor quiet"


def test_it_is_recognised_by_its_log_and_its_command_line() -> None:
    assert gvisor.recognised(LOG, COMMAND_LINE)
    assert gvisor.recognised(LOG, b"BOOT_IMAGE=/vmlinuz-4.19.0-gvisor quiet")


@pytest.mark.parametrize(
    "log",
    [
        b"",
        b"<5>[    0.000000] Linux version 6.18.44\n" + LOG,
        b"<6>[  12.000000] Starting gVisor...\n",
        b"<6>[   0.000000] Linux version 6.18.44 (Starting gVisor...)\n",
        b"<4>[ 99.000000] traps: [   0.000000] Starting gVisor...\n",
    ],
)
def test_words_in_the_log_of_another_kernel_are_no_sign(log: bytes) -> None:
    assert not gvisor.recognised(log, COMMAND_LINE)


@pytest.mark.parametrize(
    "command_line",
    [b"", b"BOOT_IMAGE=/vmlinuz-6.18.44 quiet", b"BOOT_IMAGE=/vmlinuz-6.18.44 note=vmlinuz-4.4.0-gvisor"],
)
def test_the_log_alone_is_no_sign(command_line: bytes) -> None:
    assert not gvisor.recognised(LOG, command_line)


def test_where_the_log_may_not_be_read_it_is_not_recognised(monkeypatch: pytest.MonkeyPatch) -> None:
    def denied() -> bytes:
        raise PermissionError("klogctl")

    monkeypatch.setattr(syscalls, "kernel_log", denied)
    assert not gvisor.inside()
