"""Programs that read documents: the baseline pdftotext, and command lines with places for documents."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

import pytest

from i2s_sdk.errors import ModelError, UsageError
from i2s_sdk.instances.instance import Instance
from i2s_sdk.models import ModelFailedError, ModelOptions, open_model
from i2s_sdk.models.model import Completion, Finish, answers_whole
from i2s_sdk.models.registry import reads_documents, require_model
from i2s_sdk.tasks.question import FilePart, Question, TextPart

EXAMPLE = Path(__file__).parents[4] / "examples" / "readoc" / "pdf" / "tidepool.pdf"
OPTIONS = ModelOptions(failures=1, cache=None)

needs_pdftotext = pytest.mark.skipif(shutil.which("pdftotext") is None, reason="needs poppler's pdftotext")


async def ask(model: str, *documents: Path, options: ModelOptions = OPTIONS) -> Completion:
    instance = Instance("d", "readoc", "arxiv", None, files={"document": EXAMPLE})
    question = Question((TextPart("Convert it."), *map(FilePart, documents)))
    return await open_model(model, options).complete(instance, question)


def program(folder: Path, name: str, text: str) -> Path:
    """Write a program and return its path."""
    path = folder / name
    path.write_text(f"#!{sys.executable}\n{text}")
    path.chmod(0o755)
    return path


def pdftotext(folder: Path, monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    """Put a program of that name first on the path."""
    program(folder, "pdftotext", text)
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")


@needs_pdftotext
async def test_pdftotext_prints_the_text_of_a_document_and_the_command_line_the_same() -> None:
    found = await ask("baseline/pdftotext", EXAMPLE)
    assert "prints tide tables for places you name" in found.text
    assert found.text.count("\f") == 2
    assert (await ask("command:pdftotext {document} -", EXAMPLE)).text == found.text


@needs_pdftotext
async def test_a_broken_document_has_no_answer_and_says_why(tmp_path: Path) -> None:
    (tmp_path / "broken.pdf").write_bytes(b"%PDF-1.7\nnothing more")
    with pytest.raises(ModelError, match=r"pdftotext ended with code 1: .*xref"):
        await ask("baseline/pdftotext", tmp_path / "broken.pdf")
    (tmp_path / "text.pdf").write_bytes(b"text")
    with pytest.raises(ModelError, match=r"text\.pdf: is no PDF document"):
        await ask("baseline/pdftotext", tmp_path / "text.pdf")
    with pytest.raises(ModelError, match="reads one document, and this question has 0"):
        await ask("baseline/pdftotext")


@needs_pdftotext
async def test_a_text_that_is_too_long_is_marked() -> None:
    found = await ask("baseline/pdftotext", EXAMPLE, options=ModelOptions(completion_characters=50))
    assert found.finish is Finish.TOO_LONG


@pytest.mark.slow
async def test_cpu_time_is_limited(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pdftotext(tmp_path, monkeypatch, "import sys\nwhile sys.argv[1] != '-v': pass")
    with pytest.raises(
        ModelError, match=r"more than 1 seconds of CPU time \(--set pdftotext_cpu_seconds=N\)"
    ):
        await ask("baseline/pdftotext", EXAMPLE, options=ModelOptions(pdftotext_cpu_seconds=1.0))


async def test_memory_is_limited(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pdftotext(tmp_path, monkeypatch, "import sys\nif sys.argv[1] != '-v': bytearray(1 << 30)")
    with pytest.raises(ModelError, match=r"ended with code 1: .*MemoryError"):
        await ask("baseline/pdftotext", EXAMPLE, options=ModelOptions(pdftotext_memory_bytes=1 << 29))


async def test_where_the_system_refuses_to_limit_memory_the_text_is_still_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As macOS does."""
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parents[3] / "support/mac"))
    pdftotext(tmp_path, monkeypatch, "import sys\nif sys.argv[1] != '-v': print('words')")
    assert "words" in (await ask("baseline/pdftotext", EXAMPLE)).text


async def test_no_file_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    code = "import sys\nif sys.argv[1] == '-v': sys.exit()\n"
    code += f"file = open({str(tmp_path / 'written')!r}, 'w')\n"
    pdftotext(tmp_path, monkeypatch, f"{code}file.write('x')\nfile.flush()")
    with pytest.raises(ModelError, match=r"ended with code 1: .*File too large"):
        await ask("baseline/pdftotext", EXAMPLE)
    assert (tmp_path / "written").stat().st_size == 0


def test_a_missing_program_is_told_with_what_installs_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nonexistent")
    require_model("baseline/pdftotext")
    assert reads_documents("baseline/pdftotext")
    with pytest.raises(UsageError, match="apt-get install poppler-utils"):
        open_model("baseline/pdftotext")


async def test_a_program_is_given_the_document_and_asked_as_a_whole(tmp_path: Path) -> None:
    code = program(tmp_path, "tool", "import sys; print(sys.argv[1], end='')")
    model = f"command:{code} in={{document}}"
    assert answers_whole(open_model(model))
    assert reads_documents(model)
    assert (await ask(model, EXAMPLE)).text == f"in={EXAMPLE}"
    assert not answers_whole(open_model(f"command:{code} {{image}}"))


async def test_a_file_in_the_output_folder_is_the_answer_and_the_folder_is_removed(tmp_path: Path) -> None:
    code = program(
        tmp_path,
        "tool",
        "import pathlib, sys\n"
        "folder = pathlib.Path(sys.argv[1]) / 'deep'\n"
        "folder.mkdir()\n"
        "(folder / 'x.md').write_text(str(folder))\n"
        "(folder / 'x.json').write_text('{}')\n"
        "print('progress')\n",
    )
    found = await ask(f"command:{code} {{output}} {{document}}", EXAMPLE)
    assert found.text.endswith("/deep")
    assert not Path(found.text).parent.exists()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("pass", r"wrote 0 files \*\.md in \{output\}"),
        ("[(folder / f'{n}.md').write_text('x') for n in 'ab']", r"wrote 2 files \*\.md: a\.md, b\.md"),
        ("(folder / 'a.md').symlink_to('/etc/passwd')", "leads out of it"),
        ("(folder / 'a.md').write_bytes(b'\\xff')", "not UTF-8"),
        ("sys.exit(4)", "ended with code 4"),
    ],
)
async def test_a_program_without_one_answer_has_failed(tmp_path: Path, text: str, said: str) -> None:
    code = program(tmp_path, "tool", f"import pathlib, sys\nfolder = pathlib.Path(sys.argv[1])\n{text}\n")
    with pytest.raises(ModelFailedError, match=said):
        await ask(f"command:{code} {{output}} {{document}}", EXAMPLE)


async def test_an_answer_in_a_file_is_bounded(tmp_path: Path) -> None:
    code = program(tmp_path, "tool", "import sys; open(sys.argv[1] + '/a.md', 'w').write('x' * 1000)")
    options = ModelOptions(failures=1, cache=None, completion_characters=20)
    found = await ask(f"command:{code} {{output}} {{document}}", EXAMPLE, options=options)
    assert found.finish is Finish.TOO_LONG


async def test_a_question_without_a_document_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ModelFailedError, match="this question has none"):
        await ask(f"command:{program(tmp_path, 'tool', 'pass')} {{document}}")


@pytest.mark.parametrize("line", ["sh {image} {document}", "sh {output}"])
def test_places_that_do_not_go_together_are_refused(line: str) -> None:
    with pytest.raises(UsageError, match=r"\{document\}"):
        open_model(f"command:{line}")
