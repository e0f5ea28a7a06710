"""The answer within a completion: without the model's reasoning, answer tags and markers of chat templates.

The answer is one stretch of the completion. In this order:

1. Markers of a chat template at the beginning are left out.
2. Reasoning: everything up to the last closing tag is left out. The opening tag may be missing, since chat
   templates write it into the prompt. Reasoning that begins and never ends leaves no answer.
3. A marker that ends the turn ends the answer; markers at the end are left out.
4. Of an answer within answer tags, what stands between the last two is the answer.

Source: the chat templates that the publishers of the models ship with them; docs/tasks.md lists them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from i2s_sdk.reading.blocks import with_line_feeds

#: Names of the elements in which models reason, compared without case.
REASONING_TAGS = (
    "think",
    "thinking",
    "thought",
    "thoughts",
    "reasoning",
    "reason",
    "reflection",
    "scratchpad",
    "analysis",
    "seed:think",
    "longcat_think",
    "antthinking",
)

_NAMES = "|".join(map(re.escape, REASONING_TAGS))
# <think>, <|think|>, [THINK], ◁think▷; and pairs that have two names.
_OPENING = (
    rf"(?:<\|?(?:{_NAMES})\|?>|\[think\]|◁think▷|<\|begin_of_thought\|>|<\|start_thinking\|>"
    r"|<unused94>(?:thought)?|<\|channel\|?>\s*(?:analysis|thought)\b(?:\s*<\|message\|>)?)"
)
_CLOSING = re.compile(
    rf"</(?:{_NAMES})\s*>|<\|/(?:{_NAMES})\|>|\[/think\]|◁/think▷|<\|end_of_thought\|>|<\|end_thinking\|>"
    r"|<unused95>|<channel\|>|<\|channel\|>\s*final\b\s*<\|message\|>",
    re.IGNORECASE,
)
_BEGINS_REASONING = re.compile(rf"\s*{_OPENING}", re.IGNORECASE)
_LATER_REASONING = re.compile(rf"^[ \t]*{_OPENING}", re.IGNORECASE | re.MULTILINE)

#: Characters that cannot be seen: byte order mark, zero-width space and its kin.
_INVISIBLE = r"[\s\ufeff\u200b-\u200d\u2060]"
_ROLE = r"(?:assistant|model|bot|gpt|ai)"
_LEADING = re.compile(
    rf"(?:\s*+(?:<\|im_start\|>\s*{_ROLE}\b|<\|start_header_id\|>\s*{_ROLE}\s*<\|end_header_id\|>|<start_of_turn>\s*{_ROLE}\b"
    rf"|<\|start\|>\s*{_ROLE}\b|<\|turn>\s*{_ROLE}\b|<\|(?:assistant|begin_of_text|startoftext|chatbot_token|start_of_turn_token|header_start|header_end)\|>"
    r"|<[|｜]\s*(?:assistant|begin[_▁]of[_▁]sentence)\s*[|｜]>"
    r"|<bos>|<s>|\[/INST\]|[\ufeff\u200b-\u200d\u2060]))+",
    re.IGNORECASE,
)
_TURN_END = re.compile(
    r"<\|(?:im_end|endoftext|eot_id|eot|eom_id|end_of_text|end|return|endofassistant|end_of_turn_token|end_of_turn"
    r"|end_response|end_of_solution|user|observation|im_start|start_header_id)\|>"
    r"|<[|｜]end[_▁]of[_▁]sentence[|｜]>|<[|｜]User[|｜]>|<(?:end_of_turn|turn_end|start_of_turn|turn\||eos)>|\[/?INST\]",
    re.IGNORECASE,
)
_TRAILING = re.compile(rf"(?:{_INVISIBLE}|</s>|<pad>|<\|pad\|>)+\Z", re.IGNORECASE)
#: Pairs of tags around an answer; of the last three the answer may stand anywhere in the text.
_ANSWER_PAIRS = (
    ("<answer>", "</answer>", False),
    ("<final_answer>", "</final_answer>", False),
    ("<output>", "</output>", False),
    ("<result>", "</result>", False),
    ("<response>", "</response>", False),
    ("<solution>", "</solution>", False),
    ("<|begin_of_box|>", "<|end_of_box|>", True),
    ("<|begin_of_solution|>", "<|end_of_solution|>", True),
    ("<|start_response|>", "<|end_response|>", True),
)


@dataclass(frozen=True, slots=True)
class AnswerText:
    """The answer within a completion."""

    #: The completion, verbatim.
    completion: str
    #: Where the answer begins, in characters.
    start: int
    #: The place behind its last character.
    end: int
    #: Whether the completion ends before its reasoning does, so that there is no answer.
    in_reasoning: bool = False

    @property
    def text(self) -> str:
        """The answer, its lines ended by line feeds; empty if the completion ends within its reasoning."""
        return with_line_feeds(self.completion[self.start : self.end])

    @property
    def before(self) -> str:
        """The part of the completion before the answer: reasoning, markers."""
        return self.completion[: self.start]

    @property
    def after(self) -> str:
        """The part behind it."""
        return self.completion[self.end :]


def read_answer_text(completion: str) -> AnswerText:
    """Return the answer within a completion; see the module for the rules.

    Args:
        completion: Verbatim.
    """
    start, end = _after_markers(completion, 0), len(completion)
    for closing in _CLOSING.finditer(completion):
        if not _is_quoted(completion, closing):
            start = closing.end()
    start = _after_markers(completion, start)
    if _is_in_reasoning(completion, start):
        return AnswerText(completion, end, end, in_reasoning=True)
    start, end = _within_answer_tags(completion, start, end)
    turn_end = _TURN_END.search(completion, start, end)
    end = turn_end.start() if turn_end else end
    start = _after_markers(completion, start)
    while (trailing := _trailing_start(completion, start, end)) < end:
        end = trailing
    start, end = _within_answer_tags(completion, start, end)
    return AnswerText(completion, min(start, end), end)


def _is_quoted(completion: str, tag: re.Match[str]) -> bool:
    """Return whether a tag is a code span, of a text about such tags."""
    start, end = tag.span()
    before, after = completion[max(0, start - 2) : start], completion[end : end + 2]
    return before[-1:] == "`" == after[:1] and "``" not in (before, after)


def _after_markers(completion: str, start: int) -> int:
    markers = _LEADING.match(completion, start)
    return markers.end() if markers else start


def _is_in_reasoning(completion: str, start: int) -> bool:
    """Return whether reasoning begins behind ``start`` that never ends.

    Behind other text it must begin a line before the first fence, since an answer may quote such a tag.
    """
    if _BEGINS_REASONING.match(completion, start):
        return True
    fence = completion.find("```", start)
    return bool(_LATER_REASONING.search(completion, start, len(completion) if fence < 0 else fence))


def _trailing_start(completion: str, start: int, end: int) -> int:
    tail = max(start, end - 64)
    trailing = _TRAILING.search(completion, tail, end)
    return trailing.start() if trailing and not trailing.group().isspace() else end


def _within_answer_tags(completion: str, start: int, end: int) -> tuple[int, int]:
    """Return the stretch within the last pair of answer tags, or the one that was given."""
    lowered = completion[start:end].lower() if "<" in completion[start:end] else ""
    for opening, closing, anywhere in _ANSWER_PAIRS if lowered else ():
        last = lowered.rfind(closing)
        first = lowered.rfind(opening, 0, last if last >= 0 else len(lowered))
        if first < 0:
            continue
        text = lowered.strip()
        if anywhere or text.startswith(opening) or (last >= 0 and text.endswith(closing)):
            return start + first + len(opening), start + last if last >= 0 else end
    return start, end
