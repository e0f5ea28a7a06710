"""The documentation site in a browser that has no network but the server of the site."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from playwright.sync_api import Page, sync_playwright

from i2s_render_html.chromium import installed_browser
from i2s_render_html.settings import HtmlSettings

pytestmark = pytest.mark.integration

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The site, built and served on the loopback."""
    folder = tmp_path_factory.mktemp("site") / "site"
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "-d", str(folder)]
    environ = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    subprocess.run(command, cwd=ROOT, env=environ, capture_output=True, check=True)

    class Handler(SimpleHTTPRequestHandler):
        def __init__(self, *args, **kwargs):
            super().__init__(*args, directory=str(folder), **kwargs)

        def log_message(self, *args: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}/"
        finally:
            server.shutdown()
            thread.join()


@pytest.fixture
def page(address: str) -> Iterator[Page]:
    """A page whose requests to other servers are refused and remembered in ``foreign``."""
    flags = ["--no-sandbox"] if os.geteuid() == 0 else []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=HtmlSettings().chromium or installed_browser(), args=flags
        )
        page = browser.new_page()
        foreign: list[str] = []
        page.foreign = foreign  # type: ignore[attr-defined]

        def decide(route) -> None:
            if route.request.url.startswith((address, "data:")):
                route.continue_()
            else:
                foreign.append(route.request.url)
                route.abort()

        page.route("**/*", decide)
        yield page
        browser.close()


@pytest.mark.parametrize("name", ["index", "daily-use", "reference/i2s_sdk", "repository/readme"])
def test_a_page_asks_no_other_server_and_reports_no_error(page: Page, address: str, name: str) -> None:
    said: list[str] = []
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.goto(f"{address}{name}.html", wait_until="networkidle")
    assert page.locator("article h1").inner_text()
    broken = page.evaluate("[...document.images].filter(one => !one.naturalWidth).map(one => one.src)")
    assert (page.foreign, said, broken) == ([], [], [])  # type: ignore[attr-defined]


def test_the_search_finds_a_term(page: Page, address: str) -> None:
    page.goto(f"{address}index.html", wait_until="networkidle")
    page.keyboard.press("/")
    page.keyboard.type("win rate")
    page.wait_for_selector(".md-search-result__item")
    assert "win rate" in page.locator(".md-search-result__list").inner_text().lower()
    assert page.foreign == []  # type: ignore[attr-defined]
