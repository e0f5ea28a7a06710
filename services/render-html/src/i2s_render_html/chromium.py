"""The browser that is installed: its version, its digest, and how it is started."""

from __future__ import annotations

import hashlib
import re
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass, replace
from importlib.metadata import version
from pathlib import Path

import playwright

from i2s_chassis.errors import StartError
from i2s_render_html.fonts import (
    DEFAULT_FOLDER,
    Fonts,
    FontSource,
    SystemFonts,
    find_fonts,
    find_system_fonts,
)
from i2s_render_html.injected_scripts import digest_text

_FONT_CACHE = Path("/var/cache/fontconfig")

#: Where Debian's package chromium-headless-shell puts a headless shell.
DISTRIBUTIONS_BROWSER = Path("/usr/lib/chromium/chromium-headless-shell")
#: Where Playwright puts one with PLAYWRIGHT_BROWSERS_PATH=0.
PLAYWRIGHTS_BROWSERS = Path(playwright.__file__).parent / "driver/package/.local-browsers"

#: What images depend on.
DRAWING_FLAGS = (
    "--disable-gpu",  # the processor draws, so every machine draws alike
    "--disable-lcd-text",
    "--disable-partial-raster",
    "--disable-skia-runtime-opts",
    "--disable-threaded-animation",
    "--blink-settings=imageAnimationPolicy=2",  # images that move show their first frame
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
    """The browser of this machine."""

    #: Its path.
    program: Path
    #: Version, such as "156.0.8078.79".
    version: str
    #: All that the digest is made of, by name.
    versions: Mapping[str, str]
    #: SHA-256 over everything that can change an image.
    digest: str
    #: The fonts that pages are drawn with.
    fonts: Fonts | SystemFonts
    #: Folders outside of /usr that it reads.
    readable: tuple[Path, ...]

    @property
    def fonts_digest(self) -> str:
        """Digest of the fonts."""
        return self.fonts.digest

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

    def with_jekyll(self, gems: Mapping[str, str]) -> Chromium:
        """Return this with what builds sites among what decides images.

        Args:
            gems: Versions of Jekyll, its libraries, plugins and themes, by name.
        """
        facts = [self.digest, *(f"{name} {gem}" for name, gem in sorted(gems.items()))]
        digest = hashlib.sha256("\n".join(facts).encode()).hexdigest()
        return replace(self, versions={**self.versions, **gems}, digest=digest)


def installed_browser(
    distributions: Path = DISTRIBUTIONS_BROWSER, playwrights: Path = PLAYWRIGHTS_BROWSERS
) -> Path:
    """Return the headless shell that is installed: that of the distribution, else the newest of Playwright.

    Args:
        distributions: The program of the distribution.
        playwrights: The folder that Playwright installs browsers in.

    Raises:
        StartError: There is neither; names the commands that install one.
    """
    if distributions.is_file():
        return distributions
    programs = {
        int(path.parents[1].name.rpartition("-")[2]): path
        for path in playwrights.glob("chromium_headless_shell-*/*/chrome-headless-shell")
    }
    if not programs:
        raise StartError(
            "no headless shell of Chromium is installed; install one with: apt-get install "
            "chromium-headless-shell (Debian), or with: PLAYWRIGHT_BROWSERS_PATH=0 playwright install "
            "chromium-headless-shell, or name one with --chromium"
        )
    return programs[max(programs)]


def find_chromium(
    program: Path | None, fonts_folder: Path = DEFAULT_FOLDER, font_source: FontSource = "locked"
) -> Chromium:
    """Look at this machine.

    Args:
        program: The browser; None for the one that is installed.
        fonts_folder: Where the fonts of the lock lie.
        font_source: Whether pages are drawn with the fonts of the lock or with those of the machine.

    Raises:
        StartError: There is no Chromium, or there are no fonts; names what installs them.
    """
    program = program or installed_browser()
    if not program.is_file():
        raise StartError(
            f"--chromium {program} does not exist; name another, or none for the one that is installed"
        )
    match = re.search(r"(\d+(?:\.\d+){3})", _output(program, "--version"))
    if match is None:
        raise StartError(f"--chromium {program} does not print its version; is it Chromium?")
    locked = font_source == "locked"
    fonts = find_fonts(fonts_folder) if locked else find_system_fonts()
    versions = {
        "chromium": match[1],
        "playwright": version("playwright"),
        "render-html": version("i2s-render-html"),
        "fonts": fonts.digest,
        "font-source": font_source,
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
        version=match[1],
        versions=versions,
        digest=hashlib.sha256("\n".join(facts).encode()).hexdigest(),
        fonts=fonts,
        readable=readable_folders(program, fonts_folder if locked else None),
    )


def readable_folders(program: Path, fonts_folder: Path | None) -> tuple[Path, ...]:
    """Return the folders outside of /usr that a browser reads.

    Args:
        program: The browser.
        fonts_folder: Where the fonts of the lock lie; None for those of the machine, which lie below /usr.
    """
    fonts = () if fonts_folder is None else _outside(fonts_folder)
    folders = (_FONT_CACHE, *_outside(program.resolve().parent), *fonts)
    return tuple(path for path in folders if path.is_dir())


def _outside(folder: Path) -> tuple[Path, ...]:
    """Return a folder if it is not below the system's, which jobs see anyway."""
    folder = folder.resolve()
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
