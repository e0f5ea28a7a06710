"""What the page of a sample is told: question, causes, documents, logs."""

from __future__ import annotations

import hashlib
from dataclasses import replace

from i2s_sdk.report.sample_texts import details
from i2s_sdk.runlog.asked import Asked, AskedPart
from i2s_sdk.runlog.read_sample import FirstError, ReadingNote
from i2s_sdk.runlog.record import Record
from i2s_sdk.runlog.rendered import Rendered
from run_folders import instances, record_of, rendered_of


def _record(**changes: object) -> Record:
    return replace(record_of(instances(1)[0]), structure="a", **changes)  # type: ignore[arg-type]


def test_a_question_has_its_texts_and_the_places_of_its_images() -> None:
    asked = Asked(
        (AskedPart("Look."), AskedPart(sha256="e" * 64, file="e.png"), AskedPart(file="b.pdf")), "Sys"
    )
    found = details(_record(), None, (("page-1", asked),), {"e" * 64: 7})
    assert found["asked"] == [["page-1", "Sys", ["Look.", 7, ["b.pdf"]], ""]]


def test_the_first_cause_stands_beside_the_last_error() -> None:
    first, last = FirstError("missing $", "OTHER", 3), FirstError("no \\end", "OTHER", 9)
    found = details(_record(error=last, error_before_repair=first), None, (), {})
    assert (found["error_before_repair"]["line"], found["error"]["line"]) == (3, 9)
    plain = _record().to_json()
    assert "error_before_repair" not in plain
    assert Record.from_json(plain).error_before_repair is None
    again = Record.from_json(_record(error_before_repair=first).to_json())
    assert again.error_before_repair == first


def test_a_document_that_is_the_structure_is_known_as_such_and_a_dropped_one_is_said() -> None:
    own = hashlib.sha256(b"a").hexdigest()
    assert details(_record(document_sha256=own), None, (), {})["document"] == 0
    dropped = details(_record(document_sha256="0" * 64), None, (), {})
    assert "document" not in dropped
    assert "more than 50000 characters" in dropped["dropped"]


def test_a_log_has_no_control_characters() -> None:
    record = _record()
    kept = rendered_of(record, log="! error\x1b[2J", target="b")
    found = details(record, kept, (), {})
    assert (found["log"], found["target"]) == ("! error\\x1b[2J", "b")
    again = Rendered.from_json(kept.to_json())
    assert (again.log, again.target) == (kept.log, kept.target)


def test_reasoning_and_the_choice_among_blocks_stand_beside_the_answer() -> None:
    completion = "<think>Maybe.</think>```x``` or ```y```<|im_end|>"
    reading = ReadingNote(21, len(completion) - 10, 2, (2,))
    found = details(_record(completion=completion, reading=reading), None, (), {})
    assert found["unread"] == "<think>Maybe.</think>\n…\n<|im_end|>"
    assert "blocks: 2, taken: 2" in found["facts"]
