"""The browser that is installed: its version, its digest, and how it is started."""

from __future__ import annotations

import hashlib
import os
import re
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

from i2s_chassis.errors import StartError
from i2s_render_html.injected import digest_text

_FONTS = (Path("/usr/share/fonts"), Path("/usr/local/share/fonts"))
_FONT_SETTINGS = Path("/etc/fonts")
_FONT_CACHE = Path("/var/cache/fontconfig")

#: What pictures depend on.
DRAWING_FLAGS = (
    "--disable-gpu",  # the processor draws, so every machine draws alike
    "--disable-lcd-text",
    "--disable-partial-raster",
    "--disable-skia-runtime-opts",
    "--disable-threaded-animation",
    "--blink-settings=imageAnimationPolicy=2",  # pictures that move show their first frame
    "--font-render-hinting=none",
    "--force-color-profile=srgb",
    "--hide-scrollbars",
    "--lang=en-US",
    "--autoplay-policy=user-gesture-required",
)

#: What would look for hosts, ask a user, or take part in a desktop.
_QUIET_FLAGS = (
    "--disable-background-networking",
    "--disable-background-timer-throttling",
    "--disable-backgrounding-occluded-windows",
    "--disable-breakpad",
    "--disable-client-side-phishing-detection",
    "--disable-component-extensions-with-background-pages",
    "--disable-component-update",
    "--disable-crash-reporter",
    "--disable-default-apps",
    "--disable-domain-reliability",
    "--disable-extensions",
    "--disable-features=Translate,OptimizationHints,MediaRouter,DialMediaRouteProvider,PaintHolding,"
    "InterestFeedContentSuggestions,AcceptCHFrame,AutofillServerCommunication,CertificateTransparencyComponentUpdater",
    "--disable-field-trial-config",
    "--disable-hang-monitor",
    "--disable-ipc-flooding-protection",
    "--disable-notifications",
    "--disable-prompt-on-repost",
    "--disable-renderer-backgrounding",
    "--disable-search-engine-choice-screen",
    "--disable-speech-api",
    "--disable-sync",
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--metrics-recording-only",
    "--mute-audio",
    "--no-default-browser-check",
    "--no-first-run",
    "--no-pings",
    "--no-service-autorun",
    "--password-store=basic",
    "--use-mock-keychain",
)


@dataclass(frozen=True, slots=True)
class Chromium:
    """The browser of this machine.

    Attributes:
        program: Its path.
        version: Such as "156.0.8078.79".
        versions: All that the digest is made of, by name.
        digest: SHA-256 over everything that can change a picture.
        fonts_digest: SHA-256 over the installed fonts.
        readable: Folders outside of /usr that it reads.
    """

    program: Path
    version: str
    versions: Mapping[str, str]
    digest: str
    fonts_digest: str
    readable: tuple[Path, ...]

    def command(self, profile: str, *, sandbox: bool) -> tuple[str, ...]:
        """Return the command line.

        Args:
            profile: Folder for what it writes.
            sandbox: Whether its own sandbox is on.
        """
        return (
            str(self.program),
            "--headless=new",
            "--enable-logging=stderr",
            "--remote-debugging-pipe",
            f"--user-data-dir={profile}",
            "--disable-dev-shm-usage",  # shared memory lies in the work folder, where it is bounded
            *(() if sandbox else ("--no-sandbox",)),
            *DRAWING_FLAGS,
            *_QUIET_FLAGS,
            "about:blank",
        )


def find_chromium(program: Path) -> Chromium:
    """Look at this machine.

    Raises:
        StartError: There is no Chromium, or there are no fonts; names the package to install.
    """
    if not program.is_file():
        raise StartError(
            f"--chromium {program} does not exist; install it with: "
            "apt-get install chromium-headless-shell, or name another"
        )
    found = re.search(r"(\d+(?:\.\d+){3})", _output(program, "--version"))
    if found is None:
        raise StartError(f"--chromium {program} does not tell its version; is it Chromium?")
    fonts = _digest((*_FONTS, _FONT_SETTINGS))
    versions = {
        "chromium": found[1],
        "playwright": version("playwright"),
        "render-html": version("i2s-render-html"),
        "fonts": fonts,
    }
    # The headless shell and all of Chromium draw a few glyphs differently.
    facts = [
        program.name,
        *(f"{name} {one}" for name, one in sorted(versions.items())),
        *DRAWING_FLAGS,
        digest_text(),
    ]
    return Chromium(
        program=program,
        version=found[1],
        versions=versions,
        digest=hashlib.sha256("\n".join(facts).encode()).hexdigest(),
        fonts_digest=fonts,
        readable=tuple(path for path in (_FONT_CACHE, *_own_folder(program)) if path.is_dir()),
    )


def _own_folder(program: Path) -> tuple[Path, ...]:
    """Return the folder of a browser that is not among the system's programs, which jobs see anyway."""
    folder = program.resolve().parent
    return () if Path("/usr") in folder.parents else (folder,)


def _output(program: Path, option: str) -> str:
    try:
        ended = subprocess.run(
            [program, option],
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
            env={"PATH": "/usr/bin:/bin"},
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise StartError(f"--chromium {program} cannot be run: {error}") from None
    return ended.stdout


def _digest(folders: tuple[Path, ...]) -> str:
    """Return the digest of the names and sizes of all files below folders."""
    digest = hashlib.sha256()
    for folder in folders:
        for path, size in _files(folder):
            digest.update(f"{path}\0{size}\n".encode(errors="surrogateescape"))
    return digest.hexdigest()


def _files(folder: Path) -> Iterator[tuple[Path, int]]:
    for place, folders, names in os.walk(folder, followlinks=False):
        folders.sort()
        for name in sorted(names):
            path = Path(place, name)
            if path.is_file():
                yield path, path.stat().st_size
