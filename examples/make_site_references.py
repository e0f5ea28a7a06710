"""Pack the web sites of this data set and make their reference images with plain Jekyll and Chromium.

Archives and images are committed; run this only after a site was added or changed, and look at
every image afterwards. It deliberately calls nothing of the project's services, so that an
evaluation of the bundled examples compares two independent ways to the same image. Only the fonts
are those of the page renderer.

    python examples/make_site_references.py                      # all of them
    python examples/make_site_references.py webpage-css-lamp …   # some
    python examples/make_site_references.py --pack               # the archives alone
"""

from __future__ import annotations

import argparse
import functools
import gzip
import io
import json
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from PIL import Image

from i2s_render_html.fonts import find_fonts

HERE = Path(__file__).resolve().parent
SITES = HERE / "sites"
WIDTH, HEIGHT = 1920, 1080
BROWSERS = ("chromium-headless-shell", "chromium", "google-chrome")


def packed(site: Path) -> bytes:
    """Return the site as .tar.gz: files alone, sorted, with no time and no owner."""
    plain = io.BytesIO()
    with tarfile.open(fileobj=plain, mode="w", format=tarfile.USTAR_FORMAT) as archive:
        for path in sorted(path for path in site.rglob("*") if path.is_file()):
            member = tarfile.TarInfo(path.relative_to(site).as_posix())
            member.size, member.mode = path.stat().st_size, 0o644
            with path.open("rb") as content:
                archive.addfile(member, content)
    return gzip.compress(plain.getvalue(), mtime=0)


def built(site: Path, out: Path) -> None:
    """Build a site with the command that everybody uses.

    Raises:
        subprocess.CalledProcessError: Jekyll refused it.
    """
    command = ["jekyll", "build", "--quiet", "--disable-disk-cache", "-s", str(site), "-d", str(out)]
    subprocess.run(command, check=True, env={**os.environ, "TZ": "UTC", "LANG": "C.UTF-8"})


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        """Say nothing."""


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """Serve a folder on loopback; yields its address."""
    with ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(_Quiet, directory=str(folder))) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


def picture(
    address: str, chromium: str, width: int = WIDTH, height: int = HEIGHT, *, full_page: bool = False
) -> Image.Image:
    """Return what a browser window shows once the page is loaded, its fonts are there and nothing moves."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright, ExitStack() as stack:
        arguments = ["--font-render-hinting=none", *(["--no-sandbox"] if os.geteuid() == 0 else [])]
        fonts = stack.enter_context(tempfile.NamedTemporaryFile(suffix=".conf"))
        fonts.write(find_fonts().configuration)
        fonts.flush()
        browser = playwright.chromium.launch(
            executable_path=chromium, args=arguments, env={**os.environ, "FONTCONFIG_FILE": fonts.name}
        )
        page = browser.new_page(viewport={"width": width, "height": height})
        page.goto(address, wait_until="networkidle")
        page.evaluate("document.fonts.ready")
        before, shown = b"", page.screenshot(full_page=full_page)
        while shown != before:
            before, shown = shown, page.screenshot(full_page=full_page)
        browser.close()
    with Image.open(io.BytesIO(shown)) as image:
        return image.convert("RGB")


def reference(site: Path, chromium: str) -> Image.Image:
    """Return the reference image of a site."""
    with tempfile.TemporaryDirectory() as folder:
        built(site, Path(folder))
        with served(Path(folder)) as address:
            return picture(address, chromium)


def main() -> int:
    """Write the wanted archives and references; the exit code says whether every one was made."""
    parser = argparse.ArgumentParser(description="Pack the example sites and make their reference pictures.")
    parser.add_argument("ids", nargs="*", metavar="ID", help="instances to make (default: all)")
    parser.add_argument("--pack", action="store_true", help="write the archives alone")
    parser.add_argument("--out", type=Path, default=HERE, help="data set folder to write to (default: this)")
    options = parser.parse_args()

    rows = [json.loads(line) for line in (HERE / "instances.jsonl").read_text(encoding="utf-8").splitlines()]
    instances = {row["id"]: row for row in rows if row["task"] == "webpage"}
    unknown = sorted(set(options.ids) - set(instances))
    if unknown:
        parser.error(f"no such web page in instances.jsonl: {', '.join(unknown)}")
    chromium = next(filter(None, map(shutil.which, BROWSERS)), None)
    if chromium is None and not options.pack:
        parser.error(f"none of {', '.join(BROWSERS)} is on PATH; install the package chromium-headless-shell")

    failed = 0
    for name in options.ids or instances:
        archive = options.out / instances[name]["structure"]
        archive.parent.mkdir(parents=True, exist_ok=True)
        archive.write_bytes(packed(SITES / name))
        if options.pack or chromium is None:
            continue
        try:
            shown = reference(SITES / name, chromium)
        except subprocess.CalledProcessError as error:
            print(f"{name}: {error}", file=sys.stderr)
            failed += 1
            continue
        path = options.out / instances[name]["image"]
        path.parent.mkdir(parents=True, exist_ok=True)
        shown.save(path, optimize=True)
        print(f"{name}: {path.stat().st_size // 1024} KiB")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
