"""What the kernel reports of the isolation of a process."""

import os
import subprocess
import sys

from i2s_chassis.jail.processes import isolation_of


def test_a_process_is_told_by_its_command_and_what_it_shares_with_us():
    command = [sys.executable, "-c", "print(input(), flush=True); input()"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        process.stdin.write(b"here\n")
        process.stdin.flush()
        assert process.stdout.readline() == b"here\n"
        ours, its = isolation_of(os.getpid()), isolation_of(process.pid)
        process.communicate(b"\n")
    assert its.command.endswith("print(input(), flush=True); input()")
    assert its.pid_namespaces == ours.pid_namespaces >= 1
    assert its.call_filters == ours.call_filters


def test_nothing_is_told_of_a_process_that_is_gone():
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    assert isolation_of(process.pid) is None
