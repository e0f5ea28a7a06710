"""The released files of SO-Bench as a data set."""

from __future__ import annotations

import base64
import io
import json
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from i2s_sdk.cli.main import run
from i2s_sdk.data.check import check
from i2s_sdk.data.folder import read_folder
from i2s_sdk.data.imports.items import Imported, ImportRequest
from i2s_sdk.data.imports.registry import import_data as import_kind
from i2s_sdk.errors import DataError, UsageError

SCHEMA = {"type": "object", "properties": {"shop": {"type": "string"}}, "required": ["shop"]}


def import_data(sources: list[Path], out: Path, images: Path | None = None) -> Imported:
    return import_kind("sobench", ImportRequest(tuple(map(str, sources)), out, images))


def _jpeg(colour: str = "red") -> bytes:
    encoded = io.BytesIO()
    Image.new("RGB", (8, 8), colour).save(encoded, "JPEG", quality=95)
    return encoded.getvalue()


def _row(identity: str, **changes: Any) -> dict[str, Any]:
    url = f"data:image/jpeg;base64,{base64.b64encode(_jpeg()).decode()}"
    intent = "User Intent: what was\nbought\n\nAnalyse the image."
    text = f"JSON Schema:\n```json\n{json.dumps(SCHEMA)}\n```\n{intent}"
    user = [{"type": "text", "text": text}, {"type": "image_url", "image_url": {"url": url}}]
    row = {
        "id": identity,
        "messages": [{"role": "system", "content": "Extract."}, {"role": "user", "content": user}],
        "target_schema": SCHEMA,
        "target_content": {"shop": "Deli"},
        "evaluation_labels": {"shop": "fuzzy"},
    }
    return {**row, **changes}


def _file(path: Path, *rows: object) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def test_an_evaluation_file_is_a_data_set(tmp_path: Path) -> None:
    as_texts = {
        name: json.dumps(_row("b")[name]) for name in ("target_schema", "target_content", "evaluation_labels")
    }
    source = _file(
        tmp_path / "evaluation.jsonl", _row("a"), _row("b", **as_texts), _row("c", evaluation_labels=None)
    )
    found = import_data([source], tmp_path / "out")
    assert (found.instances, found.left_out) == (3, ())
    assert check(tmp_path / "out").faults == ()
    first, second, third = read_folder(tmp_path / "out").instances
    assert (first.id, first.task, first.subset, first.licence) == ("a", "sobench", "sobench", "CC-BY-NC-ND")
    assert first.image is not None
    assert first.image.read_bytes() == _jpeg()
    assert first.inputs == {
        "schema": SCHEMA,
        "intent": "what was\nbought",
        "image": f"images/{first.image.name}",
    }
    assert first.target == second.target == {"answer": {"shop": "Deli"}, "labels": {"shop": "fuzzy"}}
    assert third.target == {"answer": {"shop": "Deli"}}


def test_an_intent_of_one_line_ends_with_it(tmp_path: Path) -> None:
    row = _row("a")
    row["messages"][1]["content"][0]["text"] = "User Intent: the shop\nPlease analyse."
    import_data([_file(tmp_path / "a.jsonl", row)], tmp_path / "out")
    assert read_folder(tmp_path / "out").instances[0].inputs["intent"] == "the shop"


def test_label_files_take_their_images_from_a_folder(tmp_path: Path) -> None:
    labels, images = tmp_path / "labels", tmp_path / "images"
    labels.mkdir()
    images.mkdir()
    (images / "a b.jpg").write_bytes(_jpeg("blue"))
    item = {
        "image_url": "https://example.org/x/a%20b.jpg?size=1",
        "schema_json": json.dumps(SCHEMA),
        "structured_output": [{"shop": "Deli"}],
        "user_intent": "the shop",
        "evaluation_labels": [{"shop": "exact"}],
    }
    (labels / "one.json").write_text(json.dumps(item))
    (labels / "two.json").write_text(json.dumps({**item, "image_url": "https://example.org/none.jpg"}))
    (labels / "three.json").write_text(json.dumps({**item, "image_url": "../labels/one.json"}))
    (labels / "several.json").write_text(json.dumps([item, item]))
    found = import_data([labels], tmp_path / "out", images)
    assert [instance.id for instance in read_folder(tmp_path / "out").instances] == [
        "one",
        "several-1",
        "several-2",
    ]
    assert len(found.left_out) == 2
    assert "two.json: the folder of images has no file 'none.jpg'" in found.left_out[1]
    with pytest.raises(DataError, match="name a folder of images"):
        import_data([labels / "one.json"], tmp_path / "without")
    assert not (tmp_path / "without").exists()


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ([], "is not a JSON object"),
        (_row("b", messages=[]), "no image as a data: URL"),
        (
            _row("b", messages=[{"role": "user", "content": [{"image_url": {"url": "https://a/b.jpg"}}]}]),
            "no image",
        ),
        (
            _row("b", messages=[{"role": "user", "content": [{"image_url": "data:image/png;base64,?"}]}]),
            "base64",
        ),
        (
            _row("b", messages=[{"role": "user", "content": [{"image_url": "data:image/png;base64,AAAA"}]}]),
            "not an image",
        ),
        (_row("b", target_schema={"type": "strin"}), "the JSON Schema cannot be used"),
        (_row("b", target_schema={"$ref": "http://127.0.0.1:9/a"}), "nothing is fetched"),
        (_row("b", evaluation_labels={"shop": "exakt"}), "'exakt'"),
        (_row("a"), "earlier item"),
        (_row("b\n"), "printable"),
        (
            {name: value for name, value in _row("b").items() if name != "target_content"},
            "no field 'target_content'",
        ),
    ],
)
def test_an_item_with_a_fault_is_left_out_with_the_reason(tmp_path: Path, row: object, reason: str) -> None:
    found = import_data([_file(tmp_path / "e.jsonl", _row("a"), row)], tmp_path / "out")
    assert found.instances == 1
    (left_out,) = found.left_out
    assert left_out.startswith(f"{tmp_path / 'e.jsonl'}:2: ")
    assert reason in left_out
    assert check(tmp_path / "out").faults == ()


def test_what_cannot_be_a_data_set_leaves_nothing(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    for source in (tmp_path / "missing.jsonl", tmp_path / "empty"):
        with pytest.raises(DataError):
            import_data([source], tmp_path / "out")
        assert not (tmp_path / "out").exists()
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "mine").touch()
    with pytest.raises(UsageError, match="not empty"):
        import_data([_file(tmp_path / "e.jsonl", _row("a"))], tmp_path / "full")
    assert (tmp_path / "full" / "mine").exists()


def test_the_command_says_what_it_left_out(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = str(_file(tmp_path / "e.jsonl", _row("a"), []))
    assert run(["dataset", "import", "sobench", source, "--out", str(tmp_path / "out")]) == 1
    out, err = capsys.readouterr()
    assert f"{tmp_path / 'out'}: 1 instance;" in out
    assert "left out: " in err
    assert run(["dataset", "import", "sobench", source, "--out", str(tmp_path / "more"), "--json"]) == 1
    assert json.loads(capsys.readouterr().out)["instances"] == 1
    assert run(["dataset", "import", "sobnch", source, "--out", str(tmp_path / "other")]) == 2
    assert "did you mean 'sobench'" in capsys.readouterr().err


def test_the_command_imports_visualwebbench(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["visualwebbench", str(tmp_path), "--out", str(tmp_path / "out"), "--task", "webqa"]
    assert run(["dataset", "import", *arguments]) == 2
    assert "holds no Parquet file of VisualWebBench" in capsys.readouterr().err
