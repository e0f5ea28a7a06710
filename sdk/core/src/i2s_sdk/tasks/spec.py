"""The specification of a task, the same in all profiles: its names, its data and their schemas.

A property of the inputs with the format "file" is the path of a file, relative to the data set.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from i2s_sdk.instances.instance import Content, Instance
from i2s_sdk.scoring.scorer import Average
from i2s_sdk.tasks.benchmark import PublishedTable
from i2s_sdk.tasks.ocr_page import OcrAnswer
from i2s_sdk.tasks.question import Question
from i2s_sdk.tasks.rubric import HumanScoring, Rubric
from i2s_sdk.tasks.structure import Structure
from i2s_sdk.tasks.task import Task
from i2s_sdk.tasks.view import Panel, ShownSample
from i2s_wire.metrics.profile import Profile

#: A part of a schema.
Schema = Mapping[str, Any]

#: A file of the data set.
FILE: Schema = {"type": "string", "minLength": 1, "format": "file"}

#: Files that an answer may use: names within the archive of the target, or files of the data set.
ASSETS: Schema = {
    "type": ["array", "null"],
    "items": {
        "type": ["string", "object"],
        "properties": {"name": {"type": "string"}, "path": {"type": "string"}},
        "required": ["name", "path"],
        "additionalProperties": False,
    },
}

#: A target that is a file, with its text if that is known.
STRUCTURE: Schema = {
    "type": ["object", "null"],
    "properties": {"structure": {"type": ["string", "null"]}, "text": {"type": ["string", "null"]}},
    "additionalProperties": False,
}


def fields(required: Mapping[str, Schema], optional: Mapping[str, Schema] | None = None) -> Schema:
    """Return the schema of an object with these properties and no others."""
    return {
        "type": "object",
        "properties": {**required, **(optional or {})},
        "required": list(required),
        "additionalProperties": False,
    }


#: What a model is given that is shown an image and may use files.
IMAGE_AND_ASSETS = fields({"image": FILE}, {"assets": ASSETS})


def file_names(inputs: Schema) -> tuple[str, ...]:
    """Return the properties of ``inputs`` that are files."""
    properties: Mapping[str, Schema] = inputs.get("properties", {})
    return tuple(name for name, one in properties.items() if one.get("format") == "file")


def without_files(inputs: Schema) -> Schema:
    """Return the schema of ``inputs`` for a sample whose files are not at hand: none of them is required."""
    files = file_names(inputs)
    return {**inputs, "required": [name for name in inputs.get("required", ()) if name not in files]}


#: Width and height of an image in pixels.
Size = tuple[int, int]


def no_blank(size: Size | None) -> str:
    """Return an empty answer."""
    return ""


def no_fault(checked: object) -> str:
    """Return that nothing is wrong."""
    return ""


@dataclass(frozen=True, slots=True)
class TaskSpec:
    """A task as data sets, commands and reports know it.

    A task that renders nothing, or belongs to no benchmark, leaves out the fields that say so by default.

    Attributes:
        name: Name as instances call it.
        title: The name of the task in tables.
        main_metric: Main metric that models are ranked by.
        subsets: Subsets of the benchmark, which a run takes if none is named.
        open: Returns the task with the rules of a profile.
        answer: Returns what a model that knows the ground truth would answer to a question.
        inputs: JSON Schema of the inputs of an instance; see ``i2s_sdk.tasks.spec``.
        target: The same of its target.
        published_table: Number or name of the published table that has its metrics; empty if there is none.
        published: Published tables by name, those of the file published.json in the folder of the task.
        subset_tables: Names of published tables of single subsets, by subset. A task with such tables has a
            table for each subset, published or not, and none over all its subsets.
        hub_name: Its part of the names of the repositories of Image2Struct; empty if it is not in them.
        wild_subsets: Subsets of the benchmark without ground truth, excluded from totals.
        structure_suffix: Suffix of files of ground truth; empty if the target is no file.
        structure_is_site: Whether these are archives of sites and no text.
        structure_fault: Returns what is wrong with ground truth, empty for nothing.
        language: Language of structures, by which reports colour them: "latex", "html" or "lilypond"; empty
            if they are plain text.
        canary: A structure that its renderer has to render; None if nothing is rendered.
        averages: Columns of tables that are means of other columns; ``main_metric`` may be one.
        mean_of_cells: Whether profile ``helm`` takes the unweighted mean over the groups of subset and
            difficulty as the value of the task, and not the mean over samples.
        instance_fault: Returns what is wrong with inputs and target beyond their schemas, empty for nothing.
        files_fault: Returns what is wrong with the content of input files other than images, empty for
            nothing; ``dataset validate`` and imports ask for it.
        view: Returns what a report shows of a sample beside its texts; None for nothing.
        rubric: Rubric by which judge models score its images; None if there is none.
        human_scoring: Criteria and files of the scores that people give to its images; None if there are no
            such files. ``i2s-sdk human-scores`` reads them.
        human_table: Name of the published table of scores that people gave to systems, which is shown beside
            runs and never ranked with them.
        blank: Returns an answer that shows nothing, rendered as large as an image of a size; the size is
            None if the instance has no image. A white rendering is not usable, so what is drawn differs
            from white by one.
        ocr_answer: Returns what ``baseline/ocr`` answers, from the words that it reads in the images of a
            question; None if it cannot answer.
        shows_pages: Whether a question may show several images, the pages of a document.
        max_tokens: The most tokens of an answer to its questions, whatever the options of the model say; None
            takes that of the options.
        shown_beside: Metrics that stand beside the main one in tables over several tasks, where runs have
            them; they rank nobody.
        constant: An ordinary answer that knows nothing of any instance; empty if there is none.
    """

    name: str
    title: str
    main_metric: str
    subsets: tuple[str, ...]
    open: Callable[[Profile], Task]
    answer: Callable[[Content, Question], str]
    inputs: Schema
    target: Schema
    published_table: str = ""
    published: Mapping[str, PublishedTable] = field(default_factory=dict)
    subset_tables: Mapping[str, str] = field(default_factory=dict)
    hub_name: str = ""
    wild_subsets: tuple[str, ...] = ()
    structure_suffix: str = ""
    structure_is_site: bool = False
    structure_fault: Callable[[Content], str] = no_fault
    language: str = ""
    canary: Structure | None = None
    averages: tuple[Average, ...] = ()
    mean_of_cells: bool = False
    instance_fault: Callable[[Instance], str] = no_fault
    files_fault: Callable[[Instance], str] = no_fault
    view: Callable[[ShownSample], tuple[Panel, ...]] | None = None
    rubric: Rubric | None = None
    human_scoring: HumanScoring | None = None
    human_table: str = ""
    blank: Callable[[Size | None], str] = no_blank
    ocr_answer: OcrAnswer | None = None
    shows_pages: bool = False
    max_tokens: int | None = None
    shown_beside: tuple[str, ...] = ()
    constant: str = ""

    @property
    def renders(self) -> bool:
        """Whether structures are rendered."""
        return self.open(Profile.PAPER).rendering is not None


def text_fault(content: Content) -> str:
    """Return what is wrong with ground truth that is a text, empty for nothing."""
    code = content.structure or ""
    if "\ufffd" in code:
        return "is not UTF-8"
    if not code.strip():
        return "is empty; leave the field out if there is no ground truth"
    return ""
