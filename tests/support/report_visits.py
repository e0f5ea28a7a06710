"""A report in a browser, and everything that it said and asked for."""

from __future__ import annotations

import json
import time
from pathlib import Path

from playwright.sync_api import Page

from i2s_sdk.report import write_report
from i2s_sdk.run.storage.codec import answer_line, rendering_line
from i2s_sdk.run.storage.manifest import PlannedInstance
from i2s_sdk.run.storage.record import Record, SampleAnswer, SampleRendering, StoredQuestion
from run_folders import write_run

#: Samples of the runs that reports are made of.
NUMBER = 60


class Visit:
    """A page and everything it said and asked for."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.said: list[str] = []
        self.asked: list[str] = []
        self.refused: dict[str, str | None] = {}
        page.on("console", lambda message: self.said.append(message.text))
        page.on("pageerror", lambda error: self.said.append(str(error)))
        page.on("requestfailed", lambda request: self.refused.update({request.url: request.failure}))
        page.on("request", lambda request: self.asked.append(request.url))

    def open(self, path: Path) -> Page:
        self.page.goto(path.resolve().as_uri())
        self.page.wait_for_selector("article")
        return self.page

    @property
    def ids(self) -> list[str]:
        return [text.split(" ")[0] for text in self.page.locator("article h3").all_inner_texts()]

    @property
    def count(self) -> str:
        return self.page.locator("#count").inner_text()


def until(page: Page, condition: str) -> None:
    """Wait from outside: Playwright's own waiting evaluates in the page, which its policy forbids."""
    deadline = time.monotonic() + 60
    while not page.evaluate(condition):
        assert time.monotonic() < deadline, f"never came true: {condition}"
        page.wait_for_timeout(50)


def one_sample(
    folder: Path, record: Record, kept: SampleRendering, asked: StoredQuestion | None = None
) -> Path:
    """Return the report of a run of one sample."""
    instance = record.instance
    one = PlannedInstance(instance.id, instance.task, instance.subset)
    write_run(folder, [one], {one.id: record})
    (folder / "renderings.jsonl").write_text(json.dumps(rendering_line(instance, kept)) + "\n")
    if asked is not None:
        (folder / "answers.jsonl").write_text(
            json.dumps(answer_line(one.id, SampleAnswer("x", asked=asked))) + "\n"
        )
    return write_report([folder]).path
