"""What the kernel tells of the walls around a process."""

import os
import subprocess
import sys

from i2s_chassis.jail.processes import walls_around


def test_a_process_is_told_by_its_command_and_what_it_shares_with_us():
    command = [sys.executable, "-c", "print(input(), flush=True); input()"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        process.stdin.write(b"here\n")
        process.stdin.flush()
        assert process.stdout.readline() == b"here\n"
        ours, its = walls_around(os.getpid()), walls_around(process.pid)
        process.communicate(b"\n")
    assert its.command.endswith("print(input(), flush=True); input()")
    assert its.pid_namespaces == ours.pid_namespaces >= 1
    assert its.call_filters == ours.call_filters


def test_nothing_is_told_of_a_process_that_is_gone():
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    assert walls_around(process.pid) is None
