"""The seven tasks of VisualWebBench and the four forms of grounding, as data."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum, auto

from i2s_sdk.scoring.scorer import Scorer
from i2s_sdk.tasks.visualwebbench.scorer import (
    ACCURACY,
    BOX,
    F1,
    LETTER,
    POINT,
    ROUGE_L,
    QuestionScorer,
    RougeScorer,
)
from i2s_wire.metrics.profile import Profile

#: Where the shown image has no marks drawn on it, this input names it.
RAW_IMAGE = "raw_image"


class Form(Enum):
    """The form of an answer."""

    DESCRIPTION = auto()
    ELEMENT_TEXT = auto()
    PLAIN_TEXT = auto()
    LETTER = auto()
    BOX = auto()
    POINT = auto()


@dataclass(frozen=True, slots=True)
class TaskKind:
    """A task, or a form of one."""

    #: Name as instances call it.
    name: str
    #: Its name in tables.
    title: str
    #: What an answer is.
    form: Form
    #: Main metric that models are ranked by.
    main_metric: str
    #: Returns the scorer with the rules of a profile.
    scorer: Callable[[Profile], Scorer]
    #: Names of the inputs beside the image that the question needs.
    inputs: tuple[str, ...] = ()
    #: Whether the model is shown the image without marks.
    raw: bool = False

    @property
    def boxes(self) -> bool:
        """Whether the options are boxes; else they are texts."""
        return "options" in self.inputs and "bbox" not in self.inputs

    @property
    def several_golds(self) -> bool:
        """Whether the target is a list of texts, of which the best counts."""
        return self.main_metric == F1


def _element_text(profile: Profile) -> Scorer:
    return RougeScorer(profile, least=2)  # one character is taken for no answer


def _letter(profile: Profile) -> Scorer:
    return LETTER


def _box(profile: Profile) -> Scorer:
    return BOX


def _point(profile: Profile) -> Scorer:
    return POINT


#: The tasks in the order of the benchmark's tables, then the forms of grounding behind them.
KINDS = (
    TaskKind("web_caption", "Captioning", Form.DESCRIPTION, ROUGE_L, RougeScorer),
    TaskKind("webqa", "WebQA", Form.PLAIN_TEXT, F1, QuestionScorer, ("question",)),
    TaskKind("heading_ocr", "Heading OCR", Form.PLAIN_TEXT, ROUGE_L, RougeScorer),
    TaskKind("element_ocr", "Element OCR", Form.ELEMENT_TEXT, ROUGE_L, _element_text, ("bbox",)),
    TaskKind("element_ground", "Element grounding", Form.LETTER, ACCURACY, _letter, ("elem_desc", "options")),
    TaskKind("action_prediction", "Action prediction", Form.LETTER, ACCURACY, _letter, ("bbox", "options")),
    TaskKind("action_ground", "Action grounding", Form.LETTER, ACCURACY, _letter, ("instruction", "options")),
    TaskKind(
        "element_ground_box",
        "Element grounding, box",
        Form.BOX,
        ACCURACY,
        _box,
        ("elem_desc", "options"),
        True,
    ),
    TaskKind(
        "element_ground_point",
        "Element grounding, point",
        Form.POINT,
        ACCURACY,
        _point,
        ("elem_desc", "options"),
        True,
    ),
    TaskKind(
        "action_ground_box",
        "Action grounding, box",
        Form.BOX,
        ACCURACY,
        _box,
        ("instruction", "options"),
        True,
    ),
    TaskKind(
        "action_ground_point",
        "Action grounding, point",
        Form.POINT,
        ACCURACY,
        _point,
        ("instruction", "options"),
        True,
    ),
)
#: Names of the seven tasks whose mean is the headline.
SEVEN = tuple(kind.name for kind in KINDS[:7])
