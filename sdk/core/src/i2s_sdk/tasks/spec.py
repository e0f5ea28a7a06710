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
from i2s_sdk.tasks.graded import Grade
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
    """

    #: Name as instances call it.
    name: str
    #: The name of the task in tables.
    title: str
    #: Main metric that models are ranked by.
    main_metric: str
    #: Subsets of the benchmark, which a run takes if none is named.
    subsets: tuple[str, ...]
    #: Returns the task with the rules of a profile.
    open: Callable[[Profile], Task]
    #: Returns what a model that knows the ground truth would answer to a question.
    answer: Callable[[Content, Question], str]
    #: JSON Schema of the inputs of an instance; see ``i2s_sdk.tasks.spec``.
    inputs: Schema
    #: The same of its target.
    target: Schema
    #: Number or name of the published table that has its metrics; empty if there is none.
    published_table: str = ""
    #: Published tables by name, those of the file published.json in the folder of the task.
    published: Mapping[str, PublishedTable] = field(default_factory=dict)
    #: Names of published tables of single subsets, by subset. A task with such tables has a table for each
    #: subset, published or not, and none over all its subsets.
    subset_tables: Mapping[str, str] = field(default_factory=dict)
    #: Its part of the names of the repositories of Image2Struct; empty if it is not in them.
    hub_name: str = ""
    #: Subsets of the benchmark without ground truth, excluded from totals.
    wild_subsets: tuple[str, ...] = ()
    #: Suffix of files of ground truth; empty if the target is not a file.
    structure_suffix: str = ""
    #: Suffixes of files of predictions in the order looked for; empty takes ``structure_suffix``.
    prediction_suffixes: tuple[str, ...] = ()
    #: Whether files of ground truth are archives of sites and no text.
    structure_is_site: bool = False
    #: Returns what is wrong with ground truth, empty for nothing.
    structure_fault: Callable[[Content], str] = no_fault
    #: Language of structures, by which reports colour them: "latex", "html" or "lilypond"; empty if they are
    #: plain text.
    language: str = ""
    #: A small structure that its renderer renders; None if nothing is rendered.
    canary: Structure | None = None
    #: Columns of tables that are means of other columns; ``main_metric`` may be one.
    averages: tuple[Average, ...] = ()
    #: Metric that says how far what scorers count can be believed, from 0 to 1: no reward counts a metric of
    #: a scorer for more. Empty if scorers count nothing that an answer could claim.
    support_metric: str = ""
    #: Whether profile ``helm`` takes the unweighted mean over the groups of subset and difficulty as the
    #: value of the task, and not the mean over samples.
    mean_of_cells: bool = False
    #: Returns what is wrong with inputs and target beyond their schemas, empty for nothing.
    instance_fault: Callable[[Instance], str] = no_fault
    #: Returns what is wrong with the content of input files other than images, empty for nothing; ``dataset
    #: validate`` and imports ask for it.
    files_fault: Callable[[Instance], str] = no_fault
    #: Returns what a report shows of a sample beside its texts; None for nothing.
    view: Callable[[ShownSample], tuple[Panel, ...]] | None = None
    #: Returns the attributes of a sample by name, from the details that its scorers kept; runs then have a
    #: table by each of them. None if there are none.
    attributes: Callable[[Mapping[str, Any]], Mapping[str, str]] | None = None
    #: Rubric by which judge models score its images; None if there is none.
    rubric: Rubric | None = None
    #: Criteria and files of the scores that people give to its images; None if there are no such files.
    #: ``i2s-sdk human-scores`` reads them.
    human_scoring: HumanScoring | None = None
    #: Name of the published table of scores that people gave to systems, which is shown beside runs and never
    #: ranked with them.
    human_table: str = ""
    #: Returns an answer that shows nothing, rendered as large as an image of a size; the size is None if the
    #: instance has no image. A white rendering is not usable, so what is drawn differs from white by one.
    blank: Callable[[Size | None], str] = no_blank
    #: Returns what ``baseline/ocr`` answers, from the words that it reads in the images of a question; None
    #: if it cannot answer.
    ocr_answer: OcrAnswer | None = None
    #: Whether a question may show several images, the pages of a document.
    shows_pages: bool = False
    #: The most tokens of an answer to its questions, whatever the options of the model say; None takes that
    #: of the options.
    max_tokens: int | None = None
    #: Metric that tells right answers from wrong ones best (docs/reading-scores.md), of which skill is
    #: computed where runs have it; empty if that is the main one.
    recommended_metric: str = ""
    #: Metrics that stand beside these in tables over several tasks, where runs have them; they rank nobody.
    shown_beside: tuple[str, ...] = ()
    #: Changes of the ground truth that make answers of a known rank, for ``i2s-sdk ladder``; none if there is
    #: no ground truth to be changed.
    grades: tuple[Grade, ...] = ()
    #: An ordinary answer that knows nothing of any instance; empty if there is none.
    constant: str = ""

    @property
    def headline_metrics(self) -> tuple[str, ...]:
        """The main metric and, if it is another one, the recommended one."""
        return (self.main_metric, *((self.recommended_metric,) if self.recommended_metric else ()))

    @property
    def main_parts(self) -> tuple[str, ...]:
        """Metrics of samples by which models are ranked: the main one, or those that it is the mean of."""
        average = next((one for one in self.averages if one.name == self.main_metric), None)
        return tuple(average.of) if average is not None else (self.main_metric,)

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
