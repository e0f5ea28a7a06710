"""Texts that a run keeps for its readers."""

from __future__ import annotations

import json

from i2s_sdk.instances.instance import Content
from i2s_sdk.run.kept_texts import DOCUMENT_CHARACTERS, LOG_HEAD, LOG_TAIL, kept_log, kept_target
from i2s_wire.render.rendering import LogExcerpt


def test_a_long_log_keeps_its_ends_and_says_what_is_left_out() -> None:
    log = LogExcerpt("h" * 5_000, "t" * 5_000, 90_000)
    kept = kept_log(log) or ""
    assert kept.count("h") >= LOG_HEAD
    assert kept.endswith("t" * LOG_TAIL)
    assert len(kept) < LOG_HEAD + LOG_TAIL + 60
    assert "86000 bytes are left out" in kept


def test_a_log_steers_no_terminal_and_an_empty_one_is_none() -> None:
    assert kept_log(LogExcerpt("a\x1b[31mb", "", 7)) == "a\\x1b[31mb"
    assert kept_log(LogExcerpt()) is None


def test_the_ground_truth_is_kept_as_answers_have_it() -> None:
    assert kept_target(Content(structure="a^2")) == "a^2"
    assert kept_target(Content(structure="x" * (DOCUMENT_CHARACTERS + 1))) is None
    assert kept_target(Content()) is None
    site = kept_target(Content(site={"index.html": b"<p>", "logo.png": b"\x89PNG\xff"}))
    assert json.loads(site or "") == [{"filename": "index.html", "content": "<p>"}]
