"""What is run in a guest, in which order and as whom."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

GUEST = Path(__file__).parent
CHECKOUT = GUEST.parents[2]
ATTACKS = CHECKOUT / "tests/security/jail/attacks"
CHASSIS = CHECKOUT / "services/chassis/src"
STATE = Path("/var/cache/i2s-render-latex")
NOBODY = 65534
STEP_SECONDS = 1800

#: Who starts a jail. "contained" is a service in a container under the engine's default profile.
USERS = ("root", "ordinary", "contained")
WAYS = [(user, tier) for user in USERS for tier in ("NAMESPACE", "LANDLOCK")]
ENGINES = ("render-latex", "render-html", "render-lilypond")
#: Engines that need no namespaces of their own: compose runs them under the engine's default profile.
ENGINES_IN_LANDLOCK = ("render-latex", "render-lilypond")
#: What the system call filter does for an older Landlock, each left out once.
SUBSTITUTES = ("ioctl", "signals", "truncate")

Emit = Callable[[bytes], object]


def run_part(emit: Emit, part: str) -> None:
    """Run the steps of a part and emit the result of each.

    Args:
        emit: Takes a line.
        part: "jails", "attacks:USER:TIER", "render:USER", or "render:USER:doctor", which has the doctor look
            at the services too.
    """
    began = time.monotonic()
    facts = {"release": os.uname().release, "boot_seconds": began}
    emit(_line("facts", began, 0, json.dumps(facts), ""))
    kind, *words = part.split(":")
    if kind == "jails":
        _run_jails(emit)
    elif kind == "render":
        user, *doctor = words
        services = ENGINES if user != "contained" else ENGINES_IN_LANDLOCK
        options = [f"--{word}" for word in doctor]
        _step(
            emit, f"render {user}", user, [GUEST / "renders.py", CHECKOUT / "examples", *services, *options]
        )
    else:
        user, tier = words
        bare = ["bare"] if user == "contained" else []
        _step(emit, f"attacks {user} {tier}", user, [ATTACKS, CHASSIS, tier, *bare])
    emit(_line("end", began, 0, "", ""))


def _run_jails(emit: Emit) -> None:
    for user, tier in WAYS:
        _step(emit, f"jail {user} {tier}", user, [GUEST / "jails.py", CHASSIS, tier, user])
    for left_out in SUBSTITUTES:
        arguments = [GUEST / "jails.py", CHASSIS, "LANDLOCK", "contained", left_out]
        _step(emit, f"without {left_out}", "contained", arguments)


def _step(emit: Emit, name: str, user: str, arguments: Sequence[object]) -> None:
    """Run a Python program as a user."""
    began = time.monotonic()
    command = [sys.executable, *map(str, arguments)]
    if user == "contained":
        command = [sys.executable, str(GUEST / "contained.py"), *command]
    home = Path("/run") / user
    identity = NOBODY if user == "ordinary" else 0
    if not home.exists():
        home.mkdir()
        # What was made of the TeX tree on the machine outside; each service wants one of its own.
        shutil.copytree(STATE, home / "state", copy_function=shutil.copy2)
        for path in (home, *home.rglob("*")):
            os.chown(path, *((identity, identity) if user != "contained" else (10011, 10011)))
    environment = {
        "PATH": f"{Path(sys.executable).parent}:/usr/local/bin:/usr/bin:/bin",
        "HOME": str(home),
        "LANG": "C.UTF-8",
        "PYTHONDONTWRITEBYTECODE": "1",
        "I2S_RENDER_LATEX_STATE_DIR": str(home / "state"),
    }
    with (
        tempfile.TemporaryFile("w+", errors="replace") as errors,
        subprocess.Popen(["tee", "/dev/console"], stdin=subprocess.PIPE, stdout=errors) as tee,
    ):  # what is running is seen outside even if it never ends
        try:
            done = subprocess.run(
                command,
                env=environment,
                cwd=home,
                user=identity,
                group=identity,
                extra_groups=(),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=tee.stdin,
                text=True,
                errors="replace",
                check=False,
                timeout=STEP_SECONDS,
            )
            code, out = done.returncode, done.stdout
        except subprocess.TimeoutExpired:
            code, out = -1, f"no end after {STEP_SECONDS} s"
        tee.communicate()
        errors.seek(0)
        emit(_line(name, began, code, out, errors.read()[-8000:]))


def _line(step: str, began: float, code: int, out: str, err: str) -> bytes:
    seconds = round(time.monotonic() - began, 2)
    fields = {"step": step, "seconds": seconds, "code": code, "out": out, "err": err}
    return json.dumps(fields).encode() + b"\n"
