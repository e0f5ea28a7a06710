"""Hostile programs against the real engine: the right verdict, nothing read, written or left behind.

After each of them a good program gives the very bytes that it gave before, from a warm interpreter.
"""

from __future__ import annotations

import os
import resource
from dataclasses import replace

import pytest
import pytest_asyncio

from i2s_render_python.inside.restored_names.table import CHANGES
from i2s_wire.render.rendering import Verdict
from i2s_wire.render.request import File
from python_attacked import LEFT, LIMITS, MIB, TIERS, attacked

pytestmark = [pytest.mark.security, pytest.mark.asyncio(loop_scope="session")]

PLT = "import matplotlib.pyplot as plt\n"
DRAWN = PLT + "plt.plot([1, 2])\nplt.show()\n"
HAS_PICTURE = {Verdict.RENDERED, Verdict.RENDERED_WITH_ERRORS}
FAILED = {Verdict.COMPILE_ERROR}
CRASHED = {Verdict.CRASHED}
NOTHING = {Verdict.NO_OUTPUT}
#: An ordinary user without control groups cannot tell what forks share, so their memory may count first.
FORKED = {Verdict.PROCESS_LIMIT} | ({Verdict.MEMORY_LIMIT} if os.geteuid() else set())
ANY = set(Verdict)
#: A system call, with what it returns and why it failed.
CALL = """
import ctypes, os
libc = ctypes.CDLL(None, use_errno=True)
def call(*words):
    result = libc.syscall(*map(ctypes.c_long, words))
    return result if result >= 0 else -ctypes.get_errno()
"""


@pytest_asyncio.fixture(scope="module", loop_scope="session", params=TIERS)
async def under_attack(request):
    async with attacked(request.param) as found:
        yield found


def escapes(attempt, name="WENT THROUGH"):
    """Return a program that leaves no image if the attempt fails, and one if it succeeds."""
    return f"{attempt}\n{DRAWN}print({name!r})\n"


#: Programs of which each ends before it draws, because what it tries is refused.
REFUSED = {
    "reads a file of the host": "open('SECRETFILE').read()",
    "reads /etc/passwd": "open('/etc/passwd').read()",
    "reads the environment of the service": "open('/proc/1/environ', 'rb').read()",
    "reads the maps of its parent": "import os; open(f'/proc/{os.getppid()}/maps').read()",
    "reads the memory of its parent": "import os; open(f'/proc/{os.getppid()}/mem', 'rb').read(1)",
    "lists processes": "import os; assert len([x for x in os.listdir('/proc') if x.isdigit()]) > 2",
    "reads the settings of its parent": "open('../zygote.json').read()",
    "reads the filter of calls of its parent": "open('../zygote.filter', 'rb').read()",
    "lists beside its folder": "import os; os.listdir('..')",
    "writes beside its folder": "open('../escaped', 'w')",
    "writes to /tmp": "open('/tmp/escaped', 'w')",
    "writes to the libraries": "import numpy; open(numpy.__file__, 'a')",
    "writes to the program that runs it": "import sys; open(sys.executable, 'a')",
    "imports what the service is made of": "import i2s_chassis",
    "imports the server": "import grpc",
    "imports what runs it": "import i2s_render_python",
    "imports more of the environment": "import pydantic",
    "links out of its folder": "import os; os.symlink('/etc/passwd', 'link')",
    "links hard to a file of the system": "import os; os.link('/etc/ld.so.cache', 'link')",
    "makes a device": "import os, stat; os.mknod('device', 0o666 | stat.S_IFCHR, os.makedev(1, 3))",
    "makes a named pipe": "import os; os.mkfifo('pipe')",
    "runs a program": "import subprocess; subprocess.run(['/bin/true'], check=True)",
    "runs a shell": "import os; assert os.system('true') == 0",
    "runs its interpreter": "import subprocess, sys; subprocess.run([sys.executable, '-c', ''], check=True)",
    "runs a file of its own": (
        "import os; open('x', 'w').write('#!/bin/sh'); os.chmod('x', 0o700); os.execv('x', ['x'])"
    ),
    "connects to a port": "import socket; socket.create_connection(('127.0.0.1', CANARYPORT), timeout=5)",
    "opens a socket of IPv6": "import socket; socket.socket(socket.AF_INET6)",
    "opens a packet socket": "import socket; socket.socket(socket.AF_PACKET, socket.SOCK_RAW)",
    "opens a netlink socket": "import socket; socket.socket(socket.AF_NETLINK, socket.SOCK_RAW)",
    "asks for a name": "import socket; socket.getaddrinfo('example.com', 80)",
    "reads a page with pandas": "import pandas; pandas.read_csv('http://127.0.0.1:CANARYPORT/')",
    "reads an image from the network": "import urllib.request; urllib.request.urlopen('http://127.0.0.1:CANARYPORT/')",
    "signals its parent": "import os; os.kill(os.getppid(), 9)",
    "asks whether its parent is there": "import os; assert os.getppid() > 1; os.kill(os.getppid(), 0)",
    "changes limits of its parent": (
        "import os, resource; resource.prlimit(os.getppid(), resource.RLIMIT_NOFILE, (0, 0))"
    ),
    "traces its parent": CALL + "assert call(101, 16, os.getppid(), 0, 0) == 0",
    "reads memory by a call": CALL + "assert call(310, os.getppid(), 0, 0, 0, 0, 0) >= 0",
    "makes a user namespace": CALL + "assert call(272, 0x10000000) == 0",
    "loads a program for the kernel": CALL + "assert call(321, 0, 0, 0) >= 0",
    "adds a key": CALL + "assert call(248, 0, 0, 0, 0, 0) >= 0",
    "opens a ring": CALL + "assert call(425, 1, 0) >= 0",
    "handles page faults": CALL + "assert call(323, 0) >= 0",
    "locks a file of the system": (
        "import fcntl, os; file = os.open('/usr/lib/os-release', os.O_RDONLY)\n"
        "fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)"
    ),
    "asks what others have read": (
        "import os; os.preadv(os.open('/usr/lib/os-release', os.O_RDONLY), [bytearray(1)], 0, os.RWF_NOWAIT)"
    ),
    "asks which pages are in memory": (
        CALL + "import errno, os; file = os.open('/usr/lib/os-release', os.O_RDONLY)\n"
        "places = (ctypes.c_uint64 * 8)()\n"
        "assert call(451, file, ctypes.addressof(places), ctypes.addressof(places) + 16, 0) == 0"
    ),
    "watches a folder of the system": (
        "import fcntl, os, signal; signal.signal(signal.SIGIO, signal.SIG_IGN)\n"
        "fcntl.fcntl(os.open('/usr/lib', os.O_RDONLY), fcntl.F_NOTIFY, fcntl.DN_ACCESS | fcntl.DN_MULTISHOT)"
    ),
    "mounts": CALL + "assert call(165, 0, 0, 0, 0, 0) == 0",
    "has LaTeX set its text": PLT + "plt.rcParams['text.usetex'] = True\nplt.plot([1])\nplt.savefig('x.png')",
    "asks for input": "input()",
    "unpickles a command": (
        "import pickle, os\nclass X:\n"
        "    def __reduce__(self):\n        return os.execv, ('/bin/true', ['true'])\n"
        "pickle.loads(pickle.dumps(X()))"
    ),
}


@pytest.mark.parametrize("attack", REFUSED)
async def test_what_a_program_must_not_do_is_refused(under_attack, attack):
    for cold in (False, True):
        drawn = await under_attack.run(escapes(REFUSED[attack]), cold=cold)
        assert drawn.verdict in FAILED | CRASHED | NOTHING, drawn.message
        assert b"WENT THROUGH" not in drawn.log.whole


#: Names of the libraries that warm interpreters have loaded: all of these together take little time.
NAMES = tuple(name for name in CHANGES if name.startswith(("matplotlib", "numpy", "pandas", "collections")))


@pytest.mark.parametrize("attack", REFUSED)
async def test_names_that_are_put_back_open_nothing(under_attack, attack):
    drawn = await under_attack.run(escapes(REFUSED[attack]), names=NAMES)
    assert drawn.verdict in FAILED | CRASHED | NOTHING, drawn.message
    assert b"WENT THROUGH" not in drawn.log.whole


#: Programs that do something and draw, with the verdicts that are right.
DONE = {
    "signals its group": ("import os; os.kill(0, 0); os.kill(-1, 0)", ANY - {Verdict.TIME_LIMIT}),
    # A job that could end itself as an operator does would have no verdict.
    "kills its group": ("import os; os.killpg(0, 9)", FAILED),
    "kills all it can": ("import os; os.kill(-1, 9)", FAILED),
    "kills itself": ("import os; os.kill(os.getpid(), 9)", FAILED),
    "kills a thread of its own": (
        "import os, threading\nother = threading.Thread(target=threading.Event().wait, daemon=True)\n"
        "other.start()\nos.kill(other.native_id, 9)",
        FAILED,
    ),
    "has its child kill it": (
        "import os\nif not os.fork():\n    try:\n        os.kill(os.getppid(), 9)\n"
        "    finally:\n        os._exit(0)\nos.wait()",
        NOTHING,
    ),
    "has a timer kill it": (
        CALL + "import struct\nevent = ctypes.create_string_buffer(struct.pack('=QiI48x', 0, 9, 0))\n"
        "timer = ctypes.c_int()\n"
        "assert call(222, 1, ctypes.addressof(event), ctypes.addressof(timer)) == 0",
        FAILED,
    ),
    "has a descriptor kill it": ("import fcntl; fcntl.fcntl(0, fcntl.F_SETSIG, 9)", FAILED),
    "has a child's end kill it": (CALL + "assert call(56, 9, 0, 0, 0, 0) >= 0", FAILED),
    "has its limit kill it": (
        "import resource; resource.setrlimit(resource.RLIMIT_CPU, (1, 1))\nwhile True: pass",
        FAILED,
    ),
    "enters the strict mode, which kills": (CALL + "assert call(157, 22, 1, 0, 0) == 0", FAILED),
    "reads at address 0": ("import ctypes; ctypes.string_at(0)", CRASHED),
    "aborts": ("import os; os.abort()", CRASHED),
    "recurses too deep": (
        "import sys; sys.setrecursionlimit(10**9)\nf = lambda x: f(x)\nf(1)",
        CRASHED | FAILED | {Verdict.MEMORY_LIMIT},
    ),
    "ends at once": ("import os; os._exit(0)", NOTHING),
    "ends with a code": ("import os; os._exit(3)", NOTHING),
    "leaves": ("raise SystemExit(0)", NOTHING),
    "leaves with a code": ("raise SystemExit(3)", FAILED),
    "forks without end": ("import os\nwhile True: os.fork()", FORKED),
    "starts threads without end": (
        "import threading as t, time as c\nwhile True: t.Thread(target=c.sleep, args=[99], daemon=1).start()",
        {Verdict.PROCESS_LIMIT, Verdict.COMPILE_ERROR},
    ),
    "loops": ("while True: pass", {Verdict.TIME_LIMIT}),
    "loops and ignores signals": (
        "import signal\nfor n in (1, 2, 3, 15, 24): signal.signal(n, signal.SIG_IGN)\nwhile True: pass",
        {Verdict.TIME_LIMIT},
    ),
    "matches without end": ("import re; re.match('(a*)*b', 'a' * 64)", {Verdict.TIME_LIMIT}),
    "computes a large power": ("9 ** 9 ** 9", {Verdict.TIME_LIMIT, Verdict.MEMORY_LIMIT}),
    "folds a large constant": ("x = ((1 << 9999999) * 3) ** 999", {Verdict.TIME_LIMIT, Verdict.MEMORY_LIMIT}),
    "catches everything without end": (
        "while True:\n    try:\n        while True: pass\n    except BaseException: pass",
        {Verdict.TIME_LIMIT},
    ),
    "takes all memory": (
        "import numpy\nheld = [numpy.ones(1 << 24) for _ in range(99)]",
        {Verdict.MEMORY_LIMIT},
    ),
    "asks for more memory than there is": ("import numpy; numpy.ones(1 << 44)", FAILED),
    "has an exception without end": (
        "class E(Exception):\n    def __str__(self):\n        while True: pass\nraise E",
        {Verdict.TIME_LIMIT},
    ),
    "has an exception that raises": (
        "class E(Exception):\n    def __str__(self): raise E\n    __repr__ = __str__\nraise E",
        FAILED,
    ),
    "has a huge exception": ("raise ValueError('x' * 50_000_000)", FAILED | {Verdict.OUTPUT_LIMIT}),
    "prints 100 MB": ("print('x' * 100_000_000)", {Verdict.OUTPUT_LIMIT}),
    "fills the disk": (
        "for n in range(99):\n    open(str(n), 'wb').write(b'x' * (8 << 20))",
        {Verdict.OUTPUT_LIMIT, Verdict.COMPILE_ERROR},
    ),
    "makes files without end": (
        "n = 0\nwhile True:\n    open(str(n), 'w').close()\n    n += 1",
        {Verdict.OUTPUT_LIMIT, Verdict.COMPILE_ERROR},
    ),
    "nests deeply": ("x = " + "[" * 5000, FAILED | CRASHED),
    "nests operators": ("x = " + "-" * 100_000 + "1", FAILED | CRASHED | NOTHING | {Verdict.MEMORY_LIMIT}),
    "makes figures without end": (
        PLT + "while True: plt.figure()",
        {Verdict.TIME_LIMIT, Verdict.MEMORY_LIMIT},
    ),
    "saves without end": (
        PLT + "while True: plt.savefig('x.png')",
        {Verdict.TIME_LIMIT, Verdict.MEMORY_LIMIT},
    ),
    "draws a huge figure": (PLT + "plt.figure(figsize=(1e6, 1e6)).text(0, 0, 'x')", {Verdict.PIXEL_LIMIT}),
    "saves a huge figure": (
        PLT + "plt.figure().text(0, 0, 'x')\nplt.savefig('x.png', dpi=1e6)",
        {Verdict.PIXEL_LIMIT},
    ),
    "saves a huge figure and hides it": (
        PLT + "plt.figure().text(0, 0, 'x')\ntry:\n    plt.savefig('x.png', dpi=1e6)\nexcept Exception: pass",
        {Verdict.PIXEL_LIMIT},
    ),
    "saves a figure without bounds": (
        PLT + "plt.figure().text(0, 0, 'x')\nplt.savefig('x.png', dpi=1.7e308)",
        {Verdict.PIXEL_LIMIT},
    ),
    "raises an error of the capture": (
        PLT + "raise plt.Figure.savefig.__globals__['TooManyPixelsError'](float('nan'), 1)",
        NOTHING | FAILED | {Verdict.PIXEL_LIMIT},
    ),
    "has a size that is no number": (
        PLT + "f = plt.figure(); f.text(0, 0, 'x'); f.bbox_inches.p1 = (float('nan'), 1)",
        ANY - HAS_PICTURE,
    ),
}


@pytest.mark.parametrize("attack", DONE)
async def test_the_verdict_of_an_attack_is_right(under_attack, attack):
    program, right = DONE[attack]
    drawn = await under_attack.run(program)
    assert drawn.verdict in right, (drawn.verdict, drawn.message)


#: Programs that do nothing until the clock ends them, so that the limit of the clock is all that they take.
IDLE = {
    "sleeps": ("import time; time.sleep(3600)", {Verdict.TIME_LIMIT}),
    "waits for a button": (PLT + "plt.plot([1])\nplt.waitforbuttonpress()\nplt.show()", ANY - CRASHED),
}


@pytest.mark.parametrize("attack", IDLE)
async def test_a_program_that_waits_ends(under_attack, attack):
    program, right = IDLE[attack]
    drawn = await under_attack.run(program, limits=replace(LIMITS, wall_seconds=2.0))
    assert drawn.verdict in right, (drawn.verdict, drawn.message)


#: Programs that leave something behind; their images are good.
LEAVING = {
    "a process": (
        "import ctypes, os, time\nif os.fork() == 0:\n    os.setsid()\n"
        f"    ctypes.CDLL(None).prctl(15, b'{LEFT}')\n    time.sleep(600)\n"
    ),
    "a process of a process": (
        "import ctypes, os, time\nif os.fork() == 0:\n    os.setsid()\n    if os.fork() == 0:\n"
        f"        ctypes.CDLL(None).prctl(15, b'{LEFT}')\n        time.sleep(600)\n    os._exit(0)\n"
    ),
    "a thread": "import threading as t, time; t.Thread(target=time.sleep, args=(600,), daemon=True).start()",
    "a thread that stays": "import threading as t, time as c; t.Thread(target=c.sleep, args=[99]).start()",
    "what runs at its exit": "import atexit; atexit.register(lambda: open('/tmp/escaped', 'w'))",
    "a handler of signals": "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN)",
}


@pytest.mark.parametrize("cold", [False, True], ids=["warm", "cold"])
@pytest.mark.parametrize("what", LEAVING)
async def test_nothing_is_left_behind(under_attack, what, cold):
    drawn = await under_attack.run(f"{LEAVING[what]}\n{DRAWN}", cold=cold)
    assert drawn.verdict is Verdict.RENDERED, drawn.message


#: Changes to the interpreter, none of which the next program may see.
CHANGES = {
    "defaults of matplotlib": PLT
    + "plt.rcParams.update({'lines.linewidth': 40})\nplt.rcParamsDefault.clear()",
    "functions of matplotlib": "import matplotlib.figure as f; f.Figure.savefig = f.Figure.draw = print",
    "the list of fonts": "import matplotlib.font_manager as f; f.fontManager.ttflist.clear()",
    "modules": "import sys\nfor n in list(sys.modules):\n    if n[:3] in ('mat', 'num'): del sys.modules[n]",
    "built-in functions": "import builtins; builtins.open = builtins.print = builtins.len = None",
    "the finders of modules": "import sys; sys.meta_path.clear(); sys.path.clear(); sys.path_hooks.clear()",
    "randomness": "import numpy, random; numpy.random.seed(9); random.seed(9)",
    "the collector": "import gc; gc.disable(); gc.unfreeze(); gc.collect()",
    "the environment": "import os; os.environ.clear(); os.chdir('/')",
    "arrays of the libraries": "import numpy, matplotlib.cm as c; c.viridis._init(); c.viridis._lut[:] = 0",
}


@pytest.mark.parametrize("what", CHANGES)
async def test_a_program_changes_nothing_for_the_next(under_attack, what):
    await under_attack.run(CHANGES[what])


#: Shows what it knows of its process.
KNOWN = PLT + (
    "import os, sys\n"
    "known = [path.rpartition('/')[2] for path in (os.getcwd(), os.environ['HOME'])]\n"
    "known += [sys.argv, sys.orig_argv]\n"
    "known += [type(finder).__module__ for finder in sys.meta_path if not isinstance(finder, type)]\n"
    "print(known)\nplt.text(0, 0, str(known))"
)


async def test_names_tell_a_program_neither_warm_from_cold_nor_how_many_ran_before_it(under_attack):
    first, second, cold = [await under_attack.run(KNOWN, cold=cold) for cold in (False, False, True)]
    assert first.log.whole == second.log.whole == cold.log.whole
    assert b"zygote" not in first.log.whole
    assert b"i2s" not in first.log.whole
    assert first.pictures[0].png == second.pictures[0].png == cold.pictures[0].png


#: Writes a grey image with claimed objects, and a result that names them, into the folder of the job.
WRITTEN = r"""
import json, os, struct, sys, zlib
def chunk(kind, data):
    return struct.pack('>I', len(data)) + kind + data + struct.pack('>I', zlib.crc32(kind + data))
def head_of(width, height, color_type=2):
    return chunk(b'IHDR', struct.pack('>IIBBBBB', width, height, 8, color_type, 0, 0, 0))
def png(width, height, rows, second_head=b''):
    image = head_of(width, height) + second_head + chunk(b'IDAT', zlib.compress(rows)) + chunk(b'IEND', b'')
    return b'\x89PNG\r\n\x1a\n' + image
grey = png(64, 48, (b'\0' + b'\x80\x80\x80' * 64) * 48)
objects = json.dumps({'page': 1, 'texts': [{'text': 'Title', 'role': 1}]}).encode()
result = {'total': 1, 'figures': [{'page': 1, 'objects': True}]}
files = {'figure-1.png': grey, 'objects-1.json': objects, 'result.json': json.dumps(result).encode()}
for folder in ('.i2s', '.'):
    for name, content in files.items():
        with open(f'{folder}/{name}', 'wb') as file:
            file.write(content)
"""


@pytest.mark.parametrize("cold", [False, True], ids=["warm", "cold"])
@pytest.mark.parametrize("end", ["os._exit(0)", "os.execv('/bin/true', ['true'])", "os.kill(os.getpid(), 9)"])
async def test_files_that_a_program_wrote_are_no_result(under_attack, end, cold):
    drawn = await under_attack.run(f"{WRITTEN}\n{end}", objects=True, cold=cold)
    assert drawn.verdict in NOTHING | FAILED | CRASHED, drawn.message
    assert not drawn.pictures
    assert not drawn.figures
    if end == "os._exit(0)":
        assert "ended before it had drawn" in drawn.message


@pytest.mark.parametrize("cold", [False, True], ids=["warm", "cold"])
async def test_a_result_beside_the_folder_cannot_be_opened_by_its_name(under_attack, cold):
    for mode in ("rb", "ab", "r+b"):
        attempt = f"import os; open(os.getcwd() + '.result', {mode!r})"
        drawn = await under_attack.run(escapes(attempt), cold=cold)
        assert drawn.verdict in FAILED, drawn.message


async def test_what_a_program_writes_to_all_descriptors_is_no_result(under_attack):
    forged = (
        "parts = {'figure-1': len(grey)}\n"
        "head = json.dumps({'token': 'x' * 64, 'result': result, 'parts': parts}).encode()\n"
        "for number in range(3, 256):\n"
        "    try: os.write(number, b'%d\\n' % len(head) + head + grey)\n"
        "    except OSError: pass\n"
    )
    drawn = await under_attack.run(f"{WRITTEN}\n{forged}\nos._exit(0)", objects=True)
    assert drawn.verdict in NOTHING, drawn.message
    drawn = await under_attack.run(f"{WRITTEN}\n{forged}\n{DRAWN}", objects=True)
    assert drawn.verdict is Verdict.RENDERED, drawn.message
    assert drawn.pictures[0].width == 640


async def test_the_token_of_a_job_lies_in_no_file_while_its_program_runs(under_attack):
    attempt = "import os; print(os.listdir('.i2s')); open('.i2s/job.json')"
    drawn = await under_attack.run(escapes(attempt))
    assert drawn.verdict in FAILED
    assert b"['log']" in drawn.log.whole


#: Delivers something else in place of the result: code that walks through frames finds token and descriptor.
DELIVERED = (
    WRITTEN
    + r"""
frame = sys._getframe()
while 'job' not in frame.f_locals:
    frame = frame.f_back
token, output = frame.f_locals['job']['token'], frame.f_locals['output']
def deliver(result, parts, token=token):
    sizes = {name: len(content) for name, content in parts.items()}
    head = json.dumps({'token': token, 'result': result, 'parts': sizes}).encode()
    os.write(output, b'%d\n' % len(head) + head + b''.join(parts.values()))
    os._exit(0)
"""
)
ODD = {
    "nothing": "os._exit(0)",
    "text": "os.write(output, b'x'); os._exit(0)",
    "60 MB": "os.ftruncate(output, 60 << 20); os._exit(0)",
    "deep JSON": "text = b'[' * 200_000; os.write(output, b'%d\\n' % len(text) + text); os._exit(0)",
    "pixels that are no number": "deliver({'total': 0, 'figures': [], 'pixels': [float('nan'), 1.0]}, {})",
    "two heads, of another mode": (
        "deliver(result, {'figure-1': png(64, 48, (b'\\0' + b'\\x80' * 64) * 48, head_of(64, 48, 0))})"
    ),
    "odd numbers": "deliver({'total': 1e999, 'figures': [{'page': -1}]}, {})",
    "no image": "deliver(result, {'objects-1': objects})",
    "an image that is none": "deliver(result, {'figure-1': b'x' * 5000, 'objects-1': objects})",
    "no objects": "deliver(result, {'figure-1': grey})",
    "objects that are none": "deliver(result, {'figure-1': grey, 'objects-1': b'[' * 200_000})",
    "many objects": "deliver(result, {'figure-1': grey, 'objects-1': b' ' * (5 << 20)})",
    "nothing for a log": "os.unlink('.i2s/log')",
    "a huge log": "os.unlink('.i2s/log'); open('.i2s/log', 'wb').truncate(60 << 20)",
    "a folder for a log": "os.unlink('.i2s/log'); os.mkdir('.i2s/log')",
}


@pytest.mark.parametrize("forgery", ODD)
async def test_forged_results_change_nothing_but_their_own_verdict(under_attack, forgery):
    drawn = await under_attack.run(f"{DELIVERED}\n{ODD[forgery]}\n{DRAWN}", objects=True)
    assert drawn.verdict in HAS_PICTURE | NOTHING | {Verdict.OUTPUT_LIMIT}, drawn.message
    assert not any(figure.texts for figure in drawn.figures if figure.truncated)


async def test_a_png_with_a_second_head_that_is_huge_is_not_decoded(under_attack):
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    second = "png(64, 48, b'\\0' * (6000 * 3 + 1) * 6000, head_of(6000, 6000))"
    drawn = await under_attack.run(f"{DELIVERED}\ndeliver(result, {{'figure-1': {second}}})")
    assert drawn.verdict is Verdict.NO_OUTPUT
    assert "one head" in drawn.message
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 100_000, "KiB; 190,000 if decoded"


async def test_a_png_that_would_be_huge_is_not_decoded(under_attack):
    drawn = await under_attack.run(f"{DELIVERED}\ndeliver(result, {{'figure-1': png(60000, 60000, b'')}})")
    assert drawn.verdict is Verdict.PIXEL_LIMIT


async def test_files_beside_a_program_take_no_place_of_libraries(under_attack):
    hostile = b"raise SystemError('mine')\n"
    names = ("numpy.py", "matplotlib.py", "sitecustomize.py", "usercustomize.py", "json.py", "capture.py")
    files = tuple(File(name, hostile) for name in (*names, "matplotlib/__init__.py")[:6])
    files += (File("matplotlibrc", b"lines.linewidth: 40\n"),)
    plain = await under_attack.run(DRAWN)
    for cold in (False, True):
        drawn = await under_attack.run(f"import json, numpy\n{DRAWN}", files=files, cold=cold)
        assert drawn.verdict is Verdict.RENDERED, drawn.message
        assert [picture.png for picture in drawn.pictures] == [picture.png for picture in plain.pictures]


async def test_no_descriptor_leads_to_the_service(under_attack):
    program = (
        "import os\n"
        "for fd in range(3, 256):\n"
        "    for line in (b'done 0 0 0 0 0\\n', b'ready\\n'):\n"
        "        try: os.write(fd, line)\n"
        "        except OSError: pass\n"
        "    try: print(fd, os.readlink(f'/proc/self/fd/{fd}').replace(os.getcwd() + '.result', 'own'))\n"
        "    except OSError: pass\n"
        "    path = f'/proc/self/fd/{fd}'\n"
        "    try: print(fd, 'opened', open(path, 'r+b') and os.readlink(path))\n"
        "    except OSError: pass\n"
    )
    drawn = await under_attack.run(program + DRAWN)
    assert drawn.verdict is Verdict.RENDERED
    lines = [line.split() for line in drawn.log.whole.splitlines()]
    assert {line[1] for line in lines} <= {b"/dev/null", b"own", b"opened"}
    assert {line[2] for line in lines if line[1] == b"opened"} <= {b"/dev/null"}
    assert sum(line[1] == b"own" for line in lines) <= 1


async def test_the_environment_holds_nothing_of_the_service(under_attack, monkeypatch):
    program = "import os\nprint(sorted(os.environ))\n" + DRAWN
    drawn = await under_attack.run(program)
    names = eval(drawn.log.whole)  # of a list of names
    assert set(names) <= {
        *("PATH", "HOME", "TMPDIR", "LANG", "LC_CTYPE", "TZ", "MPLBACKEND", "PWD", "SHLVL", "_"),
        *("PYTHONHASHSEED", "PYTHONDONTWRITEBYTECODE", "LOKY_MAX_CPU_COUNT"),
        *(
            "OPENBLAS_NUM_THREADS",
            "OMP_NUM_THREADS",
            "MKL_NUM_THREADS",
            "KMP_INIT_AT_FORK",
            "KMP_DUPLICATE_LIB_OK",
        ),
    }


async def test_memory_that_is_shared_does_not_count(under_attack):
    small = replace(LIMITS, memory_bytes=384 * MIB)
    drawn = await under_attack.run("import numpy\nheld = numpy.ones(20 << 20)\n" + DRAWN, limits=small)
    assert drawn.verdict is Verdict.RENDERED, drawn.message
