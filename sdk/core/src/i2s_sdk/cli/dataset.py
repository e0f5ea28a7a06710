"""``i2s-sdk dataset``: look at data sets, check them, begin or make one."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from i2s_sdk.cli.main import FAULT, USAGE, LazyGroup
from i2s_sdk.cli.options import json_option, load_settings, settings_options_for
from i2s_sdk.cli.terminal import say, say_json
from i2s_sdk.visible import visible_line
from i2s_wire.renderers import BY_LANGUAGE

if TYPE_CHECKING:
    from i2s_sdk.data.check import Fault
    from i2s_sdk.data.selection import Subset


@click.group("make", short_help="Make new items of a benchmark.")
def make_command() -> None:
    """Make a data set of new items, whose gold answers are known by construction.

    \b
    Examples:
      i2s-sdk dataset make visualwebbench shop.tar.gz --out items
    """  # noqa: D301 - \b is for click


@make_command.command("visualwebbench", short_help="From web sites, drawn by the page renderer.")
@click.argument("sites", nargs=-1, required=True, metavar="SITE…")
@click.option(
    "--out", required=True, metavar="DIR", help="Folder of the data set; must not exist, or be empty."
)
@click.option(
    "--seed", type=int, default=0, metavar="N", help="Decides which elements are taken.  [default: 0]"
)
@click.option(
    "--per-page",
    type=click.IntRange(1),
    default=2,
    metavar="N",
    help="The most items of a page and a task.  [default: 2]",
)
@click.option(
    "--pages",
    "most_pages",
    type=click.IntRange(1),
    default=50,
    metavar="N",
    help="The most pages of a site.  [default: 50]",
)
@click.option("--licence", default="", metavar="L", help="Of the sites, such as CC0-1.0.")
@json_option
@settings_options_for(BY_LANGUAGE["html"].name)
def visualwebbench(
    sites: tuple[str, ...],
    out: str,
    seed: int,
    per_page: int,
    most_pages: int,
    licence: str,
    as_json: bool,
    **given: str | bool | None,
) -> None:
    """Draw the pages of each SITE at 1280 x 1024 pixels and make items of VisualWebBench of them.

    SITE is a folder, an archive (.zip, .tar.gz) or an HTML document. What would be ambiguous is refused:
    elements that are hidden, covered or cut off, and texts that stand on the page twice. The reasons are
    counted. The same sites, renderer and seed give the same data set.

    \b
    Examples:
      i2s-sdk dataset make visualwebbench shop.tar.gz museum/ --out items --seed 7
      i2s-sdk evaluate --data items --model baseline/ocr
    """  # noqa: D301
    from i2s_sdk.single.web_items import make_visualwebbench

    made = make_visualwebbench(
        sites,
        out,
        seed=seed,
        per_page=per_page,
        most_pages=most_pages,
        licence=licence,
        settings=load_settings(given),
    )
    if as_json:
        say_json(asdict(made))
        return
    for task, count in made.items.items():
        say(f"{task}: {count}")
    for reason, count in sorted(made.refused.items()):
        say(visible_line(f"refused, {reason}: {count}"), err=True)
    say(f"{out}: {sum(made.items.values())} instances of {made.pages} pages")


@make_command.command("shapecode", short_help="Shapes with their programs, from a seed.")
@click.option(
    "--out", required=True, metavar="DIR", help="Folder of the data set; must not exist, or be empty."
)
@click.option("--seed", type=int, default=0, metavar="N", help="Decides all programs.  [default: 0]")
@click.option(
    "--count",
    type=click.IntRange(1),
    default=50,
    metavar="N",
    help="Items of each difficulty.  [default: 50]",
)
def shapecode(out: str, seed: int, count: int) -> None:
    """Make items in the manner of ShapeCodeBench that nobody has seen: black shapes and their programs.

    The numbers and sizes of the shapes have the ranges of the published items. The same seed gives the same
    data set, and a larger count begins with the same items of each difficulty.

    \b
    Examples:
      i2s-sdk dataset make shapecode --out shapes --seed 20261130
      i2s-sdk evaluate --data shapes --model oracle
    """  # noqa: D301
    from i2s_sdk.data.imports.shapecode import make_shapecode

    made = make_shapecode(Path(out), seed=seed, count=count)
    say(f"{out}: {made.instances} instances")


@click.group(
    "dataset",
    cls=LazyGroup,
    modules={},
    kind="command",
    order=("convert", "import", "list", "make", "new", "publish", "push", "schema", "validate"),
    prefix="dataset ",
    short_help="List, check, begin, import or convert a data set.",
)
def dataset_command() -> None:
    """Look at a data set, find every fault of a local one, begin one of your own, import or convert one.

    \b
    Examples:
      i2s-sdk dataset list
      i2s-sdk dataset list hf:stanford-crfm/i2s-latex
      i2s-sdk dataset new my-set --from my-pictures
      i2s-sdk dataset validate my-set
      i2s-sdk dataset convert my-set --out my-set-2
      i2s-sdk dataset import sobench evaluation.jsonl --out so-bench
    """  # noqa: D301 - \b is for click


dataset_command.add_command(make_command)


@dataset_command.command("list", short_help="What a data set holds, by task and subset.")
@click.argument("data", required=False)
@click.option("--subset", "subsets", multiple=True, metavar="S", help="Only this one; may be repeated.")
@json_option
def list_command(data: str | None, subsets: tuple[str, ...], as_json: bool) -> None:
    """Count the instances of DATA by task, subset and difficulty.

    DATA is a folder with instances.jsonl, a file of such lines, or hf:OWNER/NAME of Hugging Face; without
    it the bundled examples are counted.

    \b
    Examples:
      i2s-sdk dataset list my-set
      i2s-sdk dataset list hf:stanford-crfm/i2s-latex --subset wild --json
    """  # noqa: D301
    from i2s_sdk.data import Selection, open_data
    from i2s_sdk.data.selection import summarize
    from i2s_sdk.settings import Settings

    data_set = open_data(data, examples=Settings.load().examples, subsets=subsets)
    counted = summarize(Selection(subsets=subsets).apply(data_set.instances))
    if as_json:
        document = {
            "folder": str(data_set.folder),
            "sha256": data_set.sha256,
            "instances": sum(subset.instances for subset in counted),
            "subsets": [asdict(subset) for subset in counted],
        }
        say_json(document)
    else:
        _say(counted)


def _say(counted: list[Subset]) -> None:
    rows: list[tuple[str, ...]] = [
        ("task", "subset", "instances", "with ground truth", "with assets", "difficulties")
    ]
    rows += [
        (
            subset.task,
            subset.name,
            str(subset.instances),
            str(subset.with_structure),
            str(subset.with_assets),
            ", ".join(f"{name or 'unknown'} {n}" for name, n in subset.difficulties.items()),
        )
        for subset in counted
    ]
    rows = [tuple(map(visible_line, row)) for row in rows]
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    for row in rows:
        say("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())
    say(f"{sum(subset.instances for subset in counted)} instances")


@dataset_command.command("validate", short_help="Every fault of a local data set.")
@click.argument("path")
@json_option
def validate_command(path: str, as_json: bool) -> int:
    """Open every file of the data set PATH and tell every fault with file and line.

    PATH is a folder with instances.jsonl, or a file of such lines. The exit code is 2 if there is a fault.
    There is a warning of each reference that is not compared as it looks, such as one with alpha or 16 bits.

    \b
    Examples:
      i2s-sdk dataset validate my-set
      i2s-sdk dataset validate my-set/hard.jsonl --json
    """  # noqa: D301
    from i2s_sdk.data.check import check
    from i2s_sdk.settings import Settings

    checked = check(Path(path), Settings.load().reference_pixels)
    if as_json:
        document = {
            "ok": not checked.faults,
            "instances": len(checked.instances),
            "faults": _listed(checked.faults),
            "warnings": _listed(checked.warnings),
        }
        say_json(document)
    else:
        for fault in checked.faults:
            say(str(fault))
        for warning in checked.warnings:
            say(f"warning: {warning}", err=True)
        counts = f"{len(checked.instances)} instances, {len(checked.faults)} faults"
        warned = f", {len(checked.warnings)} warnings" if checked.warnings else ""
        say(f"{checked.index}: {counts}{warned}", err=True)
    return USAGE if checked.faults else 0


def _listed(faults: tuple[Fault, ...]) -> list[dict[str, str | int]]:
    return [{"file": str(fault.file), "line": fault.line, "message": fault.message} for fault in faults]


@dataset_command.command("new", short_help="Begin a data set.")
@click.argument("folder")
@click.option("--from", "source", metavar="DIR", help="Take the images and documents of this folder.")
@click.option("--task", default="", metavar="T", help="Task of all instances, such as latex.")
@click.option("--subset", default="", metavar="NAME", help="Subset of all instances.  [default: name of DIR]")
@json_option
def new_command(folder: str, source: str | None, task: str, subset: str, as_json: bool) -> int:
    """Make the data set FOLDER, which must not exist or be empty.

    Without --from it has one example as a start. With --from each image (PNG, JPEG, WebP) is an
    instance, and the document of its name its ground truth. The document names the task: .tex latex, .ly
    music, .py chart, .svg svg, .tar.gz or the folder of a site webpage, .html design2code, or webpage with
    --task webpage. Images without document need --task; a document of another task is then refused.
    An image has the size that its task draws: of webpage 1920x1080, of design2code the whole page at a width
    of 1280 (i2s-sdk render html --viewport 1280x720 --full-page).
    GIF, TIFF and BMP are converted to PNG, of several frames or pages the first.

    Each file that is left out is named with the reason; the exit code is 1 if one of them is an image or a
    document that cannot be read.

    If DIR has subfolders that are named after tasks, their images and documents become one data set, and
    --task is left out: pictures/latex/a.png is an instance of latex, pictures/webpage/b.png one of webpage.

    \b
    Examples:
      i2s-sdk dataset new my-set
      i2s-sdk dataset new my-set --from exams/ --task latex --subset exam
      i2s-sdk dataset new my-set --from pictures/
    """  # noqa: D301
    from i2s_sdk.data.scaffold import new_dataset
    from i2s_sdk.errors import UnknownNameError
    from i2s_sdk.settings import Settings
    from i2s_sdk.tasks.registry import SPECS

    if task and task not in SPECS:
        raise UnknownNameError("task", task, SPECS)
    most_pixels = Settings.load().reference_pixels
    made = new_dataset(
        Path(folder), Path(source) if source else None, task=task, subset=subset, most_pixels=most_pixels
    )
    faulty = any(one.fault for one in made.left_out)
    if as_json:
        left_out = [{"file": str(one.path), "reason": one.reason} for one in made.left_out]
        say_json({"folder": folder, **asdict(made), "left_out": left_out})
        return FAULT if faulty else 0
    for label, texts in (
        ("converted", made.converted),
        ("left out", made.left_out),
        ("warning", made.warnings),
    ):
        for text in texts:
            say(visible_line(f"{label}: {text}"), err=True)
    count = made.instances
    say(f"{folder}: {count} instance{'s' if count != 1 else ''}; i2s-sdk evaluate --data {folder}")
    return FAULT if faulty else 0


@dataset_command.command("convert", short_help="Copy a data set in format 2.")
@click.argument("path")
@click.option("--out", required=True, metavar="FOLDER", help="The copy; must not exist, or be empty.")
@click.option("--licence", default="", metavar="NAME", help="Of instances whose lines name none.")
def convert_command(path: str, out: str, licence: str) -> None:
    """Copy the data set PATH, whose lines may be of format 1, to FOLDER in format 2, with its files.

    \b
    Example:
      i2s-sdk dataset convert my-set --out my-set-2 --licence CC-BY-4.0
    """  # noqa: D301
    from i2s_sdk.data.format_2 import convert

    count = convert(Path(path), Path(out), licence=licence)
    say(f"{out}: {count} instance{'s' if count != 1 else ''} in format 2")


@dataset_command.command("import", short_help="Make a data set of another benchmark's files.")
@click.argument("kind")
@click.argument("sources", nargs=-1, required=True, metavar="SOURCE...")
@click.option("--out", required=True, metavar="FOLDER", help="The data set; must not exist, or be empty.")
@click.option("--images", metavar="DIR", help="Folder of the images that the sources name.")
@click.option("--task", "tasks", multiple=True, metavar="T", help="Only this one; may be repeated.")
@click.option("--ocr", is_flag=True, help="Read the blocks of images of Design2Code without a page.")
@json_option
def import_command(
    kind: str,
    sources: tuple[str, ...],
    out: str,
    images: str | None,
    tasks: tuple[str, ...],
    ocr: bool,
    as_json: bool,
) -> int:
    """Make the data set FOLDER, in format 2, of another benchmark as it is published.

    \b
    KIND            SOURCE
    chartmimic      folders with direct_600, customized_600 and the like, whose programs (ID.py) have a
                    image (ID.png), and the files dimentions_info.jsonl, dimentions_info_edit.jsonl
    design2code     folders of pages (NAME.html) and their images (NAME.png) with rick.jpg;
                    design2code_hard: the same of Design2Code-HARD
    olmocrbench     folders with a folder pdfs and files of tests (*.jsonl), or hf:OWNER/NAME, which is
                    downloaded
    omnidocbench    annotation files (OmniDocBench.json), or folders that hold one; pages are the files of
                    their names in images/ or pdfs/ beside it, or in --images
    plot2code       folders of Parquet files, or of images with metadata.jsonl
    readoc          folders of PDF documents with gold Markdown (SUBSET/pdf/ID.pdf with
                    SUBSET/markdown/ID.md, or ID.pdf beside ID.md), or hf:OWNER/NAME, which is downloaded
    scimage         CSV files of prompts (prompt.csv, multilingual_prompt.csv), or folders with such files
    shapecodebench  tasks.json of ShapeCodeBench, or a folder with it
    smb             folders of Parquet files, such files, or hf:PRAIG/SMB, which is downloaded
    sobench         evaluation files (*.jsonl), or label files (*.json) with --images; a folder stands
                    for its files of these names
    svg             Parquet files with a column Svg and one image, and folders with such files or with SVG
                    files, each beside an image of its name or in --images
    visualwebbench  folders of Parquet files, such files, or hf:OWNER/NAME, which is downloaded

    An option that a kind does not take is an error.

    Items with a fault are left out, each with the reason; then the exit code is 1.

    \b
    Examples:
      i2s-sdk dataset import chartmimic dataset dimentions_info_edit.jsonl --out chartmimic
      i2s-sdk dataset import design2code testset_final --out design2code
      i2s-sdk dataset import olmocrbench olmOCR-bench/bench_data --out olmocr-bench
      i2s-sdk dataset import omnidocbench OmniDocBench --out omnidocbench
      i2s-sdk dataset import plot2code Plot2Code --task direct --out plot2code
      i2s-sdk dataset import readoc data --out readoc
      i2s-sdk dataset import sobench evaluation.jsonl --out so-bench
      i2s-sdk dataset import sobench data/labels --images images --out so-bench
      i2s-sdk dataset import visualwebbench hf:visualwebbench/VisualWebBench --task webqa --out webqa
    """  # noqa: D301
    from i2s_sdk.data.imports.items import ImportRequest
    from i2s_sdk.data.imports.registry import import_data
    from i2s_sdk.models.baselines import image_reader

    folder = None if images is None else Path(images)
    reader = image_reader() if ocr else None
    imported = import_data(kind, ImportRequest(sources, Path(out), folder, tasks, reader))
    if as_json:
        say_json({"folder": out, **asdict(imported)})
    else:
        for reason in imported.left_out:
            say(visible_line(f"left out: {reason}"), err=True)
        count = imported.instances
        say(f"{out}: {count} instance{'s' if count != 1 else ''}; i2s-sdk evaluate --data {out}")
    return FAULT if imported.left_out else 0


@dataset_command.command("schema", short_help="JSON Schema of a task's inputs and target.")
@click.argument("task")
def schema_command(task: str) -> None:
    """Print the JSON Schema (draft 2020-12) of inputs and target of the instances of TASK.

    \b
    Example:
      i2s-sdk dataset schema latex
    """  # noqa: D301
    from i2s_sdk.tasks.registry import task_spec

    spec = task_spec(task)
    properties = {"inputs": spec.inputs, "target": spec.target}
    document = {"$schema": "https://json-schema.org/draft/2020-12/schema", "properties": properties}
    say_json(document)
