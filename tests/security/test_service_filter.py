"""What a service that was taken over may not ask of the kernel, whoever it is."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

pytestmark = pytest.mark.security

#: Prints the errno of each attempt, before and after the process is confined as every service is.
_PROGRAM = """
import ctypes, json, os, sys
from i2s_chassis.server.service_user import confine
libc = ctypes.CDLL(None, use_errno=True)
x86 = os.uname().machine == "x86_64"

def call(name):
    number, arguments = CALLS[name]
    ctypes.set_errno(0)
    libc.syscall(number[0 if x86 else 1], *arguments)
    return ctypes.get_errno()

# The arguments are wrong, so that nothing happens where a call is made.
CALLS = {
    "ptrace": ((101, 117), (0x4206, 0, 0, 0)),
    "process_vm_readv": ((310, 270), (0, 0, 0, 0, 0, 1)),
    "mount": ((165, 40), (0, 1, 0, 0, 0)),
    "setns": ((308, 268), (-1, 0)),
    "bpf": ((321, 280), (-1, 0, 0)),
    "perf_event_open": ((298, 241), (0, 0, 0, 0, 0)),
    "keyctl": ((250, 219), (-1, 0, 0, 0, 0)),
    "userfaultfd": ((323, 282), (-1,)),
    "io_uring_setup": ((425, 425), (0, 0)),
    "open_by_handle_at": ((304, 265), (-1, 0, 0)),
    "pidfd_getfd": ((438, 438), (-1, 0, 1)),
    "fsopen": ((430, 430), (1, -1)),
    "unshare": ((272, 97), (0x10000000 | 1,)),
}
before = {name: call(name) for name in CALLS}
confine()
after = {name: call(name) for name in CALLS}
child = os.fork()
if child == 0:
    os._exit(call("ptrace"))
inherited = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
status = open("/proc/self/status").read()
print(json.dumps([before, after, inherited, status]))
"""
_EPERM = 1


def test_every_way_is_closed_and_stays_closed_for_what_it_starts() -> None:
    done = subprocess.run([sys.executable, "-c", _PROGRAM], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    before, after, inherited, status = json.loads(done.stdout)
    assert after == dict.fromkeys(before, _EPERM)
    assert inherited == _EPERM
    assert "NoNewPrivs:\t1\n" in status
    assert "CapEff:\t0000000000000000\n" in status
    assert any(number != _EPERM for number in before.values()), "these calls were never made"
