"""From a completion to its answer: reasoning and markers, blocks of code, JSON, prose, refusals."""

from i2s_sdk.reading.answer_text import AnswerText, read_answer_text
from i2s_sdk.reading.blocks import Block, fenced_blocks
from i2s_sdk.reading.code_block import CodeRules, ReadCode, read_code
from i2s_sdk.reading.refusal import is_refusal
from i2s_sdk.reading.wrappers import unwrapped_answer, unwrapped_markdown

__all__ = [
    "AnswerText",
    "Block",
    "CodeRules",
    "ReadCode",
    "fenced_blocks",
    "is_refusal",
    "read_answer_text",
    "read_code",
    "unwrapped_answer",
    "unwrapped_markdown",
]
