"""From a completion to its answer: reasoning and markers, blocks of code, JSON, prose, refusals."""

from i2s_sdk.reading.answer_text import AnswerText, read_answer_text
from i2s_sdk.reading.blocks import Block, fenced_blocks, unwrapped_markdown
from i2s_sdk.reading.code_block import CodeRules, ReadCode, read_code
from i2s_sdk.reading.refusal import is_refusal

__all__ = [
    "AnswerText",
    "Block",
    "CodeRules",
    "ReadCode",
    "fenced_blocks",
    "is_refusal",
    "read_answer_text",
    "read_code",
    "unwrapped_markdown",
]
