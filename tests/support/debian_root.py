"""A bare root of a Debian release with a copy of this checkout, to run commands in.

    python tests/support/debian_root.py trixie make evaluate

debootstrap makes the root from the mirror of this machine's apt. It is kept in .i2s/platforms with the
packages that were downloaded, so the second time is shorter. A command always starts in a fresh copy of the
bare root, which has nothing beyond the minimal system but make, git, certificates and the pip.conf of here.
Needs root and debootstrap.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

CHECKOUT = Path(__file__).resolve().parents[2]
CACHE = CHECKOUT / ".i2s" / "platforms"
#: Where the copy of the checkout lies inside of the root.
INSIDE = "/srv/i2s"
#: Packages of the bare root beyond the minimal system: what the commands of the README take for granted.
GIVEN = ("ca-certificates", "git", "make")
_PIP_CACHE = "/var/cache/pip"
_ENTER = Path(__file__).with_name("enter_root")
_CERTIFICATES = Path("/etc/ssl/certs/ca-certificates.crt")
_DPKG = "path-exclude /usr/share/man/*\nforce-unsafe-io\n"
_APT = 'APT::Install-Recommends "false";\nAcquire::Languages "none";\nAPT::Keep-Downloaded-Packages "true";\n'
_NO_SERVICES = "#!/bin/sh\nexit 101\n"
_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
#: Variables of this machine that say how pip reaches its packages.
_PASSED_ON = ("PIP_", "SSL_CERT_", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "HTTP_PROXY", "HTTPS_PROXY")


class NoRootError(Exception):
    """A root cannot be made here; says what is missing."""


@dataclass(frozen=True)
class Mirror:
    """Where packages of Debian are taken from: the archive, and its security updates."""

    archive: str
    security: str

    def sources(self, suite: str) -> str:
        """The content of sources.list for a release."""
        return (
            f"deb {self.archive} {suite} main\ndeb {self.archive} {suite}-updates main\n"
            f"deb {self.security} {suite}-security main\n"
        )


def mirror() -> Mirror:
    """The mirror that this machine's apt is configured with.

    Raises:
        NoRootError: It has none of Debian.
    """
    command = ["apt-get", "indextargets", "--no-release-info", "--format", "$(SITE)", "Created-By: Packages"]
    try:
        listed = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
    except (OSError, subprocess.CalledProcessError) as error:
        raise NoRootError(f"apt does not say which mirror it uses: {error}") from None
    archive = next((site for site in listed if urlsplit(site).path.rstrip("/").endswith("/debian")), None)
    if archive is None:
        raise NoRootError("apt is configured with no mirror whose path ends in /debian")
    return Mirror(archive, archive.rstrip("/") + "-security")


def require_tools() -> None:
    """Look whether a root can be made here.

    Raises:
        NoRootError: It cannot.
    """
    if os.geteuid() != 0:
        raise NoRootError("only root can make a root of Debian (debootstrap and mounts)")
    for program in ("debootstrap", "unshare", "pivot_root"):
        if shutil.which(program, path=_PATH) is None:
            raise NoRootError(f"{program} is not installed (Debian: debootstrap, util-linux)")


@dataclass(frozen=True)
class DebianRoot:
    """A root of a release, ready for commands.

    Attributes:
        suite: The release, such as "trixie".
        folder: Where it lies on this machine.
    """

    suite: str
    folder: Path

    @property
    def checkout(self) -> Path:
        """The copy of the checkout, as seen from this machine."""
        return self.folder / INSIDE.lstrip("/")

    def command(self, *arguments: str) -> list[str]:
        """The command line that runs ``arguments`` inside, in the copy of the checkout, as root."""
        binds = [option for source, target in _binds(self.suite) for option in (source, target)]
        return [
            "unshare", "--mount", "--pid", "--fork", "--kill-child",
            "sh", str(_ENTER), str(self.folder), INSIDE, *binds, "--", *arguments,
        ]  # fmt: skip

    def run(self, *arguments: str, log: Path, seconds: float) -> int:
        """Run a command inside; returns its exit code.

        Args:
            arguments: The command.
            log: File that gets what it says, behind what is there.
            seconds: Seconds after which it is killed.
        """
        with log.open("ab") as said:
            return subprocess.run(
                self.command(*arguments),
                stdin=subprocess.DEVNULL,
                stdout=said,
                stderr=subprocess.STDOUT,
                env=environment(),
                timeout=seconds,
                check=False,
            ).returncode


def environment() -> dict[str, str]:
    """What commands inside find in their environment."""
    passed = {name: value for name, value in os.environ.items() if name.upper().startswith(_PASSED_ON)}
    own = {"PATH": _PATH, "HOME": "/root", "LANG": "C.UTF-8", "DEBIAN_FRONTEND": "noninteractive"}
    return {**passed, **own, "PIP_CACHE_DIR": _PIP_CACHE}


def make(suite: str) -> DebianRoot:
    """Make a fresh root with a copy of this checkout; an older one of the release is removed.

    Raises:
        NoRootError: It cannot be made here, or debootstrap failed.
    """
    require_tools()
    base, root = CACHE / suite / "base", DebianRoot(suite, CACHE / suite / "root")
    if not base.is_dir():
        _bootstrap(suite, base)
    _remove(root.folder)
    subprocess.run(["cp", "-a", "--reflink=auto", base, root.folder], check=True)
    _configure(root.folder)
    root.checkout.mkdir(parents=True)
    copy_checkout(root.checkout)
    return root


def _bootstrap(suite: str, base: Path) -> None:
    unfinished, log = base.with_name("unfinished"), base.with_name("debootstrap.log")
    _remove(unfinished)
    log.parent.mkdir(parents=True, exist_ok=True)
    where = mirror()
    command = ["debootstrap", "--variant=minbase", f"--include={','.join(GIVEN)}", suite]
    with log.open("wb") as said:
        ended = subprocess.run(
            [*command, str(unfinished), where.archive],
            stdin=subprocess.DEVNULL, stdout=said, stderr=subprocess.STDOUT, check=False,
            env={**os.environ, "PATH": _PATH},
        )  # fmt: skip
    if ended.returncode:
        raise NoRootError(f"debootstrap {suite} failed; its log is {log}")
    (unfinished / "etc/apt/sources.list").write_text(where.sources(suite))
    unfinished.rename(base)


def _configure(folder: Path) -> None:
    """Give a root what it needs to reach packages, and leave out what costs time alone."""
    for name, content in (
        ("etc/dpkg/dpkg.cfg.d/platforms", _DPKG),
        ("etc/apt/apt.conf.d/99platforms", _APT),
        ("usr/sbin/policy-rc.d", _NO_SERVICES),
    ):
        (folder / name).write_text(content)
    (folder / "usr/sbin/policy-rc.d").chmod(0o755)
    for path in (Path("/etc/resolv.conf"), Path("/etc/pip.conf"), _CERTIFICATES):
        if path.is_file():
            target = folder / path.relative_to("/")
            target.unlink(missing_ok=True)
            shutil.copyfile(path, target)


def copy_checkout(target: Path) -> None:
    """Copy what git knows of this checkout, and what it would: no outputs, no environment, no history.

    The copy is a repository of one commit, since some tests ask git which files there are.
    """
    listed = subprocess.run(
        ["git", "-C", CHECKOUT, "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        check=True, capture_output=True,
    )  # fmt: skip
    for name in listed.stdout.decode().split("\0"):
        source = CHECKOUT / name
        if name and source.is_file():
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(source, target / name, follow_symlinks=False)
    who = ("-c", "user.name=tests", "-c", "user.email=tests@localhost")
    for arguments in (("init", "-q"), ("add", "-A"), (*who, "commit", "-q", "-m", "A copy")):
        subprocess.run(["git", "-C", str(target), *arguments], check=True, capture_output=True)


def _binds(suite: str) -> Iterator[tuple[str, str]]:
    """Folders of this machine that a root sees: the caches of packages, and where pip is told to look."""
    for cache, target in (
        (CACHE / suite / "archives", "/var/cache/apt/archives"),
        (CACHE / "pip", _PIP_CACHE),
    ):
        (cache / "partial").mkdir(parents=True, exist_ok=True)
        yield str(cache), target
    told = subprocess.run(
        [sys.executable, "-m", "pip", "config", "list"], capture_output=True, text=True, check=False
    ).stdout
    words = told.replace("'", " ").split()
    places = {urlsplit(word).path for word in words if word.startswith(("/", "file:"))}
    for place in sorted(places):
        if Path(place).is_dir():
            # The files of an index lie beside its pages.
            folder = str(Path(place).parent if Path(place).name == "simple" else place)
            yield folder, folder


def remove(root: DebianRoot) -> None:
    """Remove a root; what was downloaded for it stays."""
    _remove(root.folder)


def _remove(folder: Path) -> None:
    subprocess.run(["rm", "-rf", "--one-file-system", str(folder)], check=True)


def main(arguments: Sequence[str]) -> int:
    """Make a root and run a command in it; returns its exit code."""
    if len(arguments) < 2:
        print(__doc__)
        return 2
    suite, *command = arguments
    try:
        root = make(suite)
    except NoRootError as error:
        print(f"debian-root: {error}", file=sys.stderr)
        return 2
    print(f"Running {' '.join(command)} in {root.folder}")
    return subprocess.run(root.command(*command), env=environment(), check=False).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
