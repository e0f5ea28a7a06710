"""A machine of QEMU's with another Linux kernel and the files of this one, that runs tests/kernels/guest.

Every instruction is emulated. While a guest computes, its clock counts instructions and not the time of day
(a nanosecond each), so it is a machine of ordinary speed to itself, however slow or busy this one is, and
all limits of time mean in it what they mean elsewhere. While it waits, its clock goes as ours.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from guest_disk import CACHE, ROOT, checkout_disk, system_disk

MEMORY_MIB = 4096
SECONDS = 5400
#: Makes a kernel ignore cmpxchg16b (feature 13 of word 4), for which QEMU 7.2 computes wrong flags. Programs
#: still see that the processor has it: NumPy does not start without it.
_NO_CX16 = "clearcpuid=141"
#: Seconds that a disk may take to answer, by default 30, by the clock of the guest, which goes as ours while
#: it waits: on a busy machine a kernel gives a slow disk up, after which every read is an I/O error.
_PATIENT_DISKS = "nvme_core.io_timeout=3600 nvme_core.admin_timeout=3600"
JAILS = "jails"


@dataclass(frozen=True)
class Hardware:
    """What QEMU emulates for kernels of an architecture.

    Attributes:
        program: QEMU's program.
        package: Debian package that has it.
        options: Options for board and processor.
        words: Words for the kernel's command line.
        console: Device that its messages go to.
        results: Device that takes what steps print.
    """

    program: str
    package: str
    options: tuple[str, ...]
    words: str
    console: str
    results: str


#: By Debian's name of the architecture.
HARDWARE = {
    "amd64": Hardware(
        "qemu-system-x86_64",
        "qemu-system-x86",
        ("-cpu", "max,-la57", "-serial", "chardev:results"),
        _NO_CX16,
        "ttyS0",
        "ttyS1",
    ),
    # Its board has one serial port, and the other one comes with the bus.
    "arm64": Hardware(
        "qemu-system-aarch64",
        "qemu-system-arm",
        ("-machine", "virt,gic-version=3", "-cpu", "cortex-a76", "-device", "pci-serial,chardev=results"),
        "",
        "ttyAMA0",
        "ttyS0",
    ),
}


@dataclass(frozen=True)
class Step:
    """What came of a step of tests/kernels/guest.

    Attributes:
        seconds: Seconds that it took, by the clock of the guest.
        code: Exit code; -1 if it was given up.
        out: Standard output.
        err: The end of standard error.
    """

    seconds: float
    code: int
    out: str
    err: str


@dataclass(frozen=True)
class Disks:
    """Images that all guests of an architecture share; none of them changes what the others see."""

    system: Path
    checkout: Path

    @classmethod
    def make(cls, architecture: str) -> Disks:
        """Make them where anything has changed.

        Args:
            architecture: Debian's name of it.
        """
        return cls(system_disk(architecture), checkout_disk())


class GuestError(Exception):
    """A guest did not run to its end; says how far it came and what its kernel has printed."""


def parts(about: Mapping[str, Any]) -> dict[str, str]:
    """Return what is run of a guest, each part by a machine of its own that two processors can share.

    Args:
        about: What tests/kernels/expected.json has of a guest: ways that are "attacked", users that have
            examples "rendered", and those whose services the "doctor" looks at.

    Returns:
        Words for tests/kernels/guest, by name: "jails", "attacks USER TIER" and "render USER".
    """
    attacks = {f"attacks {way}": f"attacks {way}".replace(" ", ":") for way in about["attacked"]}
    renders = {
        f"render {user}": f"render:{user}" + ":doctor" * (user in about["doctor"])
        for user in about["rendered"]
    }
    return {JAILS: JAILS, **renders, **attacks}


def architecture_of(about: Mapping[str, Any]) -> str:
    """Return Debian's name of a guest's architecture."""
    return str(about.get("architecture", "amd64"))


def kernel_folder(about: Mapping[str, Any]) -> Path:
    """Return the folder with a guest's kernel, which scripts/kernels has filled."""
    suite, architecture = about["suite"], architecture_of(about)
    return CACHE / (suite if architecture == "amd64" else f"{suite}-{architecture}")


def run_guest(
    hardware: Hardware, kernel: Path, disks: Disks, part: str, options: str = ""
) -> dict[str, Step]:
    """Boot a kernel and have it run a part of the steps.

    Args:
        hardware: What it runs on.
        kernel: A vmlinuz with drivers for NVMe and ext4 built in, as those of Debian's cloud kernels are.
        disks: Disks of the guest.
        part: Words for tests/kernels/guest, see ``parts``.
        options: More words for its command line.

    Returns:
        What came of each step, by its name.

    Raises:
        GuestError: It did not come to the end.
    """
    with tempfile.TemporaryDirectory(prefix="i2s-guest-") as folder:
        console, results = Path(folder) / "console", Path(folder) / "results"
        command = _command(hardware, kernel, disks, part, options, console, results)
        try:
            done = subprocess.run(
                command,
                capture_output=True,
                text=True,
                check=False,
                timeout=SECONDS,
                stdin=subprocess.DEVNULL,
            )
            complaint = done.stderr
        except subprocess.TimeoutExpired:
            complaint = f"no end after {SECONDS} s"
        steps = _read(results)
        if "end" not in steps:
            shown = console.read_text(errors="replace")[-4000:] if console.exists() else ""
            raise GuestError(f"{kernel} {part}: steps {list(steps)}; {complaint}\n{shown}")
        return steps


def _command(
    hardware: Hardware,
    kernel: Path,
    disks: Disks,
    part: str,
    options: str,
    console: Path,
    results: Path,
) -> list[str]:
    # Devices appear some time after the first process starts, so it waits for the second disk.
    first = (
        "mount -t devtmpfs dev /dev; until [ -b /dev/nvme0n2 ]; do sleep 0.1; done; "
        "mount -t ext4 /dev/nvme0n2 /mnt && "
        f"exec /mnt/tests/kernels/guest/init {ROOT} {sys.executable} /dev/{hardware.results} {part}"
    )
    words = (
        f"console={hardware.console} root=/dev/nvme0n1 rw rootfstype=ext4 loglevel=5 panic=-1 "
        f"mitigations=off {hardware.words} {_PATIENT_DISKS} {options}"
    )
    return [
        *(hardware.program, "-nodefaults", "-display", "none", "-no-reboot", "-m", str(MEMORY_MIB)),
        *("-accel", "tcg,thread=single", "-icount", "shift=0,sleep=on", "-smp", "1", "-kernel", str(kernel)),
        *("-append", f'{words} init=/bin/sh -- -c "{first}"'),
        *("-chardev", f"file,id=console,path={console}", "-serial", "chardev:console"),
        *("-chardev", f"file,id=results,path={results}"),
        *hardware.options,
        *("-device", "nvme,id=disks,serial=i2s"),
        *_disk(1, disks.system),
        *_disk(2, disks.checkout),
    ]


def _disk(number: int, image: Path) -> tuple[str, ...]:
    """Options for a disk that the guest may write to; the image stays as it is."""
    drive = f"file={image},format=raw,if=none,id=disk{number},snapshot=on"
    return ("-drive", drive, "-device", f"nvme-ns,drive=disk{number},nsid={number}")


def _read(results: Path) -> dict[str, Step]:
    steps = {}
    for line in results.read_text(errors="replace").splitlines() if results.exists() else ():
        try:
            fields = json.loads(line)
        except ValueError:  # cut off
            continue
        name = fields.pop("step")
        steps[name] = Step(**fields)
    return steps


def lacking(architectures: Iterable[str]) -> str | None:
    """Return what this machine lacks for guests; None for nothing.

    Args:
        architectures: Debian's names of their architectures.
    """
    emulators = [
        (HARDWARE[architecture].program, HARDWARE[architecture].package)
        for architecture in sorted(architectures)
    ]
    for command, package in (*emulators, ("mke2fs", "e2fsprogs"), ("dpkg-query", "dpkg")):
        if shutil.which(command) is None:
            return f"{command} is not installed (Debian: {package})"
    return None
