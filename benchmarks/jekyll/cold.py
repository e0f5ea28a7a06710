"""The plain way: one `jekyll build` process for each site."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path

import i2s_render_html.jekyll
from i2s_render_html.jekyll import JekyllSettings
from i2s_render_html.jekyll.pins import pins

_CODE = Path(i2s_render_html.jekyll.__file__).parent


class Cold:
    """Runs the plain command, with the same pins and the same clock so that bytes can be compared."""

    def __init__(self, settings: JekyllSettings) -> None:
        """Make the folder that everything happens in; a context manager removes it."""
        self._settings = settings
        self._folder = Path(tempfile.mkdtemp(prefix="i2s-benchmark-"))
        (self._folder / "pins.yml").write_text(json.dumps(pins(settings)))

    def __enter__(self) -> Cold:
        return self

    def __exit__(self, *_: object) -> None:
        shutil.rmtree(self._folder)

    def build(self, name: str, files: Mapping[str, bytes]) -> tuple[float, dict[str, bytes]]:
        """Build a site; returns the wall seconds of the command alone, and what it made.

        Raises:
            subprocess.CalledProcessError: Jekyll refused the site.
        """
        work = self._folder / name
        for path, content in files.items():
            (work / "site" / path).parent.mkdir(parents=True, exist_ok=True)
            (work / "site" / path).write_bytes(content)
        for entry in (work / "site").rglob("*"):
            os.utime(entry, (self._settings.epoch, self._settings.epoch))
        configuration = ["site/_config.yml"] if "_config.yml" in files else []
        command = ["jekyll", "build", "--safe", "--quiet", "--disable-disk-cache", "-s", "site", "-d", "out"]
        command += ["--config", ",".join([*configuration, "../pins.yml"])]
        begun = time.perf_counter()
        subprocess.run(command, cwd=work, env=self._environment(), check=True)
        taken = time.perf_counter() - begun
        out = work / "out"
        made = {p.relative_to(out).as_posix(): p.read_bytes() for p in out.rglob("*") if p.is_file()}
        shutil.rmtree(work)
        return taken, made

    def _environment(self) -> dict[str, str]:
        return {
            "PATH": os.environ["PATH"],
            "HOME": str(self._folder),
            "LANG": "C.UTF-8",
            "TZ": "UTC",
            "JEKYLL_NO_BUNDLER_REQUIRE": "true",
            "SOURCE_DATE_EPOCH": str(self._settings.epoch),
            "RUBYOPT": f"-r{_CODE / 'deterministic.rb'}",
        }

    @staticmethod
    def versions() -> dict[str, str]:
        """Return the versions of Jekyll and Ruby."""
        said = {
            name: subprocess.run(
                [name, "--version"], capture_output=True, text=True, check=True
            ).stdout.split()
            for name in ("jekyll", "ruby")
        }
        return {name: words[1] for name, words in said.items()}
