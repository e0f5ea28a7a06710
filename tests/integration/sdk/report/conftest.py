"""A real browser, and reports to be opened in it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, sync_playwright

from i2s_render_html.chromium import installed_browser
from i2s_render_html.settings import HtmlSettings
from i2s_sdk.report import write_report
from report_visits import NUMBER, Visit
from run_folders import make_run


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """A browser for the tests of one module.

    While Playwright's synchronous interface is open, its event loop counts as running in this thread, and no
    asynchronous test can start: it is closed before another module has its turn.
    """
    flags = ["--no-sandbox"] if os.geteuid() == 0 else []
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(
            executable_path=str(HtmlSettings().chromium or installed_browser()), args=flags
        )
        yield started
        started.close()


@pytest.fixture
def visit(browser: Browser) -> Iterator[Visit]:
    page = browser.new_page(viewport={"width": 1400, "height": 900})
    yield Visit(page)
    page.close()


@pytest.fixture(scope="session")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_run(tmp_path_factory.mktemp("runs") / "a", NUMBER)


@pytest.fixture(scope="session")
def one_run(run: Path) -> Path:
    return write_report([run]).path


@pytest.fixture(scope="session")
def two_runs(run: Path) -> Path:
    other = make_run(run.parent / "b", NUMBER, salt="b", model="model-b")
    return write_report([run, other], run.parent / "both").path
