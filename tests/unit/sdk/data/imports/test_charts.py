"""Folders as ChartMimic is published, to a data set."""

from pathlib import Path

import pytest

from chart_copies import CODE, png, write_chart, write_lines
from i2s_sdk.data.check import check
from i2s_sdk.data.folder import read_content, read_folder
from i2s_sdk.data.imports.charts import INSTRUCTIONS, SIZES, import_chartmimic
from i2s_sdk.data.imports.items import Imported, ImportRequest
from i2s_sdk.errors import DataError, UsageError
from i2s_sdk.instances.instance import Instance
from i2s_sdk.tasks.question import ImagePart, TextPart
from i2s_sdk.tasks.registry import open_task
from linked_out import link_out


def copy(folder: Path) -> Path:
    """Write a copy with one chart of each task, and return its folder."""
    write_chart(folder / "direct_600", "line_1", "red")
    write_chart(folder / "customized_600", "line_1", "blue")
    write_lines(folder / SIZES, {"idx": "line_1", "width": 8.0, "height": 6.0, "file": "line_1", "code": ""})
    write_lines(
        folder / INSTRUCTIONS,
        {"idx": "line_1", "instruction": "Draw ages.\n", "width": 7.5, "height": 5.0, "code": ""},
    )
    return folder


def lay(out: Path, *sources: Path, tasks: tuple[str, ...] = ()) -> Imported:
    return import_chartmimic(ImportRequest(tuple(map(str, sources)), out, tasks=tasks))


def imported(out: Path, *sources: Path) -> dict[str, Instance]:
    assert lay(out, *sources).left_out == ()
    assert check(out).faults == ()
    return {instance.id: instance for instance in read_folder(out).instances}


def test_a_chart_of_direct_is_shown_and_compared_with(tmp_path: Path) -> None:
    found = imported(tmp_path / "out", copy(tmp_path / "copy"))
    direct = found["direct_600-line_1"]
    assert (direct.task, direct.subset, direct.licence) == ("chart", "direct", "Apache-2.0")
    assert direct.provenance == {"source": "ChartMimic, direct_600/line_1", "chart_type": "line"}
    content = read_content(direct)
    assert (content.reference, content.structure) == (png("red"), CODE.replace("{name}", "line_1"))
    (question,) = open_task("chart").questions(direct)
    text = "".join(part.text for part in question.parts if isinstance(part, TextPart))
    assert "draws the chart of this image" in text
    assert "8 by 6 inches" in text
    assert "Instruction" not in text


def test_a_chart_of_customized_is_asked_for_in_the_style_of_the_direct_one(tmp_path: Path) -> None:
    found = imported(tmp_path / "out", copy(tmp_path / "copy"))
    customized = found["customized_600-line_1"]
    assert read_content(customized).reference == png("blue")
    (question,) = open_task("chart").questions(customized)
    text = "".join(part.text for part in question.parts if isinstance(part, TextPart))
    assert "in the style of this image" in text
    assert "7.5 by 5 inches" in text
    assert text.endswith("\n\nInstruction:\nDraw ages.\n")
    assert [part.path.read_bytes() for part in question.parts if isinstance(part, ImagePart)] == [png("red")]


def test_instructions_may_lie_elsewhere_and_the_first_release_has_other_names(tmp_path: Path) -> None:
    write_chart(tmp_path / "old" / "ori_500", "pie_6", "red")
    write_chart(tmp_path / "old" / "customized_500", "pie_6", "blue")
    about = write_lines(tmp_path / "legacy" / INSTRUCTIONS, {"idx": "pie_6", "instruction": "Pies."})
    found = imported(tmp_path / "out", tmp_path / "old", about)
    assert set(found) == {"direct_500-pie_6", "customized_500-pie_6"}
    assert found["customized_500-pie_6"].inputs["instruction"] == "Pies."
    assert "figure_size" not in found["direct_500-pie_6"].inputs


def test_files_of_data_that_a_program_names_come_along(tmp_path: Path) -> None:
    code = 'import pandas\npandas.read_csv("data/rain.csv")\nopen("../secret.csv")\nopen("line_1.pdf")\n'
    folder = tmp_path / "direct_600"
    write_chart(folder, "line_1", "red", code)
    write_lines(folder / "data" / "rain.csv", {"rain": 1})
    write_lines(folder / "data" / "snow.csv", {"snow": 1})
    write_lines(tmp_path / "secret.csv", {"secret": 1})
    (one,) = imported(tmp_path / "out", tmp_path).values()
    assert read_content(one).assets == {"data/rain.csv": b'{"rain": 1}\n'}
    (question,) = open_task("chart").questions(one)
    assert any("data/rain.csv" in part.text for part in question.parts if isinstance(part, TextPart))


@pytest.mark.parametrize("name", ["direct_600/bar_2.py", "direct_600/bar_2.png", "direct_700"])
def test_no_file_outside_of_the_folder_is_read(tmp_path: Path, name: str) -> None:
    folder = copy(tmp_path / "copy")
    write_chart(folder / "direct_600", "bar_2", "red")
    write_chart(folder / "direct_700", "bar_3", "red")
    link_out(folder / name, tmp_path / "private")
    done = lay(tmp_path / "out", folder)
    assert done.instances == 3
    assert name == "direct_700" or f"{name.partition('/')[2]} lies outside" in done.left_out[0]


def test_only_the_tasks_asked_for_are_taken(tmp_path: Path) -> None:
    assert lay(tmp_path / "out", copy(tmp_path / "copy"), tasks=("customized",)).instances == 1
    with pytest.raises(UsageError, match="no task 'edit'"):
        lay(tmp_path / "other", tmp_path / "copy", tasks=("edit",))


def test_what_lacks_a_part_is_left_out_with_the_reason(tmp_path: Path) -> None:
    folder = copy(tmp_path / "copy")
    write_chart(folder / "direct_600", "bar_2", "red")
    (folder / "direct_600" / "bar_2.png").unlink()
    write_chart(folder / "customized_600", "bar_3", "blue")
    write_chart(folder / "customized_600", "bar_2", "blue")
    write_lines(folder / INSTRUCTIONS, *({"idx": f"bar_{n}", "instruction": "x"} for n in (2,)))
    done = lay(tmp_path / "out", folder)
    assert done.instances == 1
    said = " ".join(done.left_out)
    assert "bar_2.py: has no image bar_2.png; convert bar_2.pdf" in said
    assert "bar_3.py: has no instruction" in said
    assert "has no image bar_2.png in the folder of direct" in said


def test_sources_without_charts_are_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="holds no folder"):
        lay(tmp_path / "out", tmp_path)
    with pytest.raises(DataError, match="is not there"):
        lay(tmp_path / "out", tmp_path / "missing")
    (tmp_path / "direct_600").mkdir()
    (tmp_path / SIZES).write_text("{")
    with pytest.raises(DataError, match="is not JSON"):
        lay(tmp_path / "out", tmp_path)


def test_a_style_that_is_no_whole_picture_is_a_fault(tmp_path: Path) -> None:
    lay(tmp_path / "out", copy(tmp_path / "copy"), tasks=("customized",))
    (one,) = read_folder(tmp_path / "out").instances
    one.files["style"].write_bytes(png("red")[:-20])
    (fault,) = check(tmp_path / "out").faults
    assert one.files["style"].name in fault.message
