"""Undoes what a test run has set up, once that run ends, however it ends.

Run as a script: ``afterwards.py FOLDER [DAEMON…]``. It starts the daemon, and reads commands from its
standard input, one in JSON on each line. Once that input ends, as it does at the death of whoever holds the
other end, it runs the commands from the last to the first, ends the daemon, takes away what Docker's daemon
leaves in the network of the machine, and removes the folder. Commands must do no harm where nothing is left
to undo.
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

COMMAND_SECONDS = 120
END_SECONDS = 60
LOOK_SECONDS = 0.5
FORWARDING = Path("/proc/sys/net/ipv4/ip_forward")
BRIDGE = Path("/sys/class/net/docker0")


class Afterwards:
    """The end that a test run holds.

    Attributes:
        folder: A new one for whatever the daemon needs; it goes in the end.
        process: The script.
    """

    def __init__(self, daemon: Callable[[Path], Sequence[str]] = lambda folder: ()) -> None:
        """Start the script, and with it a daemon.

        Args:
            daemon: Returns the command line for the folder; none for no daemon.
        """
        self.folder = Path(tempfile.mkdtemp(prefix="i2s-containers-"))
        self._log = tempfile.TemporaryFile("a+b")  # noqa: SIM115 - appended to, wherever it is read
        self.process = subprocess.Popen(
            [sys.executable, "-I", "-S", __file__, str(self.folder), *daemon(self.folder)],
            stdin=subprocess.PIPE,
            stdout=self._log,
            stderr=self._log,
            start_new_session=True,  # what interrupts the tests must not interrupt this
        )

    def log(self, size: int = 2000) -> str:
        """Return the end of what daemon and commands have said."""
        self._log.seek(0)
        return self._log.read().decode(errors="replace")[-size:]

    def undo(self, *command: str, folder: Path | None = None, **environment: str) -> None:
        """Have a command run at the end, in a folder, with variables beside those of this process."""
        line = json.dumps([command, str(folder) if folder else None, environment])
        self.process.stdin.write(f"{line}\n".encode())
        self.process.stdin.flush()

    def now(self) -> None:
        """Have everything undone, and wait for it."""
        with contextlib.suppress(BrokenPipeError):
            self.process.stdin.close()
        self.process.wait()


def main(folder: str, daemon: Sequence[str]) -> int:
    """Do what the module says; 1 where the daemon ended by itself."""
    try:
        return _hold(daemon)
    finally:
        _told("rm", "-rf", "--one-file-system", folder)


def _hold(daemon: Sequence[str]) -> int:
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, _go_on)  # not SIG_IGN, which children would inherit
    with _network_as_before() if daemon else contextlib.nullcontext():
        held = subprocess.Popen(daemon, stdin=subprocess.DEVNULL) if daemon else None
        lines = list(_lines_until_the_end(held))
        for line in reversed(lines):
            _run(*json.loads(line))
        if held is None:
            return 0
        died = held.poll() is not None
        held.terminate()
        try:
            held.wait(END_SECONDS)
        except subprocess.TimeoutExpired:
            held.kill()
            held.wait()
    return int(died)


def _go_on(number: int, frame: object) -> None:
    """The end of the input is the only reason to end."""


def _lines_until_the_end(daemon: subprocess.Popen[bytes] | None) -> Iterator[bytes]:
    """Yield what comes in until the other end is gone, or the daemon is."""
    read = b""
    while daemon is None or daemon.poll() is None:
        if not select.select([0], [], [], LOOK_SECONDS)[0]:
            continue
        more = os.read(0, 65536)
        if not more:
            return
        *lines, read = (read + more).split(b"\n")
        yield from lines


def _run(command: Sequence[str], folder: str | None, environment: dict[str, str]) -> None:
    try:
        subprocess.run(
            command,
            check=False,
            cwd=folder,
            env={**os.environ, **environment},
            stdin=subprocess.DEVNULL,
            timeout=COMMAND_SECONDS,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        print(f"afterwards: {error}", file=sys.stderr, flush=True)


@contextlib.contextmanager
def _network_as_before() -> Iterator[None]:
    """Take away the bridge and the rules of Docker's daemon in the end, unless they were there before."""
    forwarding, had_bridge = FORWARDING.read_text(), BRIDGE.exists()
    chain = _told("iptables", "--list-rules", "FORWARD")
    yield
    if BRIDGE.exists() and not had_bridge:
        _told("ip", "link", "delete", BRIDGE.name)
    if chain and "DOCKER" not in chain:
        others = [line for line in _told("iptables-save").splitlines() if "docker" not in line.lower()]
        _told("iptables-restore", stdin="\n".join(others) + "\n")
        _told("iptables", *chain.splitlines()[0].split())  # -P FORWARD ACCEPT
        FORWARDING.write_text(forwarding)


def _told(*command: str, stdin: str = "") -> str:
    """Return what a command prints, nothing where there is no such command."""
    try:
        ended = subprocess.run(command, check=False, input=stdin, capture_output=True, text=True)
    except OSError:
        return ""
    sys.stderr.write(ended.stderr)
    return ended.stdout


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1], sys.argv[2:]))
