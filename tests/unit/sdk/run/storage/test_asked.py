"""What a run keeps of the questions that its model was asked."""

from __future__ import annotations

from pathlib import Path

from i2s_sdk.run.storage.answer import Answer
from i2s_sdk.run.storage.asked import TEXT_CHARACTERS, Asked, AskedPart
from i2s_sdk.run.storage.folder import RunFolder, read_asked
from i2s_sdk.run.storage.joined_answer import joined_answer
from i2s_sdk.tasks.question import FilePart, ImagePart, Question, TextPart


def _question(text: str = "Write it.") -> Question:
    image = Path("/nowhere/somebody/a.png")
    parts = (TextPart(text), TextPart(" Now."), ImagePart(image), FilePart(Path("/nowhere/b.pdf")))
    return Question(parts, system="Be exact.", json_schema={"type": "object"}, name="page-1")


def test_texts_and_files_are_kept_in_order_and_no_path_is() -> None:
    kept = Asked.of(_question(), {Path("/nowhere/somebody/a.png"): "a" * 64})
    assert kept.parts == (
        AskedPart(text="Write it. Now."),
        AskedPart(sha256="a" * 64, file="a.png"),
        AskedPart(file="b.pdf"),
    )
    assert kept.system == "Be exact."
    assert '"object"' in kept.schema
    assert "nowhere" not in str(kept.to_json())
    assert Asked.from_json(kept.to_json()) == kept


def test_a_long_text_is_cut_and_says_so() -> None:
    kept = Asked.of(Question((TextPart("x" * (TEXT_CHARACTERS + 5)),)), {})
    assert kept.parts[0].text.endswith("\n… 5 more characters")


def test_questions_of_an_instance_are_read_in_order_and_old_answers_have_none(tmp_path: Path) -> None:
    asked = Asked((AskedPart("a"),))
    with RunFolder.open(tmp_path / "run") as folder:
        parts = [Answer("one", "x", question=f"page-{at}", asked=asked) for at in (1, 2)]
        for answer in (*parts, joined_answer("one", parts, "".join), Answer("old", "y")):
            folder.put_answer(answer)
        folder.storage.flush()
        found = read_asked(folder.storage)
    assert found == {"one": (("page-1", asked), ("page-2", asked))}
    assert "asked" not in Answer("old", "y").to_json()
    assert Answer.from_json(Answer("old", "y", asked=asked).to_json()).asked == asked
