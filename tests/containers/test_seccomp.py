"""What the two profiles let a container do: ours is the default one, and what sandboxes are made with."""

import json
import platform

import pytest

from docker_engine import ROOT, run

#: Numbers of x86-64, with arguments that do nothing where the call is permitted.
CALLS = {
    "unshare": (272, 0x10000000),  # CLONE_NEWUSER
    "add_key": (248, 0, 0, 0, 0, 0),
    "keyctl": (250, 0, 0),
    "bpf": (321, -1, 0, 0),
    "perf_event_open": (298, 0, 0, -1, -1, 0),
    "userfaultfd": (323, -1),
    "io_uring_setup": (425, 0, 0),
    "open_by_handle_at": (304, -1, 0, 0),
    "init_module": (175, 0, 0, 0),
    "kexec_load": (246, 0, 0, 0, 0),
    "swapon": (167, 0, 0),
    "quotactl": (179, -1, 0, 0, 0),
    "move_mount": (429, -1, 0, -1, 0, 0),
    "open_tree": (428, -1, 0, -1),
    "fsopen": (430, 0, -1),
    "clone3": (435, 0, 0),
}
ASK = """
import ctypes, errno, json, os, sys
libc = ctypes.CDLL(None, use_errno=True)
told = {}
for name, (number, *arguments) in json.loads(sys.argv[1]).items():
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        code = libc.syscall(number, *[ctypes.c_long(one) for one in arguments])
        os.write(write, (errno.errorcode[ctypes.get_errno()] if code < 0 else "done").encode())
        os._exit(0)
    os.close(write)
    told[name] = os.read(read, 20).decode()
    os.waitpid(child, 0)
print(json.dumps(told))
"""
pytestmark = pytest.mark.skipif(platform.machine() != "x86_64", reason="the numbers are those of x86-64")


@pytest.fixture(scope="module")
def answers(system):
    return {
        service: json.loads(system.python(service, ASK, json.dumps(CALLS)))
        for service in ("render-latex", "render-html")
    }


def test_only_our_profile_lets_user_namespaces_be_made(answers):
    assert answers["render-latex"]["unshare"] == "EPERM"
    assert answers["render-html"]["unshare"] == "done"


def test_what_the_default_profile_denies_ours_denies_too(answers):
    for name, answer in answers["render-latex"].items():
        if name not in ("unshare", "io_uring_setup"):
            assert answer in ("EPERM", "ENOSYS"), name
            assert answers["render-html"][name] == answer, name


def test_ours_denies_io_uring_as_newer_defaults_do(answers):
    assert answers["render-html"]["io_uring_setup"] == "EPERM"


def test_the_profile_at_hand_is_the_derived_one(tmp_path):
    """Where the engine's own default profile is at hand as a file, ours differs in the named calls alone."""
    default = next(
        (path for path in ("/usr/share/gocode/src/github.com/docker/docker/profiles/seccomp/default.json",)
         if (tmp_path / path).is_file()),
        None,
    )  # fmt: skip
    if default is None:
        pytest.skip(
            "Debian's golang-github-docker-docker-dev, which has the default profile, is not installed"
        )
    run([str(ROOT / "deploy/seccomp/derive"), default, "--check"])
