"""How long a report takes to open in a real browser, and to be used; prints JSON.

    python -m benchmarks.report_scale.browser PAGE TIMES

A page counts as open when its first cards are on the screen: two frames after the first of them is there.
Each time is another tab with nothing cached; the first one is that of a browser that has just begun.
"""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page, sync_playwright

from i2s_render_html.chromium import installed_browser
from i2s_render_html.settings import HtmlSettings

_FRAMES = "new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))"


def main(page: str, times: str) -> None:
    """Open the page, and print what it took."""
    flags = ["--no-sandbox"] if os.geteuid() == 0 else []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=str(HtmlSettings().chromium or installed_browser()), args=flags
        )
        found = [_opened(browser, Path(page).resolve().as_uri()) for _ in range(int(times))]
        print(json.dumps({"browser": browser.version, "opened": found}))
        browser.close()


def _opened(browser: Browser, address: str) -> dict[str, Any]:
    tab = browser.new_page(viewport={"width": 1400, "height": 900})
    faults: list[str] = []
    tab.on("pageerror", lambda error: faults.append(str(error)))
    tab.on("console", lambda said: faults.append(said.text) if said.type == "error" else None)
    began = time.perf_counter()
    tab.goto(address, wait_until="commit")
    tab.locator("article").first.wait_for()
    tab.evaluate(_FRAMES)
    opened = time.perf_counter() - began
    count = tab.locator("#count").text_content() or ""
    used = {
        "table_s": _timed(tab, "table", "table.samples tbody tr"),
        "grid_s": _timed(tab, "grid", ".tile"),
        "cards_s": _timed(tab, "cards", "article"),
        "search_s": _searched(tab),
    }
    heap = tab.evaluate("performance.memory ? performance.memory.usedJSHeapSize : 0") / 2**20
    tab.close()
    return {"open_s": opened, **used, "heap_mib": heap, "count": count, "faults": faults}


def _timed(tab: Page, view: str, wanted: str) -> float:
    """Return the seconds from choosing a view to its first rows on the screen."""
    began = time.perf_counter()
    tab.select_option("[name=view]", view)
    tab.locator(wanted).first.wait_for()
    tab.evaluate(_FRAMES)
    return time.perf_counter() - began


def _searched(tab: Page) -> float:
    """Return the seconds from a text that no answer has to the end of the search through all of them."""
    began = time.perf_counter()
    tab.fill("[name=text]", "<no answer has this>")
    while not (tab.locator("#count").text_content() or "").startswith("0 of "):
        tab.evaluate(_FRAMES)
    return time.perf_counter() - began


if __name__ == "__main__":
    main(*sys.argv[1:])
