"""From a completion to the structure of a task: the one way that all answers take."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from i2s_sdk.reading import AnswerText, CodeRules, ReadCode, is_refusal, read_answer_text, read_code
from i2s_sdk.tasks.structure import Absence, BlockChoice, NoStructure, Origin, Structure
from i2s_sdk.tasks.task import Task
from i2s_wire.metrics.profile import Profile


@dataclass(frozen=True, slots=True)
class ReadAnswer:
    """The result of reading a completion."""

    #: The answer within the completion.
    answer: AnswerText
    #: Its structure, or why it has none.
    structure: Structure | NoStructure


def read_answer(task: Task, completion: str, assets: Sequence[str] = ()) -> ReadAnswer:
    """Return the structure of a completion.

    Profile ``paper`` leaves out reasoning and template markers, and tells refusals and answers that end
    within their reasoning apart from other answers without structure. Profile ``helm`` reads the completion
    as the released code did.

    Args:
        task: Task that reads the structure.
        completion: Verbatim.
        assets: Names of the files that the answer may use.
    """
    if task.profile is Profile.HELM:
        whole = AnswerText(completion, 0, len(completion))
        return ReadAnswer(whole, task.structure_from(completion, assets))
    answer = read_answer_text(completion)
    if answer.in_reasoning:
        reason = "the completion ends within the model's reasoning"
        return ReadAnswer(answer, NoStructure(reason, Absence.ENDED_IN_REASONING))
    structure = task.structure_from(answer.text, assets)
    # To a task that takes any text a refusal is a structure too.
    text = answer.text if isinstance(structure, NoStructure) else structure.code if _is_text(task) else ""
    if is_refusal(text):
        structure = NoStructure("the answer is a refusal", Absence.REFUSED)
    return ReadAnswer(answer, structure)


def _is_text(task: Task) -> bool:
    return task.rendering is None


def code_structure(text: str, rules: CodeRules) -> Structure | NoStructure:
    """Return the code of an answer as a structure, or why it has none.

    Args:
        text: Answer without reasoning.
        rules: Rules of the language.
    """
    read = read_code(text, rules)
    if read.fault:
        return NoStructure(read.fault)
    return Structure(read.code, _origin(read), choice=BlockChoice.among(read.blocks, read.taken))


def _origin(read: ReadCode) -> Origin:
    if read.fenced:
        return Origin.FENCE if read.closed else Origin.UNCLOSED_FENCE
    return Origin.EXCERPT if read.excerpt else Origin.BARE


_FENCE = "```"


def helm_fenced(completion: str, opener: str) -> tuple[str, Origin]:
    """Return the text between the first ``opener`` and the next fence, else between the first two fences.

    The completion is trimmed first. Without a closing fence it is the text as a whole, fences included.

    Args:
        completion: Verbatim.
        opener: Opener, such as "```json".
    """
    text = completion.strip()
    for opening in (opener, _FENCE):
        _, opened, rest = text.partition(opening)
        code, closed, _ = rest.partition(_FENCE)
        if opened and closed:
            return code, Origin.FENCE
    return text, Origin.BARE


def line_of_answer(answer: str, document: str, line: int) -> int:
    r"""Return the line of an answer that a line of its document is; 0 if the answer has no such line.

    A task puts lines before those of an answer, and may take them out of a block; of the lines themselves it
    changes little. So lines are the same if they differ in blanks and in the star of ``\begin{align*}``
    alone. Of several, it is the one behind which as many of them follow in the answer as in the document.

    Args:
        answer: The answer, or the source that was given.
        document: What the engine read.
        line: A line of the document, counted from 1; 0 if it is not known.
    """
    lines = [_without_blanks(one) for one in document.splitlines()]
    if not 0 < line <= len(lines) or not (text := lines[line - 1]):
        return 0
    places = [at for at, one in enumerate(answer.splitlines(), start=1) if _without_blanks(one) == text]
    behind = lines[line:].count(text)
    return places[-1 - behind] if behind < len(places) else 0


def _without_blanks(line: str) -> str:
    return "".join(line.replace("*}", "}").split())
